//! Rows and closed lists of this room: plain types, no decisions.

use crate::branch_protection::BranchProtection;
use kernel::error::{Error, Result};
use kernel::ids::fold;
use kernel::time::Timestamp;
use std::collections::BTreeMap;
use store::{FromRow, Json};

pub type ProjectId = i64;
/// Id of a group; groups and user namespaces share one sequence.
pub type GroupId = i64;

/// Longest name of a group or project, in characters.
pub const MAX_NAME: usize = 255;
/// Longest description, in characters.
pub const MAX_DESCRIPTION: usize = 2_000;
/// Most groups above one another.
pub const MAX_DEPTH: i64 = 20;

/// Who sees a group or project (numbers as stored).
pub const PRIVATE: i64 = 0;
/// Seen by every signed-in user who is not external.
pub const INTERNAL: i64 = 10;
pub const PUBLIC: i64 = 20;

kernel::choices! {
    /// Visibility as it is written on the wire.
    pub enum Visibility {
        Private = "private",
        Internal = "internal",
        Public = "public",
    }
}

impl Visibility {
    /// The number it is stored as.
    pub const fn level(self) -> i64 {
        match self {
            Visibility::Private => PRIVATE,
            Visibility::Internal => INTERNAL,
            Visibility::Public => PUBLIC,
        }
    }

    /// What a stored number means.
    pub const fn of(level: i64) -> Visibility {
        match level {
            PUBLIC => Visibility::Public,
            INTERNAL => Visibility::Internal,
            _ => Visibility::Private,
        }
    }
}

kernel::choices! {
    /// Who may give variables to a pipeline of a project.
    #[derive(Default)]
    pub enum OverrideRole as "PipelineVariablesRole" {
        NoOneAllowed = "no_one_allowed",
        Developer = "developer",
        #[default]
        Maintainer = "maintainer",
        Owner = "owner",
    }
}

impl OverrideRole {
    /// Whether only owners change it from this to another.
    pub fn is_for_owners(self) -> bool {
        matches!(self, OverrideRole::NoOneAllowed | OverrideRole::Owner)
    }
}

kernel::choices! {
    /// How far what a project begins with is, where that comes from elsewhere.
    #[derive(Default)]
    pub enum ImportStatus {
        #[default]
        None = "none",
        Scheduled = "scheduled",
        Started = "started",
        Finished = "finished",
        Failed = "failed",
        Canceled = "canceled",
    }
}

kernel::choices! {
    /// Direction of a list.
    pub enum Sort { Asc = "asc", Desc = "desc" }
}

kernel::choices! {
    /// What a member, share or token belongs to.
    pub enum SourceKind {
        Project = "Project",
        Group = "Group",
    }
}

impl SourceKind {
    /// As a sentence says it.
    pub const fn word(self) -> &'static str {
        match self {
            SourceKind::Project => "project",
            SourceKind::Group => "group",
        }
    }
}

/// A project and what is always needed of its namespace.
#[derive(Debug, Clone, Default, FromRow)]
#[columns("projects")]
pub struct Project {
    pub id: ProjectId,
    pub namespace_id: i64,
    pub name: String,
    pub path: String,
    pub full_path: String,
    pub description: Option<String>,
    pub visibility: i64,
    pub default_branch: Option<String>,
    pub topics: Json<Vec<String>>,
    pub creator_id: Option<i64>,
    pub archived: bool,
    pub star_count: i64,
    pub forks_count: i64,
    pub forked_from_id: Option<i64>,
    /// The project that began the network of forks it belongs to; it may be gone.
    pub fork_network_id: Option<i64>,
    /// Merge requests of this fork are for itself unless they say otherwise.
    pub mr_default_target_self: bool,
    pub merge_method: String,
    pub squash_option: String,
    pub request_access_enabled: bool,
    pub packages_enabled: bool,
    pub features: Json<BTreeMap<String, String>>,
    /// Only who sees the project sees the pictures of its texts.
    pub enforce_auth_checks_on_uploads: bool,
    pub autoclose_referenced_issues: bool,
    /// It takes large files.
    pub lfs_enabled: bool,
    /// Bytes that its code and large files may have, 0 for any number; none as above it.
    pub repository_size_limit: Option<i64>,
    #[column("projects.ci_pipeline_variables_minimum_override_role")]
    pub pipeline_variables_role: OverrideRole,
    /// Who started a pipeline may approve its deployments.
    pub allow_pipeline_trigger_approve_deployment: bool,
    /// How far what it began with is; see [`crate::imports`].
    pub import_status: ImportStatus,
    pub import_error: Option<String>,
    /// It may follow another repository.
    pub pull_mirror_enabled: bool,
    pub avatar_key: Option<String>,
    pub deletion_scheduled_at: Option<Timestamp>,
    pub last_activity_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[column("namespaces.lineage")]
    pub namespace_lineage: String,
    #[column("namespaces.kind")]
    pub namespace_kind: String,
    #[column("namespaces.owner_id")]
    pub namespace_owner_id: Option<i64>,
    #[column("namespaces.name")]
    pub namespace_name: String,
    #[column("namespaces.path")]
    pub namespace_path: String,
    #[column("namespaces.full_path")]
    pub namespace_full_path: String,
    #[column("namespaces.full_name")]
    pub namespace_full_name: String,
    #[column("namespaces.parent_id")]
    pub namespace_parent_id: Option<i64>,
}

