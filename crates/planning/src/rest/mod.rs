//! The REST interface of this room, by resource.

mod awards;
mod issues;
mod labels;
mod markdown;
mod milestones;
mod notes;
mod todos;

use crate::access::ParentRef;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall, Routes};
use kernel::ids::Reference;

/// What has labels and milestones, in addresses and in words.
const PLACES: [(&str, &str); 2] = [("projects", "project"), ("groups", "group")];

pub fn routes(r: &mut Routes) {
    issues::routes(r);
    labels::routes(r);
    milestones::routes(r);
    notes::routes(r);
    awards::routes(r);
    todos::routes(r);
    markdown::routes(r);
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

/// Whether a route subscribes, or ends a subscription.
struct Subscribes(bool);

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
