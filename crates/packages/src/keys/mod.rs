//! Names and versions as formats compare them. `packages.name_key` and
//! `packages.version_key` hold these, so of spellings that a format takes for
//! one there is one row.

pub mod nuget;
pub mod pypi;

use crate::model::{PackageType, VERSIONLESS};

pub fn name_key(package_type: PackageType, name: &str) -> String {
    match package_type {
        PackageType::Pypi => pypi::normalized(name),
        PackageType::Nuget | PackageType::Composer => name.to_lowercase(),
        _ => name.to_owned(),
    }
}

/// The version as its format compares it; without one, what sorts last.
pub fn version_key(package_type: PackageType, version: Option<&str>) -> String {
    let Some(version) = version else {
        return VERSIONLESS.to_owned();
    };
    match package_type {
        PackageType::Nuget => nuget::key(version),
        PackageType::Pypi => pypi::key(version).unwrap_or_else(|| version.to_lowercase()),
        _ => version.to_owned(),
    }
}

/// The version as [`version_key`] has it, of a package that may be a conan
/// recipe (`name/version@user/channel`): those of one version differ in what
/// follows. A space stands between, which sorts before all that versions hold.
pub fn package_version_key(
    package_type: PackageType, version: Option<&str>, recipe: Option<&str>,
) -> String {
    let key = version_key(package_type, version);
    match recipe.and_then(|recipe| recipe.split_once('@')) {
        Some((_, owner)) => format!("{key} {owner}"),
        None => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_names_and_versions_have_one_key() {
        for name in ["Foo-Bar", "foo_bar", "foo.-_bar", "FOO.BAR"] {
            assert_eq!(name_key(PackageType::Pypi, name), "foo-bar", "{name}");
        }
        for version in ["1.0", "V1", "01.0.0"] {
            assert_eq!(version_key(PackageType::Pypi, Some(version)), "1");
        }
        assert_eq!(name_key(PackageType::Npm, "Foo_Bar"), "Foo_Bar");
    }

    #[test]
    fn recipes_of_one_version_have_keys_between_versions() {
        let key = |version, recipe| package_version_key(PackageType::Conan, Some(version), recipe);
        let keys = [
            key("1.0", Some("a/1.0@_/_")),
            key("1.0", Some("a/1.0@acme/stable")),
            key("1.0+b", Some("a/1.0+b@acme/stable")),
            key("1.0.1", Some("a/1.0.1@_/_")),
        ];
        assert!(keys.is_sorted(), "{keys:?}");
        assert_eq!(package_version_key(PackageType::Npm, Some("1"), None), "1");
    }

    #[test]
    fn nuget_versions_have_one_key() {
        for (version, key) in [
            ("1.0", "1.0.0"),
            ("01.002.3.0", "1.2.3"),
            ("1.2.3.4", "1.2.3.4"),
            ("1.2.3-Beta.1+build", "1.2.3-beta.1"),
        ] {
            assert_eq!(version_key(PackageType::Nuget, Some(version)), key);
        }
        assert_eq!(version_key(PackageType::Npm, Some("1.0+a")), "1.0+a");
        assert_eq!(version_key(PackageType::Maven, None), VERSIONLESS);
    }
}
