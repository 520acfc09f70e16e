//! How much text is read for one page: past a bound, notes are read by their
//! beginning alone, and the page leads to the rest.

use crate::store::notes::Note;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Tx, sql};

/// Bytes of the texts that a page has whole; the last may go beyond.
const MOST: i64 = 1024 * 1024;
/// Bytes that a note counts for beside its text.
const EACH: i64 = 2 * 1024;

/// A note, and how long its text is.
#[derive(Debug, FromRow)]
pub struct Length {
    pub id: i64,
    pub discussion_id: String,
    pub bytes: i64,
    created_at: Timestamp,
}

/// The lengths of the notes that meet a condition, oldest first; of so many at most,
/// whichever they are.
pub fn lengths(tx: &mut Tx<'_>, of: Fragment, most: i64) -> Result<Vec<Length>> {
    let mut query = Fragment::new(
        "select notes.id as id, notes.discussion_id as discussion_id,
            cast(octet_length(notes.body) as bigint) as bytes, notes.created_at as created_at
         from notes where ",
    );
    query.append(of).push(" limit ", most);
    let mut lengths: Vec<Length> = tx.query(query)?;
    lengths.sort_by_key(|one| (one.created_at, one.id));
    Ok(lengths)
}

/// The notes, oldest first, and those of which only the beginning was read. In the
/// order of their lengths they are read whole until there is no more room, then the
/// beginnings of those that may not be missing.
pub fn read(
    tx: &mut Tx<'_>, lengths: Vec<Length>, stays: impl Fn(i64) -> bool,
) -> Result<(Vec<Note>, Vec<i64>)> {
    let (mut whole, mut cut, mut room) = (Vec::new(), Vec::new(), MOST);
    for one in lengths {
        match room > 0 {
            true => whole.push(one.id),
            false if stays(one.id) => cut.push(one.id),
            false => {}
        }
        room -= one.bytes + EACH;
    }
    let mut notes: Vec<Note> =
        tx.all(sql!("select * from notes where id in_list($1)"), (whole,))?;
    if !cut.is_empty() {
        let beginnings: Vec<Note> = tx.all(
            sql!(
                "select id, project_id, noteable_type, noteable_id, discussion_id, in_thread,
                    substr(body, 1, 1000) as body, author_id, is_system, internal, created_at,
                    updated_at, resolved_at, resolved_by_id
                 from notes where id in_list($1)"
            ),
            (&cut,),
        )?;
        notes.extend(beginnings);
    }
    notes.sort_by_key(|note| (note.created_at, note.id));
    Ok((notes, cut))
}
