//! What packages need, as their formats keep it.

use crate::formats::npm::manifest_of;
use crate::model::PackageType;
use serde_json::{Map, Value as Json};

/// Most that is told of one package.
pub const MAX: usize = 5_000;

/// Why one package needs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    Runs,
    Develops,
    Expects,
    Bundles,
}

/// A package that is needed, and which versions of it will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub why: Why,
    pub name: String,
    pub versions: String,
}

/// What the format keeps of a package, as an object; empty where it keeps
/// nothing.
pub fn manifest(package_type: PackageType, metadata: Option<&str>) -> Map<String, Json> {
    let text = metadata.unwrap_or_default();
    let text = match package_type {
        PackageType::Npm => manifest_of(text),
        _ => text,
    };
    serde_json::from_str(text).unwrap_or_default()
}

/// What a package needs, by what its format keeps of it.
pub fn of(package_type: PackageType, manifest: &Map<String, Json>) -> Vec<Need> {
    let mut found = match package_type {
        PackageType::Npm => of_npm(manifest),
        PackageType::Composer => of_composer(manifest),
        PackageType::Pypi => of_pypi(manifest),
        PackageType::Nuget => of_nuget(manifest),
        PackageType::Helm => of_helm(manifest),
        _ => Vec::new(),
    };
    found.truncate(MAX);
    found
}

fn need(why: Why, name: &str, versions: &str) -> Need {
    Need { why, name: name.to_owned(), versions: versions.to_owned() }
}

fn of_npm(manifest: &Map<String, Json>) -> Vec<Need> {
    let mut found = Vec::new();
    for (key, why) in [
        ("dependencies", Why::Runs),
        ("devDependencies", Why::Develops),
        ("peerDependencies", Why::Expects),
    ] {
        found.extend(by_name(manifest, key, why));
    }
    // Names only: their versions stand among the others.
    for key in ["bundleDependencies", "bundledDependencies"] {
        let names = manifest.get(key).and_then(Json::as_array).into_iter().flatten();
        let bundled = names.filter_map(Json::as_str).map(|name| {
            let known = found.iter().find(|one: &&Need| one.name == name);
            let versions = known.map(|one| one.versions.clone()).unwrap_or_default();
            need(Why::Bundles, name, &versions)
        });
        let bundled: Vec<Need> = bundled.collect();
        found.extend(bundled);
    }
    found
}

fn of_composer(manifest: &Map<String, Json>) -> Vec<Need> {
    let mut found = by_name(manifest, "require", Why::Runs);
    found.extend(by_name(manifest, "require-dev", Why::Develops));
    found
}

/// An object from names to versions.
fn by_name(manifest: &Map<String, Json>, key: &str, why: Why) -> Vec<Need> {
    let all = manifest.get(key).and_then(Json::as_object).into_iter().flatten();
    all.filter_map(|(name, versions)| Some(need(why, name, versions.as_str()?)))
        .collect()
}

/// Lines such as `nail[steel] >=1.0; python_version < "3.9"`.
fn of_pypi(manifest: &Map<String, Json>) -> Vec<Need> {
    let all = manifest.get("requires_dist").and_then(Json::as_array);
    let lines = all.into_iter().flatten().filter_map(Json::as_str);
    let needed = lines.map(|line| {
        let of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let end = line.find(|c| !of_name(c)).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        need(Why::Runs, name, rest.trim())
    });
    needed.filter(|one| !one.name.is_empty()).collect()
}

fn of_nuget(manifest: &Map<String, Json>) -> Vec<Need> {
    let groups = manifest.get("dependency_groups").and_then(Json::as_array);
    let groups = groups.into_iter().flatten();
    let lists = groups.filter_map(|group| group.get("dependencies")?.as_array());
    listed(lists.flatten(), "id", "range")
}

fn of_helm(manifest: &Map<String, Json>) -> Vec<Need> {
    let all = manifest.get("dependencies").and_then(Json::as_array);
    listed(all.into_iter().flatten(), "name", "version")
}

/// Objects with a name and, if any will not do, versions.
fn listed<'j>(all: impl Iterator<Item = &'j Json>, name: &str, versions: &str) -> Vec<Need> {
    let text = |one: &'j Json, key: &str| one.get(key).and_then(Json::as_str);
    let needed = all.filter_map(|one| {
        Some(need(Why::Runs, text(one, name)?, text(one, versions).unwrap_or_default()))
    });
    needed.collect()
}
