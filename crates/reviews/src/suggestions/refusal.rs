//! Whether suggestions can be applied, in the words that clients read.

use super::change::Change;
use kernel::error::Error;
use serde_json::json;

/// Why suggestions are not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A file is not there.
    NoFile,
    /// They are of merge requests with different source branches.
    OtherBranch,
    /// The source branch moved while they were applied.
    FileChanged,
    /// Two of them replace the same line.
    Overlap,
    /// It was applied before.
    Applied,
    Merged,
    Closed,
    /// The source branch is gone.
    NoBranch,
    /// What became of its lines in the newest version is not known yet.
    Behind,
    /// The line was changed since; or one of several.
    Outdated {
        is_one: bool,
    },
    /// Nothing would change.
    SameContent,
}

impl Refusal {
    pub fn text(self) -> &'static str {
        match self {
            Refusal::NoFile => "A file was not found.",
            Refusal::OtherBranch => "Suggestions must all be on the same branch.",
            Refusal::FileChanged => "A file has been changed.",
            Refusal::Overlap => "Suggestions are not applicable as their lines cannot overlap.",
            Refusal::Applied => "Can't apply this suggestion.",
            Refusal::Merged => {
                "This merge request was merged. To apply this suggestion, edit this file directly."
            }
            Refusal::Closed => {
                "This merge request is closed. To apply this suggestion, edit this file directly."
            }
            Refusal::NoBranch => "Can't apply as the source branch was deleted.",
            Refusal::Behind => {
                "The newest version is still being looked at. Try again in a moment."
            }
            Refusal::Outdated { is_one: true } => {
                "Can't apply as this line was changed in a more recent version."
            }
            Refusal::Outdated { is_one: false } => {
                "Can't apply as these lines were changed in a more recent version."
            }
            Refusal::SameContent => "This suggestion already matches its content.",
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Exact(400, json!({"message": refusal.text()}))
    }
}

/// What decides whether a suggestion can be applied.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'c> {
    pub is_applied: bool,
    /// Of its merge request.
    pub is_merged: bool,
    pub is_closed: bool,
    /// Whether the source branch is there.
    pub has_branch: bool,
    /// Its lines are other ones by now.
    pub is_outdated: bool,
    /// The source has another head than its thread was moved to, which a job does.
    pub is_behind: bool,
    pub change: &'c Change,
}

impl Change {
    /// That the lines are other ones now.
    pub(super) fn outdated(&self) -> Refusal {
        Refusal::Outdated { is_one: self.from_line == self.to_line }
    }
}

/// Why a suggestion cannot be applied; none if it can.
pub fn refusal(facts: &Facts<'_>) -> Option<Refusal> {
    let change = facts.change;
    let checks = [
        (facts.is_applied, Refusal::Applied),
        (facts.is_merged, Refusal::Merged),
        (facts.is_closed, Refusal::Closed),
        (!facts.has_branch, Refusal::NoBranch),
        (facts.is_outdated, change.outdated()),
        (facts.is_behind, Refusal::Behind),
        (change.from_content == change.to_content, Refusal::SameContent),
    ];
    checks.into_iter().find(|(fails, _)| *fails).map(|(_, refusal)| refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let change = Change {
            path: "a".into(),
            from_line: 1,
            to_line: 2,
            from_content: "a\nb\n".into(),
            to_content: "a\n".into(),
        };
        let good = Facts {
            is_applied: false,
            is_merged: false,
            is_closed: false,
            has_branch: true,
            is_outdated: false,
            is_behind: false,
            change: &change,
        };
        let bad = Facts {
            is_applied: true,
            is_merged: true,
            is_closed: true,
            has_branch: false,
            is_outdated: true,
            is_behind: true,
            change: &change,
        };
        assert_eq!(refusal(&good), None);
        assert_eq!(refusal(&bad), Some(Refusal::Applied));
        let not_applied = Facts { is_applied: false, ..bad };
        assert_eq!(refusal(&not_applied), Some(Refusal::Merged));
        let open = Facts { is_merged: false, is_closed: false, ..not_applied };
        assert_eq!(refusal(&open), Some(Refusal::NoBranch));
        let many = Refusal::Outdated { is_one: false };
        let outdated = Facts { has_branch: true, ..open };
        assert_eq!(refusal(&outdated), Some(many));
        let behind = Facts { is_outdated: false, ..outdated };
        assert_eq!(refusal(&behind), Some(Refusal::Behind));
        let same = Change { to_content: "a\nb\n".into(), ..change.clone() };
        assert_eq!(refusal(&Facts { change: &same, ..good }), Some(Refusal::SameContent));
    }
}
