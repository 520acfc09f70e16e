//! What became of a merge request: states, labels, milestones.

use crate::model::{Event, EventKind};
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::store::issues::events::{By, Event as Told};
use planning::store::issues::timeline::EventRows;
use planning::store::pages::{self, KeyType, List, Order};
use repositories::formats::object_id::ObjectId;
use serde_json::json;

const SELECT: &str = ::store::concat!("select ", Event::COLUMNS, " from merge_request_events ");

/// What there is to tell.
#[derive(Debug, Clone, Copy)]
pub enum Detail {
    /// `closed`, `reopened` or `merged`; the commit that a merge brought.
    State(&'static str, Option<ObjectId>),
    Label(&'static str, i64),
    Milestone(&'static str, i64),
}

pub fn write(tx: &mut Tx<'_>, id: i64, by: By, told: Detail) -> Result<()> {
    let (kind, action, label, milestone, commit) = match told {
        Detail::State(action, commit) => (EventKind::State, action, None, None, commit),
        Detail::Label(action, label) => (EventKind::Label, action, Some(label), None, None),
        Detail::Milestone(action, goal) => (EventKind::Milestone, action, None, Some(goal), None),
    };
    tx.execute(
        sql!(
            "insert into merge_request_events (merge_request_id, user_id, kind, action, label_id,
                milestone_id, source_commit, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        (id, by.user_id, kind, action, label, milestone, commit, by.at),
    )?;
    Ok(())
}

/// One page of a merge request's events of a kind, in the order they happened.
pub fn list(tx: &mut Tx<'_>, id: i64, kind: EventKind, paging: Paging) -> Result<Paged<Event>> {
    let mut condition = Fragment::new("merge_request_events.merge_request_id = ");
    condition.bind(id).push(" and merge_request_events.kind = ", kind);
    let list = List {
        select: Fragment::new(::store::concat!("select ", Event::COLUMNS)),
        from: Fragment::new("merge_request_events"),
        condition,
        order: Order {
            by: "merge_request_events.id".into(),
            key: Some(KeyType::Int),
            id: "merge_request_events.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |event: &Event| (json!(event.id), event.id))
}

/// Labels that came and went, as stories on pages tell them: of the rest there are notes.
pub const LABELS: EventRows = EventRows {
    of: "merge_request_events where kind = 'label' and merge_request_id = ",
    by_ids: told,
};

fn told(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Told>> {
    Ok(tx.all(
        sql!(
            "select id, merge_request_id as issue_id, user_id, kind, action, label_id,
                milestone_id, cast(null as bigint) as weight, created_at
             from merge_request_events where id in_list($1)"
        ),
        (ids,),
    )?)
}

pub fn find(tx: &mut Tx<'_>, request_id: i64, kind: EventKind, id: i64) -> Result<Option<Event>> {
    Ok(tx.optional(
        sql!(SELECT, "where merge_request_id = $1 and kind = $2 and id = $3"),
        (request_id, kind, id),
    )?)
}
