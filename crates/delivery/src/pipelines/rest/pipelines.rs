//! Pipelines.

use super::{OfProject, OnePipeline, person};
use crate::pipelines::access;
use crate::pipelines::create::inputs::Inputs;
use crate::pipelines::create::{Creation, create as make};
use crate::pipelines::entity::{
    self, BridgeEntity, JobEntity, ListedPipeline, Loaded, PipelineBasic, PipelineEntity,
};
use crate::pipelines::jobs::retry_pipeline;
use crate::pipelines::model::{JobKind, Pipeline, Source};
use crate::pipelines::rules;
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{self, BRIDGES, JOBS, JobFilter, PipelineFilter};
use crate::pipelines::store::pipelines as rows;
use crate::pipelines::store::variables::{Owner, of as variables_of};
use crate::pipelines::variables::VariableInput;
use crate::variables::model::VariableType;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{DEVELOPER, Purpose, level_in_project};
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/pipelines", list)
        .summary("Lists the pipelines of a project");
    r.post("/projects/{id}/pipeline", create)
        .summary("Runs a pipeline for a branch or tag");
    r.get("/projects/{id}/pipelines/latest", latest)
        .summary("Shows the latest pipeline of a branch or tag");
    r.get("/projects/{id}/pipelines/{pipeline_id}", show)
        .summary("Shows a pipeline");
    r.delete("/projects/{id}/pipelines/{pipeline_id}", destroy)
        .summary("Deletes a pipeline with all of its jobs");
    r.get("/projects/{id}/pipelines/{pipeline_id}/jobs", jobs)
        .summary("Lists the jobs of a pipeline");
    r.get("/projects/{id}/pipelines/{pipeline_id}/bridges", bridges)
        .summary("Lists the jobs of a pipeline that begin other pipelines");
    r.get("/projects/{id}/pipelines/{pipeline_id}/variables", variables)
        .summary("Lists the variables that a pipeline was given");
    r.put("/projects/{id}/pipelines/{pipeline_id}/metadata", rename)
        .summary("Names a pipeline");
    r.post("/projects/{id}/pipelines/{pipeline_id}/retry", retry)
        .summary("Runs again what failed or was canceled in a pipeline");
    r.post("/projects/{id}/pipelines/{pipeline_id}/cancel", cancel)
        .summary("Cancels all jobs of a pipeline");
}

kernel::params! {
    pub struct ListPipelines {
        pub at: Flat<OfProject>,
        pub filter: Flat<PipelineFilter>,
    }
}

async fn list(
    by: Caller, asked: Params<ListPipelines>, paging: Paging,
) -> Result<Paged<ListedPipeline>> {
    let (app, viewer) = (by.app.clone(), by.viewer.clone());
    Paged::read(&by.app, paging, move |tx, paging| {
        let project = access::read(tx, &viewer, &asked.at.id)?;
        let (page, total) = lists::of_project(tx, project.id, &asked.filter, paging)?;
        let web_url = project.web_url(app.base_url());
        let listed = |one: &Pipeline| ListedPipeline {
            basic: PipelineBasic::of(one, &web_url),
            name: one.name.clone(),
        };
        Ok((page.iter().map(listed).collect(), total))
    })
    .await
}

kernel::params! {
    pub struct CreatePipeline {
        pub at: Flat<OfProject>,
        /// The branch or tag.
        pub on_ref as "ref": String,
        /// Variables that its jobs are given.
        pub variables: Option<Vec<VariableInput>>,
        /// For the inputs that its file declares, by their names.
        pub inputs: Option<Inputs>,
    }
}

async fn create(by: Caller, asked: Params<CreatePipeline>) -> Result<Created<PipelineEntity>> {
    by.viewer.signed_in()?;
    let Params(asked) = asked;
    let (viewer, id) = (by.viewer.clone(), asked.at.id.clone());
    let project = by.app.read(move |tx| access::run(tx, &viewer, &id)).await?;
    let variables = asked.variables.unwrap_or_default();
    let creation = Creation {
        variables: variables.iter().map(Into::into).collect(),
        inputs: asked.inputs.unwrap_or_default(),
        ..Creation::new(project.id, &asked.on_ref, Source::Api)
    };
    match make(&by.app, &by.viewer, creation, None).await? {
        Ok(made) => {
            let app = by.app.clone();
            let shown = by.app.read(move |tx| entity::pipeline(&app, tx, &project, &made));
            shown.await.map(Created)
        }
        Err(refused) => Err(Error::invalid("base", refused.text)),
    }
}