#[derive(Debug, Clone, Default, FromRow)]
pub struct Namespace {
    pub id: GroupId,
    pub kind: String,
    pub parent_id: Option<i64>,
    pub owner_id: Option<i64>,
    pub name: String,
    pub path: String,
    pub full_path: String,
    pub full_name: String,
    pub lineage: String,
    pub depth: i64,
    pub description: String,
    pub visibility: i64,
    pub project_creation_level: String,
    pub subgroup_creation_level: String,
    pub share_with_group_lock: bool,
    pub require_two_factor: bool,
    pub two_factor_grace_period: i64,
    pub emails_enabled: bool,
    pub mentions_disabled: Option<bool>,
    pub lfs_enabled: bool,
    pub request_access_enabled: bool,
    pub epics_enabled: bool,
    pub dependency_exports_enabled: bool,
    pub pull_mirror_enabled: bool,
    /// Of each project in it that says nothing itself.
    pub repository_size_limit: Option<i64>,
    pub default_branch: Option<String>,
    pub package_settings: Option<serde_json::Value>,
    pub branch_protection: Option<Json<BranchProtection>>,
    pub created_by_id: Option<i64>,
    pub deletion_scheduled_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Project {
    /// Begins a statement that reads projects, up to its `where`.
    pub const SELECT: &'static str = store::concat!(
        "select ",
        Project::COLUMNS,
        " from projects join namespaces on namespaces.id = projects.namespace_id "
    );

    /// Level of a feature: `disabled`, `private`, `enabled` or `public`.
    pub fn feature(&self, name: &str) -> &str {
        self.features.0.get(name).map_or("enabled", String::as_str)
    }

    /// Level of the package registry; off when packages are.
    pub fn package_registry(&self) -> &str {
        if self.packages_enabled {
            self.feature("package_registry")
        } else {
            "disabled"
        }
    }

    pub fn visibility(&self) -> Visibility {
        Visibility::of(self.visibility)
    }

    /// It was made as a fork, or declared one.
    pub fn is_fork(&self) -> bool {
        self.fork_network_id.is_some_and(|network| network != self.id)
    }

    /// Ids of the namespaces above it, from the root.
    pub fn ancestors(&self) -> Vec<i64> {
        ids_of(&self.namespace_lineage)
    }

    /// Its own address on this instance.
    pub fn web_url(&self, base_url: &str) -> String {
        format!("{base_url}/{}", self.full_path)
    }

    /// Name after the names of the namespaces above it.
    pub fn name_with_namespace(&self) -> String {
        format!("{} / {}", self.namespace_full_name, self.name)
    }
}

impl Namespace {
    pub fn is_group(&self) -> bool {
        self.kind == "group"
    }

    pub fn visibility(&self) -> Visibility {
        Visibility::of(self.visibility)
    }

    /// What no lineage below it reaches.
    pub fn lineage_end(&self) -> String {
        format!("{}:", self.lineage)
    }

    /// Ids from the root to itself.
    pub fn ids(&self) -> Vec<i64> {
        ids_of(&self.lineage)
    }

    /// Its own address on this instance.
    pub fn web_url(&self, base_url: &str) -> String {
        match self.is_group() {
            true => format!("{base_url}/groups/{}", self.full_path),
            false => format!("{base_url}/{}", self.full_path),
        }
    }
}

/// The ids a lineage (`/1/5/9/`) is made of.
pub fn ids_of(lineage: &str) -> Vec<i64> {
    lineage.split('/').filter_map(|id| id.parse().ok()).collect()
}

