//! Whether a namespace lets one file or version be published twice
//! (docs/interface/packages.md 1.8). Kept in `namespaces.package_settings`; a namespace without
//! its own settings has those of its nearest ancestor that has some.

use crate::model::PackageType;
use crate::store::settings as rows;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::params::{self, Field, FromParams, Param, Source, object_schema};
use regex::RegexBuilder;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spaces::Namespace;
use spaces::model::ids_of;
use std::borrow::Cow;
use std::collections::HashMap;
use store::Tx;

/// Longest exception pattern, in characters.
pub const MAX_PATTERN: usize = 255;
/// Most memory a compiled pattern may take, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// A format whose duplicates a namespace lets in or not.
#[derive(Debug)]
pub struct Format {
    package_type: PackageType,
    pub label: &'static str,
    /// The setting that lets duplicates in.
    pub allowed: &'static str,
    pub about: &'static str,
    /// The setting that names what is exempt from it.
    pub exception: &'static str,
    by_default: bool,
}

const EXEMPT: &str = "Names or versions exempt from it.";

macro_rules! format_of {
    ($package_type:ident, $label:literal, $name:literal, $about:literal, $by_default:literal) => {
        Format {
            package_type: PackageType::$package_type,
            label: $label,
            allowed: concat!($name, "_duplicates_allowed"),
            about: concat!($name, ": ", $about),
            exception: concat!($name, "_duplicate_exception_regex"),
            by_default: $by_default,
        }
    };
}

/// All that have settings, in wire order.
pub const FORMATS: [Format; 4] = [
    format_of!(Maven, "Maven", "maven", "one file extension twice in a version.", true),
    format_of!(Generic, "Generic", "generic", "one file name twice in a version.", true),
    format_of!(Nuget, "NuGet", "nuget", "one version twice.", true),
    format_of!(
        TerraformModule,
        "Terraform module",
        "terraform_module",
        "one name in two projects.",
        false
    ),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicates {
    pub allowed: bool,
    /// Names or versions exempt from that; an empty pattern fits none.
    pub exception: String,
}

impl Duplicates {
    fn allows(&self, name: &str, version: Option<&str>) -> bool {
        let mut texts = std::iter::once(name).chain(version);
        self.allowed || texts.any(|text| fits(&self.exception, text))
    }
}

/// The settings of one namespace, as [`FORMATS`] stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageSettings(pub [Duplicates; 4]);

impl Default for PackageSettings {
    fn default() -> Self {
        PackageSettings(
            FORMATS
                .map(|format| Duplicates { allowed: format.by_default, exception: String::new() }),
        )
    }
}

impl Serialize for PackageSettings {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_map(Some(2 * FORMATS.len()))?;
        for (format, own) in FORMATS.iter().zip(&self.0) {
            fields.serialize_entry(format.allowed, &own.allowed)?;
            fields.serialize_entry(format.exception, &own.exception)?;
        }
        fields.end()
    }
}

impl<'de> Deserialize<'de> for PackageSettings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let source = Source::deserialize(from)?;
        let change =
            Change::from_params(&source).map_err(|errors| D::Error::custom(errors.join(", ")))?;
        let mut settings = PackageSettings::default();
        change.apply(&mut settings);
        Ok(settings)
    }
}

impl JsonSchema for PackageSettings {
    fn schema_name() -> Cow<'static, str> {
        "PackageSettings".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        object_schema(&Change::fields()).try_into().unwrap_or_default()
    }
}

impl PackageSettings {
    /// Whether this name and version may be published again. Formats without
    /// a setting answer as they always do: helm yes, the others no. That of
    /// Terraform is about other projects, see
    /// [`PackageSettings::allows_elsewhere`].
    pub fn allows_duplicate(
        &self, package_type: PackageType, name: &str, version: Option<&str>,
    ) -> bool {
        match package_type {
            PackageType::Helm => true,
            PackageType::TerraformModule => false,
            _ => self.allows(package_type, name, version),
        }
    }

    /// Whether a Terraform module may have a name that a module of another
    /// project of the namespace has.
    pub fn allows_elsewhere(&self, name: &str, version: Option<&str>) -> bool {
        self.allows(PackageType::TerraformModule, name, version)
    }

    fn allows(&self, package_type: PackageType, name: &str, version: Option<&str>) -> bool {
        let mut each = FORMATS.iter().zip(&self.0);
        each.any(|(format, own)| format.package_type == package_type && own.allows(name, version))
    }

    pub fn validate(&self) -> Result<()> {
        let mut each = FORMATS.iter().zip(&self.0);
        each.try_for_each(|(format, own)| check_pattern(format.exception, &own.exception))
    }
}

