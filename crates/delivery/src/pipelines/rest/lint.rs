//! Looking at a pipeline file without running it.

use super::OfProject;
use crate::pipelines::access;
use crate::pipelines::create::{Creation, Worked, find, lint};
use crate::pipelines::model::Source;
use crate::variables::overridden;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Flat, Ok200, Params, Routes};
use kernel::ids::Reference;
use pipeline_file::PlannedJob;
use pipeline_file::model::{AllowFailure, Work};
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/ci/lint", of_project)
        .summary("Checks the pipeline file of a project");
    r.post("/projects/{id}/ci/lint", of_text)
        .summary("Checks a pipeline file as if it stood in a project");
}

kernel::params! {
    pub struct LintProject {
        pub at: Flat<OfProject>,
        /// The commit, branch or tag whose file it is.
        pub content_ref: Option<String>,
        /// Also the jobs that a pipeline would have.
        pub include_jobs: Option<bool>,
        /// Plan a pipeline as well.
        pub dry_run: Option<bool>,
        /// The branch or tag that it would be for.
        pub dry_run_ref: Option<String>,
        /// The same by its old name.
        pub on_ref as "ref": Option<String>,
    }
}

kernel::params! {
    pub struct LintText {
        pub at: Flat<OfProject>,
        /// The file.
        pub content: String,
        /// Also the jobs that a pipeline would have.
        pub include_jobs: Option<bool>,
        /// Plan a pipeline as well.
        pub dry_run: Option<bool>,
        /// The branch or tag that it would be for.
        pub on_ref as "ref": Option<String>,
    }
}

/// What is wrong with a file, or what comes of it.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "CiLint")]
struct LintEntity {
    valid: bool,
    errors: Vec<String>,
    warnings: Vec<String>,
    merged_yaml: Option<String>,
    includes: Vec<IncludedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<LintedJob>>,
}

/// A file that another includes.
#[derive(Debug, Serialize, JsonSchema)]
struct IncludedFile {
    location: String,
}

/// A job that a pipeline would have.
#[derive(Debug, Serialize, JsonSchema)]
struct LintedJob {
    name: String,
    stage: String,
    before_script: Vec<String>,
    script: Vec<String>,
    after_script: Vec<String>,
    tag_list: Vec<String>,
    environment: Option<String>,
    when: String,
    allow_failure: bool,
    needs: Option<Vec<LintedNeed>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LintedNeed {
    name: String,
}

impl LintedJob {
    fn of(planned: &PlannedJob) -> LintedJob {
        let job = &planned.job;
        let lines = |script: &Option<std::sync::Arc<Vec<String>>>| {
            script.as_deref().cloned().unwrap_or_default()
        };
        let need = |need: &pipeline_file::PlannedNeed| LintedNeed { name: need.name.clone() };
        LintedJob {
            name: planned.name.clone(),
            stage: planned.stage.clone(),
            before_script: lines(&job.before_script),
            script: match &job.work {
                Work::Script(script) => script.clone(),
                _ => Vec::new(),
            },
            after_script: lines(&job.after_script),
            tag_list: planned.tags.clone(),
            environment: planned.environment.as_ref().map(|it| it.name.clone()),
            when: planned.when.word().to_owned(),
            allow_failure: planned.allow_failure == AllowFailure::Always(true),
            needs: planned.needs.as_ref().map(|needs| needs.iter().map(need).collect()),
        }
    }
}

/// What is asked for.
struct Asked {
    content: Option<String>,
    on_ref: Option<String>,
    plans: bool,
    with_jobs: bool,
}

async fn of_project(by: Caller, asked: Params<LintProject>) -> Result<Ok200<LintEntity>> {
    let Params(asked) = asked;
    let project = read(&by, &asked.at.id, Purpose::ReadPipelines).await?;
    let wanted = Asked {
        content: None,
        on_ref: asked.dry_run_ref.or(asked.on_ref).or(asked.content_ref),
        plans: asked.dry_run == Some(true),
        with_jobs: asked.include_jobs == Some(true),
    };
    linted(&by, &project, wanted).await.map(Ok200)
}

async fn of_text(by: Caller, asked: Params<LintText>) -> Result<Ok200<LintEntity>> {
    let Params(asked) = asked;
    let project = read(&by, &asked.at.id, Purpose::RunPipelines).await?;
    let wanted = Asked {
        content: Some(asked.content),
        on_ref: asked.on_ref,
        plans: asked.dry_run == Some(true),
        with_jobs: asked.include_jobs == Some(true),
    };
    linted(&by, &project, wanted).await.map(Ok200)
}

/// The project, for who reads its code and does this with its pipelines.
async fn read(by: &Caller, id: &Reference, purpose: Purpose) -> Result<Project> {
    let (viewer, id) = (by.viewer.clone(), id.clone());
    by.app.read(move |tx| access::project(tx, &viewer, &id, purpose)).await
}

async fn linted(by: &Caller, project: &Project, asked: Asked) -> Result<LintEntity> {
    let branch = asked.on_ref.clone().or(project.default_branch.clone()).unwrap_or_default();
    let creation = Creation {
        only_looks: true,
        ..Creation::new(project.id, &branch, Source::Push)
    };
    let request = match find(&by.app, &by.viewer, creation).await? {
        Ok(request) => request,
        Err(refused) => return Ok(wrong(refused.text)),
    };
    let Some(worked) = lint(&request, asked.content.clone()).await? else {
        return Ok(wrong("Missing CI config file".to_owned()));
    };
    let mut entity = entity(&worked, &asked);
    entity.warnings.extend(overrides(by, project, &worked).await?);
    Ok(entity)
}

fn wrong(text: String) -> LintEntity {
    LintEntity { errors: vec![text], ..LintEntity::default() }
}

fn entity(worked: &Worked, asked: &Asked) -> LintEntity {
    let configuration = &worked.configuration;
    let errors = worked.errors(asked.plans);
    let included = configuration.files.iter().skip(1);
    LintEntity {
        valid: errors.is_empty(),
        errors,
        warnings: worked.warnings(),
        merged_yaml: Some(configuration.merged_yaml()),
        includes: included.map(|name| IncludedFile { location: name.clone() }).collect(),
        jobs: asked.with_jobs.then(|| worked.jobs().iter().map(LintedJob::of).collect()),
    }
}

/// Tells of variables of the file that stored ones win over.
async fn overrides(by: &Caller, project: &Project, worked: &Worked) -> Result<Vec<String>> {
    let names: Vec<String> = worked
        .configuration
        .pipeline
        .variables
        .iter()
        .map(|one| one.name.clone())
        .collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let project = project.clone();
    let found = by.app.read(move |tx| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = overridden(tx, &project, &names)?;
        Ok(found.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    let told = |name: String| {
        format!(
            "variables:{name} has no effect: a variable of the project, a group or the \
                 instance has this name"
        )
    };
    Ok(found.await?.into_iter().map(told).collect())
}
