//! What is asked of one reviewer, and what they ask for.

use super::news::{is_program, notify};
use super::remarks::remark;
use super::review::{said, try_order};
use crate::access::{check_open, check_update};
use crate::model::{MergeRequest, ReviewState};
use crate::noteable::noteable;
use crate::store::people;
use ::store::Tx;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use planning::access::ProjectAccess;
use planning::rules::todos::{self, Action, NewTodo};
use planning::tasks::{Event, Reason};

fn no_reviewer() -> Error {
    Error::Unprocessable("Reviewer not found".to_owned())
}

/// Asks somebody who reviews it to do so again; an approval of theirs stands.
///
/// # Errors
///
/// 403 for who may not change it; 422 where they do not review it.
pub fn ask_again(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, user_id: i64,
) -> Result<()> {
    here.writable()?;
    check_update(tx, viewer, here, request)?;
    if !people::set_review_state(tx, request.id, user_id, ReviewState::Unreviewed)? {
        return Err(no_reviewer());
    }
    let todo = NewTodo {
        user_id,
        author_id: viewer.user_id(),
        action: Action::ReviewRequested,
        target: noteable(request),
        note_id: None,
    };
    todos::create(tx, &todo)?;
    if let Some(user) = load_basic(tx, &[user_id])?.get(&user_id) {
        let text = format!("requested review from @{}", user.username);
        remark(tx, request, viewer.user_id(), &text)?;
    }
    let told = vec![(user_id, Reason::ReviewRequested)];
    match is_program(viewer) {
        true => Ok(()),
        false => notify(tx, viewer.user_id(), request, Event::Reviewers, told),
    }
}

/// The viewer, who reviews it, wants changes.
///
/// # Errors
///
/// 403 for who may not write about it; 422 for who does not review it.
pub fn request_changes(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
) -> Result<()> {
    here.writable()?;
    check_open(here, request)?;
    match said(tx, viewer, here, request, ReviewState::RequestedChanges)? {
        true => Ok(()),
        false => Err(no_reviewer()),
    }
}

/// The viewer wants no changes any more, where they did.
///
/// # Errors
///
/// 422 for who wants none.
pub fn take_changes_back(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
) -> Result<()> {
    here.writable()?;
    let user_id = viewer.signed_in()?.user.id;
    if !people::take_changes_back(tx, request.id, user_id)? {
        let text = "User has not requested changes for this merge request";
        return Err(Error::Unprocessable(text.to_owned()));
    }
    remark(tx, request, Some(user_id), "took the request for changes back")?;
    try_order(tx, request)
}
