//! Jobs that begin other pipelines, and follow how far these are (contract 12).

use super::viewer;
use crate::pipelines::create::{Child, Creation, Parent, create};
use crate::pipelines::definition::Definition;
use crate::pipelines::jobs::{Outcome, cancel, finish, start};
use crate::pipelines::model::{FailureReason, Job as CiJob, JobKind, Pipeline, Source};
use crate::pipelines::requests::{self, OfRequest};
use crate::pipelines::status::Status;
use crate::pipelines::store::progress::Runs;
use crate::pipelines::store::variables::{self, Owner};
use crate::pipelines::store::{jobs as rows, pipelines};
use crate::pipelines::tasks::{FollowDownstream, RunBridge};
use crate::pipelines::variables::Given;
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::secrets::Secret;
use pipeline_file::model::{Strategy, Target, Trigger, Work};
use pipeline_file::{Level, Variable, Variables};
use spaces::access::{Purpose, project};
use spaces::plan_limits::PlanLimits;

/// How deep pipelines of a project lie below each other.
const DEEPEST: i64 = 2;
/// Until a pipeline that a job mirrors is looked at again.
const BETWEEN_LOOKS: SignedDuration = SignedDuration::from_secs(30);

/// A job that begins a pipeline, and what it needs for that.
struct Bridge {
    job: CiJob,
    pipeline: Pipeline,
    definition: Definition,
    /// Given to its own pipeline.
    given: Vec<Given>,
    /// The merge request that its pipeline is of.
    request: Option<OfRequest>,
}

impl Job for RunBridge {
    const NAME: &'static str = "delivery.run_bridge";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, secrets, id) = (run.app.clone(), run.app.secrets().clone(), self.job);
        let found = app.read(move |tx| {
            let Some(job) = rows::by_id(tx, id)? else {
                return Ok(None);
            };
            let is_to_do = job.kind == JobKind::Bridge && job.status == Status::Pending;
            let pipeline = pipelines::by_id(tx, job.pipeline_id)?;
            let definition = rows::definition(tx, job.id)?;
            let given = variables::of(tx, &secrets, Owner::Pipeline(job.pipeline_id))?;
            let request = requests::told(tx, job.pipeline_id)?.request;
            let found = pipeline.zip(definition).filter(|_| is_to_do);
            Ok(found.map(|(pipeline, definition)| Bridge {
                job,
                pipeline,
                definition,
                given,
                request,
            }))
        });
        let Some(bridge) = found.await? else {
            return Ok(());
        };
        let failed = match &bridge.definition.work {
            Work::Trigger(trigger) => begin(&app, &bridge, trigger, run.clone()).await?,
            Work::Mirror { project } => mirror(&app, &bridge, project).await?,
            _ => Some(FailureReason::UnknownFailure),
        };
        match failed {
            Some(reason) => Ok(app.write(move |tx| fail(tx, id, reason)).await?),
            None => Ok(()),
        }
    }
}

fn fail(tx: &mut Tx<'_>, id: i64, reason: FailureReason) -> Result<()> {
    if let Some(job) = rows::by_id(tx, id)? {
        finish(tx, &job, Outcome::failed(reason))?;
    }
    Ok(())
}

