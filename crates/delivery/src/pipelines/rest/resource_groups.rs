//! Resource groups: names of which one job at a time runs.

use super::OfProject;
use super::jobs::page;
use crate::pipelines::access;
use crate::pipelines::entity::JobEntity;
use crate::pipelines::model::{ProcessMode, ResourceGroup};
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{JOBS, JobFilter};
use crate::pipelines::store::settings as rows;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    let one = "/projects/{id}/resource_groups/{resource_group}";
    r.get("/projects/{id}/resource_groups", list)
        .summary("Lists the resource groups of a project");
    r.get(one, show).summary("Shows a resource group");
    r.put(one, update).summary("Says in which order jobs of a resource group run");
    r.get(&format!("{one}/upcoming_jobs"), upcoming)
        .summary("Lists the jobs that wait for a resource group");
}

kernel::params! {
    pub struct OneGroup {
        pub at: Flat<OfProject>,
        /// Its name.
        pub resource_group: String,
    }
}

kernel::params! {
    pub struct ChangeGroup {
        pub at: Flat<OneGroup>,
        /// In which order its jobs run.
        pub process_mode: Option<ProcessMode>,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResourceGroup")]
struct ResourceGroupEntity {
    id: i64,
    key: String,
    process_mode: ProcessMode,
    created_at: String,
    updated_at: String,
}

impl From<ResourceGroup> for ResourceGroupEntity {
    fn from(group: ResourceGroup) -> ResourceGroupEntity {
        ResourceGroupEntity {
            id: group.id,
            key: group.key,
            process_mode: group.process_mode,
            created_at: wire::text(group.created_at),
            updated_at: wire::text(group.updated_at),
        }
    }
}

/// Who runs pipelines sees what they wait for.
fn found(
    tx: &mut Tx<'_>, by: &Caller, at: &OneGroup, purpose: Purpose,
) -> Result<(Project, ResourceGroup)> {
    let project = access::project(tx, &by.viewer, &at.at.id, purpose)?;
    let group = rows::resource_group_named(tx, project.id, &at.resource_group)?;
    Ok((project, group.found("")?))
}

async fn list(
    by: Caller, asked: Params<OfProject>, paging: Paging,
) -> Result<Paged<ResourceGroupEntity>> {
    let viewer = by.viewer.clone();
    Paged::read(&by.app, paging, move |tx, paging| {
        let project = access::read(tx, &viewer, &asked.id)?;
        let (page, total) = rows::resource_groups_page(tx, project.id, paging)?;
        Ok((page.into_iter().map(Into::into).collect(), total))
    })
    .await
}

async fn show(by: Caller, asked: Params<OneGroup>) -> Result<Ok200<ResourceGroupEntity>> {
    by.read(move |tx, by| {
        let (_, group) = found(tx, by, &asked, Purpose::ReadPipelines)?;
        Ok(Ok200(group.into()))
    })
    .await
}

async fn update(by: Caller, asked: Params<ChangeGroup>) -> Result<Ok200<ResourceGroupEntity>> {
    by.write(move |tx, by| {
        let (_, group) = found(tx, by, &asked.at, Purpose::RunPipelines)?;
        let mode = asked.process_mode.ok_or_else(|| Error::missing("process_mode"))?;
        rows::set_process_mode(tx, group.id, mode)?;
        let after = rows::resource_group(tx, group.id)?.found("")?;
        Ok(Ok200(after.into()))
    })
    .await
}

async fn upcoming(by: Caller, asked: Params<OneGroup>, paging: Paging) -> Result<Paged<JobEntity>> {
    let (caller, app) = (by.clone(), by.app.clone());
    let read = by.app.read(move |tx| {
        let (project, group) = found(tx, &caller, &asked, Purpose::ReadPipelines)?;
        access::check_jobs_are_seen(tx, &caller.viewer, &project)?;
        let filter = JobFilter {
            kinds: JOBS,
            statuses: vec![Status::Created, Status::Scheduled, Status::WaitingForResource],
            resource_group_id: Some(group.id),
            ..JobFilter::default()
        };
        page(tx, project, &filter, paging)
    });
    let (loaded, page) = read.await?;
    let entities = loaded.with_commits(&app).await?.jobs(&app);
    Ok(page.replace(|_| entities))
}
