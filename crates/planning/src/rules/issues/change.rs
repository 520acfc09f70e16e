//! Changes of an issue, each told by an event or a note.

use super::{assigned, check, found, noteable};
use crate::activity;
use crate::formats::tasks;
use crate::hooks;
use crate::model::{EscalationStatus, HealthStatus, Issue, IssueKind, IssueState, Severity};
use crate::rules::changed::{self, LabelRows, Texts};
use crate::rules::epics::issues as epic_issues;
use crate::rules::labelling::Labelling;
use crate::rules::{notes, people};
use crate::store::epics::{self, dates};
use crate::store::issues as rows;
use crate::store::issues::events::{self, By, EventDetail};
use kernel::error::{Found, Result};
use kernel::http::params::{Field, FromParams, Param, Source, Unusable};
use kernel::http::{Flat, Patch};
use kernel::time::{Date, Timestamp};
use serde_json::Value;
use spaces::activity::Action;
use spaces::rules::note_activity;
use store::Tx;

kernel::params! {
    /// Who is assigned: many, or one by its own name.
    struct AssigneeIds {
        /// Who is assigned; 0 for nobody.
        assignee_ids: Option<Vec<i64>>,
        /// The one who is assigned; 0 for nobody.
        assignee_id: Patch<i64>,
    }
}

/// Who is to be assigned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Assignees {
    #[default]
    AsTheyAre,
    Set(Vec<i64>),
    Add(Vec<i64>),
    /// These no longer.
    Remove(Vec<i64>),
}

impl From<AssigneeIds> for Assignees {
    fn from(ids: AssigneeIds) -> Assignees {
        match (ids.assignee_ids, ids.assignee_id) {
            (Some(ids), _) => Assignees::Set(ids),
            (None, Patch::Value(id)) => Assignees::Set(vec![id]),
            (None, Patch::Null) => Assignees::Set(Vec::new()),
            (None, Patch::Absent) => Assignees::AsTheyAre,
        }
    }
}

impl Param for Assignees {
    fn parse(value: &Value) -> std::result::Result<Self, Unusable> {
        AssigneeIds::parse(value).map(Assignees::from)
    }
    fn schema() -> Value {
        AssigneeIds::schema()
    }
    fn read(source: &Source, name: &str, errors: &mut Vec<String>) -> Option<Self> {
        let ids = Flat::<AssigneeIds>::read(source, name, errors)?;
        Some(ids.0.into())
    }
    fn declared(_: &'static str, _: &'static str) -> Vec<Field> {
        AssigneeIds::fields()
    }
}

kernel::choices! {
    pub enum StateEvent { Close = "close", Reopen = "reopen" }
}

/// One of these has to be there, where an issue is to be changed.
pub const CHANGES: &str = "assignee_id, assignee_ids, confidential, created_at, description, \
    discussion_locked, due_date, epic_id, labels, add_labels, remove_labels, milestone_id, state_event, \
    title, issue_type, weight, severity";

kernel::params! {
    /// What is said of an issue, new or not, by every interface and by programs.
    /// What has a value here is no parameter of both, and set by who has it.
    #[derive(Default, PartialEq)]
    pub struct IssueInput {
        pub title: Option<String> = None,
        /// Its description, in Markdown.
        pub description: Patch<String>,
        /// Seen by its author, assignees and reporters only.
        pub confidential: Option<bool>,
        pub assignees: Assignees,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Patch<i64>,
        pub wears: Flat<Labelling>,
        /// Id of the epic it is in; 0 for none.
        pub epic_id: Patch<i64>,
        /// The day it is due.
        pub due_on as "due_date": Patch<Date>,
        /// How heavy it is.
        pub weight: Patch<i64>,
        /// What it is about.
        pub kind as "issue_type": Option<IssueKind>,
        /// How bad an incident is.
        pub severity: Option<Severity>,
        pub escalation_status: Option<EscalationStatus> = None,
        pub health_status: Patch<HealthStatus> = Patch::Absent,
        /// Only members comment.
        pub discussion_locked: Patch<bool>,
        pub state_event: Option<StateEvent> = None,
        /// Number of a new issue; the next one unless given.
        pub iid: Option<i64> = None,
        /// When a new issue was made; now unless given.
        pub created_at: Option<Timestamp> = None,
        /// When it was changed; now unless given.
        pub updated_at: Option<Timestamp> = None,
    }
}

impl IssueInput {
    pub fn titled(title: &str) -> IssueInput {
        IssueInput { title: Some(title.to_owned()), ..IssueInput::default() }
    }