/// Begins the pipeline of a job, or says why it cannot be.
async fn begin(
    app: &App, bridge: &Bridge, trigger: &Trigger, run: Run,
) -> Result<Option<FailureReason>> {
    let Some(viewer) = by(app, bridge).await? else {
        return Ok(Some(FailureReason::InsufficientBridgePermissions));
    };
    if is_hierarchy_full(app, bridge.pipeline.id).await? {
        return Ok(Some(FailureReason::ReachedMaxPipelineHierarchySize));
    }
    let expanded = expanded(bridge);
    let creation = match &trigger.target {
        Target::Child { .. } if bridge.pipeline.depth >= DEEPEST => {
            return Ok(Some(FailureReason::ReachedMaxDescendantPipelinesDepth));
        }
        Target::Child { include } => {
            let child = Child {
                pipeline_id: bridge.pipeline.id,
                depth: bridge.pipeline.depth + 1,
                file: serde_json::json!({"include": include}).to_string(),
            };
            let own = &bridge.pipeline;
            Creation {
                sha: own.sha.parse().ok(),
                parent: Some(Parent { job_id: bridge.job.id, child: Some(child) }),
                request: bridge.request.clone(),
                ..Creation::new(own.project_id, &whole_name(own), Source::ParentPipeline)
            }
        }
        Target::Project { .. } if is_in_loop(app, bridge.pipeline.id).await? => {
            return Ok(Some(FailureReason::PipelineLoopDetected));
        }
        Target::Project { project, branch } => {
            let path = pipeline_file::variables::expand_text(project, &expanded, 1024);
            let branch = branch.as_ref();
            let branch =
                branch.map(|name| pipeline_file::variables::expand_text(name, &expanded, 1024));
            let found = elsewhere(app, &viewer, bridge, path, branch).await?;
            match found {
                Ok((project_id, branch)) => Creation {
                    parent: Some(Parent { job_id: bridge.job.id, child: None }),
                    inputs: trigger.inputs.clone().into_iter().collect(),
                    ..Creation::new(project_id, &branch, Source::Pipeline)
                },
                Err(reason) => return Ok(Some(reason)),
            }
        }
    };
    let creation = Creation { variables: handed_on(bridge, trigger, &expanded), ..creation };
    Ok(match create(app, &viewer, creation, Some(run)).await? {
        Ok(_) => None,
        Err(refused) => {
            tracing::debug!(job = bridge.job.id, text = refused.text, "no pipeline");
            Some(FailureReason::DownstreamPipelineCreationFailed)
        }
    })
}

/// Whether no more pipelines may begin each other with this one.
async fn is_hierarchy_full(app: &App, pipeline: i64) -> Result<bool> {
    app.read(move |tx| {
        let limits: PlanLimits = kernel::settings::read(tx)?;
        let most = limits.pipeline_hierarchy_size;
        Ok(most > 0 && pipelines::hierarchy(tx, pipeline, most)? >= most)
    })
    .await
}

async fn is_in_loop(app: &App, pipeline: i64) -> Result<bool> {
    app.read(move |tx| pipelines::is_in_loop(tx, pipeline)).await
}

/// Who a job is run for, if they may still do something.
async fn by(app: &App, bridge: &Bridge) -> Result<Option<Viewer>> {
    match bridge.job.user_id {
        Some(id) => viewer(app, id).await,
        None => Ok(None),
    }
}

/// The branch or tag of a pipeline by its whole name.
fn whole_name(pipeline: &Pipeline) -> String {
    match (pipeline.tag, pipeline.on_ref.starts_with("refs/")) {
        (_, true) => pipeline.on_ref.clone(),
        (true, _) => format!("refs/tags/{}", pipeline.on_ref),
        (false, _) => format!("refs/heads/{}", pipeline.on_ref),
    }
}

/// The project and branch of a pipeline in another project.
async fn elsewhere(
    app: &App, viewer: &Viewer, bridge: &Bridge, path: String, branch: Option<String>,
) -> Result<std::result::Result<(i64, String), FailureReason>> {
    let (viewer, own) = (viewer.clone(), bridge.job.project_id);
    let found =
        app.read(move |tx| project(tx, &viewer, &Reference::Path(path), Purpose::RunPipelines));
    let found = match found.await {
        Err(Error::NotFound(_) | Error::Moved(_)) => {
            return Ok(Err(FailureReason::DownstreamBridgeProjectNotFound));
        }
        Err(Error::Forbidden(_) | Error::Unauthenticated) => {
            return Ok(Err(FailureReason::InsufficientBridgePermissions));
        }
        found => found?,
    };
    if found.id == own {
        return Ok(Err(FailureReason::InvalidBridgeTrigger));
    }
    let branch = branch.or(found.default_branch);
    let reason = FailureReason::DownstreamPipelineCreationFailed;
    Ok(branch.map(|branch| (found.id, branch)).ok_or(reason))
}

/// The variables of a job and of its pipeline, each through all others.
fn expanded(bridge: &Bridge) -> Variables {
    let definition = &bridge.definition;
    let given = bridge.given.iter().map(|one| one.at_level(Level::Pipeline));
    let of_file = definition.predefined.iter().chain(&definition.variables).cloned();
    let all = Variables::merge(of_file.chain(given));
    all.expand().unwrap_or(all)
}

