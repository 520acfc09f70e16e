//! Dependencies as JSON.

use super::advisories::Vulnerability;
use super::model::{Dependency, Problem, UNKNOWN, Upload};
use jiff::Timestamp;
use kernel::time::wire;
use sbom::model::License;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;

/// A licence of a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DependencyLicense")]
pub struct LicenseEntity {
    /// Its id in the SPDX list, or an expression of such ids; `unknown` where none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spdx_identifier: Option<String>,
    pub name: String,
    /// Its page, if it has one.
    pub url: Option<String>,
}

impl LicenseEntity {
    pub fn of(license: &License) -> LicenseEntity {
        match license {
            License::Id(id) => LicenseEntity {
                spdx_identifier: Some(id.clone()),
                name: sbom::licenses::name(id).unwrap_or(id).to_owned(),
                url: Some(sbom::licenses::page(id)),
            },
            License::Expression(text) => LicenseEntity {
                spdx_identifier: Some(text.clone()),
                name: text.clone(),
                url: None,
            },
            License::Named { name, url } => {
                LicenseEntity { spdx_identifier: None, name: name.clone(), url: url.clone() }
            }
        }
    }

    /// Those of a dependency; one of these words where none is known.
    pub fn all(licenses: &[License]) -> Vec<LicenseEntity> {
        match licenses.is_empty() {
            true => vec![LicenseEntity {
                spdx_identifier: Some(UNKNOWN.to_owned()),
                name: UNKNOWN.to_owned(),
                url: None,
            }],
            false => licenses.iter().map(LicenseEntity::of).collect(),
        }
    }
}

/// What is known to be wrong with a dependency.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DependencyVulnerability")]
pub struct VulnerabilityEntity {
    pub severity: String,
    pub id: String,
    pub name: String,
    pub url: Option<String>,
}

impl From<&Vulnerability> for VulnerabilityEntity {
    fn from(one: &Vulnerability) -> VulnerabilityEntity {
        VulnerabilityEntity {
            severity: one.severity.clone(),
            id: one.id.clone(),
            name: one.name.clone(),
            url: one.url.clone(),
        }
    }
}

/// Something that a project depends on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Dependency")]
pub struct DependencyEntity {
    pub name: String,
    pub version: Option<String>,
    pub package_manager: Option<String>,
    /// The file that names it, from the root of the repository.
    pub dependency_file_path: Option<String>,
    pub vulnerabilities: Vec<VulnerabilityEntity>,
    pub licenses: Vec<LicenseEntity>,
}

impl DependencyEntity {
    pub fn of(one: &Dependency, wrong: &[Vulnerability]) -> DependencyEntity {
        DependencyEntity {
            name: one.full_name(),
            version: one.version.clone(),
            package_manager: one.packager.clone(),
            dependency_file_path: one.path(),
            vulnerabilities: wrong.iter().map(Into::into).collect(),
            licenses: LicenseEntity::all(&one.licenses.0),
        }
    }
}

/// The project that depends on it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DependencyProject")]
pub struct ProjectOfDependency {
    pub id: i64,
    pub name: String,
    pub full_path: String,
}

impl ProjectOfDependency {
    pub fn of(project: &Project) -> ProjectOfDependency {
        ProjectOfDependency {
            id: project.id,
            name: project.name.clone(),
            full_path: project.full_path.clone(),
        }
    }
}

/// Something that a project of a group depends on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "GroupDependency")]
pub struct GroupDependencyEntity {
    #[serde(flatten)]
    pub dependency: DependencyEntity,
    pub project: ProjectOfDependency,
    /// How often this version of it stands in the lists of the group's projects.
    pub occurrence_count: i64,
}

/// How far something is that was sent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SbomUpload")]
pub struct UploadEntity {
    pub token: String,
    /// It waits to be read.
    pub processing: bool,
    /// It has been read, and is or was the list of the project.
    pub finished: bool,
    /// It was not taken.
    pub failed: bool,
    /// Why it was not taken.
    pub reason: Option<String>,
    pub created_at: String,
    pub finished_at: Option<String>,
}

impl From<Upload> for UploadEntity {
    fn from(upload: Upload) -> UploadEntity {
        let text = |at: Option<Timestamp>| at.map(wire::text);
        let is_read = upload.finished_at.is_some();
        UploadEntity {
            processing: !is_read,
            finished: is_read && upload.reason.is_none(),
            failed: upload.reason.is_some(),
            token: upload.token,
            reason: upload.reason,
            created_at: wire::text(upload.created_at),
            finished_at: text(upload.finished_at),
        }
    }
}

/// By what somebody asks after what they sent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SbomToken")]
pub struct TokenEntity {
    pub token: String,
}

/// Why a report of a job was left out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SbomProblem")]
pub struct ProblemEntity {
    pub job_id: i64,
    pub pipeline_id: i64,
    pub message: String,
    pub created_at: String,
}

impl From<Problem> for ProblemEntity {
    fn from(problem: Problem) -> ProblemEntity {
        ProblemEntity {
            job_id: problem.job_id,
            pipeline_id: problem.pipeline_id,
            message: problem.text,
            created_at: wire::text(problem.created_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_told_by_what_is_known_of_them() {
        let shown = |license: License| {
            let it = LicenseEntity::all(&[license]).remove(0);
            (it.spdx_identifier, it.name, it.url)
        };
        let text = |text: &str| Some(text.to_owned());
        let (id, _, url) = shown(License::Id("MIT".into()));
        assert_eq!((id, url), (text("MIT"), text("https://spdx.org/licenses/MIT.html")));
        let either = "MIT OR Apache-2.0";
        let (id, name, url) = shown(License::Expression(either.into()));
        assert_eq!((id, name.as_str(), url), (text(either), either, None));
        let own = License::Named { name: "Ours".into(), url: text("https://a.example") };
        assert_eq!(shown(own), (None, "Ours".to_owned(), text("https://a.example")));
        let none = LicenseEntity::all(&[]).remove(0);
        assert_eq!((none.spdx_identifier, none.name.as_str()), (text("unknown"), "unknown"));
    }
}
