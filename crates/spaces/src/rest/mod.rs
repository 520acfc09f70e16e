//! The REST interface of this room, by resource.

mod associations;
mod deploy_tokens;
mod groups;
mod invitations;
mod members;
mod memberships;
mod namespaces;
mod projects;
mod requests;
mod shares;
mod tokens;
mod transfers;

use crate::access::Purpose;
use crate::members::{MembersOf, place};
use crate::model::SourceKind;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::call::{Call, FromCall};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Patch};
use kernel::http::{Params, Routes};
use kernel::ids::Reference;
use store::Tx;

pub fn routes(r: &mut Routes) {
    groups::routes(r);
    projects::routes(r);
    namespaces::routes(r);
    memberships::routes(r);
    shares::routes(r);
    associations::routes(r);
    transfers::routes(r);
    r.get("/deploy_tokens", deploy_tokens::all)
        .summary("Lists the deploy tokens of the instance");
    for (prefix, kind) in [("/projects/{id}", "project"), ("/groups/{id}", "group")] {
        r.below(prefix, kind, |r| {
            members::routes(r);
            requests::routes(r);
            invitations::routes(r);
            deploy_tokens::routes(r);
            tokens::routes(r);
            shares::routes_of_both(r);
        });
    }
}

kernel::params! {
    /// A project or group.
    struct OneSpace {
        /// Id or path of the project or group.
        pub id: Reference,
    }
}

/// The project or group that a request is about, for handlers that serve both.
struct SpaceRef {
    kind: SourceKind,
    reference: Reference,
}

impl SpaceRef {
    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer, purpose: Purpose) -> Result<MembersOf> {
        place(tx, viewer, self.kind, &self.reference, purpose)
    }
}

impl FromCall for SpaceRef {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let Params(one) = Params::<OneSpace>::from_call(call).await?;
        let kind = match call.route.path.starts_with("/api/v4/groups/") {
            true => SourceKind::Group,
            false => SourceKind::Project,
        };
        Ok(SpaceRef {
            kind,
            reference: one.id,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(OneSpace::fields());
    }
}

kernel::choices! {
    /// Direction of a list.
    pub enum Sort { Asc = "asc", Desc = "desc" }
}

kernel::params! {
    /// What makes sure that the right thing is deleted.
    pub struct Safeguard {
        /// Needs the full path too; deletion is at once in any case.
        pub permanently_remove: Option<bool>,
        /// Its full path, as a safeguard.
        pub full_path: Option<String>,
    }
}

impl Safeguard {
    fn check(&self, full_path: &str) -> Result<()> {
        let named = self.full_path.as_deref() == Some(full_path);
        match self.permanently_remove == Some(true) && !named {
            true => Err(Error::BadRequest("`full_path` is incorrect.".into())),
            false => Ok(()),
        }
    }
}

/// Null empties a text.
fn text(patch: Patch<String>) -> Option<String> {
    match patch {
        Patch::Absent => None,
        Patch::Null => Some(String::new()),
        Patch::Value(text) => Some(text),
    }
}