/// What the other pipeline is given: what the file says for the job, and with it what
/// its own pipeline was given.
fn handed_on(bridge: &Bridge, trigger: &Trigger, expanded: &Variables) -> Vec<Given> {
    let given = |variable: &Variable| Given {
        key: variable.name.clone(),
        value: Secret::new(variable.value.as_str()),
        variable_type: match variable.file {
            true => crate::variables::model::VariableType::File,
            false => crate::variables::model::VariableType::EnvVar,
        },
        raw: variable.raw,
    };
    let own: Vec<&str> = bridge.definition.variables.iter().map(|it| it.name.as_str()).collect();
    let is_own = |variable: &Variable| {
        trigger.forward.yaml_variables && own.contains(&variable.name.as_str())
    };
    let is_given = |variable: &Variable| {
        trigger.forward.pipeline_variables
            && bridge.given.iter().any(|one| one.key == variable.name)
    };
    expanded.iter().filter(|one| is_own(one) || is_given(one)).map(given).collect()
}

/// Takes the status of the latest pipeline of another project.
async fn mirror(app: &App, bridge: &Bridge, path: &str) -> Result<Option<FailureReason>> {
    let Some(viewer) = by(app, bridge).await? else {
        return Ok(Some(FailureReason::InsufficientBridgePermissions));
    };
    let (reference, id) = (Reference::Path(path.to_owned()), bridge.job.id);
    let status = app.read(move |tx| {
        let found = project(tx, &viewer, &reference, Purpose::ReadPipelines)?;
        let branch = found.default_branch.unwrap_or_default();
        let latest = pipelines::latest(tx, found.id, &branch, None)?;
        Ok(latest.map(|latest| latest.status))
    });
    let status = match status.await {
        Err(
            Error::NotFound(_) | Error::Moved(_) | Error::Forbidden(_) | Error::Unauthenticated,
        ) => return Ok(Some(FailureReason::DownstreamBridgeProjectNotFound)),
        status => status?,
    };
    app.write(move |tx| match status.filter(|status| status.is_finished()) {
        Some(status) => follow(tx, id, status, true),
        None => {
            let at = tx.now().saturating_add(BETWEEN_LOOKS).unwrap_or(jiff::Timestamp::MAX);
            enqueue_at(tx, &RunBridge { job: id }, at)
        }
    })
    .await?;
    Ok(None)
}

impl Job for FollowDownstream {
    const NAME: &'static str = "delivery.follow_downstream";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.pipeline.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(run.app.write(move |tx| followed(tx, self.pipeline)).await?)
    }
}

/// Moves the job that began a pipeline as far as that is.
fn followed(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    let pipeline = pipelines::by_id(tx, pipeline_id)?;
    let bridge = rows::of_downstream(tx, pipeline_id)?;
    let Some((pipeline, bridge)) = pipeline.zip(bridge) else {
        return Ok(());
    };
    let definition = rows::definition(tx, bridge.id)?;
    let strategy = match definition.map(|it| it.work) {
        Some(Work::Trigger(trigger)) => trigger.strategy,
        _ => None,
    };
    match strategy {
        None => follow(tx, bridge.id, Status::Success, false),
        Some(strategy) => follow(tx, bridge.id, pipeline.status, strategy == Strategy::Mirror),
    }
}

fn follow(tx: &mut Tx<'_>, id: i64, status: Status, mirrors: bool) -> Result<()> {
    let started = start(tx, id, &Runs::default())?;
    let job = match started {
        Some(job) => Some(job),
        None => rows::by_id(tx, id)?,
    };
    let Some(job) = job.filter(|job| job.status.is_at_work()) else {
        return Ok(());
    };
    match status {
        Status::Success => finish(tx, &job, Outcome::Success)?,
        Status::Skipped if mirrors => finish(tx, &job, Outcome::Success)?,
        Status::Failed | Status::Skipped => {
            finish(tx, &job, Outcome::failed(FailureReason::ScriptFailure))?
        }
        Status::Canceled => cancel(tx, &job, true)?,
        status => status,
    };
    Ok(())
}
