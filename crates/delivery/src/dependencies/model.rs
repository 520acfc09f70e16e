//! Dependencies of projects as they are stored.

use jiff::Timestamp;
use kernel::ids::fold;
use sbom::model::{Category, Component, Hash, License};
use serde::{Deserialize, Serialize};
use store::{FromRow, Json};

/// What stands where a dependency has no licence that is known.
pub const UNKNOWN: &str = "unknown";

kernel::choices! {
    /// What a dependency is needed for.
    pub enum Needed as "DependencyCategory" {
        Production = "production",
        Development = "development",
        Test = "test",
    }
}

kernel::choices! {
    /// What installs packages.
    pub enum PackageManager {
        Bundler = "bundler",
        Yarn = "yarn",
        Npm = "npm",
        Pnpm = "pnpm",
        Maven = "maven",
        Composer = "composer",
        Pip = "pip",
        Conan = "conan",
        Go = "go",
        Nuget = "nuget",
        Sbt = "sbt",
        Gradle = "gradle",
        Pipenv = "pipenv",
        Poetry = "poetry",
        Setuptools = "setuptools",
        Apk = "apk",
        Conda = "conda",
        Pub = "pub",
        Cargo = "cargo",
    }
}

impl From<Category> for Needed {
    fn from(category: Category) -> Needed {
        match category {
            Category::Production => Needed::Production,
            Category::Development => Needed::Development,
            Category::Test => Needed::Test,
        }
    }
}

impl From<Needed> for Category {
    fn from(needed: Needed) -> Category {
        match needed {
            Needed::Production => Category::Production,
            Needed::Development => Category::Development,
            Needed::Test => Category::Test,
        }
    }
}

/// A component on the way from the root of a list to a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    pub name: String,
    pub version: Option<String>,
}

/// What a project depends on: a row of its current list.
#[derive(Debug, Clone, FromRow)]
#[columns("dependencies")]
pub struct Dependency {
    pub id: i64,
    pub list_id: i64,
    pub project_id: i64,
    /// Which report of its list it is of, from 0.
    pub document: i64,
    /// What that report calls it.
    pub reference: String,
    /// References of the same report.
    pub depends_on: Json<Vec<String>>,
    pub kind: String,
    pub group_name: Option<String>,
    pub name: String,
    pub version: Option<String>,
    pub purl: Option<String>,
    pub packager: Option<String>,
    pub language: Option<String>,
    pub category: Needed,
    pub input_file: Option<String>,
    pub source_file: Option<String>,
    pub image: Option<String>,
    pub operating_system: Option<String>,
    pub reachability: Option<String>,
    pub hashes: Json<Vec<Hash>>,
    pub licenses: Json<Vec<License>>,
    pub top_level: bool,
    /// The root first, the nearest last; empty where it is known to be needed directly, or
    /// where its list does not say.
    pub ancestors: Json<Vec<Ancestor>>,
    pub severity: i64,
}

impl Dependency {
    /// Its name with its group, as lists show it.
    pub fn full_name(&self) -> String {
        full_name(self.group_name.as_deref(), &self.name)
    }

    /// The file that it was found in: the lock file, else what people edit, else the image.
    pub fn path(&self) -> Option<String> {
        let file = self.input_file.as_ref().or(self.source_file.as_ref()).cloned();
        file.or_else(|| self.image.as_ref().map(|image| format!("container-image:{image}")))
    }

    /// Where that file is in the project of this full path, at the commit of its list.
    pub fn blob_path(&self, project: &str, sha: Option<&str>) -> Option<String> {
        let file = self.input_file.as_ref().or(self.source_file.as_ref())?;
        let is_below = !file.starts_with('/') && file.split('/').all(|part| part != "..");
        let encoded = code::entity::in_address(file);
        sha.filter(|_| is_below).map(|sha| format!("/{project}/-/blob/{sha}/{encoded}"))
    }

    /// The component it was read from.
    pub fn component(self) -> Component {
        Component {
            reference: self.reference,
            kind: self.kind,
            group: self.group_name,
            name: self.name,
            version: self.version,
            purl: self.purl,
            licenses: self.licenses.0,
            hashes: self.hashes.0,
            category: self.category.into(),
            input_file: self.input_file,
            source_file: self.source_file,
            packager: self.packager,
            language: self.language,
            reachability: self.reachability,
            image: self.image,
            operating_system: self.operating_system,
        }
    }
}

/// A name with its group.
pub fn full_name(group: Option<&str>, name: &str) -> String {
    match group.filter(|group| !group.is_empty()) {
        Some(group) => format!("{group}/{name}"),
        None => name.to_owned(),
    }
}

/// What names are compared by.
pub fn name_key(group: Option<&str>, name: &str) -> String {
    fold(&full_name(group, name))
}

/// What a project depends on, as one pipeline or upload said it.
#[derive(Debug, Clone, FromRow)]
#[columns("dependency_lists")]
pub struct List {
    pub id: i64,
    pub project_id: i64,
    pub pipeline_id: Option<i64>,
    pub upload_id: Option<i64>,
    /// The commit of the pipeline.
    pub sha: Option<String>,
    pub is_current: bool,
    pub said_at: Timestamp,
    pub created_at: Timestamp,
}

/// Why a report of a job was left out.
#[derive(Debug, Clone, FromRow)]
#[columns("sbom_problems")]
pub struct Problem {
    pub id: i64,
    pub pipeline_id: i64,
    pub job_id: i64,
    pub text: String,
    pub created_at: Timestamp,
}

/// A bill of materials that somebody sent.
#[derive(Debug, Clone, FromRow)]
#[columns("dependency_uploads")]
pub struct Upload {
    pub id: i64,
    pub project_id: i64,
    pub token: String,
    pub sha256: String,
    /// None: it has been read.
    pub blob_key: Option<String>,
    /// Why it was not taken.
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}
