//! How much of the disk a run takes: a check that fills it fails in tests that have
//! nothing to do with it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::steps::say;
use crate::tree;

/// How often is looked.
const BETWEEN: Duration = Duration::from_secs(5);

/// Free megabytes at the beginning, and the fewest since.
pub struct Watch {
    before: u64,
    least: Arc<AtomicU64>,
}

impl Watch {
    /// Looks on in the background until the program ends.
    pub fn begin() -> Watch {
        let before = free().unwrap_or_default();
        let least = Arc::new(AtomicU64::new(before));
        let watched = Arc::clone(&least);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(BETWEEN);
                if let Some(now) = free() {
                    watched.fetch_min(now, Ordering::Relaxed);
                }
            }
        });
        Watch { before, least }
    }

    /// Says how much was taken at most, and by which directories under the target
    /// directory.
    pub fn print(&self) {
        let least = self.least.load(Ordering::Relaxed);
        say(&format!("\nDisk: {} MB free before, {least} MB at least", self.before));
        let listed = Command::new("du")
            .args(["--block-size=1M", "--max-depth=1"])
            .arg(tree::target())
            .output();
        let listed = listed.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        for line in listed.unwrap_or_default().lines() {
            let Some((size, path)) = line.split_once('\t') else {
                continue;
            };
            let name = Path::new(path).file_name().unwrap_or_default();
            say(&format!("  {size:>7} MB {}", name.display()));
        }
    }
}

/// Free megabytes where the target directory is.
fn free() -> Option<u64> {
    let asked = ["--block-size=1M", "--output=avail"];
    let output = Command::new("df").args(asked).arg(tree::root()).output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().nth(1)?.trim().parse().ok()
}
