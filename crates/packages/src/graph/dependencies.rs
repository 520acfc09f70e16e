//! What packages need, as their formats keep it. There are no rows for it: a
//! link is told by its package and its place there.

use super::caller;
use crate::formats::npm::manifest_of;
use crate::model::PackageType;
use crate::store::pages::{self as rows, Listed, StoredMetadata};
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, Key, ObjectBuilder, Order,
    enumeration, item, object,
};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Most links of one package that are told.
const MAX: usize = 5_000;

const LINK_ID: GlobalId = GlobalId::new("PackagesDependencyLinkID", "Packages::DependencyLink");
const DEPENDENCY_ID: GlobalId = GlobalId::new("PackagesDependencyID", "Packages::Dependency");

#[derive(Debug, PartialEq)]
struct Link {
    package_id: i64,
    /// Its place among the links of the package, from 1.
    place: i64,
    why: &'static str,
    name: String,
    versions: String,
}

impl Link {
    fn id(&self) -> i64 {
        self.package_id.saturating_mul(MAX as i64) + self.place
    }
}

struct Dependency(Arc<Link>);

impl Dependency {
    /// Name and versions are one dependency, whoever needs it.
    fn id(&self) -> i64 {
        let digest = Sha256::digest(format!("{}\0{}", self.0.name, self.0.versions));
        let first = digest.first_chunk().copied().unwrap_or_default();
        i64::from_be_bytes(first) & i64::MAX
    }
}

pub fn graph(g: &mut Graph) {
    LINK_ID.register(g);
    DEPENDENCY_ID.register(g);
    let kinds = vec![
        item("DEPENDENCIES", "Needed to run."),
        item("DEV_DEPENDENCIES", "Needed to develop."),
        item("BUNDLE_DEPENDENCIES", "Shipped with it."),
        item("PEER_DEPENDENCIES", "Expected beside it."),
    ];
    g.enumeration("PackageDependencyType", "Why a package is needed.", kinds);
    g.object::<Dependency>("PackageDependency", "A package that is needed.")
        .field("id", DEPENDENCY_ID.required(), Dependency::id)
        .describe("Global ID.")
        .value("name", "Its name.", |it| it.0.name.clone())
        .value("versionPattern", "Which versions will do.", |it| it.0.versions.clone());
    g.object::<Link>("PackageDependencyLink", "That a package needs another.")
        .field("id", LINK_ID.required(), Link::id)
        .describe("Global ID.")
        .field("dependencyType", enumeration("PackageDependencyType").required(), |it| it.why)
        .describe("Why.")
        .level(
            "dependency",
            object::<Dependency>("PackageDependency"),
            |links: Vec<Arc<Link>>, _, _| async move {
                let needed = links.into_iter().map(|it| Some(Arc::new(Dependency(it))));
                Ok(needed.collect())
            },
        )
        .describe("What it needs.");
}

