//! What the pages of this room show: plain view models of their templates.

use super::notes::NoteView;
use askama::Template;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::views::SpaceHead;

/// A label as pages show it.
#[derive(Debug, Clone, Default)]
pub struct Tag {
    pub id: i64,
    pub title: String,
    /// Its colour, `#rrggbb`.
    pub color: String,
    /// A few words, or empty.
    pub description: String,
    /// It belongs to a group above.
    pub is_inherited: bool,
}

/// What a list of issues is narrowed to; empty texts narrow nothing.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the parameters")]
pub struct Filters {
    pub search: String,
    pub state: String,
    pub labels: String,
    pub milestone: String,
    pub author: String,
    pub assignee: String,
    pub sort: String,
    /// The values of `state` to choose from.
    pub states: Vec<Choice>,
    /// The values of `sort` to choose from.
    pub sorts: Vec<Choice>,
}

impl Filters {
    /// Whether they hide issues beyond their state.
    pub fn narrow(&self) -> bool {
        let texts = [
            &self.search,
            &self.labels,
            &self.milestone,
            &self.author,
            &self.assignee,
        ];
        self.state != "opened" || texts.iter().any(|text| !text.trim().is_empty())
    }
}

/// `…/-/issues` and `…/-/incidents`.
#[derive(Debug, Template)]
#[template(path = "issues.html")]
pub struct Issues {
    pub page: Page,
    pub head: SpaceHead,
    /// `Issues` or `Incidents`.
    pub title: &'static str,
    pub url: String,
    /// Links to the room's other pages.
    pub tabs: Vec<Tab>,
    /// What it is narrowed to.
    pub filters: Filters,
    pub is_filtered: bool,
    /// The viewer may make issues.
    pub can_create: bool,
    /// The issues of this page.
    pub issues: Vec<IssueRow>,
    /// Where the list stands.
    pub pages: Pages,
}

/// One issue in a list.
#[derive(Debug, Clone, Default)]
pub struct IssueRow {
    /// `#5`, in groups with the project's path.
    pub reference: String,
    pub title: String,
    pub url: String,
    pub is_open: bool,
    pub is_confidential: bool,
    /// `incident`, `task`, or empty.
    pub kind: String,
    /// Of an incident, else empty.
    pub severity: String,
    pub tags: Vec<Tag>,
    /// Title of its milestone, or empty.
    pub milestone: String,
    /// Logins of who is assigned.
    pub assignees: Vec<String>,
    /// Login of its author, or empty.
    pub author: String,
    /// The day it is due, or empty.
    pub due_on: String,
    pub notes: u64,
    pub upvotes: u64,
    pub created_at: Moment,
}

/// `…/-/issues/new` and `…/-/issues/<number>/edit`.
#[derive(Debug, Template)]
#[template(path = "issue_form.html")]
pub struct IssueForm {
    pub page: Page,
    pub title: &'static str,
    /// Where it posts to.
    pub url: String,
    /// Where «Cancel» leads.
    pub back: String,
    /// The issue is not there yet.
    pub is_new: bool,
    /// The viewer may set labels and types.
    pub can_mark: bool,
    /// Field `title`.
    pub name: String,
    /// Field `description`.
    pub description: String,
    /// Field `issue_type`.
    pub kind: String,
    pub kinds: Vec<Choice>,
    /// Field `labels`.
    pub labels: String,
    /// Field `confidential`.
    pub confidential: bool,
    /// What is wrong, by field.
    pub errors: Errors,
    /// What may be solved after a refusal.
    pub challenge: Option<Challenge>,
}

/// `…/-/issues/<number>`.
#[derive(Debug, Template)]
#[template(path = "issue.html")]
pub struct Issue {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub issue: IssueView,
    /// The form beside it, for who may fill it in.
    pub marks: Option<Marks>,
    /// What is told beside it.
    pub facts: Vec<Fact>,
    /// What was said and what became of it, one page of it.
    pub story: Vec<Entry>,
    /// Where that stands.
    pub pages: Pages,
    /// The viewer may write notes.
    pub may_write: bool,
    /// The viewer may write notes for reporters only.
    pub may_write_inside: bool,
    /// A note that was refused, or nothing.
    pub draft: Draft,
    /// What is wrong, by field.
    pub errors: Errors,
    /// What may be solved after a refusal.
    pub challenge: Option<Challenge>,
    /// A note's other text was refused: the challenge stands there.
    pub is_rewriting: bool,
}

/// A note as it was typed.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub body: String,
    /// For reporters only.
    pub is_internal: bool,
    /// The discussion it answers in, or empty.
    pub discussion_id: String,
}

/// One thing in the story of an issue.
#[derive(Debug, Clone)]
pub enum Entry {
    Note(Box<NoteView>),
    /// What became of the issue.
    Event(Box<EventView>),
}

/// What became of an issue.
#[derive(Debug, Clone, Default)]
pub struct EventView {
    /// Login of who did it, or empty.
    pub author: String,
    pub name: String,
    pub what: String,
    pub tags: Vec<Tag>,
    /// To which milestone: its title and page.
    pub milestone: Option<(String, String)>,
    pub created_at: Moment,
}

