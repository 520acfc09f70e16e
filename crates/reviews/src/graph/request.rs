//! The type `MergeRequest`, and one by its number or ID.

use super::enums::{MERGE_STATUS, STATE};
use super::{BranchesThere, MERGE_REQUEST_ID, Requests, Thumbs, Versions, ids};
use crate::merging::MergeStatus;
use crate::model::{MergeRequest, SquashOption, State, Version};
use crate::noteable::{MERGE_REQUEST, noteable};
use crate::rules::auto_merge::STRATEGY;
use crate::store::facts::Branches;
use crate::store::labels::WORN;
use crate::store::owned;
use ::store::Tx;
use identity::graph::{People, Person};
use identity::viewer::Viewer;
use kernel::graph::{
    Args, BOOLEAN, Context, Cost, Fault, Graph, HasTypeRef, ID, INT, Mark, ObjectBuilder, STRING,
    argument, object,
};
use planning::graph::{
    MilestonesOfThings, Prose, Tasks, awardable, noteable as with_notes, number, one_by_id,
    one_of_each, referred, ticked, timed, todoable, worn, written,
};
use planning::model::{Label, Milestone};
use planning::store::awards::Awardable;
use repositories::formats::object_id::ObjectId;
use spaces::graph::{ProjectView, Projects};
use spaces::model::SourceKind;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    let it = g.object::<MergeRequest>("MergeRequest", "A branch that is to be merged.");
    let it = counted(merging(branches(times(marks(texts(it))))));
    let it = ticked(timed(it), tasks);
    let it = with_notes(it, noteable);
    let it = todoable(it, "currentUserTodos", noteable);
    awardable(it, |it| Awardable::Thing(MERGE_REQUEST, it.id))
        .connections(
            "labels",
            object::<Label>("Label"),
            |requests: Vec<Arc<MergeRequest>>, ask, _, context| async move {
                worn(WORN, ids(&requests), ask, context).await
            },
        )
        .describe("Its labels, by title.")
        .load::<MilestonesOfThings, _>("milestone", object::<Milestone>("Milestone"), |it| {
            it.milestone_id
        })
        .describe("What it is to be done for.");
    lookups(g);
}

fn prose(it: &MergeRequest) -> Prose<'_> {
    let source = (SourceKind::Project, it.target_project_id);
    Prose { title: &it.title, text: it.description.as_deref(), source }
}

fn reference(it: &MergeRequest, full: bool) -> String {
    let path = if full { it.project_path.as_str() } else { "" };
    format!("{path}{}", it.reference())
}

fn tasks(it: &MergeRequest) -> Tasks {
    Tasks { count: it.task_count, completed: it.task_completed_count }
}

fn texts(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    let it = it
        .field("id", ID.required(), |it| MERGE_REQUEST_ID.of(it.id))
        .describe("Global ID.")
        .value("iid", "Number in its project.", |it| it.iid.to_string())
        .value("title", "Its title.", |it| it.title.clone());
    referred(written(it, prose, MergeRequest::path), reference)
        .load::<People, _>("mergeUser", object::<Person>("UserCore"), |it| it.merge_user_id)
        .describe("Who merged it, or wants it merged once it can be.")
        .load::<People, _>("closedBy", object::<Person>("UserCore"), |it| it.closed_by_id)
        .describe("Who closed it.")
}

fn marks(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    it.field("state", STATE.required(), |it| it.state)
        .describe("Whether it is open, closed or merged.")
        .value("draft", "Whether it is not ready, as its title says.", |it| it.draft)
        .value("discussionLocked", "Whether only members comment.", MergeRequest::is_locked)
        .value("allowsMultipleReviewers", "Whether several people may review it.", |_| true)
        .value("hidden", "Whether it is hidden since its author is banned.", |_| Some(false))
        .value("squash", "Whether it wants its commits to become one.", |it| it.squash)
        .value(
            "shouldRemoveSourceBranch",
            "Whether the source branch goes, as was said at the merge.",
            |it| it.should_remove_source_branch,
        )
        .value("forceRemoveSourceBranch", "Whether it wants the source branch to go.", |it| {
            it.force_remove_source_branch
        })
}

fn times(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    it.value("createdAt", "When it was made.", |it| it.created_at)
        .value("updatedAt", "When it last changed.", |it| it.updated_at)
        .value("preparedAt", "When its first version was made.", |it| it.prepared_at)
        .value("mergedAt", "When it was merged.", |it| it.merged_at)
        .value("closedAt", "When it was closed.", |it| it.closed_at)
        .value("mergeAfter", "The time before which it is not merged.", |it| it.merge_after)
}

fn sha(id: Option<ObjectId>) -> Option<String> {
    id.map(|id| id.to_string())
}

fn branches(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    it.value("sourceBranch", "The branch that is to be merged.", |it| {
        it.source_branch.clone()
    })
    .value("targetBranch", "The branch it is to be merged into.", |it| {
        it.target_branch.clone()
    })
    .value("sourceProjectId", "Number of the project of the source branch.", |it| {
        it.source_project_id
    })
    .value("targetProjectId", "Number of the project of the target branch.", |it| {
        it.target_project_id
    })
    .value("projectId", "The same.", |it| it.target_project_id)
    .load::<Projects, _>("sourceProject", object::<ProjectView>("Project"), |it| {
        it.source_project_id
    })
    .describe("The project of the source branch; null if the caller does not see it.")
    .load::<Projects, _>("targetProject", object::<ProjectView>("Project"), |it| {
        Some(it.target_project_id)
    })
    .describe("The project of the target branch.")
    .never_null()
    .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| {
        Some(it.target_project_id)
    })
    .describe("The same.")
    .never_null()
    .level("sourceBranchExists", BOOLEAN.required(), |requests, _, context| {
        there(requests, context, |it| it.source)
    })
    .describe("Whether the source branch is there.")
    .level("targetBranchExists", BOOLEAN.required(), |requests, _, context| {
        there(requests, context, |it| it.target)
    })
    .describe("Whether the target branch is there.")
    .value("diffHeadSha", "Where the source branch is, or was last.", |it| sha(it.head_id))
}

