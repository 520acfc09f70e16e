//! What the formats are given: rows of the lists of projects.

use crate::dependencies::advisories::Vulnerability;
use crate::dependencies::model::Dependency;
use sbom::vex::Finding;
use spaces::model::Project;
use std::collections::HashMap;

/// A project whose list is read.
#[derive(Debug, Clone)]
pub struct Place {
    pub project_id: i64,
    pub full_path: String,
}

impl Place {
    pub fn of(project: &Project) -> Place {
        Place { project_id: project.id, full_path: project.full_path.clone() }
    }
}

/// Some rows of the list of a project.
#[derive(Debug)]
pub struct Batch {
    pub place: Place,
    /// The commit that the list is of.
    pub sha: Option<String>,
    pub rows: Vec<Dependency>,
}

/// What one transaction read, with what is wanted to be known of it.
#[derive(Debug, Default)]
pub struct Batches {
    pub batches: Vec<Batch>,
    pub vulnerabilities: HashMap<i64, Vec<Vulnerability>>,
    pub findings: HashMap<i64, Vec<Finding>>,
}
