//! Deploy keys, of all projects and of one.

use crate::entity::DeployKeyEntity;
use crate::rules::KeyInput;
use crate::rules::deploy as rules;
use crate::store::deploy as rows;
use ::store::Tx;
use identity::Caller;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::Project;

pub(super) fn routes(r: &mut Routes) {
    r.get("/deploy_keys", all).summary("Lists the deploy keys of all projects");
    r.post("/deploy_keys", create_public)
        .reauthenticated()
        .summary("Makes a deploy key that every project may take");
    r.get("/projects/{id}/deploy_keys", list)
        .summary("Lists the deploy keys of a project");
    r.post("/projects/{id}/deploy_keys", create)
        .reauthenticated()
        .summary("Lets a deploy key open a project");
    r.get("/projects/{id}/deploy_keys/{deploy_key_id}", show)
        .summary("Shows a deploy key of a project");
    r.put("/projects/{id}/deploy_keys/{deploy_key_id}", update)
        .summary("Changes a deploy key of a project");
    r.delete("/projects/{id}/deploy_keys/{deploy_key_id}", destroy)
        .summary("Ends that a deploy key opens a project");
    r.post("/projects/{id}/deploy_keys/{deploy_key_id}/enable", enable)
        .summary("Lets a deploy key open a project that opens another");
}

kernel::params! {
    /// Which keys.
    pub struct AllKeys {
        /// Only those that every project may take, or only the others.
        pub public: Option<bool>,
    }
}

async fn all(
    app: App, _: Admin, asked: Params<AllKeys>, paging: Paging,
) -> Result<Paged<DeployKeyEntity>> {
    Paged::read(&app, paging, move |tx, paging| {
        let (keys, total) = rows::all(tx, asked.public, paging)?;
        let ids: Vec<i64> = keys.iter().map(|key| key.id).collect();
        let opened = rows::opened(tx, &ids)?;
        let entity = |key| DeployKeyEntity::with_projects(key, &opened);
        Ok((keys.iter().map(entity).collect(), total))
    })
    .await
}

async fn create_public(
    app: App, admin: Admin, new: Params<KeyInput>,
) -> Result<Created<DeployKeyEntity>> {
    app.write(move |tx| {
        let key = rules::create_public(tx, &admin.0, &new)?;
        Ok(Created(DeployKeyEntity::with_projects(&key, &[])))
    })
    .await
}

kernel::params! {
    /// A project.
    pub struct OfProject {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// A key of a project.
    pub struct OneKey {
        pub project: Flat<OfProject>,
        /// Id of the key.
        pub deploy_key_id: i64,
    }
}

kernel::params! {
    /// A key of a project that is to be.
    pub struct NewKey {
        pub project: Flat<OfProject>,
        pub key: Flat<KeyInput>,
        /// Whether it may push, too.
        pub can_push: Option<bool>,
    }
}

kernel::params! {
    /// What may be changed of a key.
    pub struct KeyChange {
        pub key: Flat<OneKey>,
        /// For people.
        pub title: Option<String>,
        /// Whether it may push, too.
        pub can_push: Option<bool>,
    }
}

fn find(tx: &mut Tx<'_>, by: &Caller, of: &OfProject) -> Result<Project> {
    access::project(tx, &by.viewer, &of.id, Purpose::ManageDeployTokens)
}

async fn list(by: Caller, of: Params<OfProject>, paging: Paging) -> Result<Paged<DeployKeyEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let project = find(tx, &by, &of)?;
        let (keys, total) = rows::of_project(tx, project.id, paging)?;
        Ok((keys.iter().map(DeployKeyEntity::of).collect(), total))
    })
    .await
}

async fn show(by: Caller, path: Params<OneKey>) -> Result<Ok200<DeployKeyEntity>> {
    by.read(move |tx, by| {
        let project = find(tx, by, &path.project)?;
        Ok(Ok200(DeployKeyEntity::of(&rules::find(tx, &project, path.deploy_key_id)?)))
    })
    .await
}

async fn create(by: Caller, new: Params<NewKey>) -> Result<Created<DeployKeyEntity>> {
    by.write(move |tx, by| {
        let project = find(tx, by, &new.project)?;
        let can_push = new.can_push.unwrap_or(false);
        let key = rules::create(tx, &by.viewer, &project, &new.key, can_push)?;
        Ok(Created(DeployKeyEntity::of(&key)))
    })
    .await
}

async fn enable(by: Caller, path: Params<OneKey>) -> Result<Created<DeployKeyEntity>> {
    by.write(move |tx, by| {
        let project = find(tx, by, &path.project)?;
        let key = rules::enable(tx, &by.viewer, &project, path.deploy_key_id)?;
        Ok(Created(DeployKeyEntity::of(&key)))
    })
    .await
}

async fn update(by: Caller, change: Params<KeyChange>) -> Result<Ok200<DeployKeyEntity>> {
    by.write(move |tx, by| {
        let project = find(tx, by, &change.key.project)?;
        if change.title.is_none() && change.can_push.is_none() {
            let text = "title, can_push are missing, at least one parameter must be provided";
            return Err(Error::Parameters(vec![text.into()]));
        }
        let (title, can_push) = (change.title.as_deref(), change.can_push);
        let key =
            rules::update(tx, &by.viewer, &project, change.key.deploy_key_id, title, can_push)?;
        Ok(Ok200(DeployKeyEntity::of(&key)))
    })
    .await
}

async fn destroy(by: Caller, path: Params<OneKey>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = find(tx, by, &path.project)?;
        rules::destroy(tx, &by.viewer, &project, path.deploy_key_id)?;
        Ok(NoContent)
    })
    .await
}
