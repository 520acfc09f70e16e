//! Where things are in this checkout.

use std::env;
use std::path::{Path, PathBuf};

/// The top of the checkout. Cargo names this crate's directory when it runs
/// it; a binary started by hand falls back to where it was built.
pub fn root() -> PathBuf {
    let own = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map(Path::to_path_buf).unwrap_or(own)
}

/// Where cargo builds: `CARGO_TARGET_DIR`, or `target` in the checkout.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(named) => root().join(named),
        None => root().join("target"),
    }
}

/// Whether the checkout has this file or directory.
pub fn has(path: &str) -> bool {
    root().join(path).exists()
}
