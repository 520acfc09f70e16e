//! Threads: what answers one another, and whether it is settled. All notes of a
//! thread by people say the same of that, so any of them tells it; those of merge
//! requests may be resolved one by one.

use super::notes::{Activity, Note, Noteable, TABLES, can_be_resolved, readable_anywhere};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Tx, sql};

/// Threads to resolve that are counted.
pub const COUNTED: i64 = 99;

/// Which threads about something somebody may resolve and open again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolves {
    None,
    /// Those they began.
    Own,
    All,
}

impl Resolves {
    /// Whether that is among them which begins with this note.
    pub fn takes(self, viewer: &Viewer, first: &Note) -> bool {
        let own = first.author_id.is_some() && first.author_id == viewer.user_id();
        match self {
            Resolves::None => false,
            Resolves::Own => own,
            Resolves::All => true,
        }
    }
}

/// Resolves a thread, unless it is; whether it was not. Nobody is the program.
pub fn resolve(
    tx: &mut Tx<'_>, noteable: Noteable, discussion_id: &str, user_id: Option<i64>,
) -> Result<bool> {
    let now = tx.now();
    let count = tx.execute(
        sql!(
            "update notes set resolved_at = $4, resolved_by_id = $5
             where discussion_id = $3 and noteable_type = $1 and noteable_id = $2
                and in_thread and not is_system and resolved_at is null"
        ),
        (noteable.kind, noteable.id, discussion_id, now, user_id),
    )?;
    Ok(count > 0)
}

/// Resolves one note of a thread, unless it is; whether it was not.
pub fn resolve_one(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let now = tx.now();
    let count = tx.execute(
        sql!(
            "update notes set resolved_at = $2, resolved_by_id = $3
             where id = $1 and resolved_at is null"
        ),
        (id, now, user_id),
    )?;
    Ok(count > 0)
}

/// Opens one note of a thread again.
pub fn reopen_one(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(
        sql!("update notes set resolved_at = null, resolved_by_id = null where id = $1"),
        (id,),
    )?;
    Ok(())
}

/// Opens a thread again.
pub fn reopen(tx: &mut Tx<'_>, noteable: Noteable, discussion_id: &str) -> Result<()> {
    tx.execute(
        sql!(
            "update notes set resolved_at = null, resolved_by_id = null
             where discussion_id = $3 and noteable_type = $1 and noteable_id = $2
                and resolved_at is not null"
        ),
        (noteable.kind, noteable.id, discussion_id),
    )?;
    Ok(())
}

const UNRESOLVED: &str =
    " and notes.in_thread and not notes.is_system and notes.resolved_at is null";

/// The first note that is not resolved, of those of a condition.
pub fn first_unresolved(tx: &mut Tx<'_>, notes: Fragment) -> Result<Option<Note>> {
    let mut query = Fragment::new("select notes.* from notes where ");
    query
        .append(notes)
        .raw(UNRESOLVED)
        .raw(" order by notes.created_at, notes.id limit 1");
    Ok(tx.query(query)?.into_iter().next())
}

/// How many threads of notes of a condition are not resolved, counted to
/// [`COUNTED`] and one more.
pub fn unresolved(tx: &mut Tx<'_>, notes: Fragment) -> Result<i64> {
    let mut query = Fragment::new(
        "select count(*) from (select distinct notes.discussion_id from notes where ",
    );
    query
        .append(notes)
        .raw(UNRESOLVED)
        .push(" limit ", COUNTED + 1)
        .raw(") as counted");
    Ok(tx.query(query)?.into_iter().next().unwrap_or(0))
}

/// Who began the thread that a note is in, and what that is about.
#[derive(Debug, Clone, FromRow)]
pub struct Beginning {
    pub note_id: i64,
    pub began_by: Option<i64>,
    pub issue_author_id: Option<i64>,
    pub is_locked: bool,
}

/// Of each of these notes about issues.
pub fn beginnings(tx: &mut Tx<'_>, notes: &[i64]) -> Result<Vec<Beginning>> {
    Ok(tx.all(
        sql!(
            "select notes.id as note_id, first.author_id as began_by,
                issues.author_id as issue_author_id,
                coalesce(issues.discussion_locked, false) as is_locked
             from notes
             join issues on issues.id = notes.noteable_id
             join notes first on first.id = (select one.id from notes one
                where one.discussion_id = notes.discussion_id
                    and one.noteable_type = notes.noteable_type
                    and one.noteable_id = notes.noteable_id
                order by one.created_at, one.id limit 1)
             where notes.noteable_type = 'Issue' and notes.id in_list($1)"
        ),
        (notes,),
    )?)
}

/// Notes that answer one another, as far as they show to somebody.
#[derive(Debug, Clone, FromRow)]
pub struct Discussion {
    pub discussion_id: String,
    pub first_id: i64,
    pub noteable_type: String,
    pub noteable_id: i64,
    pub created_at: Timestamp,
    /// Notes of people in a thread, and those of them that are not resolved.
    pub answerable: i64,
    pub unresolved: i64,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by_id: Option<i64>,
}

const DISCUSSION: &str = "notes.discussion_id, min(notes.id) as first_id, notes.noteable_type,
    notes.noteable_id, min(notes.created_at) as created_at,
    count(*) filter (where notes.in_thread and not notes.is_system) as answerable,
    count(*) filter (where notes.in_thread and not notes.is_system
        and notes.resolved_at is null) as unresolved,
    max(notes.resolved_at) as resolved_at, max(notes.resolved_by_id) as resolved_by_id";

impl Discussion {
    pub fn is_resolvable(&self) -> bool {
        self.answerable > 0 && can_be_resolved(&self.noteable_type)
    }

    pub fn is_resolved(&self) -> bool {
        self.is_resolvable() && self.unresolved == 0
    }
}

/// A page of discussions for each of these things of one kind, which the
/// viewer sees; in the order they began.
pub fn discussion_pages(
    tx: &mut Tx<'_>, viewer: &Viewer, kind: &str, ids: &[i64], activity: Activity, window: &Window,
) -> Result<Vec<Owned<Discussion>>> {
    let mut from = Fragment::new(&format!(
        " from (select {DISCUSSION} from {TABLES} where notes.noteable_type = "
    ));
    from.bind(kind)
        .raw(" and")
        .in_list("notes.noteable_id", ids)
        .raw(" and ")
        .append(readable_anywhere(tx, viewer))
        .raw(activity.condition())
        .raw(
            " group by notes.discussion_id, notes.noteable_type, notes.noteable_id)
              as discussions where 1 = 1",
        );
    let columns = "discussions.*";
    Ok(tx.query(window.narrow_each(columns, "discussions.noteable_id", from))?)
}

/// Discussions by id, of notes that show to somebody who sees what they are
/// about.
pub fn discussions_by_ids(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[String],
) -> Result<Vec<Discussion>> {
    let mut query = Fragment::new(&format!("select {DISCUSSION} from {TABLES} where"));
    query
        .in_list("notes.discussion_id", ids)
        .raw(" and ")
        .append(readable_anywhere(tx, viewer))
        .raw(" group by notes.discussion_id, notes.noteable_type, notes.noteable_id");
    Ok(tx.query(query)?)
}
