//! What fails is to be mended by who made a merge request and by who ordered its merge; a
//! push to its source is taken for that.

use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::store::merging;
use ::store::Tx;
use kernel::error::Result;
use planning::rules::todos::{self, Action, NewTodo};
use std::collections::HashSet;

/// What a push to the source may mend.
const MENDED_BY_PUSH: [Action; 3] =
    [Action::BuildFailed, Action::Unmergeable, Action::MergeTrainRemoved];

/// Gives them something to do; who they are.
pub fn tell(tx: &mut Tx<'_>, request: &MergeRequest, action: Action) -> Result<HashSet<i64>> {
    let ordered = request.merge_user_id.filter(|_| request.auto_merge);
    let people: HashSet<i64> = request.author_id.into_iter().chain(ordered).collect();
    for user_id in &people {
        let todo = NewTodo {
            user_id: *user_id,
            author_id: None,
            action,
            target: noteable(request),
            note_id: None,
        };
        todos::create(tx, &todo)?;
    }
    Ok(people)
}

/// The same where a pipeline failed: of the head of those from a project, or of this one.
pub fn pipeline_failed(
    tx: &mut Tx<'_>, project_id: i64, head: &str, request: Option<i64>,
) -> Result<()> {
    for request in merging::of_head(tx, (project_id, head), request)? {
        tell(tx, &request, Action::BuildFailed)?;
    }
    Ok(())
}

/// Somebody pushed to the source.
pub fn pushed(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    todos::close_kinds(tx, noteable(request), &MENDED_BY_PUSH)
}
