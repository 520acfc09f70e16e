//! What was said about an issue and what became of it, in one order: each
//! discussion stands where it began.

use super::events::Event;
use crate::store::notes::Note;
use kernel::error::Result;
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, sql};

/// Notes of a discussion that are read at once; a page of its own has all.
pub const MOST_SHOWN: i64 = 100;

#[derive(Debug, Clone)]
pub enum Entry {
    Said(Discussion),
    Became(Event),
}

/// Notes that answer one another, oldest first.
#[derive(Debug, Clone)]
pub struct Discussion {
    pub notes: Vec<Note>,
    /// How many it has, which may be more than are here.
    pub total: i64,
}

/// How many entries there are of an issue, of notes those of this condition.
pub fn count(tx: &mut Tx<'_>, issue_id: i64, notes: Fragment) -> Result<i64> {
    let mut query =
        Fragment::new("select (select count(distinct notes.discussion_id) from notes where ");
    query
        .append(notes)
        .push(") + (select count(*) from issue_events where issue_id = ", issue_id)
        .raw(")");
    Ok(tx.query(query)?.into_iter().next().unwrap_or(0))
}

/// How many entries stand before the discussion of a note.
pub fn before(tx: &mut Tx<'_>, issue_id: i64, notes: Fragment, note: &Note) -> Result<i64> {
    let mut first = notes.clone();
    first.push(" and notes.discussion_id = ", note.discussion_id.as_str());
    let mut query = Fragment::new("select min(created_at), min(id) from notes where ");
    query.append(first);
    let began: Option<(Option<Timestamp>, Option<i64>)> = tx.query(query)?.into_iter().next();
    let Some((Some(at), Some(id))) = began else {
        return Ok(0);
    };
    let mut query = Fragment::new("select count(*) from (");
    query
        .append(entries(issue_id, notes))
        .push(") as entries where created_at < ", at)
        .push(" or (created_at = ", at)
        .push(" and not is_event and id < ", id)
        .raw(")");
    Ok(tx.query(query)?.into_iter().next().unwrap_or(0))
}

/// The first note of each discussion, and each event.
fn entries(issue_id: i64, notes: Fragment) -> Fragment {
    let mut query = Fragment::new(
        "select false as is_event, min(notes.id) as id, min(notes.created_at) as created_at
         from notes where ",
    );
    query.append(notes).push(
        " group by notes.discussion_id
          union all
          select true as is_event, id, created_at from issue_events where issue_id = ",
        issue_id,
    );
    query
}

#[derive(FromRow)]
struct Shown {
    #[nested]
    note: Note,
    first_id: i64,
    total: i64,
}

/// So many of them, oldest first; a note stands before what came of it.
pub fn page(
    tx: &mut Tx<'_>,
    issue_id: i64,
    notes: Fragment,
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>> {
    let mut query = Fragment::new("select is_event, id from (");
    query
        .append(entries(issue_id, notes.clone()))
        .push(") as entries order by created_at, is_event, id limit ", limit)
        .push(" offset ", offset);
    let order: Vec<(bool, i64)> = tx.query(query)?;
    let ids = |events: bool| -> Vec<i64> {
        let some = order.iter().filter(|(is_event, _)| *is_event == events);
        some.map(|(_, id)| *id).collect()
    };
    let mut said = discussions(tx, notes, ids(false))?;
    let events: Vec<Event> =
        tx.all(sql!("select * from issue_events where id in_list($1)"), (ids(true),))?;
    let mut events: HashMap<i64, Event> = events.into_iter().map(|one| (one.id, one)).collect();
    let entry = |(is_event, id): (bool, i64)| match is_event {
        true => events.remove(&id).map(Entry::Became),
        false => said.remove(&id).map(Entry::Said),
    };
    Ok(order.into_iter().filter_map(entry).collect())
}

/// The discussions that begin with these notes, of notes of a condition.
fn discussions(
    tx: &mut Tx<'_>,
    notes: Fragment,
    firsts: Vec<i64>,
) -> Result<HashMap<i64, Discussion>> {
    let mut query = Fragment::new(
        "select * from (select notes.*,
            min(notes.id) over (partition by notes.discussion_id) as first_id,
            count(*) over (partition by notes.discussion_id) as total,
            row_number() over (partition by notes.discussion_id order by notes.id) as place
          from notes where ",
    );
    query
        .append(notes)
        .raw(
            " and notes.discussion_id in
                (select began.discussion_id from notes began where",
        )
        .in_list("began.id", firsts)
        .push(")) as shown where place <= ", MOST_SHOWN)
        .raw(" order by created_at, id");
    let rows: Vec<Shown> = tx.query(query)?;
    let mut found: HashMap<i64, Discussion> = HashMap::new();
    for row in rows {
        let one = Discussion { notes: Vec::new(), total: row.total };
        found.entry(row.first_id).or_insert(one).notes.push(row.note);
    }
    Ok(found)
}

/// One page of the notes of one discussion, oldest first.
pub fn discussion(
    tx: &mut Tx<'_>,
    mut notes: Fragment,
    discussion_id: &str,
    limit: i64,
    offset: i64,
) -> Result<Discussion> {
    notes.push(" and notes.discussion_id = ", discussion_id);
    let mut counting = Fragment::new("select count(*) from notes where ");
    counting.append(notes.clone());
    let total = tx.query(counting)?.into_iter().next().unwrap_or(0);
    let mut query = Fragment::new("select notes.* from notes where ");
    query
        .append(notes)
        .push(" order by notes.created_at, notes.id limit ", limit)
        .push(" offset ", offset);
    Ok(Discussion { notes: tx.query(query)?, total })
}

/// One page of the discussions of notes of a condition, the latest first, and
/// how many there are.
pub fn latest(
    tx: &mut Tx<'_>,
    notes: Fragment,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Discussion>, i64)> {
    let mut counting =
        Fragment::new("select count(distinct notes.discussion_id) from notes where ");
    counting.append(notes.clone());
    let total = tx.query(counting)?.into_iter().next().unwrap_or(0);
    let mut query = Fragment::new("select min(notes.id) as first_id from notes where ");
    query
        .append(notes.clone())
        .push(" group by notes.discussion_id order by first_id desc limit ", limit)
        .push(" offset ", offset);
    let firsts: Vec<i64> = tx.query(query)?;
    let mut said = discussions(tx, notes, firsts.clone())?;
    Ok((firsts.iter().filter_map(|id| said.remove(id)).collect(), total))
}

/// How many discussions of notes of a condition began after that of a note.
pub fn later(tx: &mut Tx<'_>, notes: Fragment, note: &Note) -> Result<i64> {
    let mut query =
        Fragment::new("select count(*) from (select min(notes.id) as first_id from notes where ");
    query
        .append(notes.clone())
        .raw(
            " group by notes.discussion_id) as began
              where began.first_id > (select min(notes.id) from notes where ",
        )
        .append(notes)
        .push(" and notes.discussion_id = ", note.discussion_id.as_str())
        .raw(")");
    Ok(tx.query(query)?.into_iter().next().unwrap_or(0))
}
