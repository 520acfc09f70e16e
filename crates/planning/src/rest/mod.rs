//! The REST interface of this room, by resource.

mod about;
mod awards;
mod boards;
mod epics;
mod events;
mod issues;
mod labels;
mod markdown;
mod milestones;
mod noted;
mod notes;
mod times;
mod todos;

pub use about::{Named, RequestAbout, Wish};
pub use events::{Eventful, of as event_routes};
pub use noted::Noted;
pub use notes::begin_thread;
pub use times::{Measured, of as time_routes};
pub use todos::mark as mark_todo;

use crate::access::{Aim, ParentAccess, ParentRef, authorize};
use identity::caller::Caller;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::routes::Declared;
use kernel::http::{Call, FromCall, Routes};
use kernel::ids::Reference;
use store::Tx;

/// What has labels and milestones, in addresses and in words.
const PLACES: [(&str, &str); 2] = [("projects", "project"), ("groups", "group")];

pub fn routes(r: &mut Routes) {
    issues::routes(r);
    epics::routes(r);
    boards::routes(r);
    labels::routes(r);
    milestones::routes(r);
    notes::routes(r);
    awards::routes(r);
    times::routes(r);
    todos::routes(r);
    markdown::routes(r);
    crate::notifications::rest::routes(r);
}

/// The notes, discussions and reactions of one kind of thing of a room above, at this
/// path; names of the operations begin with the first word.
pub fn talk_routes<R: Noted>(r: &mut Routes, base: &str, (name, thing): (&str, &str)) {
    notes::of::<R>(r, base, (&format!("{name}_"), thing));
    let (of_note, a_note) = (format!("{name}_notes"), format!("a note of {thing}"));
    awards::of::<R>(r, base, [(name, thing), (&of_note, &a_note)]);
}

/// The same of a thing that has discussions, of which some are one note, and no other way
/// to notes; nobody reacts to it itself.
pub fn discussion_routes<R: Noted>(r: &mut Routes, base: &str, (name, thing): (&str, &str)) {
    notes::discussions::of::<R>(r, base, (&format!("{name}_"), thing));
    let (of_note, a_note) = (format!("{name}_notes"), format!("a note of {thing}"));
    awards::of_notes::<R>(r, base, (&of_note, &a_note));
}

/// Names and describes a route that two places have, such as projects and
/// groups, of which one stands for PLACE in the text.
fn twin(route: Declared<'_>, (places, word): (&str, &str), handler: &str, summary: &str) {
    route
        .named(&format!("{places}_{handler}"))
        .summary(summary.replace("PLACE", word));
}

kernel::params! {
    pub struct PlacePath {
        /// Id or path.
        pub id: Reference,
    }
}

impl FromCall for ParentRef {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let id = in_path::<PlacePath>(call)?.id;
        Ok(match call.route.path.starts_with("/api/v4/groups/") {
            true => ParentRef::Group(id),
            false => ParentRef::Project(id),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(PlacePath::fields());
    }
}

/// The project or group that a request is about, and who asks.
struct PlaceRequest {
    caller: Caller,
    place: ParentRef,
}

impl FromCall for PlaceRequest {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(PlaceRequest {
            caller: Caller::from_call(call).await?,
            place: ParentRef::from_call(call).await?,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        ParentRef::describe(operation);
    }
}

impl PlaceRequest {
    /// Finds it, for who may read there, and reads more.
    async fn read<T, F>(self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, &ParentAccess) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.look(Aim::Read, work).await
    }

    /// The same, for somebody signed in.
    async fn read_signed_in<T, F>(self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, &ParentAccess) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.look(Aim::Own, work).await
    }

    async fn look<T, F>(self, aim: Aim, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, &ParentAccess) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let PlaceRequest { caller, place } = self;
        caller
            .read(move |tx, by| {
                let here = authorize(tx, &by.viewer, &place, aim)?;
                work(tx, by, &here)
            })
            .await
    }

    /// Finds it, for who may do this there, and changes something.
    async fn write<T, F>(self, aim: Aim, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, &ParentAccess) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let PlaceRequest { caller, place } = self;
        caller
            .write(move |tx, by| {
                let here = authorize(tx, &by.viewer, &place, aim)?;
                work(tx, by, &here)
            })
            .await
    }
}

/// Whether a route subscribes, or ends a subscription.
pub struct Subscribes(pub bool);

impl FromCall for Subscribes {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(Subscribes(call.route.path.ends_with("/subscribe")))
    }
}

/// Those of these parameters that the path has, for extractors that serve
/// several routes.
fn in_path<T: FromParams>(call: &Call) -> Result<T> {
    let mut source = Source::new();
    for field in T::fields() {
        if let Some(text) = call.path(field.name) {
            source.insert(field.name.to_owned(), text.into());
        }
    }
    T::from_params(&source).map_err(Error::Parameters)
}
