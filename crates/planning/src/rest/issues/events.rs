//! What became of an issue.

use crate::entity::events::{EventEntity, Named, event};
use crate::guarded::Place;
use crate::model::{EventKind, Issue};
use crate::rest::events::{self, Eventful};
use crate::store::issues::events::{self as rows, Event};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    events::of::<Place>(r, "/projects/{id}/issues/{issue_iid}", ("issues", "an issue"));
}

impl Eventful for Place {
    type Kind = EventKind;
    type Event = Event;
    type Entity = EventEntity;
    const KINDS: &'static [EventKind] = EventKind::ALL;

    fn list(
        tx: &mut Tx<'_>, issue: &Issue, kind: EventKind, paging: Paging,
    ) -> Result<Paged<Event>> {
        rows::list(tx, issue.id, kind, paging)
    }

    fn one(tx: &mut Tx<'_>, issue: &Issue, kind: EventKind, id: i64) -> Result<Option<Event>> {
        rows::find(tx, issue.id, kind, id)
    }

    fn shown(app: &App, tx: &mut Tx<'_>, _: &Issue, events: &[Event]) -> Result<Vec<EventEntity>> {
        let named = Named::read(tx, events)?;
        Ok(events.iter().map(|one| event(app, one, &named)).collect())
    }
}
