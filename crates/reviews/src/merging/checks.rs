//! What is looked at before a merge, one check after the other, and how each of them is.
//! Pure.

use super::status::{ApprovalProgress, DetailedStatus, Facts, MergeStatus};

kernel::choices! {
    /// How a check is.
    pub enum CheckStatus as "MergeabilityCheckStatus" {
        Success = "success",
        /// It is not known yet.
        Checking = "checking",
        Failed = "failed",
        /// Nobody asks for it.
        Inactive = "inactive",
    }
}

/// A check, called by what it tells where it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    pub identifier: DetailedStatus,
    pub status: CheckStatus,
}

/// What a project and a merge request ask for of what not everybody does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Demands {
    /// Threads have to be resolved.
    pub threads: bool,
    /// Titles have to match a pattern.
    pub title: bool,
    /// The source has to have all of the target before the merge.
    pub is_linear: bool,
    /// It is not merged before some time.
    pub time: bool,
}

/// The checks, in the order in which they are told.
pub const CHECKS: [DetailedStatus; 17] = {
    use DetailedStatus as D;
    [
        D::NotOpen,
        D::RequestedChanges,
        D::NotApproved,
        D::Blocked,
        D::TrackerKeyMissing,
        D::PolicyViolated,
        D::ExternalChecks,
        D::LockedPaths,
        D::MergeTime,
        D::Draft,
        D::TitlePattern,
        D::CommitsStatus,
        D::OpenThreads,
        D::LockedLargeFiles,
        D::Conflict,
        D::NeedsRebase,
        D::PipelineMustPass,
    ]
};

/// How each check of a merge request is.
pub fn checks(facts: &Facts, demands: Demands) -> Vec<Check> {
    let failing: Vec<DetailedStatus> = facts.failing().collect();
    let status = |identifier: DetailedStatus| {
        if failing.contains(&identifier) {
            CheckStatus::Failed
        } else if !is_asked_for(identifier, facts, demands) {
            CheckStatus::Inactive
        } else if is_open(identifier, facts, &failing) {
            CheckStatus::Checking
        } else {
            CheckStatus::Success
        }
    };
    CHECKS
        .map(|identifier| Check { identifier, status: status(identifier) })
        .to_vec()
}

fn is_asked_for(identifier: DetailedStatus, facts: &Facts, demands: Demands) -> bool {
    use DetailedStatus as D;
    match identifier {
        // There are no such rules here yet.
        D::TrackerKeyMissing
        | D::PolicyViolated
        | D::ExternalChecks
        | D::LockedPaths
        | D::LockedLargeFiles => false,
        D::MergeTime => demands.time,
        D::TitlePattern => demands.title,
        D::OpenThreads => demands.threads,
        D::NeedsRebase => demands.is_linear,
        D::PipelineMustPass => facts.pipelines.must_succeed || facts.pipelines.are_awaited,
        _ => true,
    }
}

/// Whether it is not known yet how a check ends.
fn is_open(identifier: DetailedStatus, facts: &Facts, failing: &[DetailedStatus]) -> bool {
    use DetailedStatus as D;
    match identifier {
        D::Conflict | D::NeedsRebase => {
            let files = facts.merge_status;
            files == MergeStatus::Preparing || files.is_checking() || files.needs_check()
        }
        D::NotApproved => facts.approvals == ApprovalProgress::Syncing,
        D::PipelineMustPass => failing.contains(&D::PipelineRuns),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merging::status::{PipelineEnd, Pipelines};

    fn status(facts: &Facts, demands: Demands, identifier: DetailedStatus) -> CheckStatus {
        let found = checks(facts, demands).into_iter().find(|one| one.identifier == identifier);
        found.expect("a check").status
    }

    #[test]
    fn what_nobody_asks_for_is_inactive() {
        use DetailedStatus as D;
        let good = Facts::open(MergeStatus::CanBeMerged);
        let all = Demands { threads: true, title: true, is_linear: true, time: true };
        for asked in [D::OpenThreads, D::TitlePattern, D::NeedsRebase, D::MergeTime] {
            assert_eq!(status(&good, Demands::default(), asked), CheckStatus::Inactive);
            assert_eq!(status(&good, all, asked), CheckStatus::Success);
        }
        let failing = Facts { has_open_threads: true, ..good };
        assert_eq!(status(&failing, all, D::OpenThreads), CheckStatus::Failed);
        for always in [D::NotOpen, D::Draft, D::NotApproved, D::Conflict, D::CommitsStatus] {
            assert_eq!(status(&good, Demands::default(), always), CheckStatus::Success);
        }
    }

    #[test]
    fn what_is_not_known_yet_is_told_apart() {
        use DetailedStatus as D;
        let unknown = Facts::open(MergeStatus::Checking);
        assert_eq!(status(&unknown, Demands::default(), D::Conflict), CheckStatus::Checking);
        let conflict = Facts::open(MergeStatus::CannotBeMerged);
        assert_eq!(status(&conflict, Demands::default(), D::Conflict), CheckStatus::Failed);
        for (end, expected) in [
            (Some(PipelineEnd::Open), CheckStatus::Checking),
            (Some(PipelineEnd::Succeeded), CheckStatus::Success),
            (Some(PipelineEnd::Failed), CheckStatus::Failed),
            (None, CheckStatus::Failed),
        ] {
            let pipelines = Pipelines { must_succeed: true, end, ..Pipelines::default() };
            let facts = Facts { pipelines, ..Facts::open(MergeStatus::CanBeMerged) };
            assert_eq!(status(&facts, Demands::default(), D::PipelineMustPass), expected);
        }
    }
}
