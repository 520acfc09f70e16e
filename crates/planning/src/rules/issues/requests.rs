//! What somebody asks of issues, and how much of it they may have: those who
//! see a project's issues make some, their authors and reporters edit them,
//! and reporters set labels, assignees, milestones, dates and weights.

use super::{Assignees, Change, NewIssue, create, noteable, update};
use crate::access::{Desk, Parent, sees, user_sees};
use crate::formats::quick_actions;
use crate::mail::{Event, Reason};
use crate::model::{EscalationStatus, Issue, IssueKind, IssueState, MAX_NAMED, Severity, color};
use crate::rules::commands;
use crate::rules::news::{self, Text};
use crate::rules::todos;
use crate::store::issues as rows;
use crate::store::labels::{self, Written as WrittenLabel};
use crate::store::milestones;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::time::{Date, Timestamp};
use spaces::access::DEVELOPER;
use store::Tx;

kernel::choices! {
    /// What happens to an issue.
    pub enum StateEvent { Close = "close", Reopen = "reopen" }
}

/// What somebody wants of an issue; labels by title, by id, or both.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named as the parameters")]
pub struct Wanted {
    pub title: Option<String>,
    pub description: Patch<String>,
    pub confidential: Option<bool>,
    pub assignees: Option<Assignees>,
    pub milestone_id: Patch<i64>,
    pub labels: Option<Vec<String>>,
    pub label_ids: Option<Vec<i64>>,
    pub add_labels: Vec<String>,
    pub add_label_ids: Vec<i64>,
    pub remove_labels: Vec<String>,
    pub remove_label_ids: Vec<i64>,
    pub due_on: Patch<Date>,
    pub weight: Patch<i64>,
    pub kind: Option<IssueKind>,
    pub severity: Option<Severity>,
    /// Of an existing incident; for developers.
    pub escalation_status: Option<EscalationStatus>,
    pub discussion_locked: Patch<bool>,
    pub state_event: Option<StateEvent>,
    pub iid: Option<i64>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

impl Wanted {
    /// What is left for somebody who may not set these things.
    fn without_marks(self) -> Wanted {
        Wanted {
            title: self.title,
            description: self.description,
            state_event: self.state_event,
            ..Wanted::default()
        }
    }

    /// Whether nothing is wanted but perhaps a time of change.
    pub fn is_empty(&self) -> bool {
        self.title.is_none()
            && self.description == Patch::Absent
            && self.confidential.is_none()
            && self.assignees.is_none()
            && self.milestone_id == Patch::Absent
            && self.labels.is_none()
            && self.label_ids.is_none()
            && self.add_labels.is_empty()
            && self.add_label_ids.is_empty()
            && self.remove_labels.is_empty()
            && self.remove_label_ids.is_empty()
            && self.due_on == Patch::Absent
            && self.weight == Patch::Absent
            && self.kind.is_none()
            && self.severity.is_none()
            && self.escalation_status.is_none()
            && self.discussion_locked == Patch::Absent
            && self.state_event.is_none()
    }

    /// Whether title or description change, which others read.
    pub fn rewrites(&self) -> bool {
        self.title.is_some() || matches!(self.description, Patch::Value(_))
    }
}

/// The issue of this number, if the viewer may see it.
pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, desk: &Desk, iid: i64) -> Result<Issue> {
    let issue = rows::find(tx, desk.project.id, iid)?.found("")?;
    match sees(tx, viewer, desk, &issue)? {
        true => Ok(issue),
        false => Err(Error::NotFound("")),
    }
}

/// Whether the viewer may edit an issue they see: its author and reporters.
pub fn may_edit(viewer: &Viewer, desk: &Desk, issue: &Issue) -> bool {
    let is_author = issue.author_id.is_some() && issue.author_id == viewer.user_id();
    viewer.user_id().is_some() && (desk.is_reporter() || is_author)
}

/// Refuses to say how far people are with an issue: developers say so of
/// incidents.
fn may_escalate(desk: &Desk, issue: &Issue) -> Result<()> {
    if desk.level < DEVELOPER {
        return Err(Error::forbidden(""));
    }
    match issue.kind {
        IssueKind::Incident => Ok(()),
        _ => {
            let text = "is only for incidents";
            Err(Error::invalid("escalation_status", text))
        }
    }
}

