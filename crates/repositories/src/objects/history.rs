//! Walks through commits.

use super::{Commit, Objects, Path};
use crate::formats::object_id::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use kernel::error::Result;
use std::collections::HashSet;

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

    /// Those of some commits that lead to another, or are it.
    pub fn merged_into(&self, newer: ObjectId, some: &[ObjectId]) -> Result<HashSet<ObjectId>> {
        /// Clocks differ by so many seconds.
        const SKEW: i64 = 7 * 24 * 3600;
        let (mut wanted, mut found) = (HashSet::new(), HashSet::new());
        let mut oldest = i64::MAX;
        for commit in self.commits(some)? {
            wanted.insert(commit.id);
            oldest = oldest.min(commit.committer.at.as_second() - SKEW);
        }
        let order = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
        let walk = self.git.rev_walk([gix::ObjectId::from(newer)]).sorting(order);
        for met in self.whole(walk.all())? {
            let met = self.whole(met)?;
            let id = met.id.into();
            if wanted.remove(&id) {
                found.insert(id);
            }
            if wanted.is_empty() || met.commit_time.is_some_and(|time| time < oldest) {
                break;
            }
        }
        Ok(found)
    }

    /// The last commit that changed what is at a path, as git tells it: of parents where
    /// it is the same, only the first is looked at. None if it takes more than so many
    /// steps, and if there is nothing at the path.
    pub fn last_change(&self, from: Commit, path: &Path, steps: usize) -> Result<Option<Commit>> {
        let at = |commit: &Commit| self.entry(commit.tree, path);
        let Some(wanted) = at(&from)? else {
            return Ok(None);
        };
        let mut commit = from;
        for _ in 0..steps {
            let mut same = None;
            for parent in &commit.parents {
                let Some(parent) = self.commit(*parent)? else { continue };
                if at(&parent)?.as_ref() == Some(&wanted) {
                    same = Some(parent);
                    break;
                }
            }
            match same {
                Some(parent) => commit = parent,
                None => return Ok(Some(commit)),
            }
        }
        Ok(None)
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
