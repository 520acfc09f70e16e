//! `tenon backup` and `tenon restore`: the whole instance in one archive.
//!
//! The archive (tar) holds `backup.json`, every table as JSON lines, the key
//! file and the files. It names no engine: a backup of SQLite restores into
//! PostgreSQL and the other way round.
//!
//! Keys given in the environment are kept apart from the data on purpose, so
//! the archive only names them, and a restore is refused without them.

mod read;
mod rows;
mod write;

pub use read::restore;
pub use write::write;

use crate::options::Options;
use serde::{Deserialize, Serialize};

/// Version of the archive's layout.
const FORMAT: u32 = 1;
const ABOUT: &str = "backup.json";
const TABLES: &str = "database/";
const KEYS: &str = "keys";
const FILES: &str = "files/";

/// What an archive says about itself.
#[derive(Default, Serialize, Deserialize)]
struct About {
    format: u32,
    /// Version of the program that wrote it.
    version: String,
    /// Number of the last migration of its tables.
    schema: i64,
    created_at: String,
    /// Names of the keys its secrets are sealed with.
    keys: Vec<String>,
}

fn key_file(options: &Options) -> std::path::PathBuf {
    options.data.join("keys")
}
