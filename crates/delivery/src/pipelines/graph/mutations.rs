//! Pipelines and jobs are canceled, run again, started and deleted.

use super::{JOB_ID, JobView, PIPELINE_ID, PipelineView, jobs, pipelines};
use crate::pipelines::access;
use crate::pipelines::jobs::{cancel, is_retryable, retry, retry_pipeline};
use crate::pipelines::model::{Job, Pipeline};
use crate::pipelines::rules;
use crate::pipelines::store;
use crate::pipelines::variables::Given;
use crate::variables::model::VariableType;
use ::store::Tx;
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::input::GraphInput;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, STRING, named, object};
use kernel::graph_input;
use kernel::ids::Reference;
use kernel::secrets::Secret;
use spaces::access::Purpose;
use spaces::model::Project;
use std::sync::Arc;

/// What a mutation of a pipeline shows.
struct Changed(Option<Arc<PipelineView>>);

/// What a mutation of a job shows.
struct Moved(Option<Arc<JobView>>);

/// Nothing is left to be shown.
struct Gone;

graph_input! {
    struct OnePipeline {
        /// The pipeline.
        id: i64 = PIPELINE_ID.required(),
    }
}

graph_input! {
    struct OneJob {
        /// The job.
        id: i64 = JOB_ID.required(),
    }
}

graph_input! {
    /// What somebody gives a job that they start.
    struct GivenVariable {
        /// Its name.
        key: String = STRING.required(),
        /// What the job is given.
        value: String = STRING.required(),
    }
}

graph_input! {
    struct PlayedJob {
        /// The job.
        id: i64 = JOB_ID.required(),
        /// Variables that it is given.
        variables: Option<Vec<GivenVariable>> = named(VARIABLE).required().list(),
    }
}

const VARIABLE: &str = "CiVariableInput";

pub fn graph(g: &mut Graph) {
    g.input(VARIABLE, "A variable of a job.", GivenVariable::arguments());
    let pipeline = || object::<PipelineView>("Pipeline");
    g.mutation::<Changed>("pipelineCancel", "Cancels all jobs of a pipeline.")
        .answers("pipeline", pipeline(), |it| it.0.clone())
        .handle(|it: OnePipeline, context| {
            changed(it.id, context, |tx, _, pipeline| rules::cancel(tx, pipeline))
        });
    let text = "Runs again what failed or was canceled in a pipeline.";
    g.mutation::<Changed>("pipelineRetry", text)
        .answers("pipeline", pipeline(), |it| it.0.clone())
        .handle(|it: OnePipeline, context| {
            changed(it.id, context, |tx, viewer, pipeline| {
                retry_pipeline(tx, pipeline.id, viewer.signed_in()?.user.id)
            })
        });
    g.mutation::<Gone>("pipelineDestroy", "Deletes a pipeline with all of its jobs.")
        .handle(destroy);
    let job = || object::<JobView>("CiJob");
    g.mutation::<Moved>("jobPlay", "Starts a job that waits for somebody.")
        .answers("job", job(), |it| it.0.clone())
        .handle(|it: PlayedJob, context| {
            let given: Vec<Given> = it.variables.into_iter().flatten().map(Given::from).collect();
            moved(it.id, context, move |tx, app, viewer, place| {
                rules::play(tx, app.secrets(), viewer, place, &given)
            })
        });
    g.mutation::<Moved>("jobRetry", "Runs a job again.")
        .answers("job", job(), |it| it.0.clone())
        .handle(|it: OneJob, context| moved(it.id, context, again));
    g.mutation::<Moved>("jobCancel", "Cancels a job.")
        .answers("job", job(), |it| it.0.clone())
        .handle(|it: OneJob, context| moved(it.id, context, end));
}

async fn changed(
    id: i64, context: Context, change: fn(&mut Tx<'_>, &Viewer, &Pipeline) -> Outcome<()>,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let done = app.write(move |tx| {
        let project = store::pipelines::by_id(tx, id)?.found("")?.project_id;
        let at = (&Reference::Id(project), id);
        let (_, pipeline) = access::pipeline(tx, &viewer, at, Purpose::RunPipelines)?;
        change(tx, &viewer, &pipeline)?;
        let after = store::pipelines::by_id(tx, id)?;
        Ok(pipelines(tx, &viewer, after.into_iter().collect())?.pop())
    });
    Ok(Done::from(Changed(done.await?)))
}

async fn destroy(it: OnePipeline, context: Context) -> Result<Done<Gone>, Fault> {
    let (app, viewer) = caller(&context)?;
    app.write(move |tx| {
        let project = store::pipelines::by_id(tx, it.id)?.found("")?.project_id;
        let at = (&Reference::Id(project), it.id);
        let (project, pipeline) = access::pipeline(tx, &viewer, at, Purpose::ReadPipelines)?;
        rules::destroy(tx, &viewer, (&project, &pipeline))
    })
    .await?;
    Ok(Done::from(Gone))
}

impl From<GivenVariable> for Given {
    fn from(sent: GivenVariable) -> Given {
        Given {
            key: sent.key,
            value: Secret::new(sent.value),
            variable_type: VariableType::EnvVar,
            raw: false,
        }
    }
}

async fn moved(
    id: i64, context: Context,
    deed: impl Fn(&mut Tx<'_>, &App, &Viewer, (&Project, &Job)) -> Outcome<Job> + Send + 'static,
) -> Result<Done<Moved>, Fault> {
    let (app, viewer) = caller(&context)?;
    let handle = app.clone();
    let done = app.write(move |tx| {
        let project = store::jobs::by_id(tx, id)?.found("")?.project_id;
        let at = (&Reference::Id(project), id);
        let (project, _, job) = access::job(tx, &viewer, at, Purpose::RunPipelines)?;
        let job = deed(tx, &handle, &viewer, (&project, &job))?;
        Ok(jobs(tx, &viewer, vec![job])?.pop())
    });
    match done.await {
        // A sentence for who asked, beside a payload of nothing.
        Err(Error::BadRequest(text)) => Ok(Done { errors: vec![text], payload: None }),
        done => Ok(Done::from(Moved(done?))),
    }
}

fn again(tx: &mut Tx<'_>, _: &App, viewer: &Viewer, (_, job): (&Project, &Job)) -> Outcome<Job> {
    match is_retryable(job) {
        true => retry(tx, job, viewer.signed_in()?.user.id),
        false => Err(Error::BadRequest("Job is not retryable".into())),
    }
}

fn end(tx: &mut Tx<'_>, _: &App, _: &Viewer, (_, job): (&Project, &Job)) -> Outcome<Job> {
    cancel(tx, job, false)?;
    store::jobs::by_id(tx, job.id)?.found("")
}
