//! Many small packs become one. The packs that are left grow by twice from one to the
//! next, so each object is packed anew a few times only, however many pushes come.

use super::packing;
use crate::cache::{self, Having};
use crate::model::Pack;
use crate::store::packs;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};

/// Packs from which they are made fewer.
pub const MANY: usize = 16;

/// Makes the packs of a repository fewer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compact {
    pub repository: i64,
}

impl Job for Compact {
    const NAME: &'static str = "repositories.compact";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.repository.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app, self.repository);
        // Before the copy, which then has at least these.
        let (now, all) = app
            .read(move |tx| Ok((crate::store::by_id(tx, id)?, packs::in_use(tx, id)?)))
            .await?;
        let Some(now) = now else {
            return Ok(());
        };
        let few = joined(&all);
        if few.is_empty() {
            return Ok(());
        }
        let copy = match cache::copy(&app, id, Having::Objects).await {
            Err(Error::NotFound(_)) => return Ok(()),
            copy => copy?,
        };
        let told: String = all
            .iter()
            .map(|pack| match few.contains(&pack.name) {
                true => format!("pack-{}.pack\n", pack.name),
                false => format!("^pack-{}.pack\n", pack.name),
            })
            .collect();
        let new = packing::pack(&app, &copy, &now.storage, &["--stdin-packs"], told).await?;
        let replaced = app.write(move |tx| packs::replace(tx, id, &few, new.as_ref())).await?;
        match replaced {
            true => Ok(()),
            false => Err(Failure::Retry("the packs changed meanwhile".into())),
        }
    }
}

/// The packs to join: the smallest ones, up to where the next is twice as large as all
/// of them.
fn joined(all: &[Pack]) -> Vec<String> {
    let mut sizes: Vec<&Pack> = all.iter().collect();
    sizes.sort_by_key(|pack| pack.pack_size);
    let (mut total, mut count) = (0, 0);
    let mut below = 0;
    for (at, pack) in sizes.iter().enumerate() {
        if pack.pack_size < 2 * below {
            (total, count) = (below + pack.pack_size, at + 1);
        }
        below += pack.pack_size;
        if count == at + 1 {
            below = total;
        }
    }
    match count {
        0 | 1 => Vec::new(),
        count => sizes[..count].iter().map(|pack| pack.name.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packs(sizes: &[i64]) -> Vec<Pack> {
        let pack = |(at, size): (usize, &i64)| Pack {
            name: at.to_string(),
            pack_key: String::new(),
            index_key: String::new(),
            pack_size: *size,
            index_size: 0,
        };
        sizes.iter().enumerate().map(pack).collect()
    }

    #[test]
    fn small_packs_are_joined_and_large_ones_stay() {
        assert!(joined(&packs(&[])).is_empty());
        assert!(joined(&packs(&[5])).is_empty());
        assert!(joined(&packs(&[1, 2, 6, 20])).is_empty());
        assert_eq!(joined(&packs(&[1000, 1, 1, 1])), ["1", "2", "3"]);
        assert_eq!(joined(&packs(&[5, 5])), ["0", "1"]);
    }

    proptest! {
        #[test]
        fn what_is_left_grows_by_twice(sizes in proptest::collection::vec(1_i64..1_000_000, 0..40)) {
            let all = packs(&sizes);
            let few = joined(&all);
            let is_joined = |pack: &&Pack| few.contains(&pack.name);
            let mut left: Vec<i64> =
                all.iter().filter(|pack| !is_joined(pack)).map(|pack| pack.pack_size).collect();
            let total: i64 = all.iter().filter(is_joined).map(|pack| pack.pack_size).sum();
            left.extend((total > 0).then_some(total));
            left.sort_unstable();
            let mut below = 0;
            for size in left {
                prop_assert!(size >= 2 * below, "{size} after {below}");
                below += size;
            }
        }
    }
}
