//! Walks through commits.

use super::{Commit, Objects};
use crate::formats::object_id::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use kernel::error::Result;

/// In which order a walk meets commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// As they were come by, which costs least.
    AsMet,
}

/// From where a walk goes, and where it ends.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    pub from: Vec<ObjectId>,
    /// Neither these nor what leads to them.
    pub without: Vec<ObjectId>,
    pub order: Order,
    /// Of merges, what they were merged into alone.
    pub first_parent: bool,
}

impl Objects {
    /// The commits that lead to some, those among them.
    pub fn history(&self, walk: &Walk) -> Result<impl Iterator<Item = Result<ObjectId>>> {
        let from = walk.from.iter().map(|id| gix::ObjectId::from(*id));
        let order = match walk.order {
            Order::Newest => Sorting::ByCommitTime(CommitTimeOrder::NewestFirst),
            Order::AsMet => Sorting::BreadthFirst,
        };
        let mut platform = self.git.rev_walk(from).sorting(order);
        if walk.first_parent {
            platform = platform.first_parent_only();
        }
        if !walk.without.is_empty() {
            let without = walk.without.iter().map(|id| gix::ObjectId::from(*id));
            platform = platform.with_hidden(without);
        }
        let walked = self.whole(platform.all())?;
        Ok(walked.map(|met| Ok(self.whole(met)?.id.into())))
    }

    /// A part of such a walk.
    pub fn commits_of(&self, walk: &Walk, skip: usize, most: usize) -> Result<Vec<Commit>> {
        let ids = self.history(walk)?.skip(skip).take(most).collect::<Result<Vec<_>>>()?;
        self.commits(&ids)
    }

    /// The last commit that leads to both.
    pub fn merge_base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>> {
        let (one, other) = (gix::ObjectId::from(one), gix::ObjectId::from(other));
        let found = self.whole(self.git.merge_base(one, other))?;
        Ok(found.map(|id| id.detach().into()))
    }

    /// The best commit that leads to all.
    pub fn merge_base_of(&self, all: &[ObjectId]) -> Result<Option<ObjectId>> {
        let ids = all.iter().map(|id| gix::ObjectId::from(*id));
        let found = self.whole(self.git.merge_base_octopus(ids))?;
        Ok(found.map(|id| id.detach().into()))
    }

    /// Whether a commit leads to another, or is it.
    pub fn is_ancestor(&self, older: ObjectId, newer: ObjectId) -> Result<bool> {
        Ok(older == newer || self.merge_base(older, newer)? == Some(older))
    }
}
