//! What people do with issues, notes and milestones, as lists of activity show it:
//! recorded here, and seen by whoever sees the thing.

use crate::access::epics::visible_ids;
use crate::access::{Parent, visible};
use crate::model::Milestone;
use crate::model::epics::{EPIC, Epic};
use crate::search::scope;
use crate::store::notes::{ISSUE, readable};
use crate::store::{milestones, places};
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{GUEST, projects_of};
use spaces::activity::{Action, Target, Where, forget, keep_title, record};
use spaces::search::Place;
use store::{Fragment, Tx};

/// Kinds of targets; issues are called as their notes call them.
pub const NOTE: &str = "Note";
pub const MILESTONE: &str = "Milestone";

pub(crate) fn issue(
    tx: &mut Tx<'_>, author_id: Option<i64>, action: Action, (project_id, id): (i64, i64),
) -> Result<()> {
    record(tx, author_id, action, Where::Project(project_id), Target::new(ISSUE, id))
}

pub(crate) fn note(
    tx: &mut Tx<'_>, author_id: Option<i64>, project_id: i64, id: i64,
) -> Result<()> {
    record(
        tx,
        author_id,
        Action::Commented,
        Where::Project(project_id),
        Target::new(NOTE, id),
    )
}

pub(crate) fn milestone(
    tx: &mut Tx<'_>, viewer: &Viewer, parent: &Parent, action: Action, milestone: &Milestone,
) -> Result<()> {
    let place = match parent {
        Parent::Project(project) => Where::Project(project.id),
        Parent::Group(group) => Where::Group(group.id),
    };
    let title = (action == Action::Destroyed).then_some(milestone.title.as_str());
    let target = Target { title, ..Target::new(MILESTONE, milestone.id) };
    if title.is_some() {
        keep_title(tx, target)?;
    }
    record(tx, viewer.user_id(), action, place, target)
}

/// What somebody did with an epic.
pub(crate) fn epic(
    tx: &mut Tx<'_>, author_id: Option<i64>, action: Action, epic: &Epic,
) -> Result<()> {
    record(tx, author_id, action, Where::Group(epic.group_id), Target::new(EPIC, epic.id))
}

pub(crate) fn forget_epic(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let mut own = Fragment::new("select epics.id from epics where epics.id = ");
    own.bind(id);
    forget(tx, EPIC, own)
}

/// Forgets what was done to an issue that is about to go, and to its notes.
pub(crate) fn forget_issue(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let mut notes = Fragment::new("select notes.id from notes where notes.noteable_type = ");
    notes.bind(ISSUE).push(" and notes.noteable_id = ", id);
    forget(tx, NOTE, notes)?;
    let mut own = Fragment::new("select issues.id from issues where issues.id = ");
    own.bind(id);
    forget(tx, ISSUE, own)
}

pub(crate) fn forget_note(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let mut own = Fragment::new("select notes.id from notes where notes.id = ");
    own.bind(id);
    forget(tx, NOTE, own)
}

/// Condition on `activity_events` joined with `projects`: it is about an issue that
/// the viewer sees.
pub fn of_issues(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    let mut seen = Fragment::new(
        "exists (select 1 from issues where issues.id = activity_events.target_id and ",
    );
    seen.append(visible(tx, viewer, &scope(place))).raw(")");
    seen
}

/// The same of comments on issues.
pub fn of_notes(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    let mut seen = Fragment::new(
        "exists (select 1 from notes join issues on issues.id = notes.noteable_id
            where notes.id = activity_events.target_id and notes.noteable_type = ",
    );
    seen.bind(ISSUE)
        .raw(" and ")
        .append(visible(tx, viewer, &scope(place)))
        .raw(" and ")
        .append(readable(tx, viewer))
        .raw(")");
    seen
}

/// Condition on `activity_events`: it is about an epic that the viewer sees.
pub fn of_epics(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new("activity_events.target_id in");
    seen.append(visible_ids(tx, viewer));
    seen
}

/// The same of milestones. One that is gone is seen by who sees where it was.
pub fn of_milestones(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new(&format!(
        "((activity_events.target_title is not null
            or exists (select 1 from {} where milestones.id = activity_events.target_id and ",
        milestones::TABLES
    ));
    seen.append(places::visible(tx, viewer, "milestones"))
        .raw(")) and (activity_events.project_id is null or ")
        .append(issues_open(tx, viewer))
        .raw("))");
    seen
}

/// Condition on `projects`: those whose issues show to the viewer, who sees the
/// project.
fn issues_open(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut open = Fragment::new("(coalesce(projects.features ->> 'issues', '') <> 'disabled'");
    if !viewer.is_admin() {
        open.raw(" and (coalesce(projects.features ->> 'issues', '') <> 'private'");
        if let Some(user_id) = viewer.user_id() {
            open.raw(" or ").append(projects_of(tx, user_id, GUEST));
        }
        open.raw(")");
    }
    open.raw(")");
    open
}
