//! What became of an epic.

use super::{Base, EpicRequest};
use crate::entity::events::{EventEntity, Named, event_about};
use crate::model::EventKind;
use crate::model::epics::EPIC;
use crate::rest::in_path;
use crate::store::epics::events as rows;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Ok200, Paged, Paging, Routes};

/// Epics have neither milestones nor weights.
const KINDS: [EventKind; 2] = [EventKind::State, EventKind::Label];

pub(super) fn routes(r: &mut Routes, base: Base) {
    for kind in KINDS {
        let all = &base.one(&format!("/resource_{kind}_events"));
        r.get(all, list)
            .named(&base.named(&format!("{kind}_events")))
            .summary(format!("Lists the {kind} events of an epic"));
        r.get(&format!("{all}/{{{kind}_event_id}}"), show)
            .named(&base.named(&format!("{kind}_event")))
            .summary(format!("Shows a {kind} event of an epic"));
    }
}

kernel::params! {
    /// The event that a path names, by one of these.
    pub struct EpicEventPath {
        /// Id of the event.
        pub state_event_id: Option<i64>,
        /// Id of the event.
        pub label_event_id: Option<i64>,
    }
}

/// The kind of events that a path is about, and the one it names, if it does.
struct OfKind {
    kind: EventKind,
    event_id: Option<i64>,
}

impl FromCall for OfKind {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let named: EpicEventPath = in_path(call)?;
        let is_about = |kind: &&EventKind| {
            let word = format!("/resource_{kind}_events");
            call.route.path.contains(&word)
        };
        Ok(OfKind {
            kind: *KINDS.iter().find(is_about).found("")?,
            event_id: named.state_event_id.or(named.label_event_id),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(EpicEventPath::fields());
    }
}

async fn list(at: EpicRequest, events: OfKind, paging: Paging) -> Result<Paged<EventEntity>> {
    at.read(move |tx, by, _, epic| {
        let page = rows::list(tx, epic.id, events.kind, paging)?;
        let named = Named::read(tx, &page.items)?;
        Ok(page.map(|one| event_about(&by.app, &one, &named, EPIC)))
    })
    .await
}

async fn show(at: EpicRequest, events: OfKind) -> Result<Ok200<EventEntity>> {
    at.read(move |tx, by, _, epic| {
        let id = events.event_id.unwrap_or(0);
        let one = rows::find(tx, epic.id, events.kind, id)?.found("")?;
        let named = Named::read(tx, std::slice::from_ref(&one))?;
        Ok(Ok200(event_about(&by.app, &one, &named, EPIC)))
    })
    .await
}
