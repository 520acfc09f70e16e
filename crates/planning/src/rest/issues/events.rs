//! What became of an issue.

use super::IssueRequest;
use crate::entity::events::{EventEntity, Named, event};
use crate::model::EventKind;
use crate::rest::in_path;
use crate::store::issues::events as rows;
use kernel::error::{Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Ok200, Paged, Paging, Routes};

pub(super) fn routes(r: &mut Routes) {
    for kind in EventKind::ALL {
        let all = &path(*kind);
        r.get(all, list)
            .named(&format!("{kind}_list"))
            .summary(format!("Lists the {kind} events of an issue"));
        r.get(&format!("{all}/{{{kind}_event_id}}"), show)
            .named(&format!("{kind}_show"))
            .summary(format!("Shows a {kind} event of an issue"));
    }
}

fn path(kind: EventKind) -> String {
    format!("/projects/{{id}}/issues/{{issue_iid}}/resource_{kind}_events")
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

/// The kind of events that a path is about, and the one it names, if it does.
struct OfKind {
    kind: EventKind,
    event_id: Option<i64>,
}

impl FromCall for OfKind {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let named: EventPath = in_path(call)?;
        let is_about = |kind: &&EventKind| call.route.path.contains(&path(**kind));
        let ids = named.state_event_id.or(named.label_event_id);
        let ids = ids.or(named.milestone_event_id);
        Ok(OfKind {
            kind: *EventKind::ALL.iter().find(is_about).found("")?,
            event_id: ids.or(named.weight_event_id),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(EventPath::fields());
    }
}

async fn list(at: IssueRequest, events: OfKind, paging: Paging) -> Result<Paged<EventEntity>> {
    at.read(move |tx, by, _, issue| {
        let page = rows::list(tx, issue.id, events.kind, paging)?;
        let named = Named::read(tx, &page.items)?;
        Ok(page.map(|one| event(&by.app, &one, &named)))
    })
    .await
}

async fn show(at: IssueRequest, events: OfKind) -> Result<Ok200<EventEntity>> {
    at.read(move |tx, by, _, issue| {
        let id = events.event_id.unwrap_or(0);
        let one = rows::find(tx, issue.id, events.kind, id)?.found("")?;
        let named = Named::read(tx, std::slice::from_ref(&one))?;
        Ok(Ok200(event(&by.app, &one, &named)))
    })
    .await
}
