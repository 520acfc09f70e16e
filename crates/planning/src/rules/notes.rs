//! Notes: what people write, and what the program tells.

use crate::store::notes::{self as rows, NewNote, Note, Noteable};
use crate::targets;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::random_bytes;
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::Tx;

/// Tells what happened to something, under the name of who did it. Rooms
/// above call this in their own transactions for what they keep notes about.
pub fn system(
    tx: &mut Tx<'_>, noteable: Noteable, author_id: Option<i64>, text: &str,
) -> Result<Note> {
    let now = tx.now();
    system_at(tx, noteable, author_id, now, text)
}

/// The same, of what happened earlier.
pub fn system_at(
    tx: &mut Tx<'_>, noteable: Noteable, author_id: Option<i64>, created_at: Timestamp, text: &str,
) -> Result<Note> {
    rows::insert(tx, &told(noteable, author_id, created_at, text))
}

/// The same, in words that name an issue of the same project: only who sees
/// that issue sees the note.
pub fn system_naming(
    tx: &mut Tx<'_>, noteable: Noteable, author_id: Option<i64>, text: &str, issue_id: i64,
) -> Result<Note> {
    let note = NewNote {
        names_issue_id: Some(issue_id),
        ..told(noteable, author_id, tx.now(), text)
    };
    rows::insert(tx, &note)
}

fn told(noteable: Noteable, author_id: Option<i64>, created_at: Timestamp, text: &str) -> NewNote {
    NewNote {
        noteable,
        author_id,
        body: text.to_owned(),
        discussion_id: new_discussion(),
        in_thread: false,
        is_system: true,
        internal: false,
        names_issue_id: None,
        created_at,
        resolved: (None, None),
    }
}

/// Tells many things at once, by few statements.
pub fn system_all(
    tx: &mut Tx<'_>, author_id: Option<i64>, texts: &[(Noteable, String)],
) -> Result<()> {
    let now = tx.now();
    let notes: Vec<NewNote> = texts
        .iter()
        .map(|(noteable, text)| told(*noteable, author_id, now, text))
        .collect();
    rows::insert_system(tx, &notes)
}

/// The id of a new discussion: 40 hexadecimal digits.
pub fn new_discussion() -> String {
    hex::encode(random_bytes::<20>())
}

pub fn visible_by_ids(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<Vec<Note>> {
    let notes = rows::readable_by_ids(tx, viewer, ids)?;
    let about = |note: &Note| (note.noteable_type.clone(), note.noteable_id);
    let named: Vec<(String, i64)> = notes.iter().map(about).collect();
    let named = named.iter().map(|(kind, id)| (kind.as_str(), *id));
    let seen = targets::read(app, tx, viewer, named)?;
    let is_seen = |note: &Note| seen.get(&note.noteable_type, note.noteable_id).is_some();
    Ok(notes.into_iter().filter(is_seen).collect())
}

/// Writes notes of something about another thing, in discussions of their own; `with` says
/// the text of each, and since when and by whom its thread is resolved there.
pub fn copy(
    tx: &mut Tx<'_>, notes: Vec<Note>, to: Noteable,
    with: impl Fn(&Note) -> (String, (Option<Timestamp>, Option<i64>)),
) -> Result<()> {
    let mut threads = HashMap::new();
    for note in notes {
        let (body, resolved) = with(&note);
        let discussion = threads.entry(note.discussion_id).or_insert_with(new_discussion);
        let copy = NewNote {
            noteable: to,
            author_id: note.author_id,
            body,
            discussion_id: discussion.clone(),
            in_thread: note.in_thread,
            is_system: false,
            internal: note.internal,
            names_issue_id: None,
            created_at: note.created_at,
            resolved,
        };
        rows::insert(tx, &copy)?;
    }
    Ok(())
}
