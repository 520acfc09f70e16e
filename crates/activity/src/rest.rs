//! `/events`, of a user, of a project.

use crate::entity::{EventEntity, Targets};
use crate::kinds::TargetType;
use crate::list::{Events, Of};
use crate::marks::Marks;
use identity::access::sees_activity_of;
use identity::caller::Caller;
use identity::users;
use identity::viewer::SignedInViewer;
use kernel::error::{Found, Result};
use kernel::http::{Flat, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::Date;
use spaces::activity::Action;
use spaces::search::Place;
use store::Tx;

/// Scopes of tokens that read what people did.
const READ_USER: &[&str] = &["api", "read_api", "read_user"];

pub fn routes(r: &mut Routes) {
    r.get("/events", own)
        .scopes(READ_USER)
        .summary("Lists what the caller did, or what was done in their projects");
    r.get("/users/{id}/events", of_user)
        .scopes(READ_USER)
        .summary("Lists what a user did");
    r.get("/projects/{id}/events", of_project)
        .scopes(READ_USER)
        .summary("Lists what was done in a project");
}

kernel::choices! {
    pub enum EventSort { Asc = "asc", Desc = "desc" }
}

kernel::choices! {
    pub enum EventScope { All = "all" }
}

kernel::params! {
    /// What lists of events are narrowed by.
    pub struct EventFilter {
        /// Only what was done in this way.
        pub action: Option<Action>,
        /// Only what was done to these.
        pub target_type: Option<TargetType>,
        /// Only what was done before this day.
        pub before: Option<Date>,
        /// Only what was done after this day.
        pub after: Option<Date>,
        /// Direction; the newest first unless told otherwise.
        pub sort: Option<EventSort>,
    }
}

impl EventFilter {
    fn events(&self, of: Of) -> Events {
        Events {
            action: self.action,
            target_type: self.target_type,
            before: self.before,
            after: self.after,
            ascending: self.sort == Some(EventSort::Asc),
            ..Events::of(of)
        }
    }
}

kernel::params! {
    /// Which of the caller's events.
    pub struct OwnEvents {
        /// `all` for everything in projects that the caller is a member of.
        pub scope: Option<EventScope>,
        pub filter: Flat<EventFilter>,
    }
}

kernel::params! {
    /// A user or a project, and which of the events.
    pub struct EventsOf {
        /// Id, or user name or path.
        pub id: Reference,
        pub filter: Flat<EventFilter>,
    }
}

async fn own(
    by: Caller, caller: SignedInViewer, params: Params<OwnEvents>, paging: Paging,
) -> Result<Paged<EventEntity>> {
    let id = caller.0.user.id;
    let of = match params.scope {
        Some(EventScope::All) => Of::Memberships(id),
        None => Of::Author(id),
    };
    let events = params.filter.0.events(of);
    page(by, paging, move |_, _| Ok(Some(events))).await
}

async fn of_user(
    by: Caller, params: Params<EventsOf>, paging: Paging,
) -> Result<Paged<EventEntity>> {
    page(by, paging, move |tx, by| {
        let user = users::by_reference(tx, &params.id)?.found("User")?;
        let is_private = users::is_private(tx, &user)?;
        let seen = sees_activity_of(&by.viewer, &user, is_private);
        Ok(seen.then(|| params.filter.0.events(Of::Author(user.id))))
    })
    .await
}

async fn of_project(
    by: Caller, params: Params<EventsOf>, paging: Paging,
) -> Result<Paged<EventEntity>> {
    page(by, paging, move |tx, by| {
        let place = Place::of_project(tx, &by.viewer, &params.id)?;
        Ok(Some(params.filter.0.events(Of::Place(place))))
    })
    .await
}

/// A page of events; none where the caller may not know of any.
async fn page(
    by: Caller, paging: Paging,
    find: impl FnOnce(&mut Tx<'_>, &Caller) -> Result<Option<Events>> + Send + 'static,
) -> Result<Paged<EventEntity>> {
    let marks = by.app.kept::<Marks>();
    by.read(move |tx, by| {
        let Some(events) = find(tx, by)? else {
            return Ok(Paged::numbered(Vec::new(), paging, Some(0)));
        };
        let page = events.page(tx, &by.viewer, &marks, paging)?;
        let targets = Targets::read(tx, &page.items)?;
        Ok(page.map(|event| targets.entity(&by.app, &event)))
    })
    .await
}
