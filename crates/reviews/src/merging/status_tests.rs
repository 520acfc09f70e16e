use super::*;
use MergeStatus as S;

/// Each status after each event: prepared, moved, begun, checked well, checked badly.
#[test]
fn what_is_stored_follows_what_happens() {
    let events = [
        Event::Prepared,
        Event::Moved,
        Event::Begun,
        Event::Checked(true),
        Event::Checked(false),
    ];
    let recheck = S::CannotBeMergedRecheck;
    let rechecking = S::CannotBeMergedRechecking;
    for (before, after) in [
        (
            S::Preparing,
            [S::Unchecked, S::Preparing, S::Preparing, S::Preparing, S::Preparing],
        ),
        (
            S::Unchecked,
            [S::Unchecked, S::Unchecked, S::Checking, S::Unchecked, S::Unchecked],
        ),
        (
            S::Checking,
            [S::Checking, S::Unchecked, S::Checking, S::CanBeMerged, S::CannotBeMerged],
        ),
        (
            S::CanBeMerged,
            [S::CanBeMerged, S::Unchecked, S::CanBeMerged, S::CanBeMerged, S::CanBeMerged],
        ),
        (
            S::CannotBeMerged,
            [
                S::CannotBeMerged,
                recheck,
                S::CannotBeMerged,
                S::CannotBeMerged,
                S::CannotBeMerged,
            ],
        ),
        (recheck, [recheck, recheck, rechecking, recheck, recheck]),
        (rechecking, [rechecking, recheck, rechecking, S::CanBeMerged, S::CannotBeMerged]),
    ] {
        assert_eq!(events.map(|event| before.after(event)), after, "{before}");
    }
}

#[test]
fn inner_statuses_are_shown_by_others() {
    for (status, shown, detailed) in [
        (S::Preparing, "checking", "preparing"),
        (S::Unchecked, "unchecked", "unchecked"),
        (S::Checking, "checking", "checking"),
        (S::CanBeMerged, "can_be_merged", "mergeable"),
        (S::CannotBeMerged, "cannot_be_merged", "conflict"),
        (S::CannotBeMergedRecheck, "cannot_be_merged_recheck", "unchecked"),
        (S::CannotBeMergedRechecking, "checking", "checking"),
    ] {
        assert_eq!(status.shown(), shown);
        assert_eq!(Facts::open(status).status().as_str(), detailed, "{status}");
    }
}

fn everything_fails() -> Facts {
    Facts {
        is_open: false,
        has_requested_changes: true,
        approvals: ApprovalProgress::Missing,
        is_blocked: true,
        lacks_tracker_key: true,
        policies: PolicyProgress::Violated,
        lacks_external_checks: true,
        has_locked_paths: true,
        is_too_early: true,
        is_draft: true,
        has_wrong_title: true,
        has_open_threads: true,
        has_locked_large_files: true,
        needs_rebase: true,
        pipelines: Pipelines { must_succeed: true, ..Pipelines::default() },
        ..Facts::open(S::CannotBeMerged)
    }
}

/// What is told, as one thing after the other is put right.
#[test]
fn the_first_thing_in_the_way_is_told() {
    type Repair = fn(&mut Facts);
    let repairs: &[(&str, Repair)] = &[
        ("not_open", |facts| facts.is_open = true),
        ("requested_changes", |facts| facts.has_requested_changes = false),
        ("not_approved", |facts| facts.approvals = ApprovalProgress::Syncing),
        ("approvals_syncing", |facts| facts.approvals = ApprovalProgress::Approved),
        ("merge_request_blocked", |facts| facts.is_blocked = false),
        ("jira_association_missing", |facts| facts.lacks_tracker_key = false),
        ("security_policy_violations", |facts| facts.policies = PolicyProgress::Waiting),
        ("security_policy_pipeline_check", |facts| {
            facts.policies = PolicyProgress::Fulfilled
        }),
        ("status_checks_must_pass", |facts| facts.lacks_external_checks = false),
        ("locked_paths", |facts| facts.has_locked_paths = false),
        ("merge_time", |facts| facts.is_too_early = false),
        ("draft_status", |facts| facts.is_draft = false),
        ("title_regex", |facts| facts.has_wrong_title = false),
        ("discussions_not_resolved", |facts| facts.has_open_threads = false),
        ("locked_lfs_files", |facts| facts.has_locked_large_files = false),
        ("conflict", |facts| facts.merge_status = S::CanBeMerged),
        ("need_rebase", |facts| facts.needs_rebase = false),
        ("ci_must_pass", |facts| facts.pipelines.end = Some(PipelineEnd::Open)),
        ("ci_still_running", |facts| facts.pipelines.end = Some(PipelineEnd::Succeeded)),
        ("mergeable", |_| {}),
    ];
    let mut facts = everything_fails();
    for (expected, repair) in repairs {
        assert_eq!(facts.status().as_str(), *expected);
        repair(&mut facts);
    }
}

