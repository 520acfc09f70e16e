//! What the room's jobs are told: rules enqueue these, [`crate::jobs`] runs them.

use crate::model::Package;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub struct Purge {
    pub package: i64,
}

/// Removes destroyed packages, which may be gone already.
#[derive(Debug, Serialize, Deserialize)]
pub struct PurgeSome {
    pub packages: Vec<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct PurgeFile {
    pub file: i64,
}

/// Removes the rows of blobs that nothing names: those of destroyed projects,
/// whose rows go at once with the project.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ReleaseBlobs {}

/// Sets those at work whose policy is due.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Cleanup {}

#[derive(Debug, Serialize, Deserialize)]
pub struct CleanProject {
    pub project: i64,
}

/// Goes through a run of a rule.
#[derive(Debug, Serialize, Deserialize)]
pub struct ApplyRule {
    pub run: i64,
}

/// Takes deleted versions off the list of versions that clients wrote
/// (docs/interface/packages.md 1.4).
#[derive(Debug, Serialize, Deserialize)]
pub struct DropVersions {
    pub project: i64,
    pub name: String,
}

impl DropVersions {
    pub fn of(package: &Package) -> DropVersions {
        DropVersions { project: package.project_id, name: package.name.clone() }
    }
}
