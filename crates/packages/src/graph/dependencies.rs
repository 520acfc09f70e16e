//! What packages need, as their formats keep it. There are no rows for it: a
//! link is told by its package and its place there.

use super::caller;
use crate::needs::{self, Need, Why};
use crate::store::pages::{self as rows, Listed, StoredMetadata};
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, Key, ObjectBuilder, Order,
    enumeration, item, object,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;

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
        self.package_id.saturating_mul(needs::MAX as i64) + self.place
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
    parents: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
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
    let manifest = needs::manifest(kept.package_type, kept.metadata.as_deref());
    let found = needs::of(kept.package_type, &manifest);
    let link = |(place, need): (usize, Need)| {
        Arc::new(Link {
            package_id: kept.id,
            place: place as i64 + 1,
            why: why(need.why),
            name: need.name,
            versions: need.versions,
        })
    };
    found.into_iter().enumerate().map(link).collect()
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Runs => "DEPENDENCIES",
        Why::Develops => "DEV_DEPENDENCIES",
        Why::Expects => "PEER_DEPENDENCIES",
        Why::Bundles => "BUNDLE_DEPENDENCIES",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PackageType;
    use serde_json::{Value as Json, json};

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