fn merging(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    it.value("mergeCommitSha", "The commit of the merge.", |it| sha(it.merge_commit_id))
        .value("conflicts", "Whether its branches cannot be merged.", |it| {
            it.merge_status == MergeStatus::CannotBeMerged
        })
        .field("mergeStatusEnum", MERGE_STATUS, |it| Some(it.merge_status))
        .describe("What is known of merging its branches.")
        .value("mergeStatus", "The same in one word.", |it| {
            Some(it.merge_status.shown().to_owned())
        })
        .mark(Mark::Deprecated {
            reason: "This was renamed",
            milestone: "14.0",
            replacement: Some("MergeRequest.mergeStatusEnum"),
        })
        .value("mergeError", "Why it was not merged when that was tried.", |it| {
            it.merge_error.clone()
        })
        .value("mergeOngoing", "Whether it is merged at this moment.", |it| {
            it.state == State::Locked
        })
        .value("rebaseInProgress", "Whether it is rebased at this moment.", |it| {
            it.rebase_started_at.is_some()
        })
        .value("autoMergeEnabled", "Whether it is merged once its checks pass.", |it| {
            it.auto_merge
        })
        .value("mergeWhenPipelineSucceeds", "The same by its older name.", |it| {
            Some(it.auto_merge)
        })
        .value("autoMergeStrategy", "What such a merge waits for.", |it| {
            it.auto_merge.then(|| STRATEGY.to_owned())
        })
        .level("squashOnMerge", BOOLEAN.required(), |requests, _, context| {
            squashed(requests, context)
        })
        .describe("Whether its commits become one, as its project has it.")
}

fn counted(it: ObjectBuilder<'_, MergeRequest>) -> ObjectBuilder<'_, MergeRequest> {
    it.level(
        "upvotes",
        INT.required(),
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let found = context.load::<Thumbs>(ids(&requests)).await?;
            Ok(requests.iter().map(|it| found.get(&it.id).map_or(0, |it| it.0)).collect())
        },
    )
    .describe("Thumbs up.")
    .level(
        "downvotes",
        INT.required(),
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let found = context.load::<Thumbs>(ids(&requests)).await?;
            Ok(requests.iter().map(|it| found.get(&it.id).map_or(0, |it| it.1)).collect())
        },
    )
    .describe("Thumbs down.")
    .level("commitCount", INT, |requests: Vec<Arc<MergeRequest>>, _, context| async move {
        let found = context.load::<Versions>(ids(&requests)).await?;
        let of = |it: &Arc<MergeRequest>| found.get(&it.id).map(|it| it.commits_count);
        Ok(requests.iter().map(of).collect())
    })
    .describe("How many commits it has.")
    .level(
        "changesCount",
        STRING,
        |requests: Vec<Arc<MergeRequest>>, _, context| async move {
            let found = context.load::<Versions>(ids(&requests)).await?;
            let of = |it: &Arc<MergeRequest>| found.get(&it.id).map(Version::changes_count);
            Ok(requests.iter().map(of).collect())
        },
    )
    .describe("How many files it changes: `12`, `1000+`.")
}

async fn there(
    requests: Vec<Arc<MergeRequest>>, context: Context, is: fn(&Branches) -> bool,
) -> Result<Vec<bool>, Fault> {
    let found = context.load::<BranchesThere>(ids(&requests)).await?;
    Ok(requests.iter().map(|it| found.get(&it.id).is_some_and(is)).collect())
}

async fn squashed(requests: Vec<Arc<MergeRequest>>, context: Context) -> Result<Vec<bool>, Fault> {
    let projects = context.load::<Projects>(super::targets(&requests)).await?;
    let of = |it: &Arc<MergeRequest>| {
        let project = projects.get(&it.target_project_id);
        let option = project.map(|it| SquashOption::of(&it.project.squash_option));
        option.unwrap_or_default().decides(it.squash)
    };
    Ok(requests.iter().map(of).collect())
}

fn lookups(g: &mut Graph) {
    g.on::<ProjectView>("Project")
        .level("mergeRequest", object::<MergeRequest>("MergeRequest"), of_projects)
        .describe("One merge request; null unless the caller may see it.")
        .cost(Cost::LookedUp)
        .arg(argument("iid", STRING.required()).describe("Its number."));
    let text = "One merge request; null unless the caller may see it.";
    one_by_id::<Requests, _>(g, "mergeRequest", "MergeRequest", MERGE_REQUEST_ID, text);
}

async fn of_projects(
    projects: Vec<Arc<ProjectView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<MergeRequest>>>, Fault> {
    let iid: String = args.get("iid")?;
    let iid = number(&iid);
    let places = projects.iter().map(|it| it.project.id).collect();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, places: &[i64]| {
        owned::numbered(tx, viewer, places, iid)
    };
    one_of_each(&context, places, read, |it: MergeRequest| (it.target_project_id, it)).await
}
