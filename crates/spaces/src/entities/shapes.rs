//! The shapes of groups, namespaces and projects on the wire.

use crate::branch_protection::BranchProtection;
use crate::ci_settings::CiSettings;
use crate::features::{self, Named};
use crate::license::LicenseEntity;
use crate::merge_settings::MergeSettings;
use crate::mirror_settings::MirrorSettings;
use crate::model::{OverrideRole, Visibility};
use crate::store::ShareRow;
use identity::entities::UserBasic;
use schemars::JsonSchema;
use serde::Serialize;

/// A group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupEntity {
    pub id: i64,
    pub web_url: String,
    pub name: String,
    pub path: String,
    pub description: String,
    pub visibility: Visibility,
    pub share_with_group_lock: bool,
    pub require_two_factor_authentication: bool,
    pub two_factor_grace_period: i64,
    pub project_creation_level: String,
    pub auto_devops_enabled: Option<bool>,
    pub subgroup_creation_level: String,
    pub emails_disabled: bool,
    pub emails_enabled: bool,
    pub mentions_disabled: Option<bool>,
    pub lfs_enabled: bool,
    pub epics_enabled: bool,
    pub dependency_exports_enabled: bool,
    pub pull_mirror_enabled: bool,
    pub default_branch: Option<String>,
    pub default_branch_protection: i64,
    pub default_branch_protection_defaults: BranchProtection,
    pub avatar_url: Option<String>,
    pub request_access_enabled: bool,
    pub full_name: String,
    pub full_path: String,
    pub created_at: String,
    pub parent_id: Option<i64>,
    pub marked_for_deletion_on: Option<String>,
    /// Bytes, for administrators; null as above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_size_limit: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_with_groups: Option<Vec<ShareRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectEntity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_projects: Option<Vec<ProjectEntity>>,
}

/// Bytes of what projects hold.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizes {
    pub packages: i64,
    pub uploads: i64,
    pub code: i64,
    pub wiki: i64,
    pub snippets: i64,
    /// Git LFS.
    pub large_files: i64,
}

impl Sizes {
    pub fn add(&mut self, other: &Sizes) {
        self.packages += other.packages;
        self.uploads += other.uploads;
        self.code += other.code;
        self.wiki += other.wiki;
        self.snippets += other.snippets;
        self.large_files += other.large_files;
    }

    /// Bytes of everything.
    pub fn all(&self) -> i64 {
        let repositories = self.code + self.wiki + self.snippets;
        self.packages + self.uploads + repositories + self.large_files
    }
}

/// Bytes in use.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct StatisticsEntity {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_count: Option<i64>,
    pub storage_size: i64,
    pub repository_size: i64,
    pub wiki_size: i64,
    pub lfs_objects_size: i64,
    pub job_artifacts_size: i64,
    pub pipeline_artifacts_size: i64,
    pub packages_size: i64,
    pub snippets_size: i64,
    pub uploads_size: i64,
    pub container_registry_size: i64,
}

impl StatisticsEntity {
    /// Packages, the files of texts, code, wikis, snippets and large files take some, and
    /// nothing else does.
    pub fn of(sizes: Sizes) -> StatisticsEntity {
        StatisticsEntity {
            storage_size: sizes.all(),
            repository_size: sizes.code,
            wiki_size: sizes.wiki,
            lfs_objects_size: sizes.large_files,
            packages_size: sizes.packages,
            snippets_size: sizes.snippets,
            uploads_size: sizes.uploads,
            ..StatisticsEntity::default()
        }
    }

    /// Those of a project; its commits are counted elsewhere.
    pub fn of_project(sizes: Sizes) -> StatisticsEntity {
        StatisticsEntity { commit_count: Some(0), ..StatisticsEntity::of(sizes) }
    }
}

/// The terms of a project, where they are asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProjectLicense {
    /// The file that has them.
    pub license_url: Option<String>,
    pub license: Option<LicenseEntity>,
}

/// A namespace as projects name it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NamespaceEntity {
    pub id: i64,
    pub name: String,
    pub path: String,
    pub kind: String,
    pub full_path: String,
    pub parent_id: Option<i64>,
    pub avatar_url: Option<String>,
    pub web_url: String,
}

/// A project: what every caller gets, then what `simple` leaves out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectEntity {
    pub id: i64,
    pub description: Option<String>,
    pub name: String,
    pub name_with_namespace: String,
    pub path: String,
    pub path_with_namespace: String,
    pub created_at: String,
    pub last_activity_at: String,
    pub default_branch: Option<String>,
    pub topics: Vec<String>,
    pub tag_list: Vec<String>,
    pub ssh_url_to_repo: String,
    pub http_url_to_repo: String,
    pub web_url: String,
    pub readme_url: Option<String>,
    pub forks_count: i64,
    pub star_count: i64,
    pub avatar_url: Option<String>,
    pub visibility: Visibility,
    pub namespace: NamespaceEntity,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<ProjectDetails>>,
}

/// What `simple` leaves out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserBasic>,
    pub archived: bool,
    pub empty_repo: bool,
    /// Where its code lies, for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_storage: Option<String>,
    pub creator_id: Option<i64>,
    pub import_status: String,
    /// Why it failed, for who maintains the project.
    pub import_error: Option<String>,
    pub open_issues_count: i64,
    pub merge_method: String,
    pub squash_option: String,
    /// What it follows, for who maintains the project.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub mirroring: Option<Box<MirrorSettings>>,
    /// What it was forked from, where the caller sees that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from_project: Option<Box<ProjectEntity>>,
    pub mr_default_target_self: bool,
    pub can_create_merge_request_in: bool,
    pub repository_object_format: String,
    pub updated_at: String,
    pub packages_enabled: bool,
    #[serde(flatten)]
    #[schemars(schema_with = "features::switches_schema")]
    pub switches: Named<bool>,
    pub service_desk_enabled: bool,
    pub lfs_enabled: bool,
    pub request_access_enabled: bool,
    pub enforce_auth_checks_on_uploads: bool,
    pub autoclose_referenced_issues: bool,
    #[serde(flatten)]
    pub ci: CiSettings,
    #[serde(flatten)]
    pub merging: MergeSettings,
    pub pull_mirror_enabled: bool,
    pub ci_pipeline_variables_minimum_override_role: OverrideRole,
    /// Whether developers may not give variables to pipelines.
    pub restrict_user_defined_variables: bool,
    pub marked_for_deletion_on: Option<String>,
    #[serde(flatten)]
    #[schemars(schema_with = "features::levels_schema")]
    pub levels: Named<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionsEntity>,
    #[serde(rename = "_links")]
    pub links: ProjectLinks,
    pub shared_with_groups: Vec<ShareRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsEntity>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub license: Option<ProjectLicense>,
    /// Bytes, for administrators; null as above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_size_limit: Option<Option<i64>>,
    pub allow_pipeline_trigger_approve_deployment: bool,
    pub merge_trains_enabled: bool,
}

/// The caller's roles.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PermissionsEntity {
    pub project_access: Option<PermissionEntity>,
    pub group_access: Option<PermissionEntity>,
}

/// One of the caller's roles.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PermissionEntity {
    pub access_level: i64,
    pub notification_level: i64,
}

/// Addresses of a project's parts.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ProjectLinks {
    #[serde(rename = "self")]
    pub itself: String,
    pub issues: String,
    pub merge_requests: String,
    pub repo_branches: String,
    pub labels: String,
    pub events: String,
    pub members: String,
}
