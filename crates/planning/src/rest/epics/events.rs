//! What became of an epic.

use super::Base;
use crate::entity::events::{EventEntity, Named, event_about};
use crate::model::EventKind;
use crate::model::epics::{EPIC, Epic};
use crate::rest::events::{self, Eventful};
use crate::rules::epics::places::EpicPlace;
use crate::store::epics::events as rows;
use crate::store::issues::events::Event;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes, base: Base) {
    events::of::<EpicPlace>(r, &base.one(""), (base.name, "an epic"));
}

impl Eventful for EpicPlace {
    type Kind = EventKind;
    type Event = Event;
    type Entity = EventEntity;
    /// Epics have neither milestones nor weights.
    const KINDS: &'static [EventKind] = &[EventKind::State, EventKind::Label];

    fn list(tx: &mut Tx<'_>, epic: &Epic, kind: EventKind, paging: Paging) -> Result<Paged<Event>> {
        rows::list(tx, epic.id, kind, paging)
    }

    fn one(tx: &mut Tx<'_>, epic: &Epic, kind: EventKind, id: i64) -> Result<Option<Event>> {
        rows::find(tx, epic.id, kind, id)
    }

    fn shown(app: &App, tx: &mut Tx<'_>, _: &Epic, events: &[Event]) -> Result<Vec<EventEntity>> {
        let named = Named::read(tx, events)?;
        Ok(events.iter().map(|one| event_about(app, one, &named, EPIC)).collect())
    }
}
