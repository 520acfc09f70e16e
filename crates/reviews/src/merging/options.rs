//! What settings, wishes and rights decide about a merge and a rebase. Pure.

use kernel::error::Error;

/// What decides whether the source branch goes after a merge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Removal {
    /// What who merges wants.
    pub asked: Option<bool>,
    /// What the merge request wants.
    pub wished: bool,
    pub is_protected: bool,
    pub is_default: bool,
    /// Who merges may push to its project.
    pub may_push: bool,
    /// It is where it was when it was merged.
    pub is_unmoved: bool,
}

impl Removal {
    pub fn is_due(self) -> bool {
        let is_wanted = self.asked.unwrap_or(self.wished);
        is_wanted && !self.is_protected && !self.is_default && self.may_push && self.is_unmoved
    }
}

/// Merge requests that follow the target of another one whose source branch goes.
pub const MOST_RETARGETED: usize = 4;

/// What is noted as the reason why a merge failed.
pub mod merge_error {
    pub const NOT_ALLOWED: &str = "You are not allowed to merge this merge request";
    pub const MOVED: &str =
        "Branch has been updated since the merge was requested. Please review the changes.";
    pub const FAST_FORWARD: &str =
        "Only fast-forward merge is allowed for your project. Please update your source branch";
    pub const NOT_MERGEABLE: &str = "Merge request is not mergeable";
    pub const NO_SOURCE: &str = "No source for merge";
    pub const MUST_SQUASH: &str =
        "This project requires squashing commits when merge requests are accepted.";
    pub const NO_SQUASH: &str =
        "This project does not allow squashing commits when merge requests are accepted.";
    pub const FAILED: &str = "An error occurred while merging";
    pub const REBASE_CONFLICT: &str =
        "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.";

    /// Of a merge that the rules of the project refuse.
    pub fn refused(why: &str) -> String {
        format!("Something went wrong during merge pre-receive hook. {}.", shown(why))
    }

    /// Of a rebase that the rules of the project refuse.
    pub fn rebase_refused(why: &str) -> String {
        format!("The rebase pre-receive hook failed: {}.", shown(why))
    }

    /// Of a rebase that failed for another reason.
    pub fn rebase_failed(why: &str) -> String {
        format!("Rebase failed: {}.", shown(why))
    }

    /// A reason as a part of a sentence.
    fn shown(why: &str) -> String {
        let cut: String = why.trim().chars().take(1_000).collect();
        cut.trim_end_matches('.').to_owned()
    }
}

/// What decides whether a rebase begins.
#[derive(Debug, Clone, Copy)]
pub struct RebaseFacts {
    pub has_source_branch: bool,
    /// Who asks may push to the source branch.
    pub may_push: bool,
    /// The source branch is protected from being pushed to by force.
    pub is_guarded: bool,
    pub is_open: bool,
    pub is_rebasing: bool,
}

/// Refuses a rebase that cannot begin.
///
/// # Errors
///
/// `Forbidden`, or `Conflict` where there is nothing to begin.
pub fn check_rebase(facts: RebaseFacts) -> Result<(), Error> {
    let forbidden = |text: &str| Err(Error::forbidden(text));
    match facts {
        RebaseFacts { has_source_branch: false, .. } => forbidden("Source branch does not exist"),
        RebaseFacts { may_push: false, .. } => forbidden("Cannot push to source branch"),
        RebaseFacts { is_guarded: true, .. } => {
            forbidden("Source branch is protected from force push")
        }
        RebaseFacts { is_open: false, .. } => {
            Err(Error::Conflict("The merge request is not open.".into()))
        }
        RebaseFacts { is_rebasing: true, .. } => {
            Err(Error::Conflict("A rebase is already in progress.".into()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_goes_where_it_is_wanted_and_may() {
        let good = Removal {
            wished: true,
            may_push: true,
            is_unmoved: true,
            ..Removal::default()
        };
        assert!(good.is_due());
        assert!(Removal { asked: Some(true), wished: false, ..good }.is_due());
        for stays in [
            Removal { asked: Some(false), ..good },
            Removal { wished: false, ..good },
            Removal { is_protected: true, ..good },
            Removal { is_default: true, ..good },
            Removal { may_push: false, ..good },
            Removal { is_unmoved: false, ..good },
        ] {
            assert!(!stays.is_due(), "{stays:?}");
        }
    }

    #[test]
    fn a_rebase_is_refused_by_the_first_reason() {
        let mut facts = RebaseFacts {
            has_source_branch: false,
            may_push: false,
            is_guarded: true,
            is_open: false,
            is_rebasing: true,
        };
        let said = |facts| check_rebase(facts).map_err(|error| error.to_string());
        assert!(said(facts).is_err_and(|text| text.contains("does not exist")));
        facts.has_source_branch = true;
        assert!(said(facts).is_err_and(|text| text.contains("Cannot push")));
        facts.may_push = true;
        assert!(said(facts).is_err_and(|text| text.contains("force push")));
        facts.is_guarded = false;
        assert!(said(facts).is_err_and(|text| text.contains("not open")));
        facts.is_open = true;
        assert!(said(facts).is_err_and(|text| text.contains("already in progress")));
        facts.is_rebasing = false;
        assert_eq!(said(facts), Ok(()));
    }

    #[test]
    fn reasons_end_once() {
        let text = merge_error::refused("You are not allowed to push.\n");
        assert!(text.ends_with("hook. You are not allowed to push."), "{text}");
    }
}
