//! What became of an issue: states, labels, milestones, weights.

use crate::model::EventKind;
use crate::store::pages::{self, List};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use serde_json::json;
use store::{Fragment, FromRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
pub struct Event {
    pub id: i64,
    pub issue_id: i64,
    pub user_id: Option<i64>,
    pub kind: EventKind,
    pub action: String,
    pub label_id: Option<i64>,
    pub milestone_id: Option<i64>,
    pub weight: Option<i64>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Copy)]
pub enum EventDetail {
    /// `closed` or `reopened`.
    State(&'static str),
    Label(&'static str, i64),
    Milestone(&'static str, i64),
    Weight(Option<i64>),
}

#[derive(Debug, Clone, Copy)]
pub struct By {
    pub user_id: Option<i64>,
    pub at: Timestamp,
}

pub fn write(tx: &mut Tx<'_>, issue_id: i64, by: By, told: EventDetail) -> Result<()> {
    let (kind, action, label, milestone, weight) = match told {
        EventDetail::State(action) => (EventKind::State, action, None, None, None),
        EventDetail::Label(action, id) => (EventKind::Label, action, Some(id), None, None),
        EventDetail::Milestone(action, id) => (EventKind::Milestone, action, None, Some(id), None),
        EventDetail::Weight(weight) => (EventKind::Weight, "set", None, None, weight),
    };
    tx.execute(
        sql!(
            "insert into issue_events (issue_id, user_id, kind, action, label_id, milestone_id,
                weight, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        (issue_id, by.user_id, kind, action, label, milestone, weight, by.at),
    )?;
    Ok(())
}

/// One page of an issue's events of a kind, in the order they happened.
pub fn list(
    tx: &mut Tx<'_>, issue_id: i64, kind: EventKind, paging: Paging,
) -> Result<Paged<Event>> {
    let mut condition = Fragment::new("issue_events.issue_id = ");
    condition.bind(issue_id).push(" and issue_events.kind = ", kind);
    let list = List::by_id("issue_events", "issue_events.id", condition, false);
    pages::page(tx, list, paging, |event: &Event| (json!(event.id), event.id))
}

/// Events of any issues.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Event>> {
    Ok(tx.all(sql!("select * from issue_events where id in_list($1)"), (ids,))?)
}

pub fn find(tx: &mut Tx<'_>, issue_id: i64, kind: EventKind, id: i64) -> Result<Option<Event>> {
    Ok(tx.optional(
        sql!("select * from issue_events where issue_id = $1 and kind = $2 and id = $3"),
        (issue_id, kind, id),
    )?)
}
