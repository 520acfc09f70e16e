//! REST of job tokens (docs/interface/delivery.md 15).

use super::rules;
use super::store;
use crate::pipelines::entity::{JobEntity, Loaded};
use crate::pipelines::store::jobs as rows;
use crate::pipelines::store::settings::of_project;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::SpaceId;
use spaces::access::{self, Purpose, find_project};
use spaces::entities::{self, ProjectEntity, RelatedToProjects};
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    let scope = "/projects/{id}/job_token_scope";
    r.get(scope, show)
        .summary("Shows whether only listed projects enter by job tokens");
    r.patch(scope, update)
        .summary("Says whether only listed projects enter by job tokens");
    let projects = format!("{scope}/allowlist");
    r.get(&projects, list)
        .summary("Lists projects whose jobs enter by their tokens");
    r.post(&projects, add).summary("Lets the jobs of a project in by their tokens");
    r.delete(&format!("{projects}/{{target_project_id}}"), remove)
        .summary("Lets the jobs of a project in no more");
    let groups = format!("{scope}/groups_allowlist");
    r.get(&groups, list_groups)
        .summary("Lists groups whose jobs enter by their tokens");
    r.post(&groups, add_group)
        .summary("Lets the jobs of a group in by their tokens");
    r.delete(&format!("{groups}/{{target_group_id}}"), remove_group)
        .summary("Lets the jobs of a group in no more");
    r.get("/job", own_job).job_tokens().summary("Shows the job whose token is sent");
}

kernel::params! {
    pub struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

/// Whose jobs enter a project.
#[derive(Debug, Serialize, JsonSchema)]
struct JobTokenScope {
    inbound_enabled: bool,
}

/// The project, for who says whose jobs enter it.
fn found(tx: &mut Tx<'_>, by: &Caller, of: &OfProject) -> Result<Project> {
    access::project(tx, &by.viewer, &of.id, Purpose::Update)
}

async fn show(by: Caller, of: Params<OfProject>) -> Result<Ok200<JobTokenScope>> {
    by.read(move |tx, by| {
        let project = found(tx, by, &of)?;
        let inbound_enabled = of_project(tx, project.id)?.limits_job_tokens;
        Ok(Ok200(JobTokenScope { inbound_enabled }))
    })
    .await
}

kernel::params! {
    pub struct UpdateScope {
        pub of: Flat<OfProject>,
        /// Only listed projects enter.
        pub inbound_enabled: Option<bool>,
        /// The same by another name.
        pub enabled: Option<bool>,
    }
}

async fn update(by: Caller, sent: Params<UpdateScope>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = found(tx, by, &sent.of)?;
        let limits = sent.inbound_enabled.or(sent.enabled);
        let limits = limits.ok_or_else(|| Error::missing("enabled"))?;
        rules::limit(tx, &by.viewer, &project, limits)?;
        Ok(NoContent)
    })
    .await
}

async fn list(by: Caller, of: Params<OfProject>, paging: Paging) -> Result<Paged<ProjectEntity>> {
    let listed = by.read(move |tx, by| {
        let project = found(tx, by, &of)?;
        let mut ids = store::projects(tx, project.id)?;
        ids.insert(0, project.id);
        let around = RelatedToProjects::default();
        let listed = access::find_projects(tx, &ids)?;
        let simple = |one: &Project| entities::project(&by.app, one, &around, true);
        Ok(listed.iter().map(simple).collect())
    });
    Ok(Paged::of_whole(listed.await?, paging))
}

/// What was listed.
#[derive(Debug, Serialize, JsonSchema)]
struct JobTokenEntry {
    source_project_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_project_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_group_id: Option<i64>,
}

async fn added(by: Caller, of: OfProject, target: SpaceId) -> Result<Created<JobTokenEntry>> {
    by.write(move |tx, by| {
        let project = found(tx, by, &of)?;
        rules::add(tx, &by.viewer, &project, target)?;
        let (target_project_id, target_group_id) = target.columns();
        let source_project_id = project.id;
        Ok(Created(JobTokenEntry { source_project_id, target_project_id, target_group_id }))
    })
    .await
}

async fn removed(by: Caller, of: OfProject, target: SpaceId) -> Result<NoContent> {
    by.write(move |tx, by| {
        let project = found(tx, by, &of)?;
        rules::remove(tx, &by.viewer, &project, target)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct TargetProject {
        pub of: Flat<OfProject>,
        /// The other project.
        pub target_project_id: i64,
    }
}

kernel::params! {
    pub struct TargetGroup {
        pub of: Flat<OfProject>,
        /// The group.
        pub target_group_id: i64,
    }
}

async fn add(by: Caller, sent: Params<TargetProject>) -> Result<Created<JobTokenEntry>> {
    let Params(sent) = sent;
    added(by, sent.of.0, SpaceId::Project(sent.target_project_id)).await
}

async fn remove(by: Caller, sent: Params<TargetProject>) -> Result<NoContent> {
    let Params(sent) = sent;
    removed(by, sent.of.0, SpaceId::Project(sent.target_project_id)).await
}

/// A group that is listed.
#[derive(Debug, Serialize, JsonSchema)]
struct ListedGroup {
    id: i64,
    web_url: String,
    name: String,
}

async fn list_groups(
    by: Caller, of: Params<OfProject>, paging: Paging,
) -> Result<Paged<ListedGroup>> {
    let listed = by.read(move |tx, by| {
        let project = found(tx, by, &of)?;
        let listed = store::groups(tx, project.id)?;
        let base_url = by.app.base_url();
        let shown = listed.into_iter().map(|group| ListedGroup {
            id: group.id,
            web_url: format!("{base_url}/groups/{}", group.full_path),
            name: group.name,
        });
        Ok(shown.collect())
    });
    Ok(Paged::of_whole(listed.await?, paging))
}

async fn add_group(by: Caller, sent: Params<TargetGroup>) -> Result<Created<JobTokenEntry>> {
    let Params(sent) = sent;
    added(by, sent.of.0, SpaceId::Group(sent.target_group_id)).await
}

async fn remove_group(by: Caller, sent: Params<TargetGroup>) -> Result<NoContent> {
    let Params(sent) = sent;
    removed(by, sent.of.0, SpaceId::Group(sent.target_group_id)).await
}

async fn own_job(by: Caller) -> Result<Ok200<JobEntity>> {
    by.viewer.signed_in()?;
    let (id, project) = by.viewer.job().ok_or_else(|| Error::forbidden(""))?;
    let app = by.app.clone();
    let loaded = by.read(move |tx, _| {
        let project = find_project(tx, &Reference::Id(project))?.found("Project")?;
        let job = rows::by_id(tx, id)?.found("Job")?;
        Loaded::read(tx, project, vec![job])
    });
    let shown = loaded.await?.with_commits(&app).await?.jobs(&app);
    shown.into_iter().next().found("Job").map(Ok200)
}
