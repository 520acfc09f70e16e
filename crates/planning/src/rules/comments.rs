//! Notes that people write about issues.

use super::commands::{self, Outcome};
use super::news::{self, Text, mention};
use super::notes::new_discussion;
use super::todos;
use crate::access::Desk;
use crate::formats::quick_actions;
use crate::mail::{Event, Reason};
use crate::model::{Issue, text_error};
use crate::rules::issues::noteable;
use crate::store::issues as issue_rows;
use crate::store::notes::{self as rows, NewNote, Note};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::time::Timestamp;
use spaces::access::{GUEST, MAINTAINER};
use store::{Fragment, Tx};

/// A note about to be written.
#[derive(Debug, Clone)]
pub struct Comment {
    /// What somebody wrote.
    pub body: String,
    /// For reporters only.
    pub internal: bool,
    /// When; for owners.
    pub created_at: Option<Timestamp>,
    /// The discussion it answers in.
    pub discussion_id: Option<String>,
    /// It begins a discussion.
    pub begins_thread: bool,
}

/// What became of it.
#[derive(Debug, Clone)]
pub enum Said {
    /// A note, and what commands in it did.
    Note(Box<Note>, Option<Outcome>),
    /// Nothing but commands.
    Commands(Outcome),
}

/// The note of this id about an issue, if the viewer may see it.
pub fn find(tx: &mut Tx<'_>, desk: &Desk, issue: &Issue, id: i64) -> Result<Note> {
    let note = rows::find(tx, noteable(issue), id)?.found("Note")?;
    match note.internal && !desk.is_reporter() {
        true => Err(Error::NotFound("Note")),
        false => Ok(note),
    }
}

/// The same, which belongs to this discussion if one is named.
pub fn find_within(
    tx: &mut Tx<'_>,
    desk: &Desk,
    issue: &Issue,
    id: i64,
    discussion_id: Option<&str>,
) -> Result<Note> {
    let note = find(tx, desk, issue, id)?;
    match discussion_id {
        Some(discussion) if note.discussion_id != discussion => Err(Error::NotFound("Note")),
        _ => Ok(note),
    }
}

/// The notes of a discussion that the viewer may see.
pub fn discussion(tx: &mut Tx<'_>, desk: &Desk, issue: &Issue, id: &str) -> Result<Vec<Note>> {
    let mut query = Fragment::new("select notes.* from notes where ");
    query
        .append(rows::shown(noteable(issue), desk.is_reporter()))
        .push(" and notes.discussion_id = ", id)
        .raw(" order by notes.created_at, notes.id");
    let notes: Vec<Note> = tx.query(query)?;
    match notes.is_empty() {
        true => Err(Error::NotFound("Discussion")),
        false => Ok(notes),
    }
}

/// Writes a note. Commands in it are carried out as far as the viewer may.
pub fn write(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    comment: &Comment,
) -> Result<Said> {
    let author = &viewer.signed_in()?.user;
    if issue.discussion_locked == Some(true) && desk.level < GUEST {
        return Err(Error::forbidden("This discussion is locked"));
    }
    if comment.internal && !desk.is_reporter() {
        return Err(Error::forbidden(""));
    }
    check(&comment.body)?;
    let thread = match &comment.discussion_id {
        Some(id) => Some(discussion(tx, desk, issue, id)?),
        None => None,
    };
    let split = match author.kind.is_bot() {
        true => quick_actions::Split {
            text: comment.body.clone(),
            actions: Vec::new(),
        },
        false => quick_actions::split(&comment.body),
    };
    let outcome = match split.actions.is_empty() {
        true => None,
        false => Some(commands::apply(tx, viewer, desk, issue, &split.actions)?),
    };
    let outcome = match (split.text.trim().is_empty(), outcome) {
        (true, Some(outcome)) => return Ok(Said::Commands(outcome)),
        (_, outcome) => outcome,
    };
    let first = thread.as_ref().and_then(|notes| notes.first());
    if let Some(first) = first.filter(|first| !first.in_thread) {
        rows::begin_thread(tx, first.id)?;
    }
    let created_at = comment.created_at.filter(|_| desk.is_owner());
    let created_at = created_at.unwrap_or(tx.now());
    let note = rows::insert(
        tx,
        &NewNote {
            noteable: noteable(issue),
            author_id: Some(author.id),
            body: split.text,
            discussion_id: comment.discussion_id.clone().unwrap_or_else(new_discussion),
            in_thread: comment.begins_thread || thread.is_some(),
            is_system: false,
            // An answer is for those who see what it answers.
            internal: comment.internal || first.is_some_and(|first| first.internal),
            created_at,
        },
    )?;
    issue_rows::touch(tx, issue.id)?;
    todos::close_for(tx, Some(author.id), noteable(issue))?;
    let said = Text {
        text: &note.body,
        before: "",
        note_id: Some(note.id),
        internal: note.internal,
    };
    let told = mention(tx, viewer, desk, issue, said)?;
    let direct = told.into_iter().map(|user| (user, Reason::Mentioned));
    if !author.kind.is_bot() {
        news::notify(
            tx,
            Some(author.id),
            issue,
            Event::Note,
            Some(note.id),
            direct.collect(),
        )?;
    }
    Ok(Said::Note(Box::new(note), outcome))
}

/// Refuses a body that cannot be kept, in the words that notes have for it.
fn check(body: &str) -> Result<()> {
    let problem = match body.trim().is_empty() {
        true => Some("can't be blank"),
        false => text_error(body),
    };
    match problem {
        Some(problem) => Err(Error::BadRequest(format!("{REFUSED}{problem}\"]}}"))),
        None => Ok(()),
    }
}

/// What the refusal of a body begins with.
const REFUSED: &str = "Note {\"note\"=>[\"";

/// What is wrong with a body, if that is why a note was refused: for
/// interfaces that say it in words of their own.
pub fn refused_text(error: &Error) -> Option<&str> {
    match error {
        Error::BadRequest(text) => text.strip_prefix(REFUSED)?.strip_suffix("\"]}"),
        _ => None,
    }
}

/// Refuses to change what the program or somebody else wrote; maintainers may
/// change any note of people.
fn changeable(viewer: &Viewer, desk: &Desk, note: &Note) -> Result<()> {
    let own = note.author_id.is_some() && note.author_id == viewer.user_id();
    match !note.is_system && (own || desk.level >= MAINTAINER) {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Writes another text. Nobody is told by mail; who is named now and was not
/// before gets something to do.
pub fn rewrite(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    id: i64,
    body: &str,
) -> Result<Note> {
    let note = find(tx, desk, issue, id)?;
    changeable(viewer, desk, &note)?;
    check(body)?;
    rows::rewrite(tx, note.id, body)?;
    let said = Text {
        text: body,
        before: &note.body,
        note_id: Some(note.id),
        internal: note.internal,
    };
    mention(tx, viewer, desk, issue, said)?;
    find(tx, desk, issue, id)
}

/// Removes a note.
pub fn destroy(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    id: i64,
) -> Result<()> {
    let note = find(tx, desk, issue, id)?;
    changeable(viewer, desk, &note)?;
    rows::delete(tx, &note)
}
