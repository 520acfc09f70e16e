//! Advisories as they are stored.

use ::store::{FromRow, Json};
use jiff::Timestamp;
use sbom::osv::Severity;

/// Bytes of a file of advisories, packed or not.
pub const MOST_BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes of one advisory.
pub const MOST_OF_ONE: usize = 4 * 1024 * 1024;
/// Advisories that are kept.
pub const MOST: i64 = 1_000_000;
/// Advisories of one dependency that are shown.
pub const MOST_SHOWN: usize = 500;
/// Files that wait to be read.
pub const MOST_WAITING: i64 = 10;

/// Something that is known to be wrong with a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vulnerability {
    /// The id of its advisory.
    pub id: String,
    /// `unknown`, `none`, `low`, `medium`, `high`, `critical`.
    pub severity: String,
    pub name: String,
    pub url: Option<String>,
}

/// An advisory.
#[derive(Debug, Clone, FromRow)]
#[columns("advisories")]
pub struct Advisory {
    pub id: i64,
    pub name: String,
    pub modified_at: Timestamp,
    pub severity: String,
    pub vector: Option<String>,
    pub summary: Option<String>,
    pub url: Option<String>,
    pub aliases: Json<Vec<String>>,
    pub created_at: Timestamp,
}

/// A file of advisories.
#[derive(Debug, Clone, FromRow)]
#[columns("advisory_loads")]
pub struct Load {
    pub id: i64,
    pub blob_key: Option<String>,
    pub loaded: i64,
    pub unchanged: i64,
    pub removed: i64,
    pub refused: i64,
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// What came of the advisories of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub loaded: i64,
    pub unchanged: i64,
    pub removed: i64,
    pub refused: i64,
    /// Why the first was refused.
    pub reason: Option<String>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.loaded += other.loaded;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.refused += other.refused;
        if self.reason.is_none() {
            self.reason = other.reason;
        }
    }
}

/// A severity as dependencies are sorted by it: 0 is for those of which nothing is known.
pub fn rank(severity: Severity) -> i64 {
    match severity {
        Severity::Unknown | Severity::None => 1,
        Severity::Low => 2,
        Severity::Medium => 3,
        Severity::High => 4,
        Severity::Critical => 5,
    }
}
