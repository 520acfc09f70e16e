//! What decides whether a merge request can be merged, of what was read for many.

use super::related::Related;
use crate::merging::checks::Demands;
use crate::merging::status::{ApprovalProgress, Facts, PipelineEnd, Pipelines, PolicyProgress};
use crate::model::{MergeRequest, Settings, title_pattern};
use kernel::time::Timestamp;

/// The facts about a merge request at this time.
pub fn facts(request: &MergeRequest, around: &Related, now: Timestamp) -> Facts {
    let settings = around.settings.get(&request.target_project_id).cloned().unwrap_or_default();
    let version = around.versions.get(&request.id);
    let flags = around.flags(request);
    let branches = flags.branches;
    let is_empty = version.is_some_and(|version| version.commits_count == 0);
    let awaits_version = version.is_none_or(|version| Some(version.head_id) != request.head_id);
    let approvals = around.approvals.get(&request.id).copied();
    Facts {
        is_open: request.is_open(),
        merge_status: request.merge_status,
        awaits_version: awaits_version && branches.source,
        has_requested_changes: flags.requested_changes,
        approvals: approvals.unwrap_or(ApprovalProgress::Approved),
        is_blocked: flags.blocked,
        lacks_tracker_key: false,
        policies: PolicyProgress::Fulfilled,
        lacks_external_checks: false,
        has_locked_paths: false,
        is_too_early: request.merge_after.is_some_and(|at| at > now),
        is_draft: request.draft,
        has_wrong_title: has_wrong_title(&settings, &request.title),
        lacks_commits: is_empty || !branches.source || !branches.target,
        has_open_threads: has_open_threads(request, around, &settings),
        has_locked_large_files: false,
        needs_rebase: lacks_target(request, around) && !settings.automatic_rebase,
        pipelines: pipelines(request, around, &settings),
    }
}

/// What is asked for of a merge request that is not asked for of every one.
pub fn demands(request: &MergeRequest, around: &Related) -> Demands {
    let settings = around.settings.get(&request.target_project_id);
    Demands {
        threads: settings.is_some_and(|settings| settings.threads_must_be_resolved),
        title: settings.is_some_and(|settings| settings.title_pattern.is_some()),
        is_linear: is_linear(request, around)
            && settings.is_none_or(|settings| !settings.automatic_rebase),
        time: request.merge_after.is_some(),
    }
}

/// Whether a thread that has to be resolved is not.
pub fn has_open_threads(request: &MergeRequest, around: &Related, settings: &Settings) -> bool {
    settings.threads_must_be_resolved && around.flags(request).open_threads
}

fn has_wrong_title(settings: &Settings, title: &str) -> bool {
    let Some(pattern) = &settings.title_pattern else {
        return false;
    };
    title_pattern(pattern).is_some_and(|pattern| !pattern.is_match(title))
}

/// Whether the source lacks commits of the target that the method of its project asks for:
/// somebody has to rebase it, or the merge does.
pub fn lacks_target(request: &MergeRequest, around: &Related) -> bool {
    request.needs_rebase && is_linear(request, around)
}

/// Whether the method of its project takes nothing that the source lacks.
fn is_linear(request: &MergeRequest, around: &Related) -> bool {
    let method = around.target(request).map(|project| project.merge_method.as_str());
    matches!(method, Some("ff" | "rebase_merge"))
}

fn pipelines(request: &MergeRequest, around: &Related, settings: &Settings) -> Pipelines {
    let newest = around.pipeline(request);
    let end = newest.map(|pipeline| PipelineEnd::of_status(pipeline.status.as_str()));
    Pipelines {
        must_succeed: settings.pipelines_must_succeed,
        may_be_skipped: settings.skipped_pipelines_pass,
        are_awaited: request.auto_merge && end.is_some(),
        end,
    }
}
