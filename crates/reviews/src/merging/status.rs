//! Whether a merge request can be merged: what is stored of the files, and the first thing
//! that stands in the way of the rest. Pure.

kernel::choices! {
    /// What is known of merging the files.
    pub enum MergeStatus as "StoredMergeStatus" {
        /// It was just made.
        Preparing = "preparing",
        Unchecked = "unchecked",
        Checking = "checking",
        CanBeMerged = "can_be_merged",
        CannotBeMerged = "cannot_be_merged",
        /// It could not be merged before one of the branches moved.
        CannotBeMergedRecheck = "cannot_be_merged_recheck",
        CannotBeMergedRechecking = "cannot_be_merged_rechecking",
    }
}

/// What happens to the stored status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The first version is there.
    Prepared,
    /// The source or the target is elsewhere.
    Moved,
    /// A check begins.
    Begun,
    /// A check ended, of the heads as they still are: whether they can be merged.
    Checked(bool),
}

impl MergeStatus {
    /// The status after an event; the same where that says nothing about it.
    #[must_use]
    pub fn after(self, event: Event) -> MergeStatus {
        use MergeStatus as S;
        match (event, self) {
            (Event::Prepared, S::Preparing) => S::Unchecked,
            (Event::Moved, S::Unchecked | S::Checking | S::CanBeMerged) => S::Unchecked,
            (Event::Moved, S::CannotBeMerged | S::CannotBeMergedRechecking) => {
                S::CannotBeMergedRecheck
            }
            (Event::Begun, S::Unchecked) => S::Checking,
            (Event::Begun, S::CannotBeMergedRecheck) => S::CannotBeMergedRechecking,
            (Event::Checked(can), S::Checking | S::CannotBeMergedRechecking) => match can {
                true => S::CanBeMerged,
                false => S::CannotBeMerged,
            },
            // A result that nobody waits for any more is thrown away.
            (_, same) => same,
        }
    }

    /// As `merge_status` shows it.
    pub fn shown(self) -> &'static str {
        match self {
            MergeStatus::Preparing
            | MergeStatus::Checking
            | MergeStatus::CannotBeMergedRechecking => MergeStatus::Checking.as_str(),
            other => other.as_str(),
        }
    }

    /// Whether a check has to begin before anything is known.
    pub fn needs_check(self) -> bool {
        matches!(self, MergeStatus::Unchecked | MergeStatus::CannotBeMergedRecheck)
    }

    /// Whether somebody checks now.
    pub fn is_checking(self) -> bool {
        matches!(self, MergeStatus::Checking | MergeStatus::CannotBeMergedRechecking)
    }
}

kernel::choices! {
    /// What stands in the way of a merge, the first that is told first.
    pub enum DetailedStatus as "DetailedMergeStatus" {
        NotOpen = "not_open",
        Preparing = "preparing",
        Checking = "checking",
        Unchecked = "unchecked",
        RequestedChanges = "requested_changes",
        NotApproved = "not_approved",
        ApprovalsSyncing = "approvals_syncing",
        Blocked = "merge_request_blocked",
        TrackerKeyMissing = "jira_association_missing",
        PolicyViolated = "security_policy_violations",
        PolicyPipeline = "security_policy_pipeline_check",
        ExternalChecks = "status_checks_must_pass",
        LockedPaths = "locked_paths",
        MergeTime = "merge_time",
        Draft = "draft_status",
        TitlePattern = "title_regex",
        CommitsStatus = "commits_status",
        OpenThreads = "discussions_not_resolved",
        LockedLargeFiles = "locked_lfs_files",
        Conflict = "conflict",
        NeedsRebase = "need_rebase",
        PipelineRuns = "ci_still_running",
        PipelineMustPass = "ci_must_pass",
        Mergeable = "mergeable",
    }
}

/// How far approvals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalProgress {
    #[default]
    Approved,
    Missing,
    /// Those before a push are being taken back.
    Syncing,
}

/// How a policy stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PolicyProgress {
    #[default]
    Fulfilled,
    Violated,
    /// The pipeline that decides it runs.
    Waiting,
}

/// How the pipeline of the head ended, or of its merge with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineEnd {
    Succeeded,
    Failed,
    Skipped,
    /// It has not ended.
    Open,
}

impl PipelineEnd {
    /// The end that a status of pipelines stands for.
    pub fn of_status(status: &str) -> PipelineEnd {
        match status {
            "success" => PipelineEnd::Succeeded,
            "failed" | "canceled" => PipelineEnd::Failed,
            "skipped" => PipelineEnd::Skipped,
            _ => PipelineEnd::Open,
        }
    }
}

/// What pipelines have to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pipelines {
    /// The project wants them to succeed.
    pub must_succeed: bool,
    /// One that was skipped counts as one that succeeded.
    pub may_be_skipped: bool,
    /// The merge waits for the checks, in a project that has pipelines.
    pub are_awaited: bool,
    /// Of the head as it is now; none if there is none.
    pub end: Option<PipelineEnd>,
}

impl Pipelines {
    fn hold(self) -> Option<DetailedStatus> {
        if !self.must_succeed && !self.are_awaited {
            return None;
        }
        match self.end {
            Some(PipelineEnd::Succeeded) => None,
            Some(PipelineEnd::Skipped) if self.may_be_skipped => None,
            Some(PipelineEnd::Open) => Some(DetailedStatus::PipelineRuns),
            _ => Some(DetailedStatus::PipelineMustPass),
        }
    }
}

