//! Whether a namespace lets one file or version be published twice
//! (contract 1.8). Kept in `namespaces.package_settings`; a namespace without
//! its own settings has those of its nearest ancestor that has some.

use crate::access::{Happened, audit};
use crate::model::PackageType;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spaces::Namespace;
use std::collections::HashMap;
use store::{Json, Tx, sql};

/// Longest exception pattern, in characters.
pub const MAX_PATTERN: usize = 255;
/// Most memory a compiled pattern may take, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// The settings of one namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PackageSettings {
    /// maven: one file extension twice in a version.
    pub maven_duplicates_allowed: bool,
    /// Names or versions exempt from it.
    pub maven_duplicate_exception_regex: String,
    /// generic: one file name twice in a version.
    pub generic_duplicates_allowed: bool,
    /// Names or versions exempt from it.
    pub generic_duplicate_exception_regex: String,
    /// nuget: one version twice.
    pub nuget_duplicates_allowed: bool,
    /// Names or versions exempt from it.
    pub nuget_duplicate_exception_regex: String,
    /// terraform_module: one name in two projects.
    pub terraform_module_duplicates_allowed: bool,
    /// Names or versions exempt from it.
    pub terraform_module_duplicate_exception_regex: String,
}

impl Default for PackageSettings {
    fn default() -> Self {
        PackageSettings {
            maven_duplicates_allowed: true,
            maven_duplicate_exception_regex: String::new(),
            generic_duplicates_allowed: true,
            generic_duplicate_exception_regex: String::new(),
            nuget_duplicates_allowed: true,
            nuget_duplicate_exception_regex: String::new(),
            terraform_module_duplicates_allowed: false,
            terraform_module_duplicate_exception_regex: String::new(),
        }
    }
}

impl PackageSettings {
    /// Whether this name and version may be published again. Formats without
    /// a setting answer as they always do: helm yes, the others no. That of
    /// Terraform is about other projects, see
    /// [`PackageSettings::allows_elsewhere`].
    pub fn allows_duplicate(
        &self,
        package_type: PackageType,
        name: &str,
        version: Option<&str>,
    ) -> bool {
        let (allowed, exception) = match package_type {
            PackageType::Maven => (
                self.maven_duplicates_allowed,
                self.maven_duplicate_exception_regex.as_str(),
            ),
            PackageType::Generic => (
                self.generic_duplicates_allowed,
                self.generic_duplicate_exception_regex.as_str(),
            ),
            PackageType::Nuget => (
                self.nuget_duplicates_allowed,
                self.nuget_duplicate_exception_regex.as_str(),
            ),
            PackageType::Helm => (true, ""),
            _ => (false, ""),
        };
        allowed || fits(exception, name) || version.is_some_and(|text| fits(exception, text))
    }

    /// Whether a Terraform module may have a name that a module of another
    /// project of the namespace has.
    pub fn allows_elsewhere(&self, name: &str, version: Option<&str>) -> bool {
        let exception = self.terraform_module_duplicate_exception_regex.as_str();
        self.terraform_module_duplicates_allowed
            || fits(exception, name)
            || version.is_some_and(|text| fits(exception, text))
    }

    /// Refuses patterns that are too long or do not compile.
    pub fn validate(&self) -> Result<()> {
        let patterns = [
            (
                "maven_duplicate_exception_regex",
                &self.maven_duplicate_exception_regex,
            ),
            (
                "generic_duplicate_exception_regex",
                &self.generic_duplicate_exception_regex,
            ),
            (
                "nuget_duplicate_exception_regex",
                &self.nuget_duplicate_exception_regex,
            ),
            (
                "terraform_module_duplicate_exception_regex",
                &self.terraform_module_duplicate_exception_regex,
            ),
        ];
        for (field, pattern) in patterns {
            check_pattern(field, pattern)?;
        }
        Ok(())
    }
}

/// Refuses a pattern that is too long or does not compile.
pub fn check_pattern(field: &str, pattern: &str) -> Result<()> {
    if pattern.chars().count() > MAX_PATTERN {
        return Err(Error::invalid(
            field,
            "is too long (maximum is 255 characters)",
        ));
    }
    if !pattern.is_empty() && compiled(pattern).is_none() {
        return Err(Error::invalid(field, "not valid RE2 syntax"));
    }
    Ok(())
}

/// Whether this is a pattern that can be matched in linear time.
pub fn is_pattern(text: &str) -> bool {
    compiled(text).is_some()
}

/// Whether the whole text fits the pattern; an empty pattern fits nothing.
fn fits(pattern: &str, text: &str) -> bool {
    !pattern.is_empty() && compiled(pattern).is_some_and(|regex| regex.is_match(text))
}

/// A pattern for whole texts, if it is one.
pub fn compiled(pattern: &str) -> Option<regex::Regex> {
    // Alone first: `a)|(b` must not become valid by being wrapped.
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .build()
        .ok()?;
    let whole = format!("\\A(?:{pattern})\\z");
    RegexBuilder::new(&whole)
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
}