    /// What a copy is made with, but for what is of the project it is in.
    pub fn copy_of(issue: &Issue) -> IssueInput {
        IssueInput {
            description: Patch::given(issue.description.clone()),
            kind: Some(issue.kind),
            severity: Some(issue.severity),
            escalation_status: Some(issue.escalation_status),
            confidential: Some(issue.confidential),
            due_on: Patch::given(issue.due_on),
            weight: Patch::given(issue.weight),
            health_status: Patch::given(issue.health_status),
            ..IssueInput::titled(&issue.title)
        }
    }

    pub fn event(event: StateEvent) -> IssueInput {
        IssueInput { state_event: Some(event), ..IssueInput::default() }
    }

    /// What is left for somebody who may not set labels, assignees and dates.
    pub fn without_marks(self) -> IssueInput {
        IssueInput {
            title: self.title,
            description: self.description,
            state_event: self.state_event,
            ..IssueInput::default()
        }
    }

    /// Whether nothing is said of an issue that is there, but perhaps a time.
    pub fn is_empty(&self) -> bool {
        let times = IssueInput {
            wears: Flat(self.wears.nothing()),
            iid: self.iid,
            created_at: self.created_at,
            updated_at: self.updated_at,
            ..IssueInput::default()
        };
        *self == times
    }
}

/// Gives a new issue its labels and assignees, and tells of all it was made
/// with as a change would: what reads the events finds the beginning, too.
pub(super) fn begin(tx: &mut Tx<'_>, made: &Issue, input: &IssueInput) -> Result<()> {
    let by = By { user_id: made.author_id, at: made.created_at };
    let bare = Issue {
        milestone_id: None,
        due_on: None,
        weight: None,
        health_status: None,
        ..made.clone()
    };
    tell(tx, by, &bare, made)?;
    LABELS.begin(tx, made.id, by, &input.wears)?;
    put_into_epic(tx, by.user_id, made, input)?;
    match &input.assignees {
        Assignees::Set(ids) | Assignees::Add(ids) => {
            assign(tx, by, made, &Assignees::Add(ids.clone()))
        }
        _ => Ok(()),
    }
}

pub fn update(
    tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue, input: &IssueInput,
) -> Result<Issue> {
    let after = changed(tx, actor, issue, input);
    check(&after)?;
    rows::update(tx, &after)?;
    let by = By { user_id: actor, at: tx.now() };
    tell(tx, by, issue, &after)?;
    LABELS.change(tx, issue.id, by, &input.wears)?;
    assign(tx, by, issue, &input.assignees)?;
    put_into_epic(tx, actor, &after, input)?;
    if (issue.milestone_id, issue.due_on) != (after.milestone_id, after.due_on) {
        dates::refresh_of_issues(tx, &[issue.id])?;
    }
    found(tx, issue.id)
}

/// Puts an issue into the epic that was asked for, which the asker may change.
fn put_into_epic(
    tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue, input: &IssueInput,
) -> Result<()> {
    let epic = match input.epic_id {
        Patch::Absent => return Ok(()),
        Patch::Null => None,
        Patch::Value(id) => Some(epics::by_id(tx, id)?.found("")?),
    };
    epic_issues::set(tx, actor, issue, epic.as_ref())
}

pub(super) fn changed(tx: &Tx<'_>, actor: Option<i64>, issue: &Issue, input: &IssueInput) -> Issue {
    let was = (issue.state, issue.closed_by_id, issue.closed_at);
    let by = By { user_id: actor, at: tx.now() };
    let (state, closed_by_id, closed_at) = changed::standing(was, input.state_event, by);
    let description = input.description.clone().over(issue.description.clone());
    let description = description.filter(|text| !text.is_empty());
    let (task_count, task_completed_count) =
        tasks::count(description.as_deref().unwrap_or_default());
    let title = input.title.as_deref().unwrap_or(&issue.title);
    Issue {
        title: title.trim().to_owned(),
        description,
        state,
        kind: input.kind.unwrap_or(issue.kind),
        severity: input.severity.unwrap_or(issue.severity),
        escalation_status: escalation(issue, state, input),
        closed_by_id,
        milestone_id: input.milestone_id.clone().over(issue.milestone_id),
        confidential: input.confidential.unwrap_or(issue.confidential),
        discussion_locked: input.discussion_locked.clone().over(issue.discussion_locked),
        due_on: input.due_on.clone().over(issue.due_on),
        weight: input.weight.clone().over(issue.weight),
        health_status: input.health_status.clone().over(issue.health_status),
        task_count,
        task_completed_count,
        closed_at,
        updated_at: input.updated_at.unwrap_or(tx.now()),
        ..issue.clone()
    }
}

