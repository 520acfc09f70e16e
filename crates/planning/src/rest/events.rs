//! What became of a thing: of issues and epics, and of a thing of a room above.

use super::about::{Named, RequestAbout};
use super::in_path;
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Ok200, Paged, Paging, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Display;

/// Where a thing is of which events tell.
pub trait Eventful: Named {
    /// The kinds of events there are, by their names in paths.
    type Kind: Copy + Display + Send + Sync + 'static;
    type Event: Send + 'static;
    /// An event as JSON.
    type Entity: Serialize + JsonSchema + Send + 'static;
    const KINDS: &'static [Self::Kind];

    /// Those of a thing of one kind, in the order they happened.
    fn list(
        tx: &mut Tx<'_>, found: &Self::Found, kind: Self::Kind, paging: Paging,
    ) -> Result<Paged<Self::Event>>;

    fn one(
        tx: &mut Tx<'_>, found: &Self::Found, kind: Self::Kind, id: i64,
    ) -> Result<Option<Self::Event>>;

    /// Events of one thing, with what they name.
    fn shown(
        app: &App, tx: &mut Tx<'_>, found: &Self::Found, events: &[Self::Event],
    ) -> Result<Vec<Self::Entity>>;
}

/// The events of one kind of thing, below this path; names of the operations begin with the
/// first word.
pub fn of<N: Eventful>(r: &mut Routes, base: &str, (name, thing): (&str, &str)) {
    for kind in N::KINDS {
        let all = format!("{base}{}", below(kind));
        r.get(&all, list::<N>)
            .named(&format!("{name}_{kind}_list"))
            .summary(format!("Lists the {kind} events of {thing}"));
        r.get(&format!("{all}/{{{kind}_event_id}}"), show::<N>)
            .named(&format!("{name}_{kind}_show"))
            .summary(format!("Shows a {kind} event of {thing}"));
    }
}

fn below(kind: impl Display) -> String {
    format!("/resource_{kind}_events")
}

kernel::params! {
    /// The event that a path names, by one of these.
    pub struct EventPath {
        /// Id of the event.
        pub state_event_id: Option<i64>,
        /// Id of the event.
        pub label_event_id: Option<i64>,
        /// Id of the event.
        pub milestone_event_id: Option<i64>,
        /// Id of the event.
        pub weight_event_id: Option<i64>,
    }
}

/// The kind of events that a path is about, and the one it names, 0 if it names none.
struct OfKind<N: Eventful> {
    kind: N::Kind,
    event_id: i64,
}

impl<N: Eventful> FromCall for OfKind<N> {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let named: EventPath = in_path(call)?;
        let is_about = |kind: &&N::Kind| call.route.path.contains(&below(kind));
        let ids = named.state_event_id.or(named.label_event_id);
        let ids = ids.or(named.milestone_event_id).or(named.weight_event_id);
        Ok(OfKind {
            kind: *N::KINDS.iter().find(is_about).found("")?,
            event_id: ids.unwrap_or(0),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(EventPath::fields());
    }
}

async fn list<N: Eventful>(
    at: RequestAbout<N>, events: OfKind<N>, paging: Paging,
) -> Result<Paged<N::Entity>> {
    at.read(move |tx, by, _, found| {
        let page = N::list(tx, &found, events.kind, paging)?;
        let shown = N::shown(&by.app, tx, &found, &page.items)?;
        Ok(page.replace(|_| shown))
    })
    .await
}

async fn show<N: Eventful>(at: RequestAbout<N>, events: OfKind<N>) -> Result<Ok200<N::Entity>> {
    at.read(move |tx, by, _, found| {
        let one = N::one(tx, &found, events.kind, events.event_id)?.found("")?;
        let shown = N::shown(&by.app, tx, &found, &[one])?;
        Ok(Ok200(shown.into_iter().next().found("")?))
    })
    .await
}
