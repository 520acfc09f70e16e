//! Room on the disk of the data directory.
//!
//! SQLite cannot even be read without a small file beside it. So a part of the
//! disk is kept in reserve, and given up by a start that finds the disk full:
//! such a server serves reads.

use crate::error::BestEffort;
use std::path::{Path, PathBuf};

/// Less than this is a full disk.
const FULL: u64 = 1024 * 1024;
/// What is kept in reserve, where there is much more than that.
const RESERVE: u64 = 512 * 1024;
const MUCH: u64 = 8 * 1024 * 1024;

/// Whether nothing more can be stored in a folder.
pub fn is_full(folder: &Path) -> bool {
    free(folder).is_some_and(|free| free < FULL)
}

/// Gives the reserve up if the disk is full.
pub fn make(folder: &Path) {
    if is_full(folder) && std::fs::remove_file(reserve(folder)).is_ok() {
        tracing::error!("the disk is full: the reserve is given up, and nothing can be stored");
    }
}

/// Takes a reserve if there is none and room for it.
pub fn keep(folder: &Path) {
    let path = reserve(folder);
    if !path.exists() && free(folder).is_some_and(|free| free > MUCH) {
        std::fs::write(path, vec![0xff; RESERVE as usize]).best_effort("keep a part of the disk");
    }
}

fn reserve(folder: &Path) -> PathBuf {
    folder.join("reserve")
}

fn free(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_kept_while_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path());
        let kept = std::fs::metadata(reserve(folder.path())).map(|file| file.len());
        assert_eq!(kept.ok(), Some(RESERVE), "a test has some room");
        make(folder.path());
        assert!(reserve(folder.path()).exists() && !is_full(folder.path()));
    }
}
