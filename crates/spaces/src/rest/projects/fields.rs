//! What may be said of a project when it is made or changed.

use crate::model::Visibility;
use crate::rules::ProjectChange;
use kernel::http::params::Patch;
use kernel::ids::Reference;

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

macro_rules! project_fields {
    ($(#[doc = $outer:literal])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $ty:ty),* $(,)? }
     features { $($feature:ident: $key:literal,)* } switches { $($switch:ident: $of:literal,)* }) => {
        kernel::params! {
            $(#[doc = $outer])*
            pub struct $name {
                $($(#[doc = $doc])* pub $field: $ty,)*
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
                $(
                    /// Who may use the feature.
                    pub $feature: Option<FeatureLevel>,
                )*
                $(
                    /// Whether the feature is on; its access level wins.
                    pub $switch: Option<bool>,
                )*
            }
        }

        impl $name {
            /// The change that is asked for.
            pub fn change(&self) -> ProjectChange {
                let mut change = ProjectChange {
                    name: self.name.clone(),
                    path: self.path.clone(),
                    description: super::super::groups::text(&self.description),
                    visibility: self.visibility,
                    default_branch: self.default_branch.clone(),
                    topics: self.topics.clone().or_else(|| self.tag_list.clone()),
                    merge_method: self.merge_method.map(|value| value.to_string()),
                    squash_option: self.squash_option.map(|value| value.to_string()),
                    request_access_enabled: self.request_access_enabled,
                    packages_enabled: self.packages_enabled,
                    ..ProjectChange::default()
                };
                $(
                    if let Some(on) = self.$switch {
                        let level = if on { "enabled" } else { "disabled" };
                        change.features.insert($of.to_owned(), level.to_owned());
                    }
                )*
                $(
                    if let Some(level) = self.$feature {
                        change.features.insert($key.to_owned(), level.to_string());
                    }
                )*
                change
            }
        }
    };
    ($(#[doc = $outer:literal])* $name:ident { $($fields:tt)* }) => {
        project_fields! {
            $(#[doc = $outer])* $name { $($fields)* }
            features {
                issues_access_level: "issues",
                repository_access_level: "repository",
                merge_requests_access_level: "merge_requests",
                forking_access_level: "forking",
                wiki_access_level: "wiki",
                builds_access_level: "builds",
                snippets_access_level: "snippets",
                pages_access_level: "pages",
                analytics_access_level: "analytics",
                container_registry_access_level: "container_registry",
                security_and_compliance_access_level: "security_and_compliance",
                releases_access_level: "releases",
                environments_access_level: "environments",
                feature_flags_access_level: "feature_flags",
                infrastructure_access_level: "infrastructure",
                monitor_access_level: "monitor",
                model_experiments_access_level: "model_experiments",
                model_registry_access_level: "model_registry",
                package_registry_access_level: "package_registry",
                requirements_access_level: "requirements",
            }
            switches {
                issues_enabled: "issues",
                merge_requests_enabled: "merge_requests",
                wiki_enabled: "wiki",
                jobs_enabled: "builds",
                snippets_enabled: "snippets",
                container_registry_enabled: "container_registry",
            }
        }
    };
}

project_fields! {
    /// A new project.
    CreateProject {
        /// Where it is to stand; the caller's own namespace unless given.
        namespace_id: Option<i64>,
    }
}
project_fields! {
    /// A new project of another user.
    CreateFor {
        /// Whose.
        user_id: i64,
        /// Where it is to stand; the user's own namespace unless given.
        namespace_id: Option<i64>,
    }
}
project_fields! {
    /// Changes of a project.
    UpdateProject {
        /// Id or path of the project.
        id: Reference,
    }
}
