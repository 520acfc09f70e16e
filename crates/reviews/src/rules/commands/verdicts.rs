//! Commands that say what somebody thinks of a merge request.

use super::Author;
use crate::approvals;
use crate::model::{MergeRequest, ReviewState};
use crate::rules::review;
use crate::threads::publishing::{self, Closing};
use ::store::Tx;
use kernel::error::{Error, Result};
use planning::formats::quick_actions::Action;
use planning::rules::commands::{Done, done, senseless};

pub(super) fn run(
    tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest, action: &Action,
) -> Result<Done> {
    match action.name {
        "approve" => approve(tx, by, request),
        "unapprove" => {
            let project = &by.here.project;
            approvals::check_right(tx, by.viewer, project)?;
            match approvals::unapprove(tx, by.viewer, project, request)? {
                true => Ok(done("approve", false, "Took the approval of this merge request back.")),
                false => Err(senseless()),
            }
        }
        "request_changes" => {
            let state = ReviewState::RequestedChanges;
            match request.is_open() && review::said(tx, by.viewer, by.here, request, state)? {
                true => {
                    let sentence = "Requested changes of this merge request.";
                    Ok(done("request_changes", true, sentence))
                }
                false => Err(senseless()),
            }
        }
        "submit_review" => submit(tx, by, request, &action.argument),
        _ => Err(senseless()),
    }
}

/// Refused where who approves has to prove who they are.
fn approve(tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest) -> Result<Done> {
    let project = &by.here.project;
    approvals::check_right(tx, by.viewer, project)?;
    if approvals::standing(tx, by.viewer, request)?.needs_proof {
        return Err(Error::forbidden(""));
    }
    match approvals::approve(tx, by.viewer, project, request)? {
        true => Ok(done("approve", true, "Approved this merge request.")),
        false => Err(senseless()),
    }
}

/// Publishes what the author wrote of a review, with what they think of the whole.
fn submit(tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest, verdict: &str) -> Result<Done> {
    let (state, approves) = match verdict.to_ascii_lowercase().as_str() {
        "" | "reviewed" => (Some(ReviewState::Reviewed), false),
        "request_changes" | "requested_changes" => (Some(ReviewState::RequestedChanges), false),
        "approve" | "approved" => (None, true),
        _ => return Err(senseless()),
    };
    let closing = Closing { state, ..Closing::default() };
    publishing::publish_all(tx, by.viewer, by.here, request, &closing)?;
    if approves {
        approve(tx, by, request)?;
    }
    Ok(done("submit_review", verdict, "Published the review."))
}
