//! What cleanup policies and rules are, as rows hold them.

use crate::model::{PackageType, Status};
use kernel::error::{Error, Result};
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use spaces::SpaceId;
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
    pub fn owner(&self) -> Result<SpaceId> {
        match (self.project_id, self.namespace_id) {
            (Some(id), None) => Ok(SpaceId::Project(id)),
            (None, Some(id)) => Ok(SpaceId::Group(id)),
            _ => Err(Error::internal(std::io::Error::other("a rule has one owner"))),
        }
    }
}

/// A version as rules see it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
pub struct Standing {
    /// The package's id.
    pub id: i64,
    /// Its project.
    pub project_id: i64,
    /// Its name.
    pub name: String,
    /// Its name as the format compares it.
    #[serde(skip)]
    pub name_key: String,
    /// Its version.
    pub version: String,
    /// Its format.
    pub package_type: PackageType,
    /// Its state.
    pub status: Status,
    /// Bytes of its files.
    pub size: i64,
    /// When it was published.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When a file was last downloaded.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub last_downloaded_at: Option<Timestamp>,
    /// 1 for the newest version of its name.
    #[serde(skip)]
    pub place: i64,
}

/// A run of a cleanup rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "CleanupRunEntity")]
pub struct CleanupRun {
    /// Its id.
    pub id: i64,
    #[serde(skip)]
    pub rule_id: i64,
    /// Whether it is still under way.
    #[serde(rename = "running", serialize_with = "is_some")]
    #[schemars(with = "bool")]
    pub under_way: Option<i64>,
    /// The project it is in.
    #[serde(skip)]
    pub after_project: i64,
    /// The last name there that it is done with.
    #[serde(skip)]
    pub after_name: String,
    /// Names it is done with.
    pub names_done: i64,
    /// Names there were when it began.
    pub names_total: i64,
    /// Versions it removed.
    pub removed_packages: i64,
    /// Bytes of their files.
    pub removed_size: i64,
    /// When it began.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// When it ended.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub finished_at: Option<Timestamp>,
}

fn is_some<S: Serializer>(number: &Option<i64>, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_bool(number.is_some())
}

/// A version that a rule takes away.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GoingEntity")]
pub struct Going {
    #[serde(flatten)]
    pub standing: Standing,
    /// Why it goes.
    pub reasons: Vec<String>,
}
