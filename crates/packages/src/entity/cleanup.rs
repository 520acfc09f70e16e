//! Cleanup rules, their runs and what they take, on the wire.

use crate::cleanup::model::{CleanupRun, Going, Rule};
use crate::model::{PackageType, Status};
use kernel::time::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

/// A cleanup rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CleanupRuleEntity {
    /// Its id.
    pub id: i64,
    /// The project, if it is a project's.
    pub project_id: Option<i64>,
    /// The group, if it is a group's.
    pub group_id: Option<i64>,
    /// The format it is about.
    pub package_type: PackageType,
    /// Whether it is applied.
    pub enabled: bool,
    /// So many of the newest versions of each name stay.
    pub keep_last: Option<i64>,
    /// Names that stay.
    pub keep_name_regex: Option<String>,
    /// Versions that stay.
    pub keep_version_regex: Option<String>,
    /// Only names like this go.
    pub remove_name_regex: Option<String>,
    /// Only versions like this go.
    pub remove_version_regex: Option<String>,
    /// Only what was published more days ago goes.
    pub older_than_days: Option<i64>,
    /// Only what was not downloaded for so many days goes.
    pub not_downloaded_days: Option<i64>,
    /// Only what was never downloaded goes.
    pub never_downloaded: bool,
    /// When it is applied next.
    pub next_run_at: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

/// The rule as it is written.
pub fn rule(rule: Rule) -> CleanupRuleEntity {
    CleanupRuleEntity {
        id: rule.id,
        project_id: rule.project_id,
        group_id: rule.namespace_id,
        package_type: rule.package_type,
        enabled: rule.enabled,
        keep_last: rule.keep_last,
        keep_name_regex: rule.keep_name_regex,
        keep_version_regex: rule.keep_version_regex,
        remove_name_regex: rule.remove_name_regex,
        remove_version_regex: rule.remove_version_regex,
        older_than_days: rule.older_than_days,
        not_downloaded_days: rule.not_downloaded_days,
        never_downloaded: rule.never_downloaded,
        next_run_at: rule.next_run_at.map(text),
        created_at: text(rule.created_at),
        updated_at: text(rule.updated_at),
    }
}

/// A run of a cleanup rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CleanupRunEntity {
    /// Its id.
    pub id: i64,
    /// Whether it is still under way.
    pub running: bool,
    /// Names it is done with.
    pub names_done: i64,
    /// Names there were when it began.
    pub names_total: i64,
    /// Versions it removed.
    pub removed_packages: i64,
    /// Bytes of their files.
    pub removed_size: i64,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub finished_at: Option<String>,
}

/// The run as it is written.
pub fn run(run: CleanupRun) -> CleanupRunEntity {
    CleanupRunEntity {
        id: run.id,
        running: run.finished_at.is_none(),
        names_done: run.names_done,
        names_total: run.names_total,
        removed_packages: run.removed_packages,
        removed_size: run.removed_size,
        started_at: text(run.started_at),
        finished_at: run.finished_at.map(text),
    }
}

/// A version that a rule would take away.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GoingEntity {
    /// The package's id.
    pub id: i64,
    /// Its project.
    pub project_id: i64,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its format.
    pub package_type: PackageType,
    /// Its state.
    pub status: Status,
    /// Bytes of its files.
    pub size: i64,
    /// When it was published.
    pub created_at: String,
    /// When a file was last downloaded.
    pub last_downloaded_at: Option<String>,
    /// Why it goes.
    pub reasons: Vec<String>,
}

/// The version as it is written.
pub fn going(going: Going, package_type: PackageType) -> GoingEntity {
    let one = going.standing;
    GoingEntity {
        id: one.id,
        project_id: one.project_id,
        name: one.name,
        version: one.version,
        package_type,
        status: one.status,
        size: one.size,
        created_at: text(one.created_at),
        last_downloaded_at: one.last_downloaded_at.map(text),
        reasons: going.reasons,
    }
}
