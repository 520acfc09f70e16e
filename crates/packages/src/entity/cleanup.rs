//! Cleanup rules, their runs and what they take, on the wire.

use crate::cleanup::model::{CleanupRun, Going};
use crate::model::{PackageType, Status};
use kernel::time::wire::text;
use schemars::JsonSchema;
use serde::Serialize;

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
