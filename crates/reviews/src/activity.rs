//! What people do with merge requests, as lists of activity show it to who sees them.

use crate::access::is_visible;
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use crate::store as rows;
use ::store::{Fragment, Tx, sql};
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::store::notes::Note;
use spaces::activity::{self, Action, Target, Where, forget};
use std::collections::HashMap;

/// The kind of comments: who sees all notes of a project may not see its merge requests.
pub const MERGE_REQUEST_NOTE: &str = "MergeRequestNote";

/// Writes down that somebody did something with a merge request.
pub(crate) fn record(
    tx: &mut Tx<'_>, author: Option<i64>, action: Action, request: &MergeRequest,
) -> Result<()> {
    let place = Where::Project(request.target_project_id);
    activity::record(tx, author, action, place, Target::new(MERGE_REQUEST, request.id))
}

/// The same of a comment on one.
pub(crate) fn said(tx: &mut Tx<'_>, request: &MergeRequest, note: &Note) -> Result<()> {
    let place = Where::Project(request.target_project_id);
    let target = Target::new(MERGE_REQUEST_NOTE, note.id);
    activity::record(tx, note.author_id, Action::Commented, place, target)
}

/// Forgets a comment that is about to go.
pub(crate) fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    tx.execute(
        sql!(
            "delete from activity_events
             where target_type = 'MergeRequestNote' and target_id = $1"
        ),
        (note.id,),
    )?;
    Ok(())
}

/// Forgets what was done to a merge request that is about to go, and to its notes.
pub(crate) fn forget_request(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let mut notes = Fragment::new("select notes.id from notes where notes.noteable_type = ");
    notes.bind(MERGE_REQUEST).push(" and notes.noteable_id = ", id);
    forget(tx, MERGE_REQUEST_NOTE, notes)?;
    let mut own = Fragment::new("select merge_requests.id from merge_requests where id = ");
    own.bind(id);
    forget(tx, MERGE_REQUEST, own)
}

/// Merge requests by their ids, of those that are there.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, MergeRequest>> {
    let found = rows::by_ids(tx, ids, Fragment::new("1 = 1"))?;
    Ok(found.into_iter().map(|request| (request.id, request)).collect())
}

/// Condition on `activity_events`: it is about a merge request that the viewer sees.
pub fn of_requests(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    is_visible(tx, viewer, "activity_events.target_id")
}

/// The same of comments on merge requests.
pub fn of_notes(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new(
        "exists (select 1 from notes where notes.id = activity_events.target_id
            and notes.noteable_type = 'MergeRequest' and not notes.internal and ",
    );
    seen.append(is_visible(tx, viewer, "notes.noteable_id")).raw(")");
    seen
}
