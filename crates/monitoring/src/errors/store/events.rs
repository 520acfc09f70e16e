//! Events of an error that are still kept, in the order they were received.

use jiff::Timestamp;
use kernel::error::Result;
use store::{FromRow, Tx, sql};

/// Largest payload, packed, that is looked through for tags.
const MAX_PACKED: i64 = 64 * 1024;

/// An event.
#[derive(Debug, Clone, FromRow)]
#[columns("e")]
pub struct Event {
    pub id: i64,
    pub event_id: String,
    pub level: String,
    pub environment: String,
    pub release: String,
    pub occurred_at: Timestamp,
    pub payload: Vec<u8>,
}

const SELECT: &str =
    store::concat!("select ", Event::COLUMNS, " from error_tracking_events e where ");

pub fn newest(tx: &mut Tx<'_>, error_id: i64) -> Result<Option<Event>> {
    Ok(tx.optional(sql!(SELECT, "e.error_id = $1 order by e.id desc limit 1"), (error_id,))?)
}

/// The event of this number, if it is one of the error's.
pub fn find(
    tx: &mut Tx<'_>, project_id: i64, error_id: i64, event_id: &str,
) -> Result<Option<Event>> {
    Ok(tx.optional(
        sql!(SELECT, "e.project_id = $1 and e.event_id = $2 and e.error_id = $3"),
        (project_id, event_id, error_id),
    )?)
}

/// Numbers of the events around one: none where there is nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct Neighbours {
    pub first: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
    pub last: Option<String>,
}

/// The events around this one; the first and the last only where they are
/// others.
pub fn neighbours(tx: &mut Tx<'_>, error_id: i64, id: i64) -> Result<Neighbours> {
    Ok(tx.one(
        sql!(
            "select
                (select e.event_id from error_tracking_events e
                    where e.error_id = $1 and e.id < $2 order by e.id limit 1) as first,
                (select e.event_id from error_tracking_events e
                    where e.error_id = $1 and e.id < $2 order by e.id desc limit 1) as previous,
                (select e.event_id from error_tracking_events e
                    where e.error_id = $1 and e.id > $2 order by e.id limit 1) as next,
                (select e.event_id from error_tracking_events e
                    where e.error_id = $1 and e.id > $2 order by e.id desc limit 1) as last"
        ),
        (error_id, id),
    )?)
}

/// The newest events, without those whose payload is large.
pub fn recent(tx: &mut Tx<'_>, error_id: i64, most: i64) -> Result<Vec<Event>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "e.error_id = $1 and length(e.payload) <= $2 order by e.id desc limit $3"
        ),
        (error_id, MAX_PACKED, most),
    )?)
}
