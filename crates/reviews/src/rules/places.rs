//! Who is told of a merge request, and who takes part in it.

use crate::model::MergeRequest;
use crate::noteable::{MERGE_REQUEST, noteable};
use crate::store::people;
use ::store::Tx;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::formats::mentions;
use planning::store::notes;
use planning::store::people::named;
use planning::store::subscriptions::{self, Target};
use std::collections::HashSet;

/// Merge requests, as subscriptions name their kind.
pub const TARGET: Target = Target::Thing(MERGE_REQUEST);
/// Notes that are looked through for names.
const MOST_NOTES: i64 = 500;

/// Whether a user is told of it: as they asked, or else as author, assignee or reviewer.
pub fn is_subscribed(tx: &mut Tx<'_>, user_id: i64, request: &MergeRequest) -> Result<bool> {
    if let Some(asked) = subscriptions::find(tx, user_id, TARGET, request.id)? {
        return Ok(asked);
    }
    if request.author_id == Some(user_id) {
        return Ok(true);
    }
    if people::assignees_of_one(tx, request.id)?.contains(&user_id) {
        return Ok(true);
    }
    let reviewers = people::reviewers_of_one(tx, request.id)?;
    Ok(reviewers.iter().any(|reviewer| reviewer.user_id == user_id))
}

/// Has the viewer told of it, or no longer; whether that was not so before.
pub fn subscribe(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, wanted: bool,
) -> Result<bool> {
    let user_id = viewer.signed_in()?.user.id;
    if is_subscribed(tx, user_id, request)? == wanted {
        return Ok(false);
    }
    subscriptions::set(tx, user_id, TARGET, request.id, wanted)?;
    Ok(true)
}

/// Who takes part: the author, assignees, reviewers, who wrote notes that the asker sees,
/// and who is named in these and in the description.
pub fn participants(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, with_internal: bool,
) -> Result<Vec<i64>> {
    let mut ids = active(tx, request, with_internal)?;
    let users = mentioned(tx, viewer, request, with_internal)?;
    ids.extend(users.iter().map(|user| user.id));
    Ok(each_once(ids))
}

/// The same without those who are only named, for whom all notes would be read.
pub fn active(tx: &mut Tx<'_>, request: &MergeRequest, with_internal: bool) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = request.author_id.into_iter().collect();
    ids.extend(people::assignees_of_one(tx, request.id)?);
    let reviewers = people::reviewers_of_one(tx, request.id)?;
    ids.extend(reviewers.iter().map(|reviewer| reviewer.user_id));
    ids.extend(notes::authors(tx, noteable(request), with_internal)?);
    Ok(each_once(ids))
}

fn each_once(mut ids: Vec<i64>) -> Vec<i64> {
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(*id));
    ids
}

fn mentioned(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, with_internal: bool,
) -> Result<Vec<User>> {
    let notes = notes::of_people(tx, viewer, noteable(request), MOST_NOTES)?;
    let shown = notes.iter().filter(|note| with_internal || !note.internal);
    let texts = shown.map(|note| note.body.as_str()).chain([request.text()]);
    let mut names: Vec<String> = Vec::new();
    for one in texts.flat_map(mentions::find) {
        let name = kernel::ids::fold(&one.name);
        if names.len() < mentions::MOST && !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => Ok(Vec::new()),
        false => named(tx, &names),
    }
}
