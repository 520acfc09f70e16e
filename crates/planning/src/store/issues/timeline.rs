//! What was said about an issue and what became of it, in one order.

use super::events::Event;
use crate::store::notes::Note;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

#[derive(Debug, Clone)]
pub enum Entry {
    Said(Note),
    Became(Event),
}

/// How many entries there are of an issue, of notes those of this condition.
pub fn count(tx: &mut Tx<'_>, issue_id: i64, notes: Fragment) -> Result<i64> {
    let mut query = Fragment::new("select (select count(*) from notes where ");
    query
        .append(notes)
        .push(") + (select count(*) from issue_events where issue_id = ", issue_id)
        .raw(")");
    Ok(tx.query(query)?.into_iter().next().unwrap_or(0))
}

/// So many of them, oldest first; a note stands before what came of it.
pub fn page(
    tx: &mut Tx<'_>,
    issue_id: i64,
    notes: Fragment,
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>> {
    let mut query = Fragment::new(
        "select is_event, id from (
            select false as is_event, notes.id, notes.created_at from notes where ",
    );
    query
        .append(notes)
        .push(
            " union all
              select true as is_event, id, created_at from issue_events where issue_id = ",
            issue_id,
        )
        .push(") as entries order by created_at, is_event, id limit ", limit)
        .push(" offset ", offset);
    let order: Vec<(bool, i64)> = tx.query(query)?;
    let ids = |events: bool| -> Vec<i64> {
        let some = order.iter().filter(|(is_event, _)| *is_event == events);
        some.map(|(_, id)| *id).collect()
    };
    let notes: Vec<Note> =
        tx.all(sql!("select * from notes where id in_list($1)"), (ids(false),))?;
    let events: Vec<Event> =
        tx.all(sql!("select * from issue_events where id in_list($1)"), (ids(true),))?;
    let mut notes: HashMap<i64, Note> = notes.into_iter().map(|one| (one.id, one)).collect();
    let mut events: HashMap<i64, Event> = events.into_iter().map(|one| (one.id, one)).collect();
    let entry = |(is_event, id): (bool, i64)| match is_event {
        true => events.remove(&id).map(Entry::Became),
        false => notes.remove(&id).map(Entry::Said),
    };
    Ok(order.into_iter().filter_map(entry).collect())
}
