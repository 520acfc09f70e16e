//! The type `CiJob`.

use super::enums::JOB_STATUS;
use super::loaders::{Jobs, Pipelines, Stages};
use super::parts::StageView;
use super::{JOB_ID, JobView, PipelineView};
use crate::pipelines::entity::{DetailedStatus, between};
use crate::pipelines::jobs::is_retryable;
use crate::pipelines::model::{JobKind, RunWhen};
use crate::pipelines::status::Status;
use identity::graph::{People, Person};
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, INT, Key, Order, STRING, object};
use spaces::graph::{ProjectView, Projects};
use std::sync::Arc;

/// The order of lists of jobs: the last first.
pub(crate) const KEYS: [Key; 1] = [Key::int("ci_jobs.id", Order::Desc)];

/// The place of a row in its list.
pub(crate) fn keys(it: &JobView) -> Vec<serde_json::Value> {
    vec![it.job.id.into()]
}

impl JobView {
    fn path(&self) -> String {
        self.place.path(&format!("jobs/{}", self.job.id))
    }

    fn is_playable(&self) -> bool {
        let waits = matches!(self.job.status, Status::Manual | Status::Scheduled);
        let was = matches!(self.job.run_when, RunWhen::Manual | RunWhen::Delayed);
        !self.job.retried && (waits || (was && is_retryable(&self.job)))
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<JobView>("CiJob", "A job of a pipeline.")
        .field("id", JOB_ID.node().required(), |it| it.job.id)
        .describe("Global ID.")
        .value("name", "What it is called.", |it| Some(it.job.name.clone()))
        .field("status", JOB_STATUS, |it| Some(it.job.status))
        .describe("How far it is.")
        .value("createdAt", "When it was made.", |it| it.job.created_at)
        .value("queuedAt", "When it began to wait for a runner.", |it| it.job.queued_at)
        .value("startedAt", "When a runner began it.", |it| it.job.started_at)
        .value("finishedAt", "When it came to an end.", |it| it.job.finished_at)
        .value("erasedAt", "When its log and files were deleted.", |it| it.job.erased_at)
        .value("scheduledAt", "When it starts by itself.", |it| it.job.scheduled_at)
        .level("duration", INT, |of: Vec<Arc<JobView>>, _, context: Context| async move {
            let now = context.app()?.now();
            let seconds = |it: &Arc<JobView>| {
                let until = it.job.finished_at.or(it.job.started_at.map(|_| now));
                between(it.job.started_at, until).map(|seconds| seconds as i64)
            };
            Ok(of.iter().map(seconds).collect())
        })
        .describe("Seconds that it ran, or runs already.")
        .field("tags", STRING.required().list(), |it| Some(it.job.tags.0.clone()))
        .describe("What a runner of it must have.")
        .field("allowFailure", BOOLEAN.required(), |it| it.job.allow_failure)
        .describe("Whether its pipeline passes without it.")
        .field("retryable", BOOLEAN.required(), |it| is_retryable(&it.job))
        .describe("Whether it can be run again.")
        .field("playable", BOOLEAN.required(), |it| it.is_playable())
        .describe("Whether it waits for somebody to start it.")
        .field("cancelable", BOOLEAN.required(), |it| !it.job.status.is_finished())
        .describe("Whether it can be canceled.")
        .field("active", BOOLEAN.required(), |it| it.job.status.is_unfinished())
        .describe("Whether it goes on by itself.")
        .field("retried", BOOLEAN, |it| Some(it.job.retried))
        .describe("Whether another took its place.")
        .field("manualJob", BOOLEAN, |it| Some(it.job.run_when == RunWhen::Manual))
        .describe("Whether somebody has to start it.")
        .field("triggered", BOOLEAN, |it| Some(it.job.kind == JobKind::Bridge))
        .describe("Whether it begins another pipeline.")
        .value("failureMessage", "Why it failed, in one word.", |it| {
            it.job.failure_reason.map(|reason| reason.to_string())
        })
        .field("exitCode", INT, |it| it.job.exit_code)
        .describe("What its script ended with.")
        .field("coverage", kernel::graph::FLOAT, |it| it.job.coverage)
        .describe("How much of the code it tried, in percent.")
        .value("webPath", "Path of its page.", |it| Some(it.path()))
        .field("detailedStatus", object::<DetailedStatus>("DetailedStatus"), |it| {
            Some(Arc::new(DetailedStatus::of(it.job.status, it.path())))
        })
        .describe("How far it is, in words.")
        .level(
            "stage",
            object::<StageView>("CiStage"),
            |of: Vec<Arc<JobView>>, _, context: Context| stages(of, context),
        )
        .describe("Its stage.")
        .load::<Pipelines, _>("pipeline", object::<PipelineView>("Pipeline"), |it| {
            Some(it.job.pipeline_id)
        })
        .describe("Its pipeline.")
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| {
            Some(it.job.project_id)
        })
        .describe("Where it runs.")
        .load::<People, _>("user", object::<Person>("UserCore"), |it| it.job.user_id)
        .describe("Who it is run for.");
    g.node::<Jobs, _>(JOB_ID, object("CiJob"));
}

async fn stages(
    of: Vec<Arc<JobView>>, context: Context,
) -> Result<Vec<Option<Arc<StageView>>>, Fault> {
    let found = context.load::<Stages>(of.iter().map(|it| it.job.pipeline_id)).await?;
    let stage = |it: &Arc<JobView>| {
        let path = it.place.path(&format!("pipelines/{}", it.job.pipeline_id));
        let all = StageView::all(found.get(&it.job.pipeline_id)?, &path);
        all.into_iter().find(|stage| stage.index == it.job.stage_index)
    };
    Ok(of.iter().map(stage).collect())
}
