//! Projects: one, create, change, archive, delete.

mod forks;
mod list;
mod stars;

use super::{Caller, Safeguard, change_project};
use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::hooks::{AboutCode, AboutWanted, check_source};
use crate::mirror_settings::MirrorSettingsChange;
use crate::rules::{self, ProjectChange};
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::params::{Field, FromParams, Source};
use kernel::http::{Accepted, Created, Flat, Ok200, Params, Patch, RequestContext, Routes};
use kernel::ids::Reference;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    forks::routes(r);
    list::routes(r);
    stars::routes(r);
    r.post("/projects", create).summary("Creates a project");
    r.post("/projects/user/{user_id}", create_for)
        .summary("Creates a project for a user");
    r.get("/projects/{id}", show).summary("Shows a project");
    r.put("/projects/{id}", update).summary("Changes a project");
    r.delete("/projects/{id}", destroy).summary("Deletes a project by a job");
    r.post("/projects/{id}/archive", archive).summary("Makes a project read-only");
    r.post("/projects/{id}/unarchive", unarchive)
        .summary("Makes a project writable");
}

kernel::params! {
    /// A new project.
    pub struct CreateProject {
        /// Where it is to stand; the caller's own namespace unless given.
        pub namespace_id: Option<i64>,
        /// Makes its default branch, with a README.
        pub initialize_with_readme: Option<bool>,
        pub mirror: Flat<MirrorSettingsChange>,
        pub change: Flat<ProjectChange>,
    }
}

async fn create(by: Caller, params: Params<CreateProject>) -> Result<Created<ProjectEntity>> {
    let (creator, begins) = (by.clone(), params.initialize_with_readme == Some(true));
    check_beginning(&by, &params.mirror, begins).await?;
    let secrets = by.app.secrets().clone();
    let made = change_project(by, move |tx, viewer| {
        let made = rules::create_own_project(tx, viewer, params.namespace_id, &params.change)?;
        rules::change_mirror(tx, &secrets, viewer, made, &params.mirror)
    });
    let made = made.await?;
    if begins {
        initialize(creator, made.id).await?;
    }
    Ok(Created(made))
}

/// Refuses what a project cannot begin with.
async fn check_beginning(
    by: &Caller, mirror: &MirrorSettingsChange, has_readme: bool,
) -> Result<()> {
    by.viewer.signed_in()?;
    if has_readme && matches!(&mirror.import_url, Patch::Value(url) if !url.is_empty()) {
        let text = "import_url, initialize_with_readme are mutually exclusive";
        return Err(Error::Parameters(vec![text.into()]));
    }
    check_source(&by.app, mirror).await
}

/// Makes the first commit of a project.
async fn initialize(by: Caller, id: i64) -> Result<()> {
    let (project, make) = by
        .app
        .read(move |tx| {
            let project = access::find_project(tx, &Reference::Id(id))?.found("Project")?;
            Ok((project, crate::hooks::get(tx)?.initialize))
        })
        .await?;
    match make {
        Some(make) => make(by.app, by.viewer, project).await,
        None => Ok(()),
    }
}

kernel::params! {
    /// A new project of another user.
    pub struct CreateFor {
        /// Whose.
        pub user_id: i64,
        /// Where it is to stand; the user's own namespace unless given.
        pub namespace_id: Option<i64>,
        /// Makes its default branch, with a README.
        pub initialize_with_readme: Option<bool>,
        pub mirror: Flat<MirrorSettingsChange>,
        pub change: Flat<ProjectChange>,
    }
}

async fn create_for(
    app: App, admin: Admin, params: Params<CreateFor>,
) -> Result<Created<ProjectEntity>> {
    let by = Caller { app, viewer: admin.viewer() };
    let (creator, begins) = (by.clone(), params.initialize_with_readme == Some(true));
    check_beginning(&by, &params.mirror, begins).await?;
    let secrets = by.app.secrets().clone();
    let made = change_project(by, move |tx, viewer| {
        let user = identity::users::find(tx, params.user_id)?.found("User")?;
        let namespace = match params.namespace_id {
            Some(id) => id,
            None => rules::own_namespace(tx, user.id)?,
        };
        let home = rules::namespace_for_projects(tx, viewer, &Reference::Id(namespace))?;
        let made = rules::create_project(tx, viewer, &home, user.id, &params.change)?;
        rules::change_mirror(tx, &secrets, viewer, made, &params.mirror)
    });
    let made = made.await?;
    if begins {
        initialize(creator, made.id).await?;
    }
    Ok(Created(made))
}

