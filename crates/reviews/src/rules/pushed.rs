//! What a push does to merge requests, in the transaction that moves its refs: it notes
//! that branches are elsewhere, and has jobs look at the rest.

use super::change::close;
use super::news::{is_program, notify};
use super::remarks::remark;
use super::{failing, landed, stopped};
use crate::merging::MergeStatus;
use crate::merging::status::Event as StatusEvent;
use crate::model::MergeRequest;
use crate::store::{self as rows};
use crate::suggestions;
use crate::tasks::{FollowSource, FollowTarget};
use ::store::Tx;
use delivery::pipelines::{skips_jobs, wants_pipelines};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use planning::tasks::Event;
use repositories::formats::object_id::ObjectId;
use repositories::rules::moves::RefMove;
use repositories::rules::pushes::Pushed;
use std::collections::HashMap;

/// Branches of one push that are looked up.
const MOST_BRANCHES: usize = 1_000;

/// For `repositories::hooks::Hooks`.
pub fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let moves = push.refs.iter().filter_map(|(one, _)| Some((one.name.as_branch()?, *one)));
    let moves: HashMap<&str, &RefMove> = moves.take(MOST_BRANCHES).collect();
    if moves.is_empty() {
        return Ok(());
    }
    landed::by_push(tx, push, &moves)?;
    let branches: Vec<String> = moves.keys().map(|name| (*name).to_owned()).collect();
    for request in rows::pending_from(tx, push.project_id, &branches)? {
        if let Some(one) = moves.get(request.source_branch.as_str()) {
            source_moved(tx, push, &request, one)?;
        }
    }
    let into = rows::pending_into(tx, push.project_id, &branches, 0)?;
    for (branch, one) in &moves {
        if into.iter().any(|request| request.target_branch == *branch) {
            follow(tx, push, branch, one)?;
        }
    }
    target_moved(tx, &into)
}

/// A branch that is gone closes its merge requests; the last version stays.
fn source_moved(
    tx: &mut Tx<'_>, push: &Pushed<'_>, request: &MergeRequest, one: &RefMove,
) -> Result<()> {
    let viewer = push.viewer;
    if one.new.is_zero() {
        return source_gone(tx, viewer, request);
    }
    let status = request.merge_status.after(StatusEvent::Moved);
    rows::source_moved(tx, request, one.new, status)?;
    failing::pushed(tx, request)?;
    suggestions::landed(tx, viewer, request, one.new)?;
    if request.auto_merge && !is_ordered_head(request, one.new) {
        stop(tx, viewer, request)?;
    }
    let now = tx.now();
    let task = FollowSource {
        request: request.id,
        head: one.new.to_string(),
        user: viewer.user_id(),
        has_pipeline: wants_pipelines(push.options),
        skips_jobs: skips_jobs(push.options),
    };
    enqueue_at(tx, &task, now)
}

fn source_gone(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<()> {
    // Somebody merges it now, and takes the branch away.
    if !request.is_open() {
        return Ok(());
    }
    close(tx, viewer.user_id(), request)?;
    match is_program(viewer) {
        true => Ok(()),
        false => notify(tx, viewer.user_id(), request, Event::Closed, Vec::new()),
    }
}

/// The key of the head that an automatic merge was ordered for.
pub const HEAD_KEY: &str = "sha";

/// Whether a head is the one that an automatic merge was ordered for.
fn is_ordered_head(request: &MergeRequest, head: ObjectId) -> bool {
    let ordered = request.merge_params.0.get(HEAD_KEY).and_then(serde_json::Value::as_str);
    ordered.is_some_and(|ordered| ordered == head.to_string())
}

/// It is not merged by itself any more: what was ordered is not what is there.
fn stop(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<()> {
    let Some(mut after) = rows::by_id(tx, request.id)? else {
        return Ok(());
    };
    stopped(&mut after);
    rows::update(tx, &after)?;
    let text = "aborted the automatic merge because the source branch was updated";
    remark(tx, request, viewer.user_id(), text)
}

/// What was known of merging into a branch is not any more. Of what nobody knew anything no
/// row is written: checks of many would collide with each push for nothing.
fn target_moved(tx: &mut Tx<'_>, requests: &[MergeRequest]) -> Result<()> {
    for status in [MergeStatus::Unchecked, MergeStatus::CannotBeMergedRecheck] {
        let becomes = |one: &&MergeRequest| {
            one.merge_status != status && one.merge_status.after(StatusEvent::Moved) == status
        };
        let ids: Vec<i64> = requests.iter().filter(becomes).map(|one| one.id).collect();
        rows::set_statuses(tx, &ids, status)?;
    }
    Ok(())
}

fn follow(tx: &mut Tx<'_>, push: &Pushed<'_>, branch: &str, one: &RefMove) -> Result<()> {
    let now = tx.now();
    let task = FollowTarget {
        project: push.project_id,
        branch: branch.to_owned(),
        old: one.old.to_string(),
        new: one.new.to_string(),
        user: push.viewer.user_id(),
        after: 0,
    };
    enqueue_at(tx, &task, now)
}
