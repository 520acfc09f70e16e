//! What people say of commits, as lists of activity show it to who reads the code.

use super::access::is_visible;
use super::model::DiscussedCommit;
use super::store as rows;
use ::store::{Fragment, Tx, sql};
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::store::notes::Note;
use spaces::activity::{self, Action, Target, Where};
use std::collections::HashMap;

/// The kind of comments: who sees all notes of a project may not read its code.
pub const COMMIT_NOTE: &str = "CommitNote";

/// Writes down that somebody commented on a commit.
pub(super) fn said(tx: &mut Tx<'_>, commit: &DiscussedCommit, note: &Note) -> Result<()> {
    let target = Target::new(COMMIT_NOTE, note.id);
    let place = Where::Project(commit.project_id);
    activity::record(tx, note.author_id, Action::Commented, place, target)
}

/// Forgets a comment that is about to go.
pub(super) fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    tx.run(
        sql!("delete from activity_events where target_type = 'CommitNote' and target_id = $1"),
        (note.id,),
    )
}

/// Commits by the ids of their rows.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, DiscussedCommit>> {
    rows::by_ids(tx, ids, Fragment::new("1 = 1"))
}

/// Condition on `activity_events`: it is a comment on a commit that the viewer sees.
pub fn of_notes(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new(
        "exists (select 1 from notes where notes.id = activity_events.target_id
            and notes.noteable_type = 'Commit' and ",
    );
    seen.append(is_visible(tx, viewer, "notes.noteable_id")).raw(")");
    seen
}
