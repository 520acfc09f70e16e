//! What may be said of a project when it is made or changed.

use super::super::text;
use crate::model::Visibility;
use crate::rules::ProjectChange;
use kernel::http::params::{Field, Flat, FromParams, Param, Patch, Source};
use kernel::ids::Reference;
use std::collections::BTreeMap;

kernel::choices! {
    /// Who may use a feature.
    pub enum FeatureLevel {
        Disabled = "disabled",
        Private = "private",
        Enabled = "enabled",
        Public = "public",
    }
}

kernel::choices! {
    /// How branches are joined.
    pub enum MergeMethod { Merge = "merge", RebaseMerge = "rebase_merge", Ff = "ff" }
}

kernel::choices! {
    /// Whether commits are squashed.
    pub enum SquashOption {
        Never = "never",
        Always = "always",
        DefaultOn = "default_on",
        DefaultOff = "default_off",
    }
}

kernel::params! {
    /// What is said of a project.
    pub struct ProjectFields {
        /// Display name.
        pub name: Option<String>,
        /// Last part of its address.
        pub path: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// The branch shown first.
        pub default_branch: Option<String>,
        /// Topics.
        pub topics: Option<Vec<String>>,
        /// Topics, by their old name.
        pub tag_list: Option<Vec<String>>,
        /// How branches are joined.
        pub merge_method: Option<MergeMethod>,
        /// Whether commits are squashed.
        pub squash_option: Option<SquashOption>,
        /// Users may ask for access.
        pub request_access_enabled: Option<bool>,
        /// The package registry is on.
        pub packages_enabled: Option<bool>,
        pub features: Flat<Features>,
    }
}

impl ProjectFields {
    /// The change that is asked for.
    pub fn change(self) -> ProjectChange {
        ProjectChange {
            name: self.name,
            path: self.path,
            description: text(self.description),
            visibility: self.visibility,
            default_branch: self.default_branch,
            topics: self.topics.or(self.tag_list),
            merge_method: self.merge_method.map(|value| value.to_string()),
            squash_option: self.squash_option.map(|value| value.to_string()),
            request_access_enabled: self.request_access_enabled,
            packages_enabled: self.packages_enabled,
            features: self.features.0.0,
        }
    }
}

/// Parameters that say who may use a feature, and the feature.
const LEVELS: &[(&str, &str)] = &[
    ("issues_access_level", "issues"),
    ("repository_access_level", "repository"),
    ("merge_requests_access_level", "merge_requests"),
    ("forking_access_level", "forking"),
    ("wiki_access_level", "wiki"),
    ("builds_access_level", "builds"),
    ("snippets_access_level", "snippets"),
    ("pages_access_level", "pages"),
    ("analytics_access_level", "analytics"),
    ("container_registry_access_level", "container_registry"),
    (
        "security_and_compliance_access_level",
        "security_and_compliance",
    ),
    ("releases_access_level", "releases"),
    ("environments_access_level", "environments"),
    ("feature_flags_access_level", "feature_flags"),
    ("infrastructure_access_level", "infrastructure"),
    ("monitor_access_level", "monitor"),
    ("model_experiments_access_level", "model_experiments"),
    ("model_registry_access_level", "model_registry"),
    ("package_registry_access_level", "package_registry"),
    ("requirements_access_level", "requirements"),
];
/// Parameters that switch a feature on or off, and the feature.
const SWITCHES: &[(&str, &str)] = &[
    ("issues_enabled", "issues"),
    ("merge_requests_enabled", "merge_requests"),
    ("wiki_enabled", "wiki"),
    ("jobs_enabled", "builds"),
    ("snippets_enabled", "snippets"),
    ("container_registry_enabled", "container_registry"),
];

/// Levels by feature, as [`LEVELS`] and [`SWITCHES`] set them.
#[derive(Debug, Clone)]
pub struct Features(BTreeMap<String, String>);

impl FromParams for Features {
    fn from_params(source: &Source) -> Result<Self, Vec<String>> {
        let (mut features, mut errors) = (BTreeMap::new(), Vec::new());
        let levels = LEVELS.iter().map(|(name, feature)| {
            let level = Option::<FeatureLevel>::read(source, name, &mut errors);
            (*feature, level.flatten())
        });
        let levels: Vec<_> = levels.collect();
        for (name, feature) in SWITCHES {
            let on = Option::<bool>::read(source, name, &mut errors).flatten();
            let level = on.map(|on| if on { "enabled" } else { "disabled" });
            features.extend(level.map(|level| (feature.to_string(), level.to_owned())));
        }
        for (feature, level) in levels {
            features.extend(level.map(|level| (feature.to_owned(), level.to_string())));
        }
        match errors.is_empty() {
            true => Ok(Features(features)),
            false => Err(errors),
        }
    }

    fn fields() -> Vec<Field> {
        let level = |(name, _): &(&'static str, &str)| {
            Option::<FeatureLevel>::declared(name, "Who may use the feature.")
        };
        let switch = |(name, _): &(&'static str, &str)| {
            Option::<bool>::declared(name, "Whether the feature is on; its access level wins.")
        };
        let levels = LEVELS.iter().flat_map(level);
        levels.chain(SWITCHES.iter().flat_map(switch)).collect()
    }
}

kernel::params! {
    /// A new project.
    pub struct CreateProject {
        /// Where it is to stand; the caller's own namespace unless given.
        pub namespace_id: Option<i64>,
        pub fields: Flat<ProjectFields>,
    }
}

kernel::params! {
    /// A new project of another user.
    pub struct CreateFor {
        /// Whose.
        pub user_id: i64,
        /// Where it is to stand; the user's own namespace unless given.
        pub namespace_id: Option<i64>,
        pub fields: Flat<ProjectFields>,
    }
}

kernel::params! {
    /// Changes of a project.
    pub struct UpdateProject {
        /// Id or path of the project.
        pub id: Reference,
        pub fields: Flat<ProjectFields>,
    }
}
