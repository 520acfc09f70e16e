//! What follows where somebody approves, or takes that back.

use super::news::{is_program, notify};
use super::remarks::remark;
use crate::access::check_open;
use crate::activity;
use crate::approvals::{self, Change};
use crate::model::{MergeRequest, ReviewState};
use crate::noteable::noteable;
use crate::store::people;
use crate::tasks::AutoMerge;
use crate::threads::publishing::{self, Closing};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use planning::access::ProjectAccess;
use planning::rules::todos;
use planning::tasks::Event;
use spaces::access::level_in_project;
use spaces::activity::Action;
use spaces::model::Project;

/// Tells of an approval that was given or taken back, in its transaction. That the whole
/// is approved now, or is not, tells people nothing more.
pub fn approvals_changed(
    tx: &mut Tx<'_>, viewer: &Viewer, _: &Project, request: &MergeRequest, change: Change,
) -> Result<()> {
    let user_id = viewer.signed_in()?.user.id;
    let (text, state, event) = match change {
        Change::Approval => ("approved this merge request", ReviewState::Approved, Event::Approved),
        Change::Unapproval => {
            ("unapproved this merge request", ReviewState::Unapproved, Event::Unapproved)
        }
        Change::Approved | Change::Unapproved => return try_order(tx, request),
    };
    people::set_review_state(tx, request.id, user_id, state)?;
    remark(tx, request, Some(user_id), text)?;
    if change == Change::Approval {
        activity::record(tx, Some(user_id), Action::Approved, request)?;
        todos::close_for(tx, Some(user_id), noteable(request))?;
    }
    match is_program(viewer) {
        true => Ok(()),
        false => notify(tx, Some(user_id), request, event, Vec::new()),
    }
}

/// Notes what a reviewer says of the whole; whether they are one. Who requests changes does
/// not approve any more.
pub fn said(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    state: ReviewState,
) -> Result<bool> {
    let user_id = viewer.signed_in()?.user.id;
    todos::close_for(tx, Some(user_id), noteable(request))?;
    if state == ReviewState::RequestedChanges && request.is_open() {
        approvals::unapprove(tx, viewer, &here.project, request)?;
    }
    if !people::set_review_state(tx, request.id, user_id, state)? {
        return Ok(false);
    }
    let text = match state {
        ReviewState::RequestedChanges => "requested changes",
        _ => "reviewed this merge request",
    };
    remark(tx, request, Some(user_id), text)?;
    try_order(tx, request)?;
    Ok(true)
}

/// A merge that waits for approvals is tried again.
pub(super) fn try_order(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    let now = tx.now();
    match request.auto_merge {
        true => enqueue_at(tx, &AutoMerge { request: request.id }, now),
        false => Ok(()),
    }
}

/// Publishes what the viewer wrote of a review.
pub fn publish_drafts(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    let level = level_in_project(tx, viewer, project)?;
    let here = ProjectAccess { project: project.clone(), level };
    check_open(&here, request)?;
    publishing::publish_all(tx, viewer, &here, request, &Closing::default())
}
