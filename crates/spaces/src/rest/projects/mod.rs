//! Projects: one, create, change, archive, delete.

mod fields;
mod list;
mod stars;

use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::rules;
use fields::{CreateFor, CreateProject, UpdateProject};
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::params::{Field, FromParams};
use kernel::http::{Accepted, Created, Ok200, Params, RequestContext, Routes};
use kernel::ids::Reference;
use serde_json::{Map, Value};
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    list::routes(r);
    stars::routes(r);
    r.post("/projects", create).summary("Creates a project");
    r.post("/projects/user/{user_id}", create_for)
        .summary("Creates a project for a user");
    r.get("/projects/{id}", show).summary("Shows a project");
    r.put("/projects/{id}", update).summary("Changes a project");
    r.delete("/projects/{id}", destroy)
        .summary("Deletes a project by a job");
    r.post("/projects/{id}/archive", archive)
        .summary("Makes a project read-only");
    r.post("/projects/{id}/unarchive", unarchive)
        .summary("Makes a project writable");
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateProject>,
) -> Result<Created<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let change = params.change();
        let made = rules::create_own_project(tx, &viewer, params.namespace_id, &change)?;
        entities::one_project(tx, &handle, &viewer, &made, false).map(Created)
    })
    .await
}

async fn create_for(
    app: App,
    admin: Admin,
    params: Params<CreateFor>,
) -> Result<Created<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let viewer = admin.viewer();
        let user = identity::users::find(tx, params.user_id)?.ok_or(Error::NotFound("User"))?;
        let namespace = match params.namespace_id {
            Some(id) => id,
            None => rules::own_namespace(tx, user.id)?,
        };
        let home = rules::namespace_for_projects(tx, &viewer, &Reference::Id(namespace))?;
        let made = rules::create_project(tx, &viewer, &home, user.id, &params.change())?;
        entities::one_project(tx, &handle, &viewer, &made, false).map(Created)
    })
    .await
}

kernel::params! {
    /// One project.
    pub struct ShowProject {
        /// Id or path of the project.
        pub id: Reference,
        /// With bytes in use, for reporters.
        pub statistics: Option<bool>,
    }
}

async fn show(
    app: App,
    viewer: Viewer,
    params: Params<ShowProject>,
) -> Result<Ok200<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.read(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Read)?;
        let statistics = params.statistics.unwrap_or(false)
            && access::level_in_project(tx, &viewer, &project)? >= access::REPORTER;
        entities::one_project(tx, &handle, &viewer, &project, statistics).map(Ok200)
    })
    .await
}

/// Whether a request says anything but which project it is about. What is
/// unknown here counts, because clients send what other versions know.
struct SaysMore(bool);

impl FromParams for SaysMore {
    fn from_params(source: &Map<String, Value>) -> Result<Self, Vec<String>> {
        let known = ["id", "private_token", "access_token", "job_token"];
        let says_more = source.keys().any(|name| !known.contains(&name.as_str()));
        Ok(SaysMore(says_more))
    }

    fn fields() -> Vec<Field> {
        Vec::new()
    }
}

/// What a change of a project may be about.
fn changes() -> String {
    let names = UpdateProject::fields().into_iter().map(|field| field.name);
    names.skip(1).collect::<Vec<_>>().join(", ")
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateProject>,
    says: Params<SaysMore>,
) -> Result<Ok200<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        if !says.0.0 {
            access::project(tx, &viewer, &params.id, Purpose::Update)?;
            return Err(Error::none_of(&changes()));
        }
        let project = rules::update_project(tx, &viewer, &params.id, &params.change())?;
        entities::one_project(tx, &handle, &viewer, &project, false).map(Ok200)
    })
    .await
}

kernel::params! {
    /// A project to delete.
    pub struct DestroyProject {
        /// Id or path of the project.
        pub id: Reference,
        /// Needs the full path too; deletion is at once in any case.
        pub permanently_remove: Option<bool>,
        /// The project's full path, as a safeguard.
        pub full_path: Option<String>,
    }
}

async fn destroy(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    params: Params<DestroyProject>,
) -> Result<Accepted> {
    let params = params.0;
    app.write(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Destroy)?;
        check_unmodified(&asked, project.updated_at)?;
        if params.permanently_remove.unwrap_or(false)
            && params.full_path.as_deref() != Some(project.full_path.as_str())
        {
            return Err(Error::BadRequest("`full_path` is incorrect.".into()));
        }
        rules::destroy_project(tx, &viewer, &project)?;
        Ok(Accepted)
    })
    .await
}

kernel::params! {
    /// A project.
    pub struct OneProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

async fn archive(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Created<ProjectEntity>> {
    set_archived(app, viewer, params.0.id, true).await
}

async fn unarchive(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Created<ProjectEntity>> {
    set_archived(app, viewer, params.0.id, false).await
}

async fn set_archived(
    app: App,
    viewer: Viewer,
    id: Reference,
    archived: bool,
) -> Result<Created<ProjectEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let project = rules::archive_project(tx, &viewer, &id, archived)?;
        entities::one_project(tx, &handle, &viewer, &project, false).map(Created)
    })
    .await
}
