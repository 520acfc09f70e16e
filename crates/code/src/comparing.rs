//! What is between two revisions.

use crate::access;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Objects, Revision, Walk};

/// Two commits, and those that lead to one and not to the other.
#[derive(Debug, Clone)]
pub struct Between {
    pub from: ObjectId,
    pub to: ObjectId,
    /// With what the newer one is compared: what both have in common, if there is that
    /// and it is wanted, else the older one.
    pub base: ObjectId,
    /// The newest first.
    pub commits: Vec<Commit>,
}

impl Between {
    /// Reads what is between two revisions, and at most so many commits of it.
    pub fn read(
        objects: &Objects, (from, to): &(Revision, Revision), straight: bool, most: usize,
    ) -> Result<Between> {
        let from = access::commit(objects, from, "Ref")?.id;
        let to = access::commit(objects, to, "Ref")?.id;
        let walk = Walk { from: vec![to], without: vec![from], ..Walk::default() };
        let commits = objects.commits_of(&walk, 0, most)?;
        let base = match straight {
            true => None,
            false => objects.merge_base(from, to)?,
        };
        Ok(Between { from, to, base: base.unwrap_or(from), commits })
    }
}
