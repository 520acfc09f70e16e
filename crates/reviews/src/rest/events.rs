//! What became of a merge request.

use super::Place;
use crate::entity::events::{EventEntity, Named, event};
use crate::model::{Event, EventKind, MergeRequest};
use crate::store::events as rows;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::Eventful;

impl Eventful for Place {
    type Kind = EventKind;
    type Event = Event;
    type Entity = EventEntity;
    const KINDS: &'static [EventKind] = EventKind::ALL;

    fn list(
        tx: &mut Tx<'_>, request: &MergeRequest, kind: EventKind, paging: Paging,
    ) -> Result<Paged<Event>> {
        rows::list(tx, request.id, kind, paging)
    }

    fn one(
        tx: &mut Tx<'_>, request: &MergeRequest, kind: EventKind, id: i64,
    ) -> Result<Option<Event>> {
        rows::find(tx, request.id, kind, id)
    }

    fn shown(
        app: &App, tx: &mut Tx<'_>, request: &MergeRequest, events: &[Event],
    ) -> Result<Vec<EventEntity>> {
        let named = Named::read(tx, events, request.state.as_str())?;
        Ok(events.iter().map(|one| event(app, one, &named)).collect())
    }
}
