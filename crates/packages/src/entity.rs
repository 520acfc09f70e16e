//! Packages and files as they are written on the wire (docs/interface/packages.md 1.3).

use crate::model::{Package, PackageFile, PackageType, Status, Tag};
use crate::store::packages::OtherVersion;
use identity::entities::UserBasic;
use kernel::time::wire::text;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::grouped;

/// Addresses of a package.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackageLinks {
    /// Its page; only packages that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_path: Option<String>,
    /// Where to delete it; only for those who may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_api_path: Option<String>,
}

/// A package.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackageEntity {
    /// Its id.
    pub id: i64,
    /// Its name; for conan the full recipe.
    pub name: String,
    /// The bare name, for conan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conan_package_name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its format.
    pub package_type: PackageType,
    /// Its state.
    pub status: Status,
    /// Its addresses.
    #[serde(rename = "_links")]
    pub links: PackageLinks,
    /// When it was published.
    pub created_at: String,
    /// When a file was last downloaded.
    pub last_downloaded_at: Option<String>,
    /// Its project, in lists of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<i64>,
    /// The path of its project, in lists of a group, for who may see that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_path: Option<String>,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// The last pipeline that built it, by its old name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<PipelineEntity>,
    /// The pipelines that built it, if any did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<PipelineEntity>>,
    /// The other versions, where one package is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions: Option<Vec<PackageVersionEntity>>,
}

/// Another version of a package.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackageVersionEntity {
    #[serde(flatten)]
    pub package: OtherVersion,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// The last pipeline that built it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<PipelineEntity>,
    /// The pipelines that built it.
    pub pipelines: Vec<PipelineEntity>,
}

/// A file of a package in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedFileEntity {
    #[serde(flatten)]
    pub file: PackageFile,
    /// The pipelines that built it, if any did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<PipelineEntity>>,
}

/// A pipeline that built a package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PipelineEntity {
    /// Its id.
    pub id: i64,
    /// Its number in the project.
    pub iid: i64,
    /// Its project.
    pub project_id: i64,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its state.
    pub status: String,
    /// What started it.
    pub source: String,
    /// When it was created.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// Its page.
    pub web_url: String,
    /// Who began it.
    pub user: Option<UserBasic>,
}

/// The file just published (`select=package_file`).
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublishedFileEntity {
    /// Its id.
    pub id: i64,
    /// Its package.
    pub package_id: i64,
    /// When it was stored.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// Bytes.
    pub size: i64,
    /// Its name.
    pub file_name: String,
    /// MD5 in hex.
    pub file_md5: String,
    /// SHA-1 in hex.
    pub file_sha1: String,
    /// SHA-256 in hex.
    pub file_sha256: String,
    /// Where to get it.
    pub file: FileUrlEntity,
}

/// Where to get a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileUrlEntity {
    /// Its address.
    pub url: String,
}

/// Where a package's page is, if it has one.
pub fn web_path(package: &Package, project_path: &str) -> Option<String> {
    let part = match package.package_type {
        PackageType::TerraformModule => "terraform_module_registry",
        _ => "packages",
    };
    let id = package.id;
    package.status.is_detailed().then(|| format!("/{project_path}/-/{part}/{id}"))
}

pub fn package(
    base_url: &str, package: Package, project_path: &str, may_delete: bool, tags: Vec<Tag>,
) -> PackageEntity {
    let web_path = web_path(&package, project_path);
    let delete_api_path = may_delete.then(|| {
        format!("{base_url}/api/v4/projects/{}/packages/{}", package.project_id, package.id)
    });
    let bare = package.name;
    let (name, conan_package_name) = match package.conan_name {
        Some(recipe) => (recipe, Some(bare)),
        None => (bare, None),
    };
    PackageEntity {
        id: package.id,
        name,
        conan_package_name,
        version: package.version,
        package_type: package.package_type,
        status: package.status,
        links: PackageLinks { web_path, delete_api_path },
        created_at: text(package.created_at),
        last_downloaded_at: package.last_downloaded_at.map(text),
        project_id: None,
        project_path: None,
        tags,
        pipeline: None,
        pipelines: None,
        versions: None,
    }
}

impl PackageEntity {
    /// With the pipelines that built it, the newest first.
    pub fn built_by(mut self, pipelines: Option<Vec<PipelineEntity>>) -> PackageEntity {
        self.pipeline = pipelines.as_ref().and_then(|all| all.first()).cloned();
        self.pipelines = pipelines;
        self
    }
}

pub fn tags_by_package(tags: Vec<Tag>) -> HashMap<i64, Vec<Tag>> {
    grouped(tags.into_iter().map(|tag| (tag.package_id, tag)))
}

/// A file just published; `url` is where to get it.
pub fn published_file(file: PackageFile, url: String) -> PublishedFileEntity {
    PublishedFileEntity {
        id: file.id,
        package_id: file.package_id,
        created_at: text(file.created_at),
        updated_at: text(file.updated_at),
        size: file.size,
        file_name: file.file_name,
        file_md5: file.md5,
        file_sha1: file.sha1,
        file_sha256: file.sha256,
        file: FileUrlEntity { url },
    }
}
