//! The lock of a merge request while it is merged, and what a push does that was a merge.

use super::change::{close, reread};
use super::merged;
use super::news::notify;
use super::sides::Sides;
use crate::merging::Brought;
use crate::merging::options::merge_error;
use crate::model::{MergeRequest, State};
use crate::store::{self as rows, merging as merging_rows};
use crate::tasks::{Check, RemoveSource};
use ::store::{Json, Tx};
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::tasks::Event;
use repositories::formats::object_id::ObjectId;
use repositories::rules::moves::RefMove;
use repositories::rules::pushes::Pushed;
use serde_json::{Map, Value, json};
use spaces::access::find_project;
use std::collections::HashMap;

/// The key of what is merged at this moment.
const KEY: &str = "merging";
/// Seconds after which nobody merges any more what is still locked.
pub const LEASE: i64 = 900;

/// What a merge made, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    /// Where the target was, and where it moves.
    pub old: ObjectId,
    pub new: ObjectId,
    pub source: ObjectId,
    pub brought: Brought,
}

impl Noted {
    fn to_json(self) -> Value {
        let text = |id: Option<ObjectId>| id.map(|id| id.to_string());
        json!({
            "old": self.old.to_string(),
            "new": self.new.to_string(),
            "source": self.source.to_string(),
            "merge": text(self.brought.merge),
            "squash": text(self.brought.squash),
            "rebased": text(self.brought.rebased),
        })
    }

    /// What a merge request that is locked is merged as.
    fn of(request: &MergeRequest) -> Option<Noted> {
        let noted = request.merge_params.0.get(KEY)?;
        let id = |key: &str| noted.get(key)?.as_str()?.parse::<ObjectId>().ok();
        Some(Noted {
            old: id("old")?,
            new: id("new")?,
            source: id("source")?,
            brought: Brought {
                merge: id("merge"),
                squash: id("squash"),
                rebased: id("rebased"),
            },
        })
    }
}

/// Sets what a merge was ordered with, or takes it away.
pub fn with_param(request: &mut MergeRequest, key: &str, value: Option<Value>) {
    let mut params = match std::mem::take(&mut request.merge_params.0) {
        Value::Object(params) => params,
        _ => Map::new(),
    };
    match value {
        Some(value) => params.insert(key.to_owned(), value),
        None => params.remove(key),
    };
    request.merge_params = Json(Value::Object(params));
}

/// Locks a merge request that is as it was judged; whether it is. One that was ordered
/// must still be so, by the same user.
pub fn lock(
    tx: &mut Tx<'_>, id: i64, noted: &Noted, (by, is_ordered): (Option<i64>, bool),
) -> Result<bool> {
    let mut request = reread(tx, id)?;
    let is_same = request.is_open() && request.head_id == Some(noted.source);
    let stands = !is_ordered || (request.auto_merge && request.merge_user_id == by);
    if !is_same || !stands {
        return Ok(false);
    }
    request.state = State::Locked;
    request.locked_at = Some(tx.now());
    with_param(&mut request, KEY, Some(noted.to_json()));
    rows::update(tx, &request)?;
    Ok(true)
}

/// Whether its source branch went while it was locked.
fn is_source_gone(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<bool> {
    let Some(source_id) = request.source_project_id else {
        return Ok(true);
    };
    let source = (source_id, request.source_branch.as_str());
    let target = (request.target_project_id, request.target_branch.as_str());
    let ([is_there, _], _) = Sides::read(tx, source, target)?;
    Ok(!is_there)
}

/// Opens it again, if it is locked for this merge.
pub fn unlock(tx: &mut Tx<'_>, id: i64, noted: &Noted) -> Result<()> {
    let mut request = reread(tx, id)?;
    if request.state != State::Locked || Noted::of(&request) != Some(*noted) {
        return Ok(());
    }
    with_param(&mut request, KEY, None);
    open_again(tx, request)
}

/// Opens again what a merge locked that did not end; without its source branch it is closed
/// then, as it would have been without the merge. What is noted of a merge that nobody makes
/// any more stays: should it land after all, it is known for what it is.
pub fn open_again(tx: &mut Tx<'_>, mut request: MergeRequest) -> Result<()> {
    request.state = State::Opened;
    request.locked_at = None;
    rows::update(tx, &request)?;
    if is_source_gone(tx, &request)? {
        close(tx, None, &request)?;
        return notify(tx, None, &request, Event::Closed, Vec::new());
    }
    let now = tx.now();
    enqueue_at(tx, &Check { request: request.id }, now)
}

/// Notes why it was not merged.
pub fn note_error(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
    let mut request = reread(tx, id)?;
    if request.is_open() {
        request.merge_error = Some(text.to_owned());
        rows::update(tx, &request)?;
    }
    Ok(())
}

/// Whether a push of a merge was refused since its source is elsewhere by now.
pub fn is_moved(error: &Error) -> bool {
    matches!(error, Error::Conflict(text) if text == merge_error::MOVED)
}

/// Marks those merged that this push is the merge of, in its transaction. They are known by
/// what was noted before: a target to which commits came squashed or rebased does not hold the
/// head of the source.
///
/// # Errors
///
/// `Conflict` where somebody pushed to the source since the merge was made: then the
/// target stays, too.
pub fn by_push(tx: &mut Tx<'_>, push: &Pushed<'_>, moves: &HashMap<&str, &RefMove>) -> Result<()> {
    let branches: Vec<String> = moves.keys().map(|name| (*name).to_owned()).collect();
    for request in merging_rows::begun_into(tx, push.project_id, &branches)? {
        let Some(noted) = Noted::of(&request) else { continue };
        // One that is open again is merged only as it is now.
        let stands = !request.is_open() || request.head_id == Some(noted.source);
        let is_merge = moves
            .get(request.target_branch.as_str())
            .is_some_and(|one| one.old == noted.old && one.new == noted.new);
        if is_merge && stands {
            finish(tx, push, request, noted)?;
        }
    }
    Ok(())
}

fn finish(
    tx: &mut Tx<'_>, push: &Pushed<'_>, mut request: MergeRequest, noted: Noted,
) -> Result<()> {
    if request.head_id != Some(noted.source) {
        return Err(Error::Conflict(merge_error::MOVED.into()));
    }
    with_param(&mut request, KEY, None);
    rows::update(tx, &request)?;
    let place = Reference::Id(request.target_project_id);
    let project = find_project(tx, &place)?.found("Project")?;
    let merged = merged::mark(tx, push.viewer, &project, &request, noted.brought)?;
    if !merged.removes_source_branch() {
        return Ok(());
    }
    let now = tx.now();
    let task = RemoveSource { request: merged.id, user: push.viewer.user_id() };
    enqueue_at(tx, &task, now)
}