/// Makes an issue for the viewer; marks that they may not set are left out.
pub fn open(tx: &mut Tx<'_>, viewer: &Viewer, desk: &Desk, wanted: &Wanted) -> Result<Issue> {
    let signed_in = viewer.signed_in()?;
    let author = signed_in.user.id;
    let mut wanted = wanted.clone();
    let actions = take_actions(&signed_in.user, &mut wanted);
    let confidential = wanted.confidential.unwrap_or(false);
    let wanted = match desk.is_reporter() {
        true => wanted.clone(),
        false => wanted.clone().without_marks(),
    };
    let owner = desk.is_owner();
    let resolved = resolve(tx, desk, &wanted)?;
    let mut label_ids = resolved.labels.unwrap_or_default();
    label_ids.extend(resolved.add_labels);
    let new = NewIssue {
        description: wanted.description.over(None),
        kind: wanted.kind.unwrap_or(IssueKind::Issue),
        severity: wanted.severity.unwrap_or(Severity::Unknown),
        confidential,
        discussion_locked: wanted.discussion_locked.over(None),
        label_ids,
        assignee_ids: match resolved.assignees {
            Some(Assignees::Set(ids) | Assignees::Add(ids)) => ids,
            _ => Vec::new(),
        },
        milestone_id: wanted.milestone_id.over(None),
        due_on: wanted.due_on.over(None),
        weight: wanted.weight.over(None),
        iid: wanted.iid.filter(|_| owner),
        created_at: wanted.created_at.filter(|_| owner),
        ..NewIssue::titled(
            desk.project.id,
            Some(author),
            &wanted.title.unwrap_or_default(),
        )
    };
    let made = create(tx, &new)?;
    let text = made.description.clone().unwrap_or_default();
    let direct = named(tx, viewer, desk, &made, &text, "")?;
    if !signed_in.user.kind.is_bot() {
        news::notify(tx, Some(author), &made, Event::New, None, direct)?;
    }
    Ok(commands::apply(tx, viewer, desk, &made, &actions)?.issue)
}

/// Takes the commands out of a description; those of programs stay text.
fn take_actions(user: &User, wanted: &mut Wanted) -> Vec<quick_actions::Action> {
    let Patch::Value(text) = &wanted.description else {
        return Vec::new();
    };
    if user.kind.is_bot() {
        return Vec::new();
    }
    let split = quick_actions::split(text);
    wanted.description = Patch::Value(split.text);
    split.actions
}

/// Gives those whom a description newly names something to do; they and why.
fn named(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    text: &str,
    before: &str,
) -> Result<Vec<(i64, Reason)>> {
    let said = Text {
        text,
        before,
        note_id: None,
        internal: false,
    };
    let told = news::mention(tx, viewer, desk, issue, said)?;
    Ok(told
        .into_iter()
        .map(|user| (user, Reason::Mentioned))
        .collect())
}

/// Changes an issue for the viewer.
pub fn edit(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    wanted: &Wanted,
) -> Result<Issue> {
    if !may_edit(viewer, desk, issue) {
        return Err(Error::forbidden(""));
    }
    if wanted.escalation_status.is_some() {
        may_escalate(desk, issue)?;
    }
    let mut wanted = match desk.is_reporter() {
        true => wanted.clone(),
        false => wanted.clone().without_marks(),
    };
    let actions = take_actions(&viewer.signed_in()?.user, &mut wanted);
    if wanted.is_empty() {
        return Err(Error::forbidden(""));
    }
    let resolved = resolve(tx, desk, &wanted)?;
    let change = Change {
        title: wanted.title,
        description: wanted.description,
        state: wanted.state_event.map(|event| match event {
            StateEvent::Close => IssueState::Closed,
            StateEvent::Reopen => IssueState::Opened,
        }),
        kind: wanted.kind,
        severity: wanted.severity,
        escalation_status: wanted.escalation_status,
        confidential: wanted.confidential,
        discussion_locked: wanted.discussion_locked,
        assignees: resolved.assignees,
        labels: resolved.labels,
        add_labels: resolved.add_labels,
        remove_labels: resolved.remove_labels,
        milestone: match wanted.milestone_id {
            Patch::Value(0) => Patch::Null,
            other => other,
        },
        due_on: wanted.due_on,
        weight: wanted.weight,
        updated_at: wanted.updated_at.filter(|_| desk.is_owner()),
    };
    let assigned_before = rows::assignees_of(tx, &[issue.id])?.remove(&issue.id);
    let after = update(tx, viewer.user_id(), issue, &change)?;
    tell(
        tx,
        viewer,
        desk,
        (issue, &after),
        assigned_before.unwrap_or_default(),
    )?;
    Ok(commands::apply(tx, viewer, desk, &after, &actions)?.issue)
}

