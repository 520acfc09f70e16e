//! Environments.

use crate::environments::entity::{EnvironmentEntity, ShownEnvironments};
use crate::environments::model::{Environment, State};
use crate::environments::rules::{self, EnvironmentInput};
use crate::environments::store::environments::{self as rows, EnvironmentFilter};
use crate::pipelines::access;
use crate::pipelines::rest::{OfProject, person};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{MAINTAINER, Purpose, level_in_project};
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    let one = "/projects/{id}/environments/{environment_id}";
    r.get("/projects/{id}/environments", list)
        .summary("Lists the environments of a project");
    r.post("/projects/{id}/environments", create).summary("Makes an environment");
    r.get(one, show).summary("Shows an environment");
    r.put(one, update).summary("Changes an environment");
    r.delete(one, destroy).summary("Deletes an environment that is stopped");
    r.post(&format!("{one}/stop"), stop).summary("Stops an environment");
}

kernel::params! {
    /// An environment of a project.
    pub struct OneEnvironment {
        /// Id or path of the project.
        pub id: Reference,
        /// The environment.
        pub environment_id: i64,
    }
}

kernel::params! {
    pub struct ListEnvironments {
        pub at: Flat<OfProject>,
        /// Only the one of this name.
        pub name: Option<String>,
        /// Only those with this in their name.
        pub search: Option<String>,
        /// Only those in this state.
        pub states: Option<State>,
    }
}

kernel::params! {
    pub struct CreateEnvironment {
        pub at: Flat<OfProject>,
        /// What it is called.
        pub name: Option<String>,
        pub input: Flat<EnvironmentInput>,
    }
}

kernel::params! {
    pub struct UpdateEnvironment {
        pub at: Flat<OneEnvironment>,
        pub input: Flat<EnvironmentInput>,
    }
}

kernel::params! {
    pub struct StopEnvironment {
        pub at: Flat<OneEnvironment>,
        /// Without the job that ends it.
        pub force: Option<bool>,
    }
}

/// An environment, for who does this with pipelines of its project.
fn found(
    tx: &mut Tx<'_>, by: &Caller, at: &OneEnvironment, purpose: Purpose,
) -> Result<(Project, Environment)> {
    let project = access::project(tx, &by.viewer, &at.id, purpose)?;
    let environment = rows::one(tx, project.id, at.environment_id)?.found("Environment")?;
    Ok((project, environment))
}

async fn list(
    by: Caller, asked: Params<ListEnvironments>, paging: Paging,
) -> Result<Paged<EnvironmentEntity>> {
    let (viewer, Params(asked)) = (by.viewer.clone(), asked);
    let read = by.app.read(move |tx| {
        let project = access::read(tx, &viewer, &asked.at.id)?;
        if asked.name.is_some() && asked.search.is_some() {
            return Err(Error::Parameters(vec!["name, search are mutually exclusive".into()]));
        }
        let filter = EnvironmentFilter {
            name: asked.name,
            search: asked.search,
            states: asked.states.into_iter().collect(),
        };
        let (found, total) = rows::page(tx, project.id, &filter, &paging)?;
        let (found, page) = Paged::numbered(found, paging, Some(total)).apart();
        Ok((ShownEnvironments::read(tx, &viewer, project, found)?, page))
    });
    let (shown, page) = read.await?;
    let entities = shown.entities(&by.app).await?;
    Ok(page.replace(|_| entities))
}

async fn show(by: Caller, at: Params<OneEnvironment>) -> Result<Ok200<EnvironmentEntity>> {
    let app = by.app.clone();
    let shown = by.read(move |tx, by| {
        let (project, environment) = found(tx, by, &at, Purpose::ReadPipelines)?;
        ShownEnvironments::read(tx, &by.viewer, project, vec![environment])
    });
    shown.await?.one(&app).await.map(Ok200)
}

/// Does something to an environment and shows it.
async fn done(
    by: Caller,
    work: impl Fn(&mut Tx<'_>, &Caller) -> Result<(Project, Environment)> + Send + 'static,
) -> Result<EnvironmentEntity> {
    person(&by)?;
    let app = by.app.clone();
    let shown = by.write(move |tx, by| {
        let (project, environment) = work(tx, by)?;
        ShownEnvironments::read(tx, &by.viewer, project, vec![environment])
    });
    shown.await?.one(&app).await
}

async fn create(
    by: Caller, asked: Params<CreateEnvironment>,
) -> Result<Created<EnvironmentEntity>> {
    let made = done(by, move |tx, by| {
        let project = access::run(tx, &by.viewer, &asked.at.id)?;
        let name = asked.name.as_deref().ok_or_else(|| Error::missing("name"))?;
        let made = rules::create(tx, &by.viewer, &project, name, &asked.input)?;
        Ok((project, made))
    });
    made.await.map(Created)
}

async fn update(by: Caller, asked: Params<UpdateEnvironment>) -> Result<Ok200<EnvironmentEntity>> {
    let changed = done(by, move |tx, by| {
        let (project, environment) = found(tx, by, &asked.at, Purpose::RunPipelines)?;
        let after = rules::update(tx, &by.viewer, &project, &environment, &asked.input)?;
        Ok((project, after))
    });
    changed.await.map(Ok200)
}

async fn stop(by: Caller, asked: Params<StopEnvironment>) -> Result<Ok200<EnvironmentEntity>> {
    let stopped = done(by, move |tx, by| {
        let (project, environment) = found(tx, by, &asked.at, Purpose::RunPipelines)?;
        let by_force = asked.force == Some(true);
        let after = rules::stop(tx, &by.viewer, &project, &environment, by_force)?;
        Ok((project, after))
    });
    stopped.await.map(Ok200)
}

async fn destroy(by: Caller, at: Params<OneEnvironment>) -> Result<NoContent> {
    person(&by)?;
    by.write(move |tx, by| {
        let (project, environment) = found(tx, by, &at, Purpose::RunPipelines)?;
        if level_in_project(tx, &by.viewer, &project)? < MAINTAINER {
            return Err(Error::forbidden(""));
        }
        rules::destroy(tx, &by.viewer, &project, &environment)?;
        Ok(NoContent)
    })
    .await
}
