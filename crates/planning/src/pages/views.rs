//! What the pages of this room show: plain view models of their templates.

use super::issue::fields::Fields;
use super::kinds;
use super::labels::LabelTexts;
use super::list::ListPage;
use super::milestones::MilestoneTexts;
use super::narrowed::Frame;
use super::new::IssueTexts;
use super::notes::Person;
use super::talk::TalkView;
use crate::entity::todos::TodoSummary;
use crate::model::{self, Label};
use crate::requests::Beginning;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::model::User;
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
    pub frame: Frame,
    pub filters: ListPage,
    pub sorts: Vec<Choice>,
    pub can_create: bool,
    /// Several can be changed at once.
    pub can_update: bool,
    /// Where a change of several is sent; it leads back to this page.
    pub bulk_url: String,
    /// What several can be given.
    pub milestones: Vec<Choice>,
    pub issues: Vec<IssueRow>,
}

impl Issues {
    /// What may become of several at once.
    fn state_events(&self) -> Vec<Choice> {
        Choice::list(&[("", "No change"), ("close", "Close"), ("reopen", "Reopen")])
    }
}

#[derive(Debug)]
pub struct IssueRow {
    pub issue: model::Issue,
    /// `#5`, in groups with the project's path.
    pub reference: String,
    /// The list that its labels and people lead to.
    pub list: String,
    pub labels: Vec<Label>,
    /// Its title.
    pub milestone: Option<String>,
    pub assignees: Vec<User>,
    pub author: Person,
    pub created_at: Moment,
}

/// Rows of issues, on pages of other rooms.
#[derive(Debug, Template)]
#[template(path = "issue_rows.html")]
pub struct IssueRows {
    pub rows: Vec<IssueRow>,
}

impl HtmlSafe for IssueRows {}

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
    pub milestones: Vec<Choice>,
    pub kinds: Vec<Choice>,
    pub typed: IssueTexts,
    pub refusal: Refusal,
}

impl IssueForm {
    fn button(&self) -> &'static str {
        if self.is_new { "Create issue" } else { "Save" }
    }
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
    pub side: Fields,
    /// Whether the viewer may change the fields beside it.
    pub may_set: bool,
    /// One discussion or note is shown alone.
    pub is_part: bool,
    /// What was said and what became of it.
    pub talk: TalkView,
    pub errors: Errors,
}

impl Issue {
    fn assignee_names(&self) -> String {
        let names: Vec<&str> = self.side.assignees.iter().map(|it| it.username.as_str()).collect();
        names.join(", ")
    }

    fn milestone_id(&self) -> String {
        self.issue.milestone_id.unwrap_or(0).to_string()
    }

    fn due_text(&self) -> String {
        self.issue.due_on.map(|day| day.to_string()).unwrap_or_default()
    }

    fn weight_text(&self) -> String {
        self.issue.weight.map(|weight| weight.to_string()).unwrap_or_default()
    }

    fn kind_label(&self) -> String {
        let kind = self.issue.kind.to_string();
        let known = kinds().into_iter().find(|choice| choice.value == kind);
        known.map_or(kind, |choice| choice.label)
    }
}

/// What is shown of an issue beside its row.
#[derive(Debug)]
pub struct IssueView {
    /// Its description as safe HTML, or empty.
    pub description: String,
    pub author: Person,
    pub created_at: Moment,
    pub closed_at: Option<Moment>,
    /// The viewer's is among its votes.
    pub upvoted: bool,
    pub subscribed: bool,
    pub is_signed_in: bool,
    pub may_edit: bool,
    pub may_award: bool,
    /// What is asked before it is closed: it is blocked.
    pub closing: Option<String>,
    pub may_promote: bool,
    /// Whether they make a merge request of it.
    pub beginning: Beginning,
    /// What the viewer may say of how far people are with an incident.
    pub escalation: Option<Vec<Choice>>,
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
    /// Of those the viewer sees.
    pub open_issues: u64,
    /// The form to change it is open.
    pub is_edited: bool,
    pub form: LabelTexts,
    pub errors: Errors,
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

impl Milestones {
    fn tabs(&self) -> Vec<Tab> {
        let tab = |(value, label): (&str, &str)| {
            Tab::new(label, format!("{}?state={value}", self.url), self.state == value)
        };
        [("active", "Open"), ("closed", "Closed"), ("all", "All")].map(tab).to_vec()
    }
}

#[derive(Debug)]
pub struct MilestoneRow {
    pub goal: model::Milestone,
    /// Issues that the viewer sees: closed, and all.
    pub done: u64,
    pub total: u64,
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

/// What somebody has to do, with buttons that say it is done or is not.
#[derive(Debug, Template)]
#[template(path = "todo_rows.html")]
pub struct TodoRows {
    pub todos: Vec<TodoRow>,
    pub csrf: String,
    pub is_pending: bool,
}

impl HtmlSafe for TodoRows {}

/// `/dashboard/todos`.
#[derive(Debug, Template)]
#[template(path = "todos.html")]
pub struct Todos {
    pub page: Page,
    pub tabs: Vec<Tab>,
    pub rows: TodoRows,
    pub pages: Pages,
}

#[derive(Debug, Clone, Default)]
pub struct TodoRow {
    pub id: i64,
    pub why: &'static str,
    pub icon: &'static str,
    pub about: TodoSummary,
    pub created_at: Moment,
}
