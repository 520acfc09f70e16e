//! Protection rules: which names only some roles may publish or delete
//! (docs/interface/packages.md 1.6).

use super::wildcard;
use crate::access::RegistryAccess;
use crate::keys::name_key;
use crate::model::{DeleteLevel, PackageType, ProtectionRule, PushLevel};
use crate::store::protection as rows;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use serde_json::json;
use spaces::access::ADMINISTRATOR;
use store::Tx;

/// Why a package that a rule protects is not deleted.
pub const DELETION_PROTECTED: &str = "Package is deletion protected.";
/// Longest pattern, in characters.
const MAX_PATTERN: usize = 255;

/// Refuses to publish a name that needs a higher level.
pub fn check_push(
    tx: &mut Tx<'_>, entered: &RegistryAccess, package_type: PackageType, name: &str,
) -> Result<()> {
    let needed = needed(tx, entered.project.id, package_type, name, |rule| {
        rule.minimum_access_level_for_push.map(PushLevel::role)
    })?;
    pass(entered.push_level(), needed, "Package protected.")
}

/// Refuses to delete a package whose name needs a higher level.
pub fn check_delete(
    tx: &mut Tx<'_>, entered: &RegistryAccess, package_type: PackageType, name: &str,
) -> Result<()> {
    let needed = needed(tx, entered.project.id, package_type, name, |rule| {
        rule.minimum_access_level_for_delete.map(DeleteLevel::role)
    })?;
    pass(entered.level, needed, DELETION_PROTECTED)
}

fn pass(level: i64, needed: i64, reason: &str) -> Result<()> {
    if level >= ADMINISTRATOR || level >= needed {
        Ok(())
    } else {
        Err(Error::forbidden(reason))
    }
}

/// The highest level that the rules which fit the name ask for.
fn needed(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, name: &str,
    asked: impl Fn(&ProtectionRule) -> Option<i64>,
) -> Result<i64> {
    let rules = rows::rules_for(tx, project_id, package_type)?;
    let fitting = rules.iter().filter(|rule| fits(package_type, &rule.package_name_pattern, name));
    Ok(fitting.filter_map(asked).max().unwrap_or(0))
}

/// Whether a name fits a pattern. Spellings that the format takes for one name
/// fit alike, or another spelling would go round the rule.
pub fn fits(package_type: PackageType, pattern: &str, name: &str) -> bool {
    let key = |text| name_key(package_type, text);
    wildcard::matches(pattern, name) || wildcard::matches(&key(pattern), &key(name))
}

kernel::params! {
    pub struct NewRule {
        /// Names the rule is about; `*` stands for any text.
        pub package_name_pattern: String,
        /// The format it is about.
        pub package_type: PackageType,
        /// Least role that may publish.
        pub minimum_access_level_for_push: Option<PushLevel>,
        /// Least role that may delete.
        pub minimum_access_level_for_delete: Option<DeleteLevel>,
    }
}

pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, project_id: i64, new: NewRule,
) -> Result<ProtectionRule> {
    let mut rule = ProtectionRule {
        id: 0,
        project_id,
        package_name_pattern: new.package_name_pattern,
        package_type: new.package_type,
        minimum_access_level_for_push: new.minimum_access_level_for_push,
        minimum_access_level_for_delete: new.minimum_access_level_for_delete,
    };
    validate(&rule)?;
    check_free(tx, &rule)?;
    rule.id = rows::insert(tx, &rule)?;
    record(tx, viewer, "package_protection_rule.create", &rule)?;
    Ok(rule)
}

kernel::params! {
    pub struct Change {
        /// Names the rule is about; `*` stands for any text.
        pub package_name_pattern: Option<String>,
        /// The format it is about.
        pub package_type: Option<PackageType>,
        /// Least role that may publish.
        pub minimum_access_level_for_push: Patch<PushLevel>,
        /// Least role that may delete.
        pub minimum_access_level_for_delete: Patch<DeleteLevel>,
    }
}

pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, project_id: i64, id: i64, change: Change,
) -> Result<ProtectionRule> {
    let mut rule = rows::rule_in(tx, project_id, id)?.found("Package Protection Rule")?;
    let pattern = change.package_name_pattern;
    rule.package_name_pattern = pattern.unwrap_or(rule.package_name_pattern);
    rule.package_type = change.package_type.unwrap_or(rule.package_type);
    let (push, delete) = (
        &mut rule.minimum_access_level_for_push,
        &mut rule.minimum_access_level_for_delete,
    );
    *push = change.minimum_access_level_for_push.over(*push);
    *delete = change.minimum_access_level_for_delete.over(*delete);
    validate(&rule)?;
    check_free(tx, &rule)?;
    rows::update(tx, &rule)?;
    record(tx, viewer, "package_protection_rule.update", &rule)?;
    Ok(rule)
}

/// Removes a rule, and answers what it was.
pub fn delete(
    tx: &mut Tx<'_>, viewer: &Viewer, project_id: i64, id: i64,
) -> Result<ProtectionRule> {
    let rule = rows::rule_in(tx, project_id, id)?.found("Package Protection Rule")?;
    rows::delete(tx, rule.id)?;
    record(tx, viewer, "package_protection_rule.destroy", &rule)?;
    Ok(rule)
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, rule: &ProtectionRule,
) -> Result<()> {
    let details = json!({
        "project_id": rule.project_id,
        "package_type": rule.package_type,
        "minimum_access_level_for_push": rule.minimum_access_level_for_push,
        "minimum_access_level_for_delete": rule.minimum_access_level_for_delete,
    });
    audit::record(
        tx,
        viewer,
        action,
        ("PackageProtectionRule", rule.id, &rule.package_name_pattern),
        details,
    )
}

fn validate(rule: &ProtectionRule) -> Result<()> {
    let pattern = rule.package_name_pattern.as_str();
    let refuse = |why: &str| Err(Error::Unprocessable(why.to_owned()));
    if pattern.trim().is_empty() {
        return refuse("Package name pattern can't be blank");
    }
    if pattern.chars().count() > MAX_PATTERN {
        return refuse("Package name pattern is too long (maximum is 255 characters)");
    }
    if !fits_format(rule.package_type, pattern) {
        return refuse(
            "Package name pattern should be a valid package name with optional wildcard characters.",
        );
    }
    let asks = rule.minimum_access_level_for_push.is_some()
        || rule.minimum_access_level_for_delete.is_some();
    if !asks {
        return refuse("A rule must have at least a minimum access role for push or delete.");
    }
    Ok(())
}

/// Patterns for npm and pypi are valid names in which `*` may stand.
fn fits_format(package_type: PackageType, pattern: &str) -> bool {
    let plain = |text: &str, marks: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
    };
    match package_type {
        PackageType::Npm => match pattern.strip_prefix('@') {
            Some(scoped) => match scoped.split_once('/') {
                Some((scope, name)) => plain(scope, "-._*") && plain(name, "-+._*"),
                None => scoped.contains('*') && plain(scoped, "-._*"),
            },
            None => plain(pattern, "-+._*"),
        },
        PackageType::Pypi => plain(pattern, "-._*"),
        _ => !pattern.chars().any(char::is_control),
    }
}

fn check_free(tx: &mut Tx<'_>, rule: &ProtectionRule) -> Result<()> {
    let pattern = rule.package_name_pattern.as_str();
    match rows::taken(tx, rule.project_id, rule.package_type, pattern)? {
        Some(id) if id != rule.id => {
            Err(Error::Unprocessable("Package name pattern has already been taken".to_owned()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_their_format() {
        for (format, pattern) in [
            (PackageType::Npm, "@acme/*"),
            (PackageType::Npm, "ham*"),
            (PackageType::Npm, "*"),
            (PackageType::Npm, "@ac*"),
            (PackageType::Pypi, "ham_mer.*"),
            (PackageType::Generic, "any thing *"),
            (PackageType::Maven, "com/acme/*"),
        ] {
            assert!(fits_format(format, pattern), "{format} {pattern}");
        }
        for (format, pattern) in [
            (PackageType::Npm, "a b"),
            (PackageType::Npm, "a/b"),
            (PackageType::Npm, "@/x"),
            (PackageType::Npm, "@acme/a/b"),
            (PackageType::Pypi, "@acme/x"),
            (PackageType::Pypi, "a b"),
            (PackageType::Generic, "a\nb"),
        ] {
            assert!(!fits_format(format, pattern), "{format} {pattern}");
        }
    }
}
