//! Packages, files and protection rules as plain values.

use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use store::FromRow;

kernel::choices! {
    /// Formats of packages (docs/interface/packages.md 1.1).
    pub enum PackageType {
        Composer = "composer",
        Conan = "conan",
        Generic = "generic",
        Golang = "golang",
        Helm = "helm",
        Maven = "maven",
        Npm = "npm",
        Nuget = "nuget",
        Pypi = "pypi",
        TerraformModule = "terraform_module",
    }
}

impl PackageType {
    /// Place in `order_by=type`: not alphabetical (docs/interface/packages.md 1.1).
    pub const fn order(self) -> i64 {
        match self {
            PackageType::Maven => 1,
            PackageType::Npm => 2,
            PackageType::Conan => 3,
            PackageType::Nuget => 4,
            PackageType::Pypi => 5,
            PackageType::Composer => 6,
            PackageType::Generic => 7,
            PackageType::Golang => 8,
            PackageType::Helm => 11,
            PackageType::TerraformModule => 12,
        }
    }

    /// Whether files of one name in a package are newer and older forms of
    /// the same: not in conan, where each revision has its own, nor in helm,
    /// where each channel has.
    pub const fn has_copies(self) -> bool {
        !matches!(self, PackageType::Conan | PackageType::Helm)
    }

    /// Whether packages of this type can carry tags (npm's dist-tags).
    pub const fn has_tags(self) -> bool {
        matches!(self, PackageType::Npm)
    }
}

kernel::choices! {
    /// States of a package (docs/interface/packages.md 1.2).
    pub enum Status as "PackageStatus" {
        Default = "default",
        Hidden = "hidden",
        Processing = "processing",
        Error = "error",
        PendingDestruction = "pending_destruction",
        Deprecated = "deprecated",
    }
}

impl Status {
    /// Listed without a filter.
    pub const fn is_displayable(self) -> bool {
        matches!(self, Status::Default | Status::Deprecated | Status::Error)
    }
    /// Has a page, and can be read alone.
    pub const fn is_detailed(self) -> bool {
        matches!(self, Status::Default | Status::Deprecated)
    }
    /// Clients may fetch its files.
    pub const fn is_installable(self) -> bool {
        matches!(self, Status::Default | Status::Hidden | Status::Deprecated)
    }
}

/// What `packages.version_key` holds for a package without a version: it
/// sorts after every version, as a null does in ascending order.
pub const VERSIONLESS: &str = "\u{10FFFF}";

/// One name and version of one format in one project.
#[derive(Debug, Clone, PartialEq, FromRow)]
#[columns("p")]
pub struct Package {
    pub id: i64,
    pub project_id: i64,
    pub package_type: PackageType,
    /// Its name; for conan the bare one.
    pub name: String,
    pub version: Option<String>,
    pub status: Status,
    pub creator_id: Option<i64>,
    /// The full recipe (`name/version@user/channel`), for conan.
    pub conan_name: Option<String>,
    pub download_count: i64,
    /// The last of them, up to a minute late.
    pub last_downloaded_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Package {
    /// Whether the default list shows it; what `package_counts` counts.
    pub fn is_listed(&self) -> bool {
        self.status.is_displayable() && self.version.is_some()
    }
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "PackageFileEntity")]
#[columns("f")]
pub struct PackageFile {
    /// Its id.
    pub id: i64,
    /// Its package.
    pub package_id: i64,
    /// When it was stored.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// Its name; parts of a path are joined by `%2F`.
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// MD5 in hex.
    #[serde(rename = "file_md5")]
    pub md5: String,
    /// SHA-1 in hex.
    #[serde(rename = "file_sha1")]
    pub sha1: String,
    /// SHA-256 in hex.
    #[serde(rename = "file_sha256")]
    pub sha256: String,
    #[serde(skip)]
    pub blob_key: String,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl PackageFile {
    /// Its name for people.
    pub fn readable_name(&self) -> Cow<'_, str> {
        percent_encoding::percent_decode_str(&self.file_name).decode_utf8_lossy()
    }
}

/// A tag: a name an npm client gave one version.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "TagEntity")]
#[columns("t")]
pub struct Tag {
    /// Its id.
    pub id: i64,
    /// The package it names.
    pub package_id: i64,
    /// What it says.
    pub name: String,
    /// When it was set.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it was moved.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

kernel::choices! {
    pub enum PushLevel { Maintainer = "maintainer", Owner = "owner", Admin = "admin" }
}

kernel::choices! {
    pub enum DeleteLevel { Owner = "owner", Admin = "admin" }
}

impl PushLevel {
    /// Who that is, for people.
    pub const fn label(self) -> &'static str {
        match self {
            PushLevel::Maintainer => "Maintainers",
            PushLevel::Owner => "Owners",
            PushLevel::Admin => "Administrators",
        }
    }

    /// The role as a number; administrators pass before it is asked.
    pub const fn role(self) -> i64 {
        match self {
            PushLevel::Maintainer => 40,
            PushLevel::Owner => 50,
            PushLevel::Admin => i64::MAX,
        }
    }
}

impl DeleteLevel {
    /// Who that is, for people.
    pub const fn label(self) -> &'static str {
        match self {
            DeleteLevel::Owner => "Owners",
            DeleteLevel::Admin => "Administrators",
        }
    }

    /// The role as a number; administrators pass before it is asked.
    pub const fn role(self) -> i64 {
        match self {
            DeleteLevel::Owner => 50,
            DeleteLevel::Admin => i64::MAX,
        }
    }
}

/// A protection rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "ProtectionRuleEntity")]
#[columns("r")]
pub struct ProtectionRule {
    /// Its id.
    pub id: i64,
    /// Its project.
    pub project_id: i64,
    /// Names it is about.
    pub package_name_pattern: String,
    /// The format it is about.
    pub package_type: PackageType,
    /// Least role that may delete.
    #[schemars(with = "Option<String>")]
    pub minimum_access_level_for_delete: Option<DeleteLevel>,
    /// Least role that may publish.
    #[schemars(with = "Option<String>")]
    pub minimum_access_level_for_push: Option<PushLevel>,
}