/// The settings that hold in each of these namespaces.
pub fn effective_each(
    tx: &mut Tx<'_>,
    namespaces: &[&Namespace],
) -> Result<HashMap<i64, PackageSettings>> {
    let above: Vec<i64> = namespaces.iter().flat_map(|one| one.ids()).collect();
    let found: Vec<(i64, Json<PackageSettings>)> = tx.all(
        sql!(
            "select id, package_settings from namespaces
             where id in_list($1) and package_settings is not null"
        ),
        (above,),
    )?;
    let found: HashMap<i64, PackageSettings> = found
        .into_iter()
        .map(|(id, Json(settings))| (id, settings))
        .collect();
    // The nearest comes last in a lineage.
    let of = |one: &&Namespace| {
        let ids = one.ids();
        let nearest = ids.iter().rev().find_map(|id| found.get(id));
        (one.id, nearest.cloned().unwrap_or_default())
    };
    Ok(namespaces.iter().map(of).collect())
}

/// The settings that hold in a namespace: its own or the nearest above.
pub fn effective(tx: &mut Tx<'_>, namespace_id: i64) -> Result<PackageSettings> {
    let lineage: Option<String> = tx.optional(
        sql!("select lineage from namespaces where id = $1"),
        (namespace_id,),
    )?;
    let ids: Vec<i64> = lineage
        .unwrap_or_default()
        .split('/')
        .filter_map(|part| part.parse().ok())
        .collect();
    let found: Option<(Json<PackageSettings>,)> = tx.optional(
        sql!(
            "select package_settings from namespaces
             where id in_list($1) and package_settings is not null
             order by depth desc, id limit 1"
        ),
        (ids,),
    )?;
    Ok(found.map(|(Json(settings),)| settings).unwrap_or_default())
}

/// A change of settings: what is given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named as the fields of the settings")]
pub struct Change {
    pub maven_duplicates_allowed: Option<bool>,
    pub maven_duplicate_exception_regex: Option<String>,
    pub generic_duplicates_allowed: Option<bool>,
    pub generic_duplicate_exception_regex: Option<String>,
    pub nuget_duplicates_allowed: Option<bool>,
    pub nuget_duplicate_exception_regex: Option<String>,
    pub terraform_module_duplicates_allowed: Option<bool>,
    pub terraform_module_duplicate_exception_regex: Option<String>,
}

impl Change {
    fn apply(&self, settings: &mut PackageSettings) {
        macro_rules! take {
            ($($field:ident),* $(,)?) => {$(
                if let Some(wanted) = self.$field.clone() {
                    settings.$field = wanted;
                }
            )*};
        }
        take!(
            maven_duplicates_allowed,
            maven_duplicate_exception_regex,
            generic_duplicates_allowed,
            generic_duplicate_exception_regex,
            nuget_duplicates_allowed,
            nuget_duplicate_exception_regex,
            terraform_module_duplicates_allowed,
            terraform_module_duplicate_exception_regex,
        );
    }
}

/// Gives a namespace settings of its own: those that hold, changed.
pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    namespace: &Namespace,
    change: &Change,
) -> Result<PackageSettings> {
    let mut changed = effective(tx, namespace.id)?;
    change.apply(&mut changed);
    replace(tx, viewer, namespace, &changed)?;
    Ok(changed)
}

/// Gives a namespace settings of its own.
pub fn replace(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    namespace: &Namespace,
    settings: &PackageSettings,
) -> Result<()> {
    settings.validate()?;
    save(tx, namespace.id, settings)?;
    let happened = Happened {
        action: "package_settings.update",
        target_type: if namespace.is_group() {
            "Group"
        } else {
            "Namespace"
        },
        target_id: namespace.id,
        target_name: &namespace.full_path,
        details: serde_json::to_value(settings).map_err(Error::internal)?,
    };
    audit(tx, viewer, happened)
}

/// Stores a namespace's own settings.
pub fn save(tx: &mut Tx<'_>, namespace_id: i64, settings: &PackageSettings) -> Result<()> {
    let now = tx.now();
    let value = serde_json::to_value(settings).map_err(Error::internal)?;
    tx.execute(
        sql!("update namespaces set package_settings = $2, updated_at = $3 where id = $1"),
        (namespace_id, Json(value), now),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_fits_a_whole_name_or_version() {
        let settings = PackageSettings {
            generic_duplicates_allowed: false,
            generic_duplicate_exception_regex: "ham.*|.*-SNAPSHOT".into(),
            ..PackageSettings::default()
        };
        let allows =
            |name, version| settings.allows_duplicate(PackageType::Generic, name, Some(version));
        assert!(allows("hammer", "1.0"));
        assert!(allows("anvil", "1.0-SNAPSHOT"));
        assert!(!allows("xham", "1.0"));
        assert!(!allows("anvil", "1.0-SNAPSHOT.1"));
        assert!(!settings.allows_duplicate(PackageType::Npm, "hammer", Some("1.0")));
        assert!(settings.allows_duplicate(PackageType::Helm, "hammer", Some("1.0")));
    }

    #[test]
    fn unusable_patterns_are_refused() {
        let long = "a".repeat(256);
        for pattern in ["(", "a)|(b", "(?=x)", "((a{1000}){1000}){1000}", &long] {
            let settings = PackageSettings {
                maven_duplicate_exception_regex: pattern.into(),
                ..PackageSettings::default()
            };
            assert!(settings.validate().is_err(), "{pattern}");
        }
        assert!(PackageSettings::default().validate().is_ok());
    }

    #[test]
    fn evil_patterns_take_linear_time() {
        let settings = PackageSettings {
            generic_duplicates_allowed: false,
            generic_duplicate_exception_regex: "(a+)+b".into(),
            ..PackageSettings::default()
        };
        let name = "a".repeat(255);
        assert!(!settings.allows_duplicate(PackageType::Generic, &name, None));
    }
}