/// Has people told of a change, and takes it from what the viewer has to do.
fn tell(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    (before, after): (&Issue, &Issue),
    assigned_before: Vec<i64>,
) -> Result<()> {
    todos::close_for(tx, viewer.user_id(), noteable(after))?;
    if viewer.user().is_none_or(|user| user.kind.is_bot()) {
        return Ok(());
    }
    let actor = viewer.user_id();
    let (old, new) = (before.description.as_deref(), after.description.as_deref());
    if old != new {
        let direct = named(
            tx,
            viewer,
            desk,
            after,
            new.unwrap_or(""),
            old.unwrap_or(""),
        )?;
        if !direct.is_empty() {
            news::notify(tx, actor, after, Event::Edited, None, direct)?;
        }
    }
    if before.state != after.state {
        let event = match after.state {
            IssueState::Closed => Event::Closed,
            IssueState::Opened => Event::Reopened,
        };
        news::notify(tx, actor, after, event, None, Vec::new())?;
    }
    let assigned = rows::assignees_of(tx, &[after.id])?.remove(&after.id);
    let assigned = assigned.unwrap_or_default();
    if assigned != assigned_before {
        let both = assigned_before.into_iter().chain(assigned);
        let direct = both.map(|user| (user, Reason::Assigned)).collect();
        news::notify(tx, actor, after, Event::Reassigned, None, direct)?;
    }
    Ok(())
}

/// Ids of what was named, as far as it exists and may be used.
struct Resolved {
    labels: Option<Vec<i64>>,
    add_labels: Vec<i64>,
    remove_labels: Vec<i64>,
    assignees: Option<Assignees>,
}

fn resolve(tx: &mut Tx<'_>, desk: &Desk, wanted: &Wanted) -> Result<Resolved> {
    let parent = Parent::Project(Box::new(desk.project.clone()));
    if let Patch::Value(id) = wanted.milestone_id
        && id != 0
        && milestones::find(tx, &parent, id, true)?.is_none()
    {
        return Err(Error::invalid("milestone_id", "is invalid"));
    }
    let labels = match (&wanted.labels, &wanted.label_ids) {
        (None, None) => None,
        (titles, ids) => {
            let titles = titles.as_deref().unwrap_or_default();
            let ids = ids.as_deref().unwrap_or_default();
            Some(label_ids(tx, &parent, titles, ids, true)?)
        }
    };
    let assignees = match &wanted.assignees {
        None => None,
        Some(Assignees::Set(ids)) => Some(Assignees::Set(assignable(tx, desk, ids)?)),
        Some(Assignees::Add(ids)) => Some(Assignees::Add(assignable(tx, desk, ids)?)),
        Some(Assignees::Remove(ids)) => Some(Assignees::Remove(ids.clone())),
    };
    Ok(Resolved {
        labels,
        add_labels: label_ids(tx, &parent, &wanted.add_labels, &wanted.add_label_ids, true)?,
        remove_labels: label_ids(
            tx,
            &parent,
            &wanted.remove_labels,
            &wanted.remove_label_ids,
            false,
        )?,
        assignees,
    })
}

/// The labels named by title or id; unknown titles become labels of the
/// project where `make` is set, unknown ids are left out.
pub fn label_ids(
    tx: &mut Tx<'_>,
    parent: &Parent,
    titles: &[String],
    ids: &[i64],
    make: bool,
) -> Result<Vec<i64>> {
    let titles: Vec<String> = titles
        .iter()
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty())
        .collect();
    if titles.is_empty() && ids.is_empty() {
        return Ok(Vec::new());
    }
    if titles.len() + ids.len() > MAX_NAMED {
        return Err(Error::invalid("labels", "are too many (maximum is 200)"));
    }
    let known = labels::ids_of(tx, parent, &titles, ids)?;
    let mut found: Vec<i64> = ids
        .iter()
        .copied()
        .filter(|id| known.iter().any(|(known, _)| known == id))
        .collect();
    for title in &titles {
        match known.iter().find(|(_, known)| known == title) {
            Some((id, _)) => found.push(*id),
            None if make => found.push(make_label(tx, parent, title)?),
            None => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn make_label(tx: &mut Tx<'_>, parent: &Parent, title: &str) -> Result<i64> {
    if let Some(problem) = crate::model::label_title_error(title) {
        return Err(Error::invalid("labels", problem));
    }
    let label = WrittenLabel {
        title: title.to_owned(),
        color: color::DEFAULT.to_owned(),
        description: None,
        archived: false,
    };
    match labels::insert(tx, parent, &label)? {
        Some(id) => Ok(id),
        // Named twice in one request.
        None => Ok(labels::find(tx, None, parent, title, true)?
            .found("Label")?
            .id),
    }
}

/// Those of these users who are active and see the project's issues.
pub fn assignable(tx: &mut Tx<'_>, desk: &Desk, ids: &[i64]) -> Result<Vec<i64>> {
    let ids: Vec<i64> = ids.iter().copied().filter(|id| *id > 0).collect();
    if ids.len() > MAX_NAMED {
        return Err(Error::invalid("assignees", "are too many (maximum is 200)"));
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let users = load_basic(tx, &ids)?;
    let mut allowed = Vec::new();
    for id in ids {
        if let Some(user) = users.get(&id)
            && !allowed.contains(&id)
            && user_sees(tx, user, &desk.project)?
        {
            allowed.push(id);
        }
    }
    Ok(allowed)
}