/// All that decides whether a merge request can be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub is_open: bool,
    pub merge_status: MergeStatus,
    /// The head of the source is newer than the newest version.
    pub awaits_version: bool,
    /// A reviewer's wish for changes stands.
    pub has_requested_changes: bool,
    pub approvals: ApprovalProgress,
    /// Another one that it depends on is not merged.
    pub is_blocked: bool,
    pub lacks_tracker_key: bool,
    pub policies: PolicyProgress,
    pub lacks_external_checks: bool,
    /// Somebody else locked a path it changes.
    pub has_locked_paths: bool,
    /// It is not to be merged before a time that is still to come.
    pub is_too_early: bool,
    pub is_draft: bool,
    pub has_wrong_title: bool,
    /// It has no commits, or one of its branches is gone.
    pub lacks_commits: bool,
    pub has_open_threads: bool,
    pub has_locked_large_files: bool,
    /// The method does not merge, the source lacks what the target has, and no merge rebases
    /// it.
    pub needs_rebase: bool,
    pub pipelines: Pipelines,
}

impl Facts {
    /// Those of one that nothing stands in the way of but what is known of its files.
    pub fn open(merge_status: MergeStatus) -> Facts {
        Facts {
            is_open: true,
            merge_status,
            awaits_version: false,
            has_requested_changes: false,
            approvals: ApprovalProgress::Approved,
            is_blocked: false,
            lacks_tracker_key: false,
            policies: PolicyProgress::Fulfilled,
            lacks_external_checks: false,
            has_locked_paths: false,
            is_too_early: false,
            is_draft: false,
            has_wrong_title: false,
            lacks_commits: false,
            has_open_threads: false,
            has_locked_large_files: false,
            needs_rebase: false,
            pipelines: Pipelines::default(),
        }
    }

    /// What is told of it: the first thing in the way.
    pub fn status(&self) -> DetailedStatus {
        let mut failing = self.failing();
        failing.next().unwrap_or(DetailedStatus::Mergeable)
    }

    /// All that stands in the way, in the order it is told.
    pub fn failing(&self) -> impl Iterator<Item = DetailedStatus> + '_ {
        let all = DetailedStatus::ALL.iter().copied();
        all.filter(move |one| one.is_in_the_way_of(self))
    }

    /// Whether nothing is in the way but that nobody looked yet whether its files can be
    /// merged, as they are now.
    pub fn lacks_only_a_check(&self) -> bool {
        use DetailedStatus as D;
        let is_of_files = |status: DetailedStatus| matches!(status, D::Checking | D::Unchecked);
        let mut failing = self.failing().peekable();
        !self.awaits_version && failing.peek().is_some() && failing.all(is_of_files)
    }

    /// Whether it may be told to be merged by itself, once what is in the way is gone. With
    /// nothing in the way there has to be a pipeline to wait for.
    pub fn may_wait(&self, has_open_pipeline: bool) -> bool {
        let mut failing = self.failing().peekable();
        match failing.peek() {
            None => has_open_pipeline,
            Some(_) => failing.all(DetailedStatus::may_be_awaited),
        }
    }
}

impl DetailedStatus {
    fn is_in_the_way_of(self, facts: &Facts) -> bool {
        use DetailedStatus as D;
        use MergeStatus as S;
        let files = facts.merge_status;
        match self {
            D::NotOpen => !facts.is_open,
            D::Preparing => files == S::Preparing,
            D::Checking => files.is_checking() || (facts.awaits_version && files != S::Preparing),
            D::Unchecked => files.needs_check() && !facts.awaits_version,
            D::RequestedChanges => facts.has_requested_changes,
            D::NotApproved => facts.approvals == ApprovalProgress::Missing,
            D::ApprovalsSyncing => facts.approvals == ApprovalProgress::Syncing,
            D::Blocked => facts.is_blocked,
            D::TrackerKeyMissing => facts.lacks_tracker_key,
            D::PolicyViolated => facts.policies == PolicyProgress::Violated,
            D::PolicyPipeline => facts.policies == PolicyProgress::Waiting,
            D::ExternalChecks => facts.lacks_external_checks,
            D::LockedPaths => facts.has_locked_paths,
            D::MergeTime => facts.is_too_early,
            D::Draft => facts.is_draft,
            D::TitlePattern => facts.has_wrong_title,
            D::CommitsStatus => facts.lacks_commits,
            D::OpenThreads => facts.has_open_threads,
            D::LockedLargeFiles => facts.has_locked_large_files,
            D::Conflict => files == S::CannotBeMerged && !facts.lacks_commits,
            D::NeedsRebase => facts.needs_rebase && !facts.lacks_commits,
            D::PipelineRuns | D::PipelineMustPass => facts.pipelines.hold() == Some(self),
            D::Mergeable => false,
        }
    }

    /// Whether a merge may be ordered while this is in its way.
    pub fn may_be_awaited(self) -> bool {
        use DetailedStatus as D;
        !matches!(
            self,
            D::NotOpen | D::CommitsStatus | D::Conflict | D::NeedsRebase | D::TitlePattern
        )
    }

    /// Whether it goes by itself.
    pub fn passes_by_itself(self) -> bool {
        use DetailedStatus as D;
        matches!(
            self,
            D::Preparing
                | D::Checking
                | D::Unchecked
                | D::ApprovalsSyncing
                | D::PolicyPipeline
                | D::ExternalChecks
                | D::MergeTime
                | D::PipelineRuns
        )
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
