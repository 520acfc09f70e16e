//! What there is to move.

use super::copying::Copies;
use crate::model::{Ref, Repository};
use crate::moves::model::Container;
use crate::moves::store::packs::{self, MovingPack};
use crate::moves::store::repositories_of;
use crate::store::refs;
use ::store::Tx;
use kernel::error::Result;

/// The repositories of a container as they are at one time.
pub(super) struct Plan {
    pub parts: Vec<Part>,
}

/// One of them.
pub(super) struct Part {
    pub repository: Repository,
    pub packs: Vec<MovingPack>,
    pub refs: Vec<Ref>,
}

impl Plan {
    pub fn read(tx: &mut Tx<'_>, container: Container) -> Result<Plan> {
        let mut parts = Vec::new();
        for repository in repositories_of(tx, container)? {
            let packs = packs::in_use(tx, repository.id)?;
            let refs = refs::all(tx, repository.id)?;
            parts.push(Part { repository, packs, refs });
        }
        Ok(Plan { parts })
    }

    /// The ids of the repositories.
    pub fn ids(&self) -> Vec<i64> {
        self.parts.iter().map(|part| part.repository.id).collect()
    }

    /// Bytes that are not in a storage yet.
    pub fn missing(&self, storage: &str, copies: &Copies) -> i64 {
        let missing = self.parts.iter().flat_map(|part| part.missing(storage, copies));
        missing.map(MovingPack::size).sum()
    }
}

impl Part {
    /// The packs that are not in a storage yet.
    pub fn missing<'p>(
        &'p self, storage: &'p str, copies: &'p Copies,
    ) -> impl Iterator<Item = &'p MovingPack> {
        self.packs.iter().filter(move |pack| !copies.has(pack, storage))
    }
}
