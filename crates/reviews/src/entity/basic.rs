//! Merge requests in lists.

use super::facts::{facts, has_open_threads};
use super::related::{Base, Related};
use super::shapes::{BasicEntity, CommonEntity, SimpleEntity};
use crate::merging::MergeStatus;
use crate::model::{MergeRequest, SquashOption, State};
use kernel::app::App;
use kernel::time::wire;
use planning::entity::issues::{LabelsShown, References, TaskStatus, time_stats};
use planning::entity::labels::details as label_details;
use planning::entity::milestones::milestone;
use repositories::formats::object_id::ObjectId;

fn common(request: &MergeRequest) -> CommonEntity {
    CommonEntity {
        id: request.id,
        iid: request.iid,
        project_id: request.target_project_id,
        title: request.title.clone(),
        description: request.description.clone(),
        state: request.state,
        created_at: wire::text(request.created_at),
        updated_at: wire::text(request.updated_at),
    }
}

/// A merge request in few words.
pub fn simple(app: &App, request: &MergeRequest) -> SimpleEntity {
    SimpleEntity { common: common(request), web_url: app.url(&request.path()) }
}

fn references(request: &MergeRequest, base: &Base) -> References {
    let short = request.reference();
    let full = format!("{}{short}", request.project_path);
    let relative = match base {
        Base::Project => short.clone(),
        Base::Group(path) => {
            let below = full.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('/'));
            below.unwrap_or(&full).to_owned()
        }
        Base::Nothing => full.clone(),
    };
    References { short, relative, full }
}

fn labels(request: &MergeRequest, around: &Related, details: bool) -> LabelsShown {
    let worn = around.labels.get(&request.id).map(Vec::as_slice).unwrap_or_default();
    match details {
        true => LabelsShown::Details(worn.iter().map(label_details).collect()),
        false => LabelsShown::Titles(worn.iter().map(|one| one.title.clone()).collect()),
    }
}

fn sha(id: Option<ObjectId>) -> Option<String> {
    id.map(|id| id.to_string())
}

/// One merge request; labels whole where details were asked for.
pub fn basic(app: &App, request: &MergeRequest, around: &Related, details: bool) -> BasicEntity {
    let assigned = around.assignees.get(&request.id).into_iter().flatten();
    let assignees: Vec<_> = assigned.filter_map(|id| around.person(app, Some(*id))).collect();
    let reviewing = around.reviewers.get(&request.id).into_iter().flatten();
    let reviewers = reviewing.filter_map(|one| around.person(app, Some(one.user_id)));
    let merge_user = around.person(app, request.merge_user_id);
    let flags = around.flags(request);
    let settings = around.settings.get(&request.target_project_id).cloned().unwrap_or_default();
    let squash = around.target(request).map(|project| SquashOption::of(&project.squash_option));
    let squash = squash.unwrap_or_default();
    let is_open_fork = request.is_from_fork().then(|| around.open_forks.contains(&request.id));
    let (count, completed_count) = (request.task_count, request.task_completed_count);
    BasicEntity {
        common: common(request),
        merged_by: merge_user.clone().filter(|_| request.state == State::Merged),
        merge_user,
        merged_at: request.merged_at.map(wire::text),
        closed_by: around.person(app, request.closed_by_id),
        closed_at: request.closed_at.map(wire::text),
        title_html: None,
        description_html: None,
        target_branch: request.target_branch.clone(),
        source_branch: request.source_branch.clone(),
        user_notes_count: around.notes(request),
        upvotes: flags.upvotes,
        downvotes: flags.downvotes,
        author: around.person(app, request.author_id),
        assignee: assignees.first().cloned(),
        assignees,
        reviewers: reviewers.collect(),
        source_project_id: request.source_project_id,
        target_project_id: request.target_project_id,
        labels: labels(request, around, details),
        draft: request.draft,
        imported: request.imported_from.is_some(),
        imported_from: request.imported_from.clone().unwrap_or_else(|| "none".to_owned()),
        work_in_progress: request.draft,
        milestone: request
            .milestone_id
            .and_then(|id| around.milestones.get(&id))
            .map(|goal| milestone(app, goal)),
        merge_when_pipeline_succeeds: request.auto_merge,
        merge_status: request.merge_status.shown().to_owned(),
        detailed_merge_status: facts(request, around, app.now()).status(),
        merge_after: request.merge_after.map(wire::text),
        sha: sha(request.head_id),
        merge_commit_sha: sha(request.merge_commit_id),
        squash_commit_sha: sha(request.squash_commit_id),
        discussion_locked: request.discussion_locked,
        should_remove_source_branch: request.should_remove_source_branch,
        force_remove_source_branch: request.force_remove_source_branch,
        prepared_at: request.prepared_at.map(wire::text),
        allow_collaboration: is_open_fork,
        allow_maintainer_to_push: is_open_fork,
        reference: request.reference(),
        references: references(request, &around.base),
        web_url: app.url(&request.path()),
        time_stats: time_stats(request),
        squash: request.squash,
        squash_on_merge: squash.decides(request.squash),
        task_completion_status: TaskStatus { count, completed_count },
        has_conflicts: request.merge_status == MergeStatus::CannotBeMerged,
        blocking_discussions_resolved: !has_open_threads(request, around, &settings),
        approvals_before_merge: None,
    }
}