pub fn shown(package: ObjectBuilder<'_, Listed>) -> ObjectBuilder<'_, Listed> {
    package
        .connections("dependencyLinks", object::<Link>("PackageDependencyLink"), links)
        .describe("Packages it needs.")
}

async fn links(
    parents: Vec<Arc<Listed>>,
    ask: Ask,
    _: Args,
    context: Context,
) -> Result<Vec<Option<Connection<Link>>>, Fault> {
    let keys = [Key::int("place", Order::Asc)];
    let window = ask.window(&context, "dependency links", &keys)?;
    let ids: Vec<i64> = parents.iter().map(|it| it.package.id).collect();
    let (app, _) = caller(&context)?;
    let wanted = ids.clone();
    let kept = app.read(move |tx| rows::kept(tx, wanted)).await?;
    let page = |id: &i64| {
        let found = kept.iter().find(|one| one.id == *id);
        let links: Vec<Arc<Link>> = found.map(needs).unwrap_or_default();
        Some(window.page_of_whole(&links, |link| link.place))
    };
    Ok(ids.iter().map(page).collect())
}

fn needs(kept: &StoredMetadata) -> Vec<Arc<Link>> {
    let text = kept.metadata.as_deref().unwrap_or_default();
    let text = match kept.package_type {
        PackageType::Npm => manifest_of(text),
        _ => text,
    };
    let manifest: Map<String, Json> = serde_json::from_str(text).unwrap_or_default();
    let found = match kept.package_type {
        PackageType::Npm => of_npm(&manifest),
        PackageType::Composer => of_composer(&manifest),
        PackageType::Pypi => of_pypi(&manifest),
        PackageType::Nuget => of_nuget(&manifest),
        PackageType::Helm => of_helm(&manifest),
        _ => Vec::new(),
    };
    let link = |(place, (why, name, versions)): (usize, Needed)| {
        Arc::new(Link {
            package_id: kept.id,
            place: place as i64 + 1,
            why,
            name,
            versions,
        })
    };
    found.into_iter().take(MAX).enumerate().map(link).collect()
}

/// Why, what, and which versions of it.
type Needed = (&'static str, String, String);

fn of_npm(manifest: &Map<String, Json>) -> Vec<Needed> {
    let mut found = Vec::new();
    for (key, why) in [
        ("dependencies", "DEPENDENCIES"),
        ("devDependencies", "DEV_DEPENDENCIES"),
        ("peerDependencies", "PEER_DEPENDENCIES"),
    ] {
        found.extend(by_name(manifest, key, why));
    }
    // Names only: their versions stand among the others.
    for key in ["bundleDependencies", "bundledDependencies"] {
        let names = manifest.get(key).and_then(Json::as_array).into_iter().flatten();
        let bundled = names.filter_map(Json::as_str).map(|name| {
            let known = found.iter().find(|one: &&Needed| one.1 == name);
            let versions = known.map(|one| one.2.clone()).unwrap_or_default();
            ("BUNDLE_DEPENDENCIES", name.to_owned(), versions)
        });
        let bundled: Vec<Needed> = bundled.collect();
        found.extend(bundled);
    }
    found
}

fn of_composer(manifest: &Map<String, Json>) -> Vec<Needed> {
    let mut found = by_name(manifest, "require", "DEPENDENCIES");
    found.extend(by_name(manifest, "require-dev", "DEV_DEPENDENCIES"));
    found
}

/// An object from names to versions.
fn by_name(manifest: &Map<String, Json>, key: &str, why: &'static str) -> Vec<Needed> {
    let all = manifest.get(key).and_then(Json::as_object).into_iter().flatten();
    let needed =
        all.filter_map(|(name, versions)| Some((why, name.clone(), versions.as_str()?.to_owned())));
    needed.collect()
}

/// Lines such as `nail[steel] >=1.0; python_version < "3.9"`.
fn of_pypi(manifest: &Map<String, Json>) -> Vec<Needed> {
    let all = manifest.get("requires_dist").and_then(Json::as_array);
    let lines = all.into_iter().flatten().filter_map(Json::as_str);
    let needed = lines.map(|line| {
        let of_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let end = line.find(|c| !of_name(c)).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        ("DEPENDENCIES", name.to_owned(), rest.trim().to_owned())
    });
    needed.filter(|one| !one.1.is_empty()).collect()
}

fn of_nuget(manifest: &Map<String, Json>) -> Vec<Needed> {
    let groups = manifest.get("dependency_groups").and_then(Json::as_array);
    let groups = groups.into_iter().flatten();
    let lists = groups.filter_map(|group| group.get("dependencies")?.as_array());
    listed(lists.flatten(), "id", "range")
}

fn of_helm(manifest: &Map<String, Json>) -> Vec<Needed> {
    let all = manifest.get("dependencies").and_then(Json::as_array);
    listed(all.into_iter().flatten(), "name", "version")
}

/// Objects with a name and, if any will not do, versions.
fn listed<'j>(all: impl Iterator<Item = &'j Json>, name: &str, versions: &str) -> Vec<Needed> {
    let text = |one: &Json, key: &str| one.get(key).and_then(Json::as_str).map(str::to_owned);
    let needed = all.filter_map(|one| {
        let versions = text(one, versions).unwrap_or_default();
        Some(("DEPENDENCIES", text(one, name)?, versions))
    });
    needed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(package_type: PackageType, metadata: Json) -> Vec<(&'static str, String)> {
        let metadata = match package_type {
            // The manifest is the first of three lines.
            PackageType::Npm => format!("{metadata}\n{{}}\n{{}}"),
            _ => metadata.to_string(),
        };
        let kept = StoredMetadata {
            id: 7,
            package_type,
            name: "hammer".into(),
            version: None,
            conan_name: None,
            metadata: Some(metadata),
            sha1: None,
        };
        let links = needs(&kept);
        let told = |link: &Arc<Link>| (link.why, format!("{} {}", link.name, link.versions));
        links.iter().map(told).collect()
    }

    fn need(why: &'static str, what: &str) -> (&'static str, String) {
        (why, what.to_owned())
    }

    #[test]
    fn every_format_says_what_it_needs() {
        let npm = json!({"dependencies": {"nail": "^1.0.0"}, "devDependencies": {"saw": "2"},
            "peerDependencies": {"bench": "*"}, "bundleDependencies": ["nail", 7]});
        let wanted = [
            need("DEPENDENCIES", "nail ^1.0.0"),
            need("DEV_DEPENDENCIES", "saw 2"),
            need("PEER_DEPENDENCIES", "bench *"),
            need("BUNDLE_DEPENDENCIES", "nail ^1.0.0"),
        ];
        assert_eq!(of(PackageType::Npm, npm), wanted);
        let composer = json!({"require": {"php": ">=8"}, "require-dev": {"a/b": "1.*"}});
        let wanted = [need("DEPENDENCIES", "php >=8"), need("DEV_DEPENDENCIES", "a/b 1.*")];
        assert_eq!(of(PackageType::Composer, composer), wanted);
        let pypi = json!({"requires_dist": ["nail", "saw[x]>=1.0 ; extra == 'y'", "(odd"]});
        let wanted = [
            need("DEPENDENCIES", "nail "),
            need("DEPENDENCIES", "saw [x]>=1.0 ; extra == 'y'"),
        ];
        assert_eq!(of(PackageType::Pypi, pypi), wanted);
        let nuget = json!({"dependency_groups": [{"dependencies": [{"id": "Nail", "range": "[1.0,)"}]},
            {"framework": "net8.0", "dependencies": [{"id": "Saw"}]}]});
        let wanted = [need("DEPENDENCIES", "Nail [1.0,)"), need("DEPENDENCIES", "Saw ")];
        assert_eq!(of(PackageType::Nuget, nuget), wanted);
        let helm = json!({"dependencies": [{"name": "nail", "version": "~1.0"}, {"version": "1"}]});
        assert_eq!(of(PackageType::Helm, helm), [need("DEPENDENCIES", "nail ~1.0")]);
    }

    #[test]
    fn what_is_odd_needs_nothing() {
        for odd in
            [json!(null), json!([]), json!({"dependencies": 7}), json!({"dependencies": [7]})]
        {
            for format in [PackageType::Npm, PackageType::Helm, PackageType::Generic] {
                assert!(of(format, odd.clone()).is_empty(), "{odd}");
            }
        }
    }
}
