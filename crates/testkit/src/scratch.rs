//! Where tests keep their files: in memory where there is room, since a server
//! makes hundreds of files and syncs them.

use crate::postgres;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Free memory, in KiB, below which tests use the disk.
const ROOM: u64 = 2 * 1024 * 1024;
/// Before the number of the process that owns a directory.
const PREFIX: &str = "tenon-test-data-";

/// An empty directory that goes with its value.
///
/// What has to survive a kill or a power cut belongs on a disk: the stories of
/// the program itself make their directories there.
pub fn directory() -> TempDir {
    static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
        let place = postgres::in_memory(ROOM).unwrap_or_else(std::env::temp_dir);
        remove_stale(&place);
        place
    });
    tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", std::process::id()))
        .tempdir_in(&*PLACE)
        .expect("a temporary directory")
}

/// Removes what tests left that were killed.
fn remove_stale(place: &Path) {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let Some((owner, _)) = owner.and_then(|rest| rest.split_once('-')) else {
            continue;
        };
        if !Path::new("/proc").join(owner).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