#[derive(Debug, Clone, Default)]
pub struct IssueView {
    pub iid: i64,
    pub title: String,
    /// Its description as safe HTML, or empty.
    pub description: String,
    pub is_open: bool,
    pub is_confidential: bool,
    /// Only members comment.
    pub is_locked: bool,
    /// `incident`, `task`, or empty.
    pub kind: String,
    /// Login of its author, or empty.
    pub author: String,
    pub created_at: Moment,
    pub closed_at: Option<Moment>,
    pub upvotes: u64,
    /// The viewer's is among them.
    pub upvoted: bool,
    /// The viewer is told of what happens.
    pub subscribed: bool,
    pub is_signed_in: bool,
    /// The viewer may change its texts and state.
    pub may_edit: bool,
    pub may_award: bool,
    /// Where its texts are changed.
    pub edit_url: String,
    /// How far people are with an incident, and what the viewer may say of it.
    pub escalation: Option<(String, Vec<Choice>)>,
}

/// One line of what is told beside an issue.
#[derive(Debug, Clone)]
pub enum Fact {
    Tags(Vec<Tag>),
    People(&'static str, Vec<String>),
    /// A text with an address.
    Link(&'static str, String, String),
    Text(&'static str, String),
}

/// The fields beside an issue.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the fields")]
pub struct Marks {
    pub labels: String,
    pub assignees: String,
    pub milestone: String,
    pub milestones: Vec<Choice>,
    pub due_date: String,
    pub weight: String,
    pub kind: String,
    pub kinds: Vec<Choice>,
    pub severity: String,
    pub severities: Vec<Choice>,
    pub confidential: bool,
    pub locked: bool,
}

/// `…/-/labels`.
#[derive(Debug, Template)]
#[template(path = "labels.html")]
pub struct Labels {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    /// Links to the room's other pages.
    pub tabs: Vec<Tab>,
    /// Filter `search`.
    pub search: String,
    /// The labels of this page.
    pub labels: Vec<LabelRow>,
    /// Where the list stands.
    pub pages: Pages,
    /// The viewer may change labels.
    pub can_manage: bool,
    /// The fields of the form.
    pub form: LabelForm,
    /// What is wrong, by field.
    pub errors: Errors,
}

/// A label in the list, with the form that changes it.
#[derive(Debug, Default)]
pub struct LabelRow {
    pub tag: Tag,
    /// The fields of its form.
    pub form: LabelForm,
    /// What is wrong with them, by field.
    pub errors: Errors,
}

impl LabelRow {
    /// Its form is shown again.
    pub fn is_refused(&self) -> bool {
        !self.errors.is_empty()
    }
}

/// The fields of a label.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the fields")]
pub struct LabelForm {
    pub title: String,
    pub color: String,
    pub description: String,
}

/// `…/-/milestones`.
#[derive(Debug, Template)]
#[template(path = "milestones.html")]
pub struct Milestones {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    /// Links to the room's other pages.
    pub tabs: Vec<Tab>,
    /// `active`, `closed` or `all`.
    pub state: String,
    /// The milestones of this page.
    pub milestones: Vec<MilestoneRow>,
    /// Where the list stands.
    pub pages: Pages,
    /// The viewer may change milestones.
    pub can_manage: bool,
    /// The fields of the form.
    pub form: MilestoneForm,
    /// What is wrong, by field.
    pub errors: Errors,
}

/// One milestone in a list.
#[derive(Debug, Clone, Default)]
pub struct MilestoneRow {
    pub id: i64,
    pub title: String,
    pub url: String,
    pub is_active: bool,
    /// Its last day is over.
    pub is_expired: bool,
    /// Its first day, or empty.
    pub start_on: String,
    /// Its last day, or empty.
    pub due_on: String,
    /// It belongs to a group above.
    pub is_inherited: bool,
}

/// The fields of a milestone.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the fields")]
pub struct MilestoneForm {
    pub title: String,
    pub description: String,
    pub start_date: String,
    pub due_date: String,
}

/// `…/-/milestones/<number>`.
#[derive(Debug, Template)]
#[template(path = "milestone.html")]
pub struct Milestone {
    pub page: Page,
    pub head: SpaceHead,
    /// The list's address, where the forms post to.
    pub url: String,
    pub goal: MilestoneRow,
    /// Its description as safe HTML, or empty.
    pub description: String,
    /// The fields of the form.
    pub form: MilestoneForm,
    /// What is wrong, by field.
    pub errors: Errors,
    /// Its issues on this page.
    pub issues: Vec<IssueRow>,
    /// Where the list stands.
    pub pages: Pages,
    /// The viewer may change it.
    pub can_manage: bool,
}

/// `/dashboard/todos`.
#[derive(Debug, Template)]
#[template(path = "todos.html")]
pub struct Todos {
    pub page: Page,
    pub tabs: Vec<Tab>,
    /// The pending ones are shown.
    pub is_pending: bool,
    /// The to-dos of this page.
    pub todos: Vec<TodoRow>,
    /// Where the list stands.
    pub pages: Pages,
}

#[derive(Debug, Clone, Default)]
pub struct TodoRow {
    pub id: i64,
    pub why: &'static str,
    /// Login of who caused it, or empty.
    pub author: String,
    pub title: String,
    pub url: String,
    /// Path of its project, or empty.
    pub project: String,
    /// The note that caused it, or empty.
    pub body: String,
    pub created_at: Moment,
}