/// Refuses a pattern that is too long or does not compile.
pub fn check_pattern(field: &str, pattern: &str) -> Result<()> {
    if pattern.chars().count() > MAX_PATTERN {
        return Err(Error::invalid(field, "is too long (maximum is 255 characters)"));
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
    RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build().ok()?;
    let whole = format!("\\A(?:{pattern})\\z");
    RegexBuilder::new(&whole).size_limit(MAX_COMPILED).build().ok()
}

/// The settings that hold in each of these namespaces.
pub fn effective_each(
    tx: &mut Tx<'_>, namespaces: &[&Namespace],
) -> Result<HashMap<i64, PackageSettings>> {
    let above: Vec<i64> = namespaces.iter().flat_map(|one| one.ids()).collect();
    let found = rows::of_namespaces(tx, above)?;
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
    let above = rows::lineage(tx, namespace_id)?;
    let nearest = rows::nearest(tx, ids_of(&above))?;
    Ok(nearest.unwrap_or_default())
}

/// A change of settings: what is given, as [`FORMATS`] stand.
#[derive(Debug, Clone, Default)]
pub struct Change([(Option<bool>, Option<String>); 4]);

impl FromParams for Change {
    fn from_params(source: &Source) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let given = FORMATS.map(|format| {
            let allowed = params::take::<Option<bool>>(source, format.allowed, &mut errors);
            let exception = params::take::<Option<String>>(source, format.exception, &mut errors);
            (allowed.flatten(), exception.flatten())
        });
        errors.is_empty().then_some(Change(given)).ok_or(errors)
    }

    fn fields() -> Vec<Field> {
        let of = |name, description, schema| Field { name, description, schema, required: false };
        let both = |format: &Format| {
            let allowed = of(format.allowed, format.about, bool::schema());
            [allowed, of(format.exception, EXEMPT, String::schema())]
        };
        FORMATS.iter().flat_map(both).collect()
    }
}

impl Change {
    fn apply(&self, settings: &mut PackageSettings) {
        for (own, (allowed, exception)) in settings.0.iter_mut().zip(&self.0) {
            own.allowed = allowed.unwrap_or(own.allowed);
            if let Some(exception) = exception {
                own.exception.clone_from(exception);
            }
        }
    }

    /// The settings as a form sends them: a box that is not ticked is not sent.
    pub fn whole(self) -> PackageSettings {
        PackageSettings(self.0.map(|(allowed, exception)| Duplicates {
            allowed: allowed.unwrap_or(false),
            exception: exception.unwrap_or_default().trim().to_owned(),
        }))
    }
}

/// Gives a namespace settings of its own: those that hold, changed.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, namespace: &Namespace, change: &Change,
) -> Result<PackageSettings> {
    let mut changed = effective(tx, namespace.id)?;
    change.apply(&mut changed);
    replace(tx, viewer, namespace, &changed)?;
    Ok(changed)
}

/// Gives a namespace settings of its own.
pub fn replace(
    tx: &mut Tx<'_>, viewer: &Viewer, namespace: &Namespace, settings: &PackageSettings,
) -> Result<()> {
    settings.validate()?;
    rows::save(tx, namespace.id, settings)?;
    let kind = match namespace.is_group() {
        true => "Group",
        false => "Namespace",
    };
    audit::record(
        tx,
        viewer,
        "package_settings.update",
        (kind, namespace.id, &namespace.full_path),
        serde_json::to_value(settings).map_err(Error::internal)?,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn settings(fields: Value) -> PackageSettings {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn an_exception_fits_a_whole_name_or_version() {
        let settings = settings(json!({
            "generic_duplicates_allowed": false,
            "generic_duplicate_exception_regex": "ham.*|.*-SNAPSHOT",
        }));
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
            let settings = settings(json!({"maven_duplicate_exception_regex": pattern}));
            assert!(settings.validate().is_err(), "{pattern}");
        }
        assert!(PackageSettings::default().validate().is_ok());
    }

    #[test]
    fn evil_patterns_take_linear_time() {
        let settings = settings(json!({
            "generic_duplicates_allowed": false,
            "generic_duplicate_exception_regex": "(a+)+b",
        }));
        let name = "a".repeat(255);
        assert!(!settings.allows_duplicate(PackageType::Generic, &name, None));
    }

    #[test]
    fn settings_stand_in_one_order_and_have_defaults() {
        let written = serde_json::to_string(&PackageSettings::default()).unwrap();
        let expected = concat!(
            r#"{"maven_duplicates_allowed":true,"maven_duplicate_exception_regex":"","#,
            r#""generic_duplicates_allowed":true,"generic_duplicate_exception_regex":"","#,
            r#""nuget_duplicates_allowed":true,"nuget_duplicate_exception_regex":"","#,
            r#""terraform_module_duplicates_allowed":false,"#,
            r#""terraform_module_duplicate_exception_regex":""}"#,
        );
        assert_eq!(written, expected);
        assert_eq!(settings(json!({"gone": 1})), PackageSettings::default());
    }
}
