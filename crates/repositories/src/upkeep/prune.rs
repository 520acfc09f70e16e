//! Objects that no ref leads to go. They are found by a walk from all refs; all that is
//! reached becomes one pack, which takes the place of the others, unless refs moved
//! meanwhile.

use super::packing;
use crate::cache::{self, Having};
use crate::store::{self, packs};
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};

/// Packs a repository anew, without what nothing leads to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Prune {
    pub repository: i64,
}

impl Job for Prune {
    const NAME: &'static str = "repositories.prune";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.repository.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app, self.repository);
        let before = app
            .read(move |tx| {
                let now = store::by_id(tx, id)?;
                Ok(now.zip(Some(packs::in_use(tx, id)?)))
            })
            .await?;
        let Some((before, all)) = before else {
            return Ok(());
        };
        let copy = match cache::copy(&app, id, Having::ObjectsAndRefs).await {
            Err(Error::NotFound(_)) => return Ok(()),
            copy => copy?,
        };
        let new = packing::pack(&app, &copy, &before.storage, &["--revs", "--all"], String::new())
            .await?;
        let old: Vec<String> = all.into_iter().map(|pack| pack.name).collect();
        let replaced = app
            .write(move |tx| {
                let is_same =
                    store::by_id(tx, id)?.is_none_or(|now| now.generation == before.generation);
                let replaced = is_same && packs::replace(tx, id, &old, new.as_ref())?;
                if replaced {
                    store::objects_removed(tx, id)?;
                }
                Ok(replaced)
            })
            .await?;
        match replaced {
            true => Ok(()),
            false => Err(Failure::Retry("refs moved meanwhile".into())),
        }
    }
}