/// How far people are with an incident then: closing one resolves it.
fn escalation(issue: &Issue, state: IssueState, input: &IssueInput) -> EscalationStatus {
    let closes = issue.state == IssueState::Opened && state == IssueState::Closed;
    match closes && issue.kind == IssueKind::Incident {
        true => EscalationStatus::Resolved,
        false => input.escalation_status.unwrap_or(issue.escalation_status),
    }
}

fn tell(tx: &mut Tx<'_>, by: By, before: &Issue, after: &Issue) -> Result<()> {
    if before.state != after.state {
        let action = match after.state {
            IssueState::Closed => Action::Closed,
            IssueState::Opened => Action::Reopened,
        };
        events::write(tx, before.id, by, EventDetail::State(action.as_str()))?;
        activity::issue(tx, by.user_id, action, (before.project_id, before.id))?;
        note_activity(tx, before.project_id)?;
        if after.state == IssueState::Closed {
            hooks::issue_closed(tx, before, by.user_id)?;
        }
    }
    if before.milestone_id != after.milestone_id {
        if let Some(old) = before.milestone_id {
            events::write(tx, before.id, by, EventDetail::Milestone("remove", old))?;
        }
        if let Some(new) = after.milestone_id {
            events::write(tx, before.id, by, EventDetail::Milestone("add", new))?;
        }
    }
    if before.weight != after.weight {
        events::write(tx, before.id, by, EventDetail::Weight(after.weight))?;
    }
    for text in remarks(before, after) {
        remark(tx, before, by, &text)?;
    }
    Ok(())
}

fn texts(of: &Issue) -> Texts<'_> {
    let description = of.description.as_deref();
    Texts { title: &of.title, description, confidential: of.confidential }
}

fn remarks(before: &Issue, after: &Issue) -> Vec<String> {
    let mut told = changed::remarks("issue", texts(before), texts(after));
    let locked = after.discussion_locked == Some(true);
    if (before.discussion_locked == Some(true)) != locked {
        let verb = if locked { "locked" } else { "unlocked" };
        told.push(format!("{verb} the discussion in this issue"));
    }
    if before.due_on != after.due_on {
        told.push(match after.due_on {
            Some(day) => format!("changed due date to {}", day.strftime("%B %-d, %Y")),
            None => "removed due date".to_owned(),
        });
    }
    if before.kind != after.kind {
        told.push(format!("changed type from {} to {}", before.kind, after.kind));
    }
    if before.severity != after.severity {
        told.push(format!("changed the severity to **{}**", after.severity));
    }
    if before.escalation_status != after.escalation_status {
        let closing = match before.state == after.state {
            true => "",
            false => " by closing the incident",
        };
        let label = after.escalation_status.label();
        told.push(format!("changed the incident status to **{label}**{closing}"));
    }
    if before.health_status != after.health_status {
        told.push(HealthStatus::remark(after.health_status));
    }
    told
}

/// A label came (`add`) or went (`remove`).
fn labelled(tx: &mut Tx<'_>, id: i64, by: By, action: &'static str, label: i64) -> Result<()> {
    events::write(tx, id, by, EventDetail::Label(action, label))
}

const LABELS: LabelRows = LabelRows {
    present: rows::label_ids,
    add: rows::add_label,
    remove: rows::remove_label,
    tell: labelled,
};

fn assign(tx: &mut Tx<'_>, by: By, issue: &Issue, assignees: &Assignees) -> Result<()> {
    let (added, removed) = match assignees {
        Assignees::AsTheyAre => return Ok(()),
        Assignees::Set(wanted) => {
            let mut present = rows::assignees_of_one(tx, issue.id)?;
            present.retain(|id| !wanted.contains(id));
            (wanted.clone(), present)
        }
        Assignees::Add(more) => (more.clone(), Vec::new()),
        Assignees::Remove(fewer) => (Vec::new(), fewer.clone()),
    };
    let mut came = Vec::new();
    for user in added {
        if rows::assign(tx, issue.id, user)? {
            assigned(tx, issue, by.user_id, user)?;
            came.push(user);
        }
    }
    let mut went = Vec::new();
    for user in removed {
        if rows::unassign(tx, issue.id, user)? {
            went.push(user);
        }
    }
    match people::told(tx, ("assigned to", &came), ("unassigned", &went))? {
        Some(text) => remark(tx, issue, by, &text),
        None => Ok(()),
    }
}

fn remark(tx: &mut Tx<'_>, issue: &Issue, by: By, text: &str) -> Result<()> {
    notes::system_at(tx, noteable(issue), by.user_id, by.at, text)?;
    Ok(())
}
