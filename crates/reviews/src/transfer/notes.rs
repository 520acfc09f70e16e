//! Notes about merge requests are written as they are elsewhere.

use super::model::{CodeNote, Spot};
use super::places::{Stands, named};
use super::store as rows;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::store::count_note;
use crate::suggestions;
use crate::tasks::FollowThreads;
use crate::threads::model::is_outdated;
use crate::threads::rules::{Ground, keep};
use crate::threads::store as thread_rows;
use ::store::Tx;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use planning::store::notes::by_id;
use planning::transfer::write;
use planning::transfer::{Note, On, discussion_id};

/// Writes a note that stands in no code; its id.
///
/// # Errors
///
/// `Invalid` where it is too long.
pub fn insert(tx: &mut Tx<'_>, request: &MergeRequest, note: &Note<i64>) -> Result<i64> {
    let id = say(tx, request, note.clone())?;
    if note.thread.is_some() {
        suggest(tx, id)?;
    }
    Ok(id)
}

/// Writes a note anew that came before and was changed there since.
///
/// # Errors
///
/// As [`insert`].
pub fn update(tx: &mut Tx<'_>, request: &MergeRequest, id: i64, note: &Note<i64>) -> Result<()> {
    write::update_note(tx, id, note)?;
    if let Some(thread) = thread_of(request, note) {
        settle(tx, &thread, note)?;
        if let Some(note) = by_id(tx, id)? {
            suggestions::reworded(tx, &note)?;
        }
    }
    Ok(())
}

/// Writes a note in code; its id. The first one of a thread stands where that was found; where
/// it was not, its text says where it stood.
///
/// # Errors
///
/// As [`insert`].
pub fn insert_in_code(
    tx: &mut Tx<'_>, request: &MergeRequest, coming: &CodeNote<i64>, stands: Option<&Stands>,
) -> Result<i64> {
    let thread = discussion_id(noteable(request), &coming.thread);
    let is_placed = rows::stands(tx, &thread)?;
    let is_lost = stands.is_none() && !is_placed;
    let id = say(tx, request, plain(coming, coming.spot.as_ref().filter(|_| is_lost)))?;
    match stands {
        Some(stands) if !is_placed => stand(tx, request, &thread, stands)?,
        _ => suggest(tx, id)?,
    }
    Ok(id)
}

/// Writes a note in code anew that came before and was changed there since.
///
/// # Errors
///
/// As [`insert`].
pub fn update_in_code(
    tx: &mut Tx<'_>, request: &MergeRequest, id: i64, coming: &CodeNote<i64>,
) -> Result<()> {
    let thread = discussion_id(noteable(request), &coming.thread);
    let is_lost = !rows::stands(tx, &thread)?;
    let lost = coming.spot.as_ref().filter(|_| is_lost);
    update(tx, request, id, &plain(coming, lost))
}

/// A note in code as one of the whole; `lost` is where it stood, if it stands nowhere.
fn plain(coming: &CodeNote<i64>, lost: Option<&Spot>) -> Note<i64> {
    let text = match lost {
        Some(spot) => format!("{}\n\n{}", named(spot), coming.text),
        None => coming.text.clone(),
    };
    Note {
        on: On::MergeRequest(coming.number),
        key: coming.key.clone(),
        thread: Some(coming.thread.clone()),
        author: coming.author,
        text,
        is_internal: false,
        is_system: false,
        resolved_at: coming.resolved_at,
        resolved_by: coming.resolved_by,
        reactions: coming.reactions.clone(),
        created_at: coming.created_at,
        updated_at: coming.updated_at,
    }
}

/// The thread that a note of people is in, by its id here.
fn thread_of(request: &MergeRequest, note: &Note<i64>) -> Option<String> {
    let thread = note.thread.as_deref().filter(|_| !note.is_system);
    thread.map(|name| discussion_id(noteable(request), name))
}

/// Writes a note that is new. What answers in a thread that is settled is settled, too, and a
/// note that settles a thread settles all of it.
fn say(tx: &mut Tx<'_>, request: &MergeRequest, mut note: Note<i64>) -> Result<i64> {
    let thread = thread_of(request, &note);
    if let Some(thread) = &thread {
        settle(tx, thread, &note)?;
        if note.resolved_at.is_none()
            && let Some((at, by)) = rows::resolution(tx, thread)?
        {
            note.resolved_at = Some(at);
            note.resolved_by = by;
        }
    }
    let id = write::note(tx, noteable(request), &note)?;
    if !note.is_system {
        count_note(tx, request.id, note.is_internal, 1)?;
    }
    Ok(id)
}

/// Resolves a thread that a note says is resolved.
fn settle(tx: &mut Tx<'_>, thread: &str, note: &Note<i64>) -> Result<()> {
    match note.resolved_at {
        Some(at) => rows::resolve(tx, thread, (at, note.resolved_by)),
        None => Ok(()),
    }
}

/// Stores what a note suggests.
fn suggest(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    match by_id(tx, id)? {
        Some(note) => suggestions::said(tx, &note),
        None => Ok(()),
    }
}

/// Has a thread stand where it was found. Where there is a newer version by now, it is
/// followed.
fn stand(tx: &mut Tx<'_>, request: &MergeRequest, thread: &str, found: &Stands) -> Result<()> {
    let Some(ground) = Ground::of(tx, request)? else {
        return Ok(());
    };
    keep(tx, &ground.repository, &found.stored)?;
    let has_moved = !ground.now.is_same_range(found.now);
    let is_gone = is_outdated(&found.stored.position, found.now) && !has_moved;
    thread_rows::insert(tx, request.id, thread, &found.stored, None, is_gone)?;
    suggestions::stands(tx, thread)?;
    if !has_moved {
        return Ok(());
    }
    let now = tx.now();
    enqueue_at(tx, &FollowThreads { request: request.id, user: None }, now)
}
