//! Making an epic of an issue: it says the same, with its notes and reactions, and those
//! who take part in the issue go on to be told.

use super::change::{self, EpicInput};
use super::children;
use super::places::by_id_to_write;
use super::said::{beside_issue, noteable, told_on_issue};
use crate::access::ProjectAccess;
use crate::access::epics::{GroupAccess, has_level, signed_in};
use crate::formats::references::qualified;
use crate::model::epics::{EPIC, Epic};
use crate::model::{Issue, IssueKind};
use crate::rules::issues::requests::may_edit;
use crate::rules::issues::{close, noteable as noteable_issue, participants};
use crate::rules::labelling::Labelling;
use crate::rules::{news, notes};
use crate::store::awards::{self, Awardable};
use crate::store::epics::issues as epic_issues;
use crate::store::notes::{self as note_rows, Note};
use crate::store::subscriptions::{self, Target};
use crate::store::{issues as rows, labels};
use crate::tasks::Event;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::{PLANNER, REPORTER};
use spaces::activity::Where;
use spaces::uploads;
use store::Tx;

/// Notes that come along.
const MOST_NOTES: i64 = 1_000;

fn refused(text: &str) -> Error {
    Error::BadRequest(text.to_owned())
}

/// Whether the viewer may make an epic of an issue.
pub fn may_promote(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue,
) -> Result<bool> {
    let is_ripe = issue.promoted_to_epic_id.is_none() && issue.kind == IssueKind::Issue;
    if !is_ripe || !desk.is_reporter() || !may_edit(viewer, desk, issue) {
        return Ok(false);
    }
    let level = if issue.confidential { REPORTER } else { PLANNER };
    has_level(tx, viewer, desk.project.namespace_id, level)
}

/// The group whose epic an issue becomes, or why the viewer may not make it one.
fn target(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue,
) -> Result<GroupAccess> {
    let insufficient = || refused("Cannot promote issue due to insufficient permissions.");
    if issue.promoted_to_epic_id.is_some() {
        return Err(refused("Issue already promoted to epic."));
    }
    if issue.kind != IssueKind::Issue {
        return Err(refused("Promotion is not supported for this type of issue."));
    }
    if !desk.is_reporter() || !may_edit(viewer, desk, issue) {
        return Err(insufficient());
    }
    match signed_in(tx, viewer, &Reference::Id(desk.project.namespace_id)) {
        Ok(there) if there.plans() && (!issue.confidential || there.is_reporter()) => Ok(there),
        Ok(_) | Err(Error::Forbidden(_)) => Err(insufficient()),
        Err(Error::NotFound(_)) => {
            Err(refused("Cannot promote issue because it does not belong to a group."))
        }
        Err(error) => Err(error),
    }
}

/// Makes an epic of an issue, which is closed and leads there.
pub fn promote(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue,
) -> Result<Epic> {
    let there = target(tx, viewer, desk, issue)?;
    let actor = viewer.user_id();
    let new = copy_of(tx, issue)?;
    let made = change::create(tx, there.group.id, actor, &new)?;
    let made = below_the_same(tx, viewer, issue, made)?;
    let text = [issue.text()];
    let places = (Where::Project(issue.project_id), Where::Group(made.group_id));
    uploads::copy_between(tx, places.0, places.1, text)?;
    copy_notes(tx, viewer, issue, &made)?;
    awards::copy(tx, Awardable::Issue(issue.id), Awardable::Epic(made.id))?;
    copy_subscriptions(tx, issue, &made)?;
    beside_issue(tx, &made, issue, actor, "promoted from issue")?;
    told_on_issue(tx, &made, issue, actor, "promoted to epic")?;
    rows::promoted(tx, issue.id, made.id)?;
    if issue.closed_at.is_none() {
        close(tx, actor, issue.id)?;
    }
    if viewer.user().is_some_and(|user| !user.kind.is_bot()) {
        news::notify(tx, actor, &made, Event::New, None, Vec::new())?;
    }
    let details = json!({"epic_id": made.id, "group_id": made.group_id});
    audit::record(tx, viewer, "issue.promote", ("Issue", issue.id, &issue.title), details)?;
    audit::record(
        tx,
        viewer,
        "epic.create",
        (EPIC, made.id, &made.title),
        json!({"issue_id": issue.id}),
    )?;
    Ok(made)
}

/// What the epic is made with. Of labels those of groups: others are the project's.
fn copy_of(tx: &mut Tx<'_>, issue: &Issue) -> Result<EpicInput> {
    let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id).unwrap_or_default();
    let of_groups = worn.iter().filter(|label| label.group_id.is_some());
    let text = issue.description.as_deref();
    Ok(EpicInput {
        description: Patch::given(text.map(|text| qualified(text, &issue.project_path))),
        confidential: Some(issue.confidential),
        wears: Flat(Labelling::also_ids(of_groups.map(|label| label.id).collect())),
        ..EpicInput::titled(&issue.title)
    })
}

/// Puts the epic below that of the issue, if it fits there and the viewer may.
fn below_the_same(tx: &mut Tx<'_>, viewer: &Viewer, issue: &Issue, made: Epic) -> Result<Epic> {
    let Some(above) = epic_issues::of_issue(tx, issue.id)? else {
        return Ok(made);
    };
    let put = tx.savepoint(|tx| match by_id_to_write(tx, viewer, above.epic_id)? {
        Some((_, parent)) => children::put(tx, viewer, &made, Some(&parent)),
        None => Ok(made.clone()),
    });
    match put {
        Ok(put) => Ok(put),
        Err(error @ (Error::Internal(_) | Error::Unavailable(_))) => Err(error),
        Err(_) => Ok(made),
    }
}

fn copy_notes(tx: &mut Tx<'_>, viewer: &Viewer, from: &Issue, to: &Epic) -> Result<()> {
    let found = note_rows::of_people(tx, viewer, noteable_issue(from), MOST_NOTES)?;
    let texts = found.iter().map(|note| note.body.as_str());
    let places = (Where::Project(from.project_id), Where::Group(to.group_id));
    uploads::copy_between(tx, places.0, places.1, texts)?;
    let open = |note: &Note| (qualified(&note.body, &from.project_path), (None, None));
    notes::copy(tx, found, noteable(to), open)
}

/// Who is told of the issue goes on to be told of the epic; mail reaches those who see it.
fn copy_subscriptions(tx: &mut Tx<'_>, from: &Issue, to: &Epic) -> Result<()> {
    let asked = subscriptions::of_target(tx, Target::Issue, from.id)?;
    let takes_part = participants(tx, from, false)?;
    let others = takes_part.into_iter().filter(|id| !asked.iter().any(|(user, _)| user == id));
    let others: Vec<(i64, bool)> = others.map(|id| (id, true)).collect();
    for (user, wants) in asked.into_iter().chain(others) {
        subscriptions::set(tx, user, Target::Epic, to.id, wants)?;
    }
    Ok(())
}
