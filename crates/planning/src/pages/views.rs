//! What the pages of this room show: plain view models of their templates.

use super::issue::actions::Draft;
use super::issue::story::Entry;
use super::labels::LabelTexts;
use super::list::ListPage;
use super::milestones::MilestoneTexts;
use super::new::Form;
use crate::entity::todos::TodoSummary;
use crate::model::{self, Label};
use askama::Template;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::SpaceHead;

/// `…/-/issues` and `…/-/incidents`.
#[derive(Debug, Template)]
#[template(path = "issues.html")]
pub struct Issues {
    pub page: Page,
    pub head: SpaceHead,
    pub title: &'static str,
    pub url: String,
    pub filters: ListPage,
    pub states: Vec<Choice>,
    pub sorts: Vec<Choice>,
    pub is_filtered: bool,
    pub can_create: bool,
    pub issues: Vec<IssueRow>,
    pub pages: Pages,
}

#[derive(Debug)]
pub struct IssueRow {
    pub issue: model::Issue,
    /// `#5`, in groups with the project's path.
    pub reference: String,
    pub labels: Vec<Label>,
    /// Its title.
    pub milestone: Option<String>,
    pub assignees: Vec<String>,
    pub author: Option<String>,
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
    pub typed: Form,
    pub refusal: Refusal,
}

/// `…/-/issues/<number>`.
#[derive(Debug, Template)]
#[template(path = "issue.html")]
pub struct Issue {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub issue: model::Issue,
    pub view: IssueView,
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

/// What is shown of an issue beside its row.
#[derive(Debug)]
pub struct IssueView {
    /// Its description as safe HTML, or empty.
    pub description: String,
    pub author: String,
    pub created_at: Moment,
    pub closed_at: Option<Moment>,
    /// The viewer's is among its votes.
    pub upvoted: bool,
    pub subscribed: bool,
    pub is_signed_in: bool,
    pub may_edit: bool,
    pub may_award: bool,
    /// What the viewer may say of how far people are with an incident.
    pub escalation: Option<Vec<Choice>>,
}

#[derive(Debug, Clone)]
pub enum Fact {
    Tags(Vec<Label>),
    People(&'static str, Vec<String>),
    Link(&'static str, String, String),
    Text(&'static str, String),
}

#[derive(Debug)]
pub struct Marks {
    pub labels: String,
    pub assignees: String,
    pub milestone: String,
    pub milestones: Vec<Choice>,
    pub due_date: String,
    pub weight: String,
    pub kinds: Vec<Choice>,
    pub severities: Vec<Choice>,
}

/// `…/-/labels`.
#[derive(Debug, Template)]
#[template(path = "labels.html")]
pub struct Labels {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub search: String,
    pub labels: Vec<LabelRow>,
    pub pages: Pages,
    pub can_manage: bool,
    pub form: LabelTexts,
    pub errors: Errors,
}

#[derive(Debug, Default)]
pub struct LabelRow {
    pub label: Label,
    pub is_inherited: bool,
    pub form: LabelTexts,
    pub errors: Errors,
}

impl LabelRow {
    pub fn is_refused(&self) -> bool {
        !self.errors.is_empty()
    }
}

/// `…/-/milestones`.
#[derive(Debug, Template)]
#[template(path = "milestones.html")]
pub struct Milestones {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    /// `active`, `closed` or `all`.
    pub state: String,
    pub milestones: Vec<MilestoneRow>,
    pub pages: Pages,
    pub can_manage: bool,
    pub form: MilestoneTexts,
    pub errors: Errors,
}

#[derive(Debug)]
pub struct MilestoneRow {
    pub goal: model::Milestone,
    pub is_expired: bool,
    pub is_inherited: bool,
}

/// `…/-/milestones/<number>`.
#[derive(Debug, Template)]
#[template(path = "milestone.html")]
pub struct Milestone {
    pub page: Page,
    pub head: SpaceHead,
    /// The list's address, where the forms post to.
    pub url: String,
    pub goal: model::Milestone,
    pub is_expired: bool,
    /// Its description as safe HTML, or empty.
    pub description: String,
    pub form: MilestoneTexts,
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
