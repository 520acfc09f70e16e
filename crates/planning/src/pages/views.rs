//! What the pages of this room show: plain view models of their templates.

use super::notes::NoteView;
use crate::entity::todos::TodoSummary;
use crate::model::IssueKind;
use askama::Template;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::views::SpaceHead;

#[derive(Debug, Clone, Default)]
pub struct Tag {
    pub id: i64,
    pub title: String,
    pub color: String,
    /// A few words, or empty.
    pub description: String,
    pub is_inherited: bool,
}

/// What a list of issues is narrowed to; empty texts narrow nothing.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    pub search: String,
    pub state: String,
    pub labels: String,
    pub milestone: String,
    pub author: String,
    pub assignee: String,
    pub sort: String,
    pub states: Vec<Choice>,
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
    pub title: &'static str,
    pub url: String,
    pub tabs: Vec<Tab>,
    pub filters: Filters,
    pub is_filtered: bool,
    pub can_create: bool,
    pub issues: Vec<IssueRow>,
    pub pages: Pages,
}

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
    pub milestone: String,
    pub assignees: Vec<String>,
    pub author: String,
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
    pub url: String,
    /// Where «Cancel» leads.
    pub back: String,
    pub is_new: bool,
    pub can_mark: bool,
    pub kinds: Vec<Choice>,
    pub typed: TypedIssue,
}

#[derive(Debug, Default)]
pub struct TypedIssue {
    pub title: String,
    pub description: String,
    pub kind: Option<IssueKind>,
    pub labels: String,
    pub confidential: bool,
    pub refusal: Refusal,
}

impl TypedIssue {
    pub fn kind(&self) -> &'static str {
        self.kind.unwrap_or_default().as_str()
    }
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
    pub facts: Vec<Fact>,
    /// What was said and what became of it, one page of it.
    pub story: Vec<Entry>,
    pub pages: Pages,
    pub may_write: bool,
    pub may_write_inside: bool,
    /// A note that was refused, or nothing.
    pub draft: Draft,
    pub errors: Errors,
    pub challenge: Option<Challenge>,
    /// A note's other text was refused: the challenge stands there.
    pub is_rewriting: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub body: String,
    pub is_internal: bool,
    pub discussion_id: String,
}

#[derive(Debug, Clone)]
pub enum Entry {
    Note(Box<NoteView>),
    Event(Box<EventView>),
}

#[derive(Debug, Clone, Default)]
pub struct EventView {
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
    pub is_locked: bool,
    /// `incident`, `task`, or empty.
    pub kind: String,
    pub author: String,
    pub created_at: Moment,
    pub closed_at: Option<Moment>,
    pub upvotes: u64,
    /// The viewer's is among them.
    pub upvoted: bool,
    pub subscribed: bool,
    pub is_signed_in: bool,
    pub may_edit: bool,
    pub may_award: bool,
    pub edit_url: String,
    /// How far people are with an incident, and what the viewer may say of it.
    pub escalation: Option<(String, Vec<Choice>)>,
}

#[derive(Debug, Clone)]
pub enum Fact {
    Tags(Vec<Tag>),
    People(&'static str, Vec<String>),
    Link(&'static str, String, String),
    Text(&'static str, String),
}

#[derive(Debug, Clone, Default)]
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
    pub tabs: Vec<Tab>,
    pub search: String,
    pub labels: Vec<LabelRow>,
    pub pages: Pages,
    pub can_manage: bool,
    pub form: LabelForm,
    pub errors: Errors,
}

#[derive(Debug, Default)]
pub struct LabelRow {
    pub tag: Tag,
    pub form: LabelForm,
    pub errors: Errors,
}

impl LabelRow {
    pub fn is_refused(&self) -> bool {
        !self.errors.is_empty()
    }
}

#[derive(Debug, Clone, Default)]
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
    pub tabs: Vec<Tab>,
    /// `active`, `closed` or `all`.
    pub state: String,
    pub milestones: Vec<MilestoneRow>,
    pub pages: Pages,
    pub can_manage: bool,
    pub form: MilestoneForm,
    pub errors: Errors,
}

#[derive(Debug, Clone, Default)]
pub struct MilestoneRow {
    pub id: i64,
    pub title: String,
    pub url: String,
    pub is_active: bool,
    pub is_expired: bool,
    pub start_on: String,
    pub due_on: String,
    pub is_inherited: bool,
}

#[derive(Debug, Clone, Default)]
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
    pub form: MilestoneForm,
    pub errors: Errors,
    pub issues: Vec<IssueRow>,
    pub pages: Pages,
    pub can_manage: bool,
}

/// `/dashboard/todos`.
#[derive(Debug, Template)]
#[template(path = "todos.html")]
pub struct Todos {
    pub page: Page,
    pub tabs: Vec<Tab>,
    pub is_pending: bool,
    pub todos: Vec<TodoRow>,
    pub pages: Pages,
}

#[derive(Debug, Clone, Default)]
pub struct TodoRow {
    pub id: i64,
    pub why: &'static str,
    pub about: TodoSummary,
    pub created_at: Moment,
}
