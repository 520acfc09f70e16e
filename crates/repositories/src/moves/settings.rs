//! Whether repositories are moved, and how many at once.

use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::settings;

/// Most that can be moved at once.
const MOST: i64 = 100;

kernel::setting! {
    /// Moves between storages.
    #[derive(Copy)]
    pub struct StorageMoves = "repositories.storage_moves" {
        pub enabled: bool = true,
        pub at_once: i64 = 2,
    }
}

identity::settings_part! {
    StorageMoves {
        /// Repositories may be moved to another storage.
        storage_moves_enabled: bool => enabled,
        /// Moves of repositories at once; 0 lets those that wait go on waiting.
        repository_storage_moves_at_once: i64 => at_once,
    } sealed {}
}

impl StorageMoves {
    fn validate(self) -> Result<()> {
        match (0..=MOST).contains(&self.at_once) {
            true => Ok(()),
            false => {
                let text = format!("must be between 0 and {MOST}");
                Err(Error::invalid("repository_storage_moves_at_once", text))
            }
        }
    }
}

/// Refuses what has to do with moves where administrators switched them off.
pub(super) fn need(tx: &mut Tx<'_>) -> Result<()> {
    match settings::read::<StorageMoves>(tx)?.enabled {
        true => Ok(()),
        false => Err(Error::forbidden("This feature is switched off")),
    }
}

/// How many are moved at once.
pub(super) fn at_once(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(settings::read::<StorageMoves>(tx)?.at_once)
}
