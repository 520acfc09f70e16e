//! What jobs keep for later ones, on this machine alone.

use crate::Failed;
use crate::files::{Chosen, pack, unpack};
use crate::wire::{Cache, Job};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Caches of one project.
pub struct Caches {
    folder: PathBuf,
}

/// What came of looking for one.
pub enum Restored {
    Found(String),
    Nothing,
}

impl Caches {
    pub fn of(job: &Job, folder: &Path) -> Caches {
        Caches { folder: folder.join(job.job_info.project_id.to_string()) }
    }

    /// Keys are texts of users: none is a path.
    fn archive(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.zip", hex::encode(Sha256::digest(key))))
    }

    /// Brings back what was kept under the first key that there is.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn restore(&self, cache: &Cache, project: &Path) -> Result<Restored, Failed> {
        if !matches!(cache.policy.as_str(), "" | "pull" | "pull-push") {
            return Ok(Restored::Nothing);
        }
        let mut keys = [&cache.key].into_iter().chain(&cache.fallback_keys);
        let Some(key) = keys.find(|key| self.archive(key).is_file()) else {
            return Ok(Restored::Nothing);
        };
        unpack(&self.archive(key), project)?;
        Ok(Restored::Found(key.clone()))
    }

    /// Keeps files for later jobs; how many. The one before stays until this one is whole.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn save(
        &self, cache: &Cache, project: &Path, succeeded: bool,
    ) -> Result<Option<usize>, Failed> {
        let pushes = matches!(cache.policy.as_str(), "" | "push" | "pull-push");
        if !pushes || !cache.when.fits(succeeded) {
            return Ok(None);
        }
        let paths = Chosen::new(&cache.paths, &[]).find(project)?;
        if paths.is_empty() {
            return Ok(Some(0));
        }
        fs::create_dir_all(&self.folder)?;
        let archive = self.archive(&cache.key);
        let new = archive.with_extension(format!("{}.new", std::process::id()));
        pack(project, &paths, &new)?;
        fs::rename(&new, &archive)?;
        Ok(Some(paths.len()))
    }
}
