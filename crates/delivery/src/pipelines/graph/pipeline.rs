//! The type `Pipeline`.

use super::enums::STATUS;
use super::loaders::{Coverages, Pipelines, Stages};
use super::parts::StageView;
use super::{PIPELINE_ID, PipelineView};
use crate::pipelines::entity::DetailedStatus;
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::StageCount;
use identity::graph::{People, Person};
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, FLOAT, Fault, Graph, HasTypeRef, Key, Order, STRING,
    object,
};
use spaces::graph::{ProjectView, Projects};
use std::sync::Arc;

/// What the caller may do with a pipeline.
struct Permissions(Arc<PipelineView>);

impl PipelineView {
    fn path(&self) -> String {
        self.place.path(&format!("pipelines/{}", self.pipeline.id))
    }
}

pub fn graph(g: &mut Graph) {
    let text = "What the caller may do with a pipeline.";
    g.object::<Permissions>("PipelinePermissions", text)
        .field("updatePipeline", BOOLEAN.required(), |it| it.0.place.can_run)
        .describe("Cancel it and run it again.")
        .field("adminPipeline", BOOLEAN.required(), |it| it.0.place.can_run)
        .describe("The same.")
        .field("destroyPipeline", BOOLEAN.required(), |it| it.0.place.can_destroy)
        .describe("Delete it.");
    g.object::<PipelineView>("Pipeline", "A run of jobs.")
        .field("id", PIPELINE_ID.node().required(), |it| it.pipeline.id)
        .describe("Global ID.")
        .field("iid", STRING.required(), |it| it.pipeline.iid.to_string())
        .describe("Its number in the project.")
        .field("status", STATUS.required(), |it| it.pipeline.status)
        .describe("How far it is.")
        .value("name", "What it is called.", |it| it.pipeline.name.clone())
        .value("ref", "The branch or tag that it is for.", |it| {
            Some(it.pipeline.on_ref.clone())
        })
        .value("sha", "The commit that it is for.", |it| Some(it.pipeline.sha.clone()))
        .value("beforeSha", "Where its ref was before.", |it| {
            Some(it.pipeline.before_sha.clone())
        })
        .value("source", "What began it.", |it| Some(it.pipeline.source.to_string()))
        .field("active", BOOLEAN.required(), |it| is_active(it.pipeline.status))
        .describe("Whether it goes on by itself.")
        .field("complete", BOOLEAN.required(), |it| it.pipeline.status.is_finished())
        .describe("Whether it has come to an end.")
        .field("yamlErrors", BOOLEAN.required(), |it| it.pipeline.yaml_errors.is_some())
        .describe("Whether its file is wrong.")
        .value("yamlErrorMessages", "What is wrong with its file.", |it| {
            it.pipeline.yaml_errors.clone()
        })
        .value("createdAt", "When it was made.", |it| it.pipeline.created_at)
        .value("updatedAt", "When it last changed.", |it| it.pipeline.updated_at)
        .value("startedAt", "When its first job began.", |it| it.pipeline.started_at)
        .value("finishedAt", "When it came to an end.", |it| it.pipeline.finished_at)
        .value("committedAt", "When its commit was made.", |it| it.pipeline.committed_at)
        .value("duration", "Seconds in which a job ran.", |it| it.pipeline.duration)
        .value("path", "Path of its page.", |it| Some(it.path()))
        .load::<Coverages, _>("coverage", FLOAT, |it| Some(it.pipeline.id))
        .describe("How much of the code its jobs tried, in percent.")
        .load::<People, _>("user", object::<Person>("UserCore"), |it| it.pipeline.user_id)
        .describe("Who began it.")
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| {
            Some(it.pipeline.project_id)
        })
        .describe("Where it runs.")
        .level("cancelable", BOOLEAN.required(), |of: Vec<Arc<PipelineView>>, _, context| {
            any_of(of, context, is_cancelable)
        })
        .describe("Whether a job of it can be canceled.")
        .level("retryable", BOOLEAN.required(), |of: Vec<Arc<PipelineView>>, _, context| {
            any_of(of, context, is_retryable)
        })
        .describe("Whether a job of it can be run again.")
        .connections("stages", object::<StageView>("CiStage"), stages)
        .describe("Its stages, in order, for who sees its jobs.")
        .field("detailedStatus", object::<DetailedStatus>("DetailedStatus").required(), |it| {
            Arc::new(DetailedStatus::of(it.pipeline.status, it.path()))
        })
        .describe("How far it is, in words.")
        .level(
            "userPermissions",
            object::<Permissions>("PipelinePermissions").required(),
            |of: Vec<Arc<PipelineView>>, _, _| async move {
                Ok(of.into_iter().map(|it| Arc::new(Permissions(it))).collect())
            },
        )
        .describe("What the caller may do with it.");
    g.node::<Pipelines, _>(PIPELINE_ID, object("Pipeline"));
}

fn is_active(status: Status) -> bool {
    use Status::*;
    matches!(status, Created | WaitingForResource | Preparing | Pending | Running)
}

fn is_cancelable(one: &StageCount) -> bool {
    is_active(one.status) || matches!(one.status, Status::Manual | Status::Scheduled)
}

fn is_retryable(one: &StageCount) -> bool {
    matches!(one.status, Status::Failed | Status::Canceled)
}

/// Of each pipeline, whether some of its jobs are like that.
async fn any_of(
    of: Vec<Arc<PipelineView>>, context: Context, is: fn(&StageCount) -> bool,
) -> Result<Vec<bool>, Fault> {
    let found = context.load::<Stages>(of.iter().map(|it| it.pipeline.id)).await?;
    let any = |it: &Arc<PipelineView>| {
        found.get(&it.pipeline.id).is_some_and(|counts| counts.iter().any(is))
    };
    Ok(of.iter().map(any).collect())
}

async fn stages(
    of: Vec<Arc<PipelineView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<StageView>>>, Fault> {
    let window = ask.window(&context, "stages", &[Key::int("stage_index", Order::Asc)])?;
    let found = context.load::<Stages>(of.iter().map(|it| it.pipeline.id)).await?;
    let page = |it: &Arc<PipelineView>| {
        let counts = found.get(&it.pipeline.id).map(|all| all.as_slice()).unwrap_or_default();
        let all = StageView::all(counts, &it.path());
        it.place.sees_jobs.then(|| window.page_of_whole(&all, |stage| stage.index))
    };
    Ok(of.iter().map(page).collect())
}
