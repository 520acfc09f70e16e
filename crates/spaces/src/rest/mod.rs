//! The REST interface of this room, by resource.

mod associations;
mod deploy_tokens;
mod groups;
mod invitations;
mod members;
mod memberships;
mod namespaces;
mod plan_limits;
mod projects;
mod requests;
mod shares;
mod tokens;
mod transfers;
mod uploads;

use crate::SpaceRef;
use crate::access::Purpose;
use crate::entities::{self, GroupEntity, ProjectEntity};
use crate::members::{MembersOf, place};
use crate::model::{Namespace, Project};
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::call::{Call, FromCall};
use kernel::http::openapi::Operation;
use kernel::http::{Paged, Paging, Routes};
use std::ops::Deref;
use store::Tx;

pub fn routes(r: &mut Routes) {
    groups::routes(r);
    projects::routes(r);
    namespaces::routes(r);
    plan_limits::routes(r);
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
            uploads::routes(r);
        });
    }
}

/// Changes a project; as it is after that.
async fn change_project<F>(by: Caller, change: F) -> Result<ProjectEntity>
where
    F: Fn(&mut Tx<'_>, &Viewer) -> Result<Project> + Send + 'static,
{
    by.write(move |tx, by| {
        let project = change(tx, &by.viewer)?;
        entities::one_project(tx, by, &project, false)
    })
    .await
}

/// Changes a group; as it is after that.
async fn change_group<F>(by: Caller, change: F) -> Result<GroupEntity>
where
    F: Fn(&mut Tx<'_>, &Viewer) -> Result<Namespace> + Send + 'static,
{
    by.write(move |tx, by| {
        let group = change(tx, &by.viewer)?;
        entities::one_group(tx, by, &group)
    })
    .await
}

/// The project or group that a request is about and who asks, for handlers
/// that serve both.
#[derive(Clone)]
struct SpaceRequest {
    caller: Caller,
    space: SpaceRef,
}

impl Deref for SpaceRequest {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl SpaceRequest {
    fn find<'v>(&'v self, tx: &mut Tx<'_>, purpose: Purpose) -> Result<MembersOf<'v>> {
        place(tx, &self.viewer, self.space.named(), purpose)
    }

    /// Finds it for a purpose and reads more.
    async fn read<T, F>(self, purpose: Purpose, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, &MembersOf<'_>) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let app = self.app.clone();
        app.read(move |tx| {
            let place = self.find(tx, purpose)?;
            work(tx, &self, &place)
        })
        .await
    }

    /// Finds it for a purpose and reads a page of a list it has.
    async fn list<T, F>(self, purpose: Purpose, paging: Paging, work: F) -> Result<Paged<T>>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, &MembersOf<'_>, &Paging) -> Result<(Vec<T>, i64)>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let app = self.app.clone();
        Paged::read(&app, paging, move |tx, paging| {
            let place = self.find(tx, purpose)?;
            work(tx, &self, &place, paging)
        })
        .await
    }

    /// Finds it for a purpose and changes something.
    async fn write<T, F>(self, purpose: Purpose, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, &MembersOf<'_>) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let app = self.app.clone();
        app.write(move |tx| {
            let place = self.find(tx, purpose)?;
            work(tx, &self, &place)
        })
        .await
    }
}

impl FromCall for SpaceRequest {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(SpaceRequest {
            caller: Caller::from_call(call).await?,
            space: SpaceRef::from_call(call).await?,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        SpaceRef::describe(operation);
    }
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