async fn shown(
    by: Caller, at: OnePipeline,
    find: impl FnOnce(&mut Tx<'_>, &Caller, &OnePipeline) -> Result<(Project, Pipeline)>
    + Send
    + 'static,
) -> Result<Ok200<PipelineEntity>> {
    by.read(move |tx, by| {
        let (project, pipeline) = find(tx, by, &at)?;
        entity::pipeline(&by.app, tx, &project, &pipeline).map(Ok200)
    })
    .await
}

fn found(tx: &mut Tx<'_>, by: &Caller, at: &OnePipeline) -> Result<(Project, Pipeline)> {
    access::pipeline(tx, &by.viewer, (&at.id, at.pipeline_id), Purpose::ReadPipelines)
}

async fn show(by: Caller, asked: Params<OnePipeline>) -> Result<Ok200<PipelineEntity>> {
    shown(by, asked.0, found).await
}

kernel::params! {
    pub struct LatestPipeline {
        /// Id or path of the project.
        pub id: Reference,
        /// The branch or tag; the default branch unless given.
        pub on_ref as "ref": Option<String>,
    }
}

async fn latest(by: Caller, asked: Params<LatestPipeline>) -> Result<Ok200<PipelineEntity>> {
    by.read(move |tx, by| {
        let project = access::read(tx, &by.viewer, &asked.id)?;
        let on_ref = asked.on_ref.clone().or(project.default_branch.clone()).unwrap_or_default();
        let pipeline = rows::latest(tx, project.id, &on_ref, None)?.found("")?;
        entity::pipeline(&by.app, tx, &project, &pipeline).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, asked: Params<OnePipeline>) -> Result<NoContent> {
    person(&by)?;
    by.write(move |tx, by| {
        let (project, pipeline) = found(tx, by, &asked)?;
        rules::destroy(tx, &by.viewer, (&project, &pipeline))?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct JobsOfPipeline {
        pub at: Flat<OnePipeline>,
        /// Only those that are so far.
        pub scope: Option<Vec<Status>>,
        /// Also those that others took the place of.
        pub include_retried: Option<bool>,
    }
}

async fn loaded(
    by: &Caller, asked: JobsOfPipeline, paging: Paging, kinds: &'static [JobKind],
) -> Result<(Loaded, Paged<()>)> {
    let viewer = by.viewer.clone();
    by.app
        .read(move |tx| {
            let at = (&asked.at.id, asked.at.pipeline_id);
            let (project, pipeline) = access::pipeline(tx, &viewer, at, Purpose::ReadPipelines)?;
            access::check_jobs_are_seen(tx, &viewer, &project)?;
            let filter = JobFilter {
                pipeline_id: Some(pipeline.id),
                kinds,
                statuses: asked.scope.unwrap_or_default(),
                with_retried: asked.include_retried == Some(true),
                ..JobFilter::default()
            };
            super::jobs::page(tx, project, &filter, paging)
        })
        .await
}

async fn jobs(
    by: Caller, asked: Params<JobsOfPipeline>, paging: Paging,
) -> Result<Paged<JobEntity>> {
    let (loaded, page) = loaded(&by, asked.0, paging, JOBS).await?;
    let entities = loaded.with_commits(&by.app).await?.jobs(&by.app);
    Ok(page.replace(|_| entities))
}

async fn bridges(
    by: Caller, asked: Params<JobsOfPipeline>, paging: Paging,
) -> Result<Paged<BridgeEntity>> {
    let (loaded, page) = loaded(&by, asked.0, paging, BRIDGES).await?;
    let entities = loaded.with_commits(&by.app).await?.bridges(&by.app);
    Ok(page.replace(|_| entities))
}

/// A variable that a pipeline was given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct PipelineVariable {
    key: String,
    value: String,
    variable_type: VariableType,
}

async fn variables(by: Caller, asked: Params<OnePipeline>) -> Result<Ok200<Vec<PipelineVariable>>> {
    by.read(move |tx, by| {
        let (project, pipeline) = found(tx, by, &asked)?;
        let own = pipeline.user_id.is_some() && pipeline.user_id == by.viewer.user_id();
        let level = level_in_project(tx, &by.viewer, &project)?;
        if level < DEVELOPER || (!own && level < spaces::access::MAINTAINER) {
            return Err(Error::forbidden(""));
        }
        let given = variables_of(tx, by.app.secrets(), Owner::Pipeline(pipeline.id))?;
        let entity = |one: crate::pipelines::variables::Given| PipelineVariable {
            value: one.value.expose().to_owned(),
            key: one.key,
            variable_type: one.variable_type,
        };
        Ok(Ok200(given.into_iter().map(entity).collect()))
    })
    .await
}

kernel::params! {
    pub struct RenamePipeline {
        pub at: Flat<OnePipeline>,
        /// What it is called.
        pub name: String,
    }
}

async fn rename(by: Caller, asked: Params<RenamePipeline>) -> Result<Ok200<PipelineEntity>> {
    by.write(move |tx, by| {
        let at = (&asked.at.id, asked.at.pipeline_id);
        let (project, pipeline) = access::pipeline(tx, &by.viewer, at, Purpose::RunPipelines)?;
        rules::rename(tx, &pipeline, &asked.name)?;
        let renamed = rows::by_id(tx, pipeline.id)?.found("")?;
        entity::pipeline(&by.app, tx, &project, &renamed).map(Ok200)
    })
    .await
}

async fn changed(
    by: Caller, at: OnePipeline, change: fn(&mut Tx<'_>, &Pipeline, i64) -> Result<()>,
) -> Result<PipelineEntity> {
    let user_id = person(&by)?;
    by.write(move |tx, by| {
        let at = (&at.id, at.pipeline_id);
        let (project, pipeline) = access::pipeline(tx, &by.viewer, at, Purpose::RunPipelines)?;
        change(tx, &pipeline, user_id)?;
        let after = rows::by_id(tx, pipeline.id)?.found("")?;
        entity::pipeline(&by.app, tx, &project, &after)
    })
    .await
}

async fn retry(by: Caller, asked: Params<OnePipeline>) -> Result<Created<PipelineEntity>> {
    let again = |tx: &mut Tx<'_>, one: &Pipeline, user| retry_pipeline(tx, one.id, user);
    changed(by, asked.0, again).await.map(Created)
}

async fn cancel(by: Caller, asked: Params<OnePipeline>) -> Result<Ok200<PipelineEntity>> {
    let ended = |tx: &mut Tx<'_>, one: &Pipeline, _| rules::cancel(tx, one);
    changed(by, asked.0, ended).await.map(Ok200)
}
