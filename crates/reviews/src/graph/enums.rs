//! The closed lists of merge requests.

use crate::approvals::model::RuleType;
use crate::merging::MergeStatus;
use crate::merging::checks::{CHECKS, CheckStatus};
use crate::merging::status::DetailedStatus;
use crate::model::{ReviewState, State};
use crate::positions::PositionType;
use kernel::graph::shape::Leaf;
use kernel::graph::{Graph, item};
use planning::graph::time_sorts;
use serde_json::json;

pub const STATE: Leaf<State> = Leaf::new("MergeRequestState", |it| json!(it.as_str()));
pub const MERGE_STATUS: Leaf<MergeStatus> =
    Leaf::new("MergeStatus", |it| json!(it.shown().to_ascii_uppercase()));
pub const DETAILED: Leaf<DetailedStatus> = Leaf::new("DetailedMergeStatus", |it| json!(named(it)));
pub const CHECK: Leaf<DetailedStatus> =
    Leaf::new("MergeabilityCheckIdentifier", |it| json!(check_named(it)));
pub const CHECK_STATUS: Leaf<CheckStatus> = Leaf::upper("MergeabilityCheckStatus");
pub const REVIEW_STATE: Leaf<ReviewState> = Leaf::upper("MergeRequestReviewState");
pub const RULE_TYPE: Leaf<RuleType> = Leaf::upper("ApprovalRuleType");
pub const POSITION_TYPE: Leaf<PositionType> =
    Leaf::new("DiffPositionType", |it| json!(it.as_str()));

/// A status as GraphQL has it, and what it says.
const STATUSES: &[(DetailedStatus, &str, &str)] = {
    use DetailedStatus as D;
    &[
        (D::NotOpen, "NOT_OPEN", "It is not open."),
        (D::Preparing, "PREPARING", "What differs is not read yet."),
        (D::Checking, "CHECKING", "It is being looked at."),
        (D::Unchecked, "UNCHECKED", "Nobody looked at it yet."),
        (D::RequestedChanges, "REQUESTED_CHANGES", "A reviewer wants changes."),
        (D::NotApproved, "NOT_APPROVED", "Approvals are missing."),
        (D::ApprovalsSyncing, "APPROVALS_SYNCING", "Approvals are being taken back."),
        (D::Blocked, "BLOCKED_STATUS", "It waits for another one."),
        (D::TrackerKeyMissing, "JIRA_ASSOCIATION", "It names no issue of the tracker."),
        (D::PolicyViolated, "SECURITY_POLICIES_VIOLATIONS", "It breaks a policy."),
        (
            D::PolicyPipeline,
            "SECURITY_POLICY_PIPELINE_CHECK",
            "A policy waits for a pipeline.",
        ),
        (D::ExternalChecks, "EXTERNAL_STATUS_CHECKS", "Checks elsewhere have not passed."),
        (D::LockedPaths, "LOCKED_PATHS", "It changes what somebody locked."),
        (D::MergeTime, "MERGE_TIME", "It is too early."),
        (D::Draft, "DRAFT_STATUS", "It is a draft."),
        (D::TitlePattern, "TITLE_NOT_MATCHING", "Its title is not as it has to be."),
        (D::CommitsStatus, "COMMITS_STATUS", "It has no commits, or a branch is gone."),
        (D::OpenThreads, "DISCUSSIONS_NOT_RESOLVED", "Discussions are not resolved."),
        (
            D::LockedLargeFiles,
            "LOCKED_LFS_FILES",
            "It changes large files that are locked.",
        ),
        (D::Conflict, "CONFLICT", "The branches cannot be merged."),
        (D::NeedsRebase, "NEED_REBASE", "The source lacks what the target has."),
        (D::PipelineRuns, "CI_STILL_RUNNING", "Its pipeline runs."),
        (D::PipelineMustPass, "CI_MUST_PASS", "Its pipeline did not succeed."),
        (D::Mergeable, "MERGEABLE", "It can be merged."),
    ]
};

/// Checks whose names differ from those of statuses.
const CHECKS_NAMED: &[(DetailedStatus, &str)] = {
    use DetailedStatus as D;
    &[
        (D::Blocked, "MERGE_REQUEST_BLOCKED"),
        (D::TrackerKeyMissing, "JIRA_ASSOCIATION_MISSING"),
        (D::PolicyViolated, "SECURITY_POLICY_VIOLATIONS"),
        (D::ExternalChecks, "STATUS_CHECKS_MUST_PASS"),
        (D::TitlePattern, "TITLE_REGEX"),
    ]
};

fn named(status: DetailedStatus) -> &'static str {
    let found = STATUSES.iter().find(|(one, _, _)| *one == status);
    found.map_or("UNCHECKED", |(_, name, _)| *name)
}

/// What a status says.
pub fn said(status: DetailedStatus) -> &'static str {
    let found = STATUSES.iter().find(|(one, _, _)| *one == status);
    found.map_or("", |(_, _, text)| *text)
}

fn check_named(status: DetailedStatus) -> &'static str {
    let found = CHECKS_NAMED.iter().find(|(one, _)| *one == status);
    found.map_or_else(|| named(status), |(_, name)| *name)
}