/// Names that routes of ours begin with, or may begin with one day.
const RESERVED: &[&str] = &[
    "-",
    ".well-known",
    "404.html",
    "422.html",
    "500.html",
    "502.html",
    "503.html",
    "admin",
    "api",
    "assets",
    "dashboard",
    "explore",
    "favicon.ico",
    "favicon.png",
    "files",
    "groups",
    "health_check",
    "help",
    "import",
    "jwt",
    "login",
    "metrics",
    "oauth",
    "org",
    "profile",
    "projects",
    "public",
    "robots.txt",
    "s",
    "search",
    "sitemap.xml",
    "snippets",
    "static",
    "unsubscribes",
    "uploads",
    "users",
    "v2",
];
/// Names a project cannot have because the group above it has such pages.
const RESERVED_BELOW: &[&str] = &[
    "-",
    "badges",
    "blame",
    "blob",
    "builds",
    "commits",
    "create",
    "create_dir",
    "edit",
    "environments",
    "files",
    "find_file",
    "info",
    "new",
    "preview",
    "raw",
    "refs",
    "tree",
    "update",
    "wikis",
];

/// Why a path cannot be used, if it cannot: letters, digits, `_`, `-` and `.`
/// only, no leading `-`, `.` or trailing `.`, `.git`, `.atom`; not reserved.
pub fn path_error(path: &str, is_top_level: bool) -> Option<&'static str> {
    const SHAPE: &str = "can contain only letters, digits, '_', '-' and '.'. Cannot start with \
        '-' or '.', end in '.', '.git' or '.atom'";
    let folded = fold(path);
    let shaped = path
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    let reserved = if is_top_level { RESERVED } else { RESERVED_BELOW };
    if path.is_empty() {
        Some("can't be blank")
    } else if path.len() > MAX_NAME {
        Some("is too long (maximum is 255 characters)")
    } else if reserved.contains(&folded.as_str()) {
        Some("is a reserved name")
    } else if !shaped
        || path.starts_with(['-', '.'])
        || [".", ".git", ".atom"].iter().any(|end| folded.ends_with(end))
    {
        Some(SHAPE)
    } else {
        None
    }
}

pub fn name_error(name: &str) -> Option<&'static str> {
    let allowed = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '(' | ')' | '+') || !c.is_ascii()
    };
    let first = name.chars().next();
    if name.trim().is_empty() {
        Some("can't be blank")
    } else if name.chars().count() > MAX_NAME {
        Some("is too long (maximum is 255 characters)")
    } else if !name.chars().all(allowed)
        || name.chars().any(|c| c.is_control() || is_direction(c))
        || !first.is_some_and(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii())
    {
        Some(
            "can contain only letters, digits, emojis, '_', '.', '+', dashes, parentheses, or \
             spaces. It must start with a letter, digit, emoji, or '_'",
        )
    } else {
        None
    }
}

/// Characters that turn the direction of text, and so can disguise a name.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Messages by field, collected so that all are told at once.
#[derive(Debug, Default)]
pub struct Problems(Vec<(String, Vec<String>)>);

impl Problems {
    /// Notes a message about a field, if there is one.
    pub fn note(&mut self, field: &str, message: Option<&str>) {
        if let Some(message) = message {
            self.add(field, message);
        }
    }

    pub fn add(&mut self, field: &str, message: &str) {
        match self.0.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) => messages.push(message.to_owned()),
            None => self.0.push((field.to_owned(), vec![message.to_owned()])),
        }
    }

    /// Refuses the change if anything was noted.
    pub fn check(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_to_their_alphabet() {
        for good in ["a", "a.b", "_x", "a-b_c.d", "9", "gitty", "api2"] {
            assert_eq!(path_error(good, true), None, "{good}");
        }
        for bad in ["", "-a", ".a", "a.", "a.git", "A.GIT", "a.atom", "a b", "ä", "a/b", "a\0"] {
            assert!(path_error(bad, true).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn reserved_names_depend_on_the_place() {
        for name in ["api", "Admin", "-", "users", "groups", "projects", "dashboard", "oauth"] {
            assert!(path_error(name, true).is_some(), "{name}");
        }
        assert_eq!(path_error("api", false), None);
        assert!(path_error("-", false).is_some());
    }

    #[test]
    fn names_are_bounded_and_printable() {
        assert_eq!(name_error("Diaspora Client (old) 2.0+"), None);
        assert_eq!(name_error("Größe 🚀"), None);
        assert!(name_error(" ").is_some());
        assert!(name_error("<script>").is_some());
        assert!(name_error("a\u{202e}b").is_some());
        assert!(name_error(&"x".repeat(256)).is_some());
    }

    #[test]
    fn a_lineage_is_its_ids() {
        assert_eq!(ids_of("/1/5/9/"), [1, 5, 9]);
    }
}