#[test]
fn without_commits_nothing_is_said_of_conflicts() {
    let facts = Facts {
        lacks_commits: true,
        needs_rebase: true,
        ..Facts::open(S::CannotBeMerged)
    };
    assert_eq!(facts.failing().collect::<Vec<_>>(), [DetailedStatus::CommitsStatus]);
}

#[test]
fn a_newer_head_is_being_looked_at() {
    for status in [S::Unchecked, S::CanBeMerged, S::CannotBeMerged, S::CannotBeMergedRecheck] {
        let facts = Facts { awaits_version: true, ..Facts::open(status) };
        assert_eq!(facts.status(), DetailedStatus::Checking, "{status}");
    }
    let facts = Facts { awaits_version: true, ..Facts::open(S::Preparing) };
    assert_eq!(facts.status(), DetailedStatus::Preparing);
}

#[test]
fn pipelines_count_where_somebody_asks_for_them() {
    let (ends, names) = (
        ["success", "failed", "canceled", "skipped", "manual", "running"],
        [
            "mergeable",
            "ci_must_pass",
            "ci_must_pass",
            "ci_must_pass",
            "ci_still_running",
            "ci_still_running",
        ],
    );
    let status =
        |pipelines: Pipelines| Facts { pipelines, ..Facts::open(S::CanBeMerged) }.status().as_str();
    for (end, name) in ends.iter().zip(names) {
        let end = Some(PipelineEnd::of_status(end));
        let asked = Pipelines { must_succeed: true, end, ..Pipelines::default() };
        assert_eq!(status(asked), name, "{end:?}");
        let awaited = Pipelines { are_awaited: true, end, ..Pipelines::default() };
        assert_eq!(status(awaited), name, "{end:?}");
        assert_eq!(status(Pipelines { end, ..Pipelines::default() }), "mergeable", "{end:?}");
    }
    let skipped = Pipelines {
        must_succeed: true,
        may_be_skipped: true,
        end: Some(PipelineEnd::Skipped),
        ..Pipelines::default()
    };
    assert_eq!(status(skipped), "mergeable");
    let none = Pipelines { must_succeed: true, ..Pipelines::default() };
    assert_eq!(status(none), "ci_must_pass");
}

#[test]
fn a_merge_waits_for_what_can_still_be_put_right() {
    let good = Facts::open(S::CanBeMerged);
    assert!(!good.may_wait(false), "there is nothing to wait for");
    assert!(good.may_wait(true));
    let draft = Facts { is_draft: true, has_open_threads: true, ..good };
    assert!(draft.may_wait(false));
    assert!(Facts::open(S::Unchecked).may_wait(false));
    for never in [
        Facts { is_open: false, ..draft },
        Facts { lacks_commits: true, ..draft },
        Facts { needs_rebase: true, ..draft },
        Facts { has_wrong_title: true, ..draft },
        Facts { merge_status: S::CannotBeMerged, ..draft },
    ] {
        assert!(!never.may_wait(true), "{never:?}");
    }
}

#[test]
fn what_only_a_check_is_missing_of_is_told_apart() {
    for (status, expected) in [
        (S::Preparing, false),
        (S::Unchecked, true),
        (S::Checking, true),
        (S::CannotBeMergedRecheck, true),
        (S::CanBeMerged, false),
        (S::CannotBeMerged, false),
    ] {
        let facts = Facts::open(status);
        assert_eq!(facts.lacks_only_a_check(), expected, "{status}");
        assert!(!Facts { is_draft: true, ..facts }.lacks_only_a_check(), "{status}");
        assert!(!Facts { awaits_version: true, ..facts }.lacks_only_a_check(), "{status}");
    }
}