pub fn graph(g: &mut Graph) {
    states(g);
    statuses(g);
    review(g);
    sorts(g);
    let kinds = vec![
        item("text", "A line."),
        item("image", "A point of a picture."),
        item("file", "A file as a whole."),
    ];
    g.enumeration("DiffPositionType", "What a note stands at.", kinds);
}

fn states(g: &mut Graph) {
    let states = vec![
        item("opened", "To be merged."),
        item("closed", "Not to be merged."),
        item("locked", "Being merged at this moment."),
        item("merged", "Merged."),
        item("all", "Whichever, where one is looked for."),
    ];
    g.enumeration("MergeRequestState", "States of a merge request.", states);
    let states = vec![item("OPEN", "Open it again."), item("CLOSED", "Close it.")];
    g.enumeration("MergeRequestNewState", "What becomes of a merge request.", states);
    let strategies = vec![item("MERGE_WHEN_CHECKS_PASS", "Once all checks pass.")];
    g.enumeration("MergeStrategyEnum", "When something is merged.", strategies);
}

fn statuses(g: &mut Graph) {
    let merge = vec![
        item("UNCHECKED", "Nobody looked at it yet."),
        item("CHECKING", "It is being looked at."),
        item("CAN_BE_MERGED", "The branches can be merged."),
        item("CANNOT_BE_MERGED", "The branches cannot be merged."),
        item("CANNOT_BE_MERGED_RECHECK", "They could not, and a branch moved since."),
    ];
    g.enumeration("MergeStatus", "What is known of merging the branches.", merge);
    let mut detailed: Vec<_> = STATUSES.iter().map(|(_, name, text)| item(name, text)).collect();
    let text = "Owners of files have not approved; told as not approved here.";
    detailed.push(item("CODE_OWNERS_APPROVAL", text));
    let text = "The first thing that stands in the way of a merge.";
    g.enumeration("DetailedMergeStatus", text, detailed);
    let check =
        |it: &DetailedStatus| item(check_named(*it), &format!("Where it fails: {}", said(*it)));
    let checks = CHECKS.iter().map(check).collect();
    g.enumeration("MergeabilityCheckIdentifier", "What is looked at before a merge.", checks);
    let statuses = vec![
        item("SUCCESS", "It passed."),
        item("CHECKING", "It is not known yet."),
        item("FAILED", "It failed."),
        item("INACTIVE", "Nobody asks for it."),
    ];
    g.enumeration("MergeabilityCheckStatus", "How a check is.", statuses);
}

fn review(g: &mut Graph) {
    let states = vec![
        item("UNREVIEWED", "Nothing yet."),
        item("REVIEWED", "They reviewed it."),
        item("REQUESTED_CHANGES", "They want changes."),
        item("APPROVED", "They approved it."),
        item("UNAPPROVED", "Their approval does not stand any more."),
        item("REVIEW_STARTED", "They began."),
    ];
    g.enumeration("MergeRequestReviewState", "What a reviewer said last.", states);
    let types = vec![
        item("REGULAR", "People and members of groups that it names."),
        item("ANY_APPROVER", "Everyone who may approve."),
        item("CODE_OWNER", "Those who own files that change."),
        item("REPORT_APPROVER", "Those whom a policy names."),
    ];
    g.enumeration("ApprovalRuleType", "Whose approvals a rule counts.", types);
    let wildcards = vec![item("NONE", "Nobody reviews."), item("ANY", "Somebody reviews.")];
    g.enumeration("ReviewerWildcardId", "Reviewed or not.", wildcards);
}

fn sorts(g: &mut Graph) {
    let sorts = [
        ("MERGED_AT_ASC", "First merged first, those that are not last."),
        ("MERGED_AT_DESC", "Last merged first, those that are not last."),
        ("CLOSED_AT_ASC", "First closed first, those that are not last."),
        ("CLOSED_AT_DESC", "Last closed first, those that are not last."),
        ("TITLE_ASC", "By title."),
        ("TITLE_DESC", "By title, from the last."),
        ("POPULARITY_ASC", "Fewest thumbs up first."),
        ("POPULARITY_DESC", "Most thumbs up first."),
        ("MILESTONE_DUE_ASC", "By the last day of the milestone, those without one last."),
        ("MILESTONE_DUE_DESC", "The same from the latest day, those without one last."),
        ("PRIORITY_ASC", "By the first priority of a label, those without one last."),
        ("PRIORITY_DESC", "The same from the last priority, those without one last."),
        (
            "LABEL_PRIORITY_ASC",
            "By the first priority of a label, those without one last.",
        ),
        (
            "LABEL_PRIORITY_DESC",
            "The same from the last priority, those without one last.",
        ),
    ];
    let own = sorts.into_iter().map(|(name, text)| item(name, text));
    let sorts = time_sorts().into_iter().chain(own).collect();
    g.enumeration("MergeRequestSort", "Orders of merge requests.", sorts);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_and_check_has_its_own_name() {
        for status in DetailedStatus::ALL {
            assert!(STATUSES.iter().any(|(one, _, _)| one == status), "{status}");
        }
        let mut names: Vec<&str> = CHECKS.iter().map(|status| check_named(*status)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
        assert_eq!(named(DetailedStatus::Blocked), "BLOCKED_STATUS");
        assert_eq!(check_named(DetailedStatus::Blocked), "MERGE_REQUEST_BLOCKED");
    }
}