kernel::params! {
    /// One project.
    pub struct ShowProject {
        /// Id or path of the project.
        pub id: Reference,
        /// With bytes in use, for reporters.
        pub statistics: Option<bool>,
        /// With its license, as a file of its code has it.
        pub license: Option<bool>,
    }
}

async fn show(by: Caller, params: Params<ShowProject>) -> Result<Ok200<ProjectEntity>> {
    let (asker, license) = (by.clone(), params.license.unwrap_or(false));
    let read = by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &params.id, Purpose::Read)?;
        let statistics = params.statistics.unwrap_or(false)
            && access::level_in_project(tx, &by.viewer, &project)? >= access::REPORTER;
        let entity = entities::one_project(tx, by, &project, statistics)?;
        let wanted = AboutWanted { license, commit_count: statistics };
        Ok((project, entity, wanted, crate::hooks::get(tx)?.code_about))
    });
    let (project, entity, wanted, about) = read.await?;
    let Caller { app, viewer, .. } = asker;
    let about = match about {
        // A project shows, in whatever state its repository is.
        Some(read) => read(app.clone(), viewer, project, wanted).await.unwrap_or_default(),
        None => AboutCode::default(),
    };
    Ok(Ok200(entities::with_code(&app, entity, about, wanted)))
}

/// Whether a request says anything but which project it is about. What is
/// unknown here counts, because clients send what other versions know.
struct SaysMore(bool);

impl FromParams for SaysMore {
    fn from_params(source: &Source) -> Result<Self, Vec<String>> {
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
    let fields = ProjectChange::fields().into_iter().chain(MirrorSettingsChange::fields());
    fields.map(|field| field.name).collect::<Vec<_>>().join(", ")
}

kernel::params! {
    /// Changes of a project.
    pub struct UpdateProject {
        /// Id or path of the project.
        pub id: Reference,
        pub mirror: Flat<MirrorSettingsChange>,
        pub change: Flat<ProjectChange>,
    }
}

async fn update(
    by: Caller, params: Params<UpdateProject>, says: Params<SaysMore>,
) -> Result<Ok200<ProjectEntity>> {
    if matches!(params.mirror.import_url, Patch::Value(_)) {
        // Others learn nothing of addresses.
        let (asked, id) = (by.clone(), params.id.clone());
        asked
            .read(move |tx, by| access::project(tx, &by.viewer, &id, Purpose::Update).map(drop))
            .await?;
        check_source(&by.app, &params.mirror).await?;
    }
    let secrets = by.app.secrets().clone();
    let changed = change_project(by, move |tx, viewer| {
        if !says.0.0 {
            access::project(tx, viewer, &params.id, Purpose::Update)?;
            return Err(Error::none_of(&changes()));
        }
        let changed = rules::update_project(tx, viewer, &params.id, &params.change)?;
        rules::change_mirror(tx, &secrets, viewer, changed, &params.mirror)
    });
    changed.await.map(Ok200)
}

kernel::params! {
    /// A project to delete.
    struct DestroyProject {
        /// Id or path of the project.
        pub id: Reference,
        pub safeguard: Flat<Safeguard>,
    }
}

async fn destroy(
    by: Caller, request: Arc<RequestContext>, params: Params<DestroyProject>,
) -> Result<Accepted> {
    by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &params.id, Purpose::Destroy)?;
        check_unmodified(&request, project.updated_at)?;
        params.safeguard.check(&project.full_path)?;
        rules::destroy_project(tx, &by.viewer, &project)?;
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

async fn archive(by: Caller, params: Params<OneProject>) -> Result<Created<ProjectEntity>> {
    set_archived(by, params.0, true).await
}

async fn unarchive(by: Caller, params: Params<OneProject>) -> Result<Created<ProjectEntity>> {
    set_archived(by, params.0, false).await
}

async fn set_archived(
    by: Caller, one: OneProject, archived: bool,
) -> Result<Created<ProjectEntity>> {
    let changed =
        change_project(by, move |tx, viewer| rules::archive_project(tx, viewer, &one.id, archived));
    changed.await.map(Created)
}
