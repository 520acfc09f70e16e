//! The features of a project and who may use each: by these names they are
//! set, and shown, as levels and as switches.

use crate::model::Project;
use kernel::html::ui::Choice;
use kernel::http::params::{Field, FromParams, Param, Source};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
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

/// Fields that say who may use a feature, and the feature.
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
    ("security_and_compliance_access_level", "security_and_compliance"),
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
/// Fields that switch a feature on or off, and the feature.
const SWITCHES: &[(&str, &str)] = &[
    ("issues_enabled", "issues"),
    ("merge_requests_enabled", "merge_requests"),
    ("wiki_enabled", "wiki"),
    ("jobs_enabled", "builds"),
    ("snippets_enabled", "snippets"),
    ("container_registry_enabled", "container_registry"),
];

/// Levels by feature, as [`LEVELS`] and [`SWITCHES`] set them.
#[derive(Debug, Clone, Default)]
pub struct Features(pub BTreeMap<String, String>);

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

/// Features that this server has; the levels of the others are kept for clients.
const PRESENT: &[&str] = &[
    "builds",
    "issues",
    "merge_requests",
    "package_registry",
    "releases",
    "snippets",
    "wiki",
];

/// Who may use a feature, as a page shows and sets it.
#[derive(Debug, Clone)]
pub struct FeatureField {
    /// The name of its field.
    pub name: &'static str,
    /// What it is called.
    pub label: String,
    pub level: String,
    pub is_present: bool,
}

impl FeatureField {
    fn new(name: &'static str, feature: &str, level: String) -> FeatureField {
        let words = match feature {
            "package_registry" => "packages".to_owned(),
            "builds" => "pipelines".to_owned(),
            other => other.replace('_', " "),
        };
        let mut letters = words.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        FeatureField {
            name,
            label: first.chain(letters).collect(),
            level,
            is_present: PRESENT.contains(&feature),
        }
    }

    /// Whom it can be opened to. Only what shows by itself is open to more people
    /// than the project.
    pub fn levels(&self) -> Vec<Choice> {
        let mut levels = vec![
            ("enabled", "Everyone who sees the project"),
            ("private", "Members only"),
            ("disabled", "Off"),
        ];
        if self.name == "package_registry_access_level" || self.level == "public" {
            levels.push(("public", "Everyone, also where the project is not public"));
        }
        Choice::list(&levels)
    }
}

/// Who may use each feature of a project, for its settings.
pub fn fields(project: &Project) -> Vec<FeatureField> {
    let Named(levels) = levels(project);
    let features = LEVELS.iter().map(|(_, feature)| *feature);
    let all = levels.into_iter().zip(features);
    all.map(|((name, level), feature)| FeatureField::new(name, feature, level))
        .collect()
}

/// Names of the wire with their values, in order.
#[derive(Debug, Clone)]
pub struct Named<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Who may use each feature of a project, by the names of [`LEVELS`].
pub fn levels(project: &Project) -> Named<String> {
    let level = |(name, feature): &(&'static str, &str)| {
        let level = match *feature {
            "package_registry" => project.package_registry(),
            feature => project.feature(feature),
        };
        (*name, level.to_owned())
    };
    Named(LEVELS.iter().map(level).collect())
}

/// Which features of a project are on, by the names of [`SWITCHES`].
pub fn switches(project: &Project) -> Named<bool> {
    let on =
        |(name, feature): &(&'static str, &str)| (*name, project.feature(feature) != "disabled");
    Named(SWITCHES.iter().map(on).collect())
}

pub fn levels_schema(_: &mut SchemaGenerator) -> Schema {
    object_schema(LEVELS, "string")
}

pub fn switches_schema(_: &mut SchemaGenerator) -> Schema {
    object_schema(SWITCHES, "boolean")
}

/// An object that has all fields of a table, all of one type.
fn object_schema(table: &[(&str, &str)], kind: &str) -> Schema {
    let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    let field = |name: &&str| ((*name).to_owned(), json!({"type": kind}));
    let fields: Map<String, Value> = names.iter().map(field).collect();
    json_schema!({"type": "object", "properties": fields, "required": names})
}
