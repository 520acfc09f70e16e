//! Deployments, and decisions on them.

use crate::environments::approve::{self, DecisionInput};
use crate::environments::entity::{ApprovalEntity, DeploymentEntity, Shown, decision};
use crate::environments::model::Deployment;
use crate::environments::rules::{self, Told, ToldStatus};
use crate::environments::store::deployments::{self as rows, DeploymentFilter};
use crate::pipelines::access;
use crate::pipelines::rest::{OfProject, person};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Objects};
use spaces::access::{MAINTAINER, Purpose, level_in_project};
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    let one = "/projects/{id}/deployments/{deployment_id}";
    r.get("/projects/{id}/deployments", list)
        .summary("Lists the deployments of a project");
    r.post("/projects/{id}/deployments", create)
        .summary("Tells of a deployment that something else makes");
    r.get(one, show).summary("Shows a deployment");
    r.put(one, update)
        .summary("Tells how far a deployment is that something else makes");
    r.delete(one, destroy).summary("Deletes a deployment that is over");
    r.post(&format!("{one}/approval"), decide)
        .summary("Approves or rejects a deployment");
}

kernel::params! {
    /// A deployment of a project.
    pub struct OneDeployment {
        /// Id or path of the project.
        pub id: Reference,
        /// The deployment.
        pub deployment_id: i64,
    }
}

kernel::params! {
    pub struct ListDeployments {
        pub at: Flat<OfProject>,
        pub filter: Flat<DeploymentFilter>,
    }
}

kernel::params! {
    pub struct CreateDeployment {
        pub at: Flat<OfProject>,
        /// Name of the environment; it is made if it is not there.
        pub environment: Option<String>,
        /// The commit that is deployed.
        pub sha: Option<String>,
        /// The branch or tag that it is of.
        pub on_ref as "ref": Option<String>,
        /// Whether that is a tag.
        pub tag: Option<bool>,
        /// How far it is.
        pub status: Option<ToldStatus>,
    }
}

kernel::params! {
    pub struct UpdateDeployment {
        pub at: Flat<OneDeployment>,
        /// How far it is.
        pub status: Option<ToldStatus>,
    }
}

kernel::params! {
    pub struct Decide {
        pub at: Flat<OneDeployment>,
        pub input: Flat<DecisionInput>,
    }
}

fn found(
    tx: &mut Tx<'_>, by: &Caller, at: &OneDeployment, purpose: Purpose,
) -> Result<(Project, Deployment)> {
    let project = access::project(tx, &by.viewer, &at.id, purpose)?;
    let deployment = rows::one(tx, project.id, at.deployment_id)?.found("Deployment")?;
    Ok((project, deployment))
}

async fn list(
    by: Caller, asked: Params<ListDeployments>, paging: Paging,
) -> Result<Paged<DeploymentEntity>> {
    let viewer = by.viewer.clone();
    let read = by.app.read(move |tx| {
        let project = access::read(tx, &viewer, &asked.at.id)?;
        let (found, total) = rows::page(tx, project.id, &asked.filter, &paging)?;
        let (found, page) = Paged::numbered(found, paging, Some(total)).apart();
        Ok((Shown::read(tx, &viewer, project, found)?, page))
    });
    let (shown, page) = read.await?;
    let entities = shown.entities(&by.app).await?;
    Ok(page.replace(|_| entities))
}

async fn show(by: Caller, at: Params<OneDeployment>) -> Result<Ok200<DeploymentEntity>> {
    let app = by.app.clone();
    let shown = by.read(move |tx, by| {
        let (project, deployment) = found(tx, by, &at, Purpose::ReadPipelines)?;
        Shown::read(tx, &by.viewer, project, vec![deployment])
    });
    shown.await?.one(&app).await.map(Ok200)
}

/// What was sent, with all that a deployment takes.
fn told(asked: &CreateDeployment) -> Result<Told> {
    let sent = |name: &str, text: &Option<String>| {
        text.clone().filter(|text| !text.is_empty()).ok_or_else(|| Error::missing(name))
    };
    Ok(Told {
        environment: sent("environment", &asked.environment)?,
        sha: sent("sha", &asked.sha)?.to_ascii_lowercase(),
        on_ref: sent("ref", &asked.on_ref)?.replace('\0', ""),
        tag: asked.tag.ok_or_else(|| Error::missing("tag"))?,
        status: asked.status.ok_or_else(|| Error::missing("status"))?,
    })
}

async fn create(by: Caller, asked: Params<CreateDeployment>) -> Result<Created<DeploymentEntity>> {
    person(&by)?;
    let (app, Params(asked), caller) = (by.app.clone(), asked, by.clone());
    let (repository, told) = by
        .app
        .read(move |tx| {
            let project = access::run(tx, &caller.viewer, &asked.at.id)?;
            let repository = access::repository(tx, &project)?;
            Ok((repository, (Reference::Id(project.id), told(&asked)?)))
        })
        .await?;
    let (reference, told) = told;
    let there = match (repository, told.sha.parse::<ObjectId>()) {
        (Some(repository), Ok(id)) => {
            objects::read(&app, &repository, move |objects: &Objects| objects.commit(id)).await?
        }
        _ => None,
    };
    if there.is_none() {
        return Err(Error::invalid("sha", "The commit does not exist"));
    }
    let shown = by.write(move |tx, by| {
        let project = access::run(tx, &by.viewer, &reference)?;
        let made = rules::tell(tx, &by.viewer, &project, &told)?;
        Shown::read(tx, &by.viewer, project, vec![made])
    });
    shown.await?.one(&app).await.map(Created)
}

async fn update(by: Caller, asked: Params<UpdateDeployment>) -> Result<Ok200<DeploymentEntity>> {
    person(&by)?;
    let app = by.app.clone();
    let shown = by.write(move |tx, by| {
        let (project, deployment) = found(tx, by, &asked.at, Purpose::RunPipelines)?;
        let status = asked.status.ok_or_else(|| Error::missing("status"))?;
        let after = rules::tell_status(tx, &by.viewer, &project, &deployment, status)?;
        Shown::read(tx, &by.viewer, project, vec![after])
    });
    shown.await?.one(&app).await.map(Ok200)
}

async fn destroy(by: Caller, at: Params<OneDeployment>) -> Result<NoContent> {
    person(&by)?;
    by.write(move |tx, by| {
        let (project, deployment) = found(tx, by, &at, Purpose::RunPipelines)?;
        if level_in_project(tx, &by.viewer, &project)? < MAINTAINER {
            return Err(Error::forbidden(""));
        }
        rules::destroy_deployment(tx, &by.viewer, &project, &deployment)?;
        Ok(NoContent)
    })
    .await
}

async fn decide(by: Caller, asked: Params<Decide>) -> Result<Created<ApprovalEntity>> {
    person(&by)?;
    by.write(move |tx, by| {
        // Who approves need not run pipelines.
        let (project, deployment) = found(tx, by, &asked.at, Purpose::ReadPipelines)?;
        let approval = approve::decide(tx, &by.viewer, &project, &deployment, &asked.input)?;
        decision(&by.app, tx, &approval).map(Created)
    })
    .await
}
