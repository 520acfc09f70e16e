//! Whether merge requests can be merged, and what merging them writes: merges of files by
//! git (decision 18) in [`trees`], commits and branches in [`methods`], [`rebase`] and
//! [`landing`], their messages in [`messages`]; pure: the states in [`status`], one by one in
//! [`checks`], the order of answers in [`accepting`], what settings decide in [`options`].
//!
//! The head of the source must be in the repository of the target before anything here is
//! asked: `repositories::edits::merges::bring` brings it from a fork.

pub mod accepting;
pub mod checks;
pub mod conflicting;
pub mod landing;
pub mod made;
pub mod messages;
pub mod methods;
pub mod options;
pub mod rebase;
pub mod status;
pub mod trees;

pub use made::{Brought, Made};
pub use methods::Method;
pub use status::{DetailedStatus, MergeStatus};

use kernel::error::{Found, Result};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Objects};

/// What is merged, and into what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heads {
    /// Where the target branch is.
    pub target: ObjectId,
    /// Where the source branch is.
    pub source: ObjectId,
}

/// A commit that has to be there.
fn commit(objects: &Objects, id: ObjectId) -> Result<Commit> {
    objects.commit(id)?.found("Commit")
}
