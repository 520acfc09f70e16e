//! What a merge or rebase made, before a branch moves there.

use repositories::edits::merges::NewObjects;
use repositories::formats::object_id::ObjectId;

/// The commits that a merge brought, for who asks later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Brought {
    /// The commit with both sides as its parents; none of a fast-forward.
    pub merge: Option<ObjectId>,
    /// The one commit in place of many, or the only one there was.
    pub squash: Option<ObjectId>,
    /// The last commit of the source, where they were made again on top of the target.
    pub rebased: Option<ObjectId>,
}

impl Brought {
    /// The commit that stands for the merge; none where the target moved to the head.
    pub fn commit(self) -> Option<ObjectId> {
        self.merge.or(self.squash).or(self.rebased)
    }
}

/// What a merge or rebase made. Without commits of its own it only moves a branch.
#[derive(Debug, Clone)]
pub struct Made {
    /// Where the branch moves.
    pub head: ObjectId,
    pub brought: Brought,
    /// What the repository does not have yet.
    pub objects: NewObjects,
}
