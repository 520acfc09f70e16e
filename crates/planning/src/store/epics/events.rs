//! What became of an epic: states and labels, as rows of the same shape as what
//! became of issues.

use crate::model::EventKind;
use crate::store::issues::events::{By, Event};
use crate::store::pages::{self, KeyType, List, Order};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::json;
use store::{Fragment, Tx, sql};

const SELECT: &str = "select epic_events.id, epic_events.epic_id as issue_id, epic_events.user_id,
    epic_events.kind, epic_events.action, epic_events.label_id,
    cast(null as bigint) as milestone_id, cast(null as bigint) as weight,
    epic_events.created_at";

pub fn closed_or_reopened(
    tx: &mut Tx<'_>, epic_id: i64, by: By, action: &'static str,
) -> Result<()> {
    write(tx, epic_id, by, (EventKind::State, action, None))
}

/// A label came (`add`) or went (`remove`).
pub fn labelled(
    tx: &mut Tx<'_>, epic_id: i64, by: By, action: &'static str, label_id: i64,
) -> Result<()> {
    write(tx, epic_id, by, (EventKind::Label, action, Some(label_id)))
}

fn write(
    tx: &mut Tx<'_>, epic_id: i64, by: By,
    (kind, action, label_id): (EventKind, &'static str, Option<i64>),
) -> Result<()> {
    tx.execute(
        sql!(
            "insert into epic_events (epic_id, user_id, kind, action, label_id, created_at)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        (epic_id, by.user_id, kind, action, label_id, by.at),
    )?;
    Ok(())
}

/// One page of an epic's events of a kind, in the order they happened.
pub fn list(
    tx: &mut Tx<'_>, epic_id: i64, kind: EventKind, paging: Paging,
) -> Result<Paged<Event>> {
    let mut condition = Fragment::new("epic_events.epic_id = ");
    condition.bind(epic_id).push(" and epic_events.kind = ", kind);
    let list = List {
        select: Fragment::new(SELECT),
        from: Fragment::new("epic_events"),
        condition,
        order: Order {
            by: "epic_events.id".into(),
            key: Some(KeyType::Int),
            id: "epic_events.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |event: &Event| (json!(event.id), event.id))
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Event>> {
    Ok(tx.all(sql!(SELECT, " from epic_events where id in_list($1)"), (ids,))?)
}

pub fn find(tx: &mut Tx<'_>, epic_id: i64, kind: EventKind, id: i64) -> Result<Option<Event>> {
    Ok(tx.optional(
        sql!(SELECT, " from epic_events where epic_id = $1 and kind = $2 and id = $3"),
        (epic_id, kind, id),
    )?)
}
