//! How far branches are ahead of another and behind it, all of them in one walk.

use super::Objects;
use crate::formats::object_id::ObjectId;
use kernel::error::Result;
use std::collections::{BinaryHeap, HashMap};

/// Branches of one walk: each has a bit, and what they are compared with the first one.
const MOST: usize = 63;
const BASE: u64 = 1;

/// Commits that one branch has and another has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Divergence {
    pub ahead: u64,
    pub behind: u64,
}

/// A commit that the walk came to.
struct Met {
    /// Which branches have it.
    bits: u64,
    seconds: i64,
    parents: Vec<ObjectId>,
    is_waiting: bool,
}

struct Walker<'w> {
    objects: &'w Objects,
    met: HashMap<ObjectId, Met>,
    /// The newest first.
    queue: BinaryHeap<(i64, ObjectId)>,
    /// The bits of all.
    full: u64,
    /// How many wait that not all have.
    open: usize,
    /// When the oldest commit was made that not all have.
    oldest: i64,
}

impl Objects {
    /// How far some commits are from another one, each one for one; none where that takes
    /// more steps than these.
    pub fn divergence(
        &self, base: ObjectId, tips: &[ObjectId], steps: usize,
    ) -> Result<Vec<Option<Divergence>>> {
        let mut found = Vec::with_capacity(tips.len());
        for tips in tips.chunks(MOST) {
            let full = u64::MAX >> (MOST - tips.len());
            let (met, queue) = (HashMap::new(), BinaryHeap::new());
            let mut walker = Walker { objects: self, met, queue, full, open: 0, oldest: i64::MAX };
            walker.add(base, BASE)?;
            for (at, tip) in tips.iter().enumerate() {
                walker.add(*tip, BASE << (at + 1))?;
            }
            walker.walk(steps)?;
            found.extend((0..tips.len()).map(|at| walker.told(BASE << (at + 1))));
        }
        Ok(found)
    }
}

impl Walker<'_> {
    /// Branches of these bits have a commit, too.
    fn add(&mut self, id: ObjectId, bits: u64) -> Result<()> {
        if !self.met.contains_key(&id) {
            let Some(commit) = self.objects.commit(id)? else { return Ok(()) };
            let seconds = commit.committer.at.as_second();
            let met = Met { bits: 0, seconds, parents: commit.parents, is_waiting: false };
            self.met.insert(id, met);
        }
        let Some(met) = self.met.get_mut(&id) else { return Ok(()) };
        let before = met.bits;
        met.bits |= bits;
        if met.bits == before {
            return Ok(());
        }
        if met.is_waiting {
            self.open -= usize::from(before != self.full && met.bits == self.full);
            return Ok(());
        }
        met.is_waiting = true;
        self.open += usize::from(met.bits != self.full);
        self.queue.push((met.seconds, id));
        Ok(())
    }

    fn walk(&mut self, steps: usize) -> Result<()> {
        for _ in 0..steps {
            let Some((seconds, id)) = self.queue.peek().copied() else {
                return Ok(());
            };
            // Clocks differ: what all have may yet lead to what not all seemed to have.
            if self.open == 0 && seconds < self.oldest {
                return Ok(());
            }
            self.queue.pop();
            let Some(met) = self.met.get_mut(&id) else { continue };
            met.is_waiting = false;
            let (bits, parents) = (met.bits, met.parents.clone());
            if bits != self.full {
                self.open -= 1;
                self.oldest = self.oldest.min(seconds);
            }
            for parent in parents {
                self.add(parent, bits)?;
            }
        }
        Ok(())
    }

    fn told(&self, bit: u64) -> Option<Divergence> {
        let mut told = Divergence::default();
        for met in self.met.values() {
            let (has, base_has) = (met.bits & bit != 0, met.bits & BASE != 0);
            if has == base_has {
                continue;
            }
            if met.is_waiting {
                return None;
            }
            told.ahead += u64::from(has);
            told.behind += u64::from(base_has);
        }
        Some(told)
    }
}
