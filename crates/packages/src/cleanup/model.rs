//! What cleanup policies and rules are, as rows hold them.

use crate::model::{PackageType, Status};
use kernel::error::{Error, Result};
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use store::FromRow;

kernel::choices! {
    /// How many files of one name a package keeps.
    pub enum KeepFiles {
        All = "all",
        One = "1",
        Ten = "10",
        Twenty = "20",
        Thirty = "30",
        Forty = "40",
        Fifty = "50",
    }
}

impl KeepFiles {
    /// The number; `None` is all.
    pub fn count(self) -> Option<i64> {
        self.as_str().parse().ok()
    }
}

/// What a project's registry takes away by itself.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub struct Policy {
    pub project_id: i64,
    /// Files of one name that a package keeps.
    pub keep_n_duplicated_package_files: KeepFiles,
    /// When the rest is taken away next; never where all are kept.
    pub next_run_at: Option<Timestamp>,
}

/// A package that may have files too many.
#[derive(Debug, Clone, FromRow)]
pub struct Candidate {
    pub id: i64,
    pub package_type: PackageType,
    pub name: String,
    pub version: Option<String>,
    pub created_at: Timestamp,
}

/// A file that a policy takes away.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub struct Superfluous {
    pub id: i64,
    pub package_id: i64,
    pub file_name: String,
    /// Bytes.
    pub size: i64,
}

/// Whose rule it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A project's, for its own packages.
    Project(i64),
    /// A group's, for those of all projects below it.
    Group(i64),
}

impl Owner {
    /// The project and the group, of which one is none.
    pub const fn ids(self) -> (Option<i64>, Option<i64>) {
        match self {
            Owner::Project(id) => (Some(id), None),
            Owner::Group(id) => (None, Some(id)),
        }
    }
}

/// A cleanup rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "CleanupRuleEntity")]
pub struct Rule {
    /// Its id; 0 before it is stored.
    pub id: i64,
    /// The project, if it is a project's.
    pub project_id: Option<i64>,
    /// The group, if it is a group's.
    #[serde(rename = "group_id")]
    pub namespace_id: Option<i64>,
    /// The format it is about.
    pub package_type: PackageType,
    /// Whether it is applied at all.
    pub enabled: bool,
    /// So many of the newest versions of a name stay.
    pub keep_last: Option<i64>,
    /// Names that stay.
    pub keep_name_regex: Option<String>,
    /// Versions that stay.
    pub keep_version_regex: Option<String>,
    /// Only these names go.
    pub remove_name_regex: Option<String>,
    /// Only these versions go.
    pub remove_version_regex: Option<String>,
    /// Only what was published longer ago goes.
    pub older_than_days: Option<i64>,
    /// Only what was not downloaded for so long goes.
    pub not_downloaded_days: Option<i64>,
    /// Only what was never downloaded goes.
    pub never_downloaded: bool,
    /// When it is applied next; never while it is disabled.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub next_run_at: Option<Timestamp>,
    /// When it was made.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

impl Rule {
    pub fn owner(&self) -> Result<Owner> {
        match (self.project_id, self.namespace_id) {
            (Some(id), None) => Ok(Owner::Project(id)),
            (None, Some(id)) => Ok(Owner::Group(id)),
            _ => Err(Error::internal(std::io::Error::other(
                "a rule has one owner",
            ))),
        }
    }
}

/// A version as rules see it.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub struct Standing {
    pub id: i64,
    pub project_id: i64,
    pub name: String,
    /// Its name as the format compares it.
    pub name_key: String,
    pub version: String,
    pub status: Status,
    pub created_at: Timestamp,
    pub last_downloaded_at: Option<Timestamp>,
    /// 1 for the newest version of its name.
    pub place: i64,
    /// Bytes.
    pub size: i64,
}

/// One application of a rule.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub struct CleanupRun {
    pub id: i64,
    pub rule_id: i64,
    /// The project it is in.
    pub after_project: i64,
    /// The last name there that it is done with.
    pub after_name: String,
    /// How many names it is done with.
    pub names_done: i64,
    /// How many there were when it began.
    pub names_total: i64,
    pub removed_packages: i64,
    /// Bytes.
    pub removed_size: i64,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A version that a rule takes away.
#[derive(Debug, Clone, PartialEq)]
pub struct Going {
    pub standing: Standing,
    pub reasons: Vec<String>,
}
