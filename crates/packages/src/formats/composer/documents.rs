//! What a client reads of a repository (getcomposer.org/doc/05-repositories.md):
//! the root, a package's versions for clients of version 2, and providers with
//! digests for those of version 1.

use super::manifest::{is_development, is_name};
use crate::model::PackageType;
use crate::scope::Scope;
use crate::store::index::{self, Version};
use kernel::error::{Found, Result};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use store::Tx;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentKind {
    /// Where everything is.
    Root,
    /// Releases of a package, or its development versions.
    Package {
        name: String,
        /// The development versions, not the releases.
        development: bool,
    },
    /// All packages with the digests of their documents.
    Providers { sha256: String },
    /// All versions of a package, by its digest.
    Provided { name: String, sha256: String },
}

impl DocumentKind {
    pub fn parse(path: &str) -> Option<DocumentKind> {
        if matches!(path, "packages" | "packages.json") {
            return Some(DocumentKind::Root);
        }
        let path = path.strip_suffix(".json")?;
        if let Some(name) = path.strip_prefix("p2/") {
            let (name, development) = match name.strip_suffix("~dev") {
                Some(name) => (name, true),
                None => (name, false),
            };
            return is_name(name)
                .then(|| DocumentKind::Package { name: name.to_owned(), development });
        }
        if let Some(sha256) = path.strip_prefix("p/").filter(|rest| is_digest(rest)) {
            return Some(DocumentKind::Providers { sha256: sha256.to_owned() });
        }
        let (name, sha256) = path.split_once('$')?;
        (is_name(name) && is_digest(sha256))
            .then(|| DocumentKind::Provided { name: name.to_owned(), sha256: sha256.to_owned() })
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Makes a document of what the scope holds. `prefix` is the repository's
/// path, as the client asked for it.
pub fn make(
    tx: &mut Tx<'_>, scope: &Scope, wanted: &DocumentKind, prefix: &str, base_url: &str,
) -> Result<Value> {
    let packages = scope.of_format(PackageType::Composer);
    match wanted {
        DocumentKind::Root => {
            let providers = providers(tx, scope, base_url)?;
            Ok(root(prefix, &digest(&providers)))
        }
        DocumentKind::Package { name, development } => {
            let mut versions = packages.versions(tx, name)?;
            let fits = |version: &Version| {
                version
                    .version
                    .as_deref()
                    .is_some_and(|text| is_development(text) == *development)
            };
            // A known package without versions of this kind is no unknown one.
            versions.first().found("Package")?;
            versions.retain(fits);
            Ok(package(&with_files(tx, versions)?, name, base_url))
        }
        DocumentKind::Providers { sha256 } => {
            let providers = providers(tx, scope, base_url)?;
            (digest(&providers) == *sha256).then_some(providers).found("Package")
        }
        DocumentKind::Provided { name, sha256 } => {
            let versions = packages.versions(tx, name)?;
            versions.first().found("Package")?;
            let document = package(&with_files(tx, versions)?, name, base_url);
            (digest(&document) == *sha256).then_some(document).found("Package")
        }
    }
}

fn root(prefix: &str, providers: &str) -> Value {
    json!({
        "packages": [],
        "metadata-url": format!("{prefix}/p2/%package%.json"),
        "provider-includes": {"p/%hash%.json": {"sha256": providers}},
        "providers-url": format!("{prefix}/%package%$%hash%.json"),
    })
}

/// A version with the SHA-1 of its newest archive.
struct Archived {
    version: Version,
    sha1: String,
}

fn with_files(tx: &mut Tx<'_>, versions: Vec<Version>) -> Result<Vec<Archived>> {
    let ids: Vec<i64> = versions.iter().map(|version| version.id).collect();
    let files = index::files(tx, &ids)?;
    // The later of two files of a package replaces the earlier.
    let sums: HashMap<i64, String> =
        files.into_iter().map(|one| (one.file.package_id, one.file.sha1)).collect();
    let archived = versions.into_iter().filter_map(|version| {
        let sha1 = sums.get(&version.id)?.clone();
        Some(Archived { version, sha1 })
    });
    Ok(archived.collect())
}

fn package(versions: &[Archived], name: &str, base_url: &str) -> Value {
    let shown: Map<String, Value> = versions
        .iter()
        .filter_map(|one| Some((one.version.version.clone()?, entry(one, base_url))))
        .collect();
    json!({"packages": {name: shown}})
}

/// A version's manifest with where its archive is.
fn entry(one: &Archived, base_url: &str) -> Value {
    let kept = one.version.metadata.as_deref().unwrap_or_default();
    let mut fields: Map<String, Value> = serde_json::from_str(kept).unwrap_or_default();
    let url = format!(
        "{base_url}/api/v4/projects/{}/packages/composer/archives/{}.zip?sha={}",
        one.version.project_id, one.version.name, one.sha1
    );
    fields.insert(
        "dist".into(),
        json!({"type": "zip", "url": url, "reference": one.sha1, "shasum": one.sha1}),
    );
    fields.insert("uid".into(), one.version.id.into());
    fields.insert("version".into(), one.version.version.clone().into());
    Value::Object(fields)
}

/// Every package and the digest of the document that lists its versions.
fn providers(tx: &mut Tx<'_>, scope: &Scope, base_url: &str) -> Result<Value> {
    let all = scope.of_format(PackageType::Composer).all_versions(tx)?;
    let mut by_name: BTreeMap<String, Vec<Archived>> = BTreeMap::new();
    for one in with_files(tx, all)? {
        by_name.entry(one.version.name.clone()).or_default().push(one);
    }
    let listed: Map<String, Value> = by_name
        .iter()
        .map(|(name, versions)| {
            let sha256 = digest(&package(versions, name, base_url));
            (name.clone(), json!({"sha256": sha256}))
        })
        .collect();
    Ok(json!({"providers": listed}))
}

/// SHA-256 of a document as it goes out.
fn digest(document: &Value) -> String {
    hex::encode(Sha256::digest(document.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_by_their_path() {
        let hash = "a".repeat(64);
        let package =
            |development| DocumentKind::Package { name: "acme/anvil".into(), development };
        assert_eq!(DocumentKind::parse("packages"), Some(DocumentKind::Root));
        assert_eq!(DocumentKind::parse("packages.json"), Some(DocumentKind::Root));
        assert_eq!(DocumentKind::parse("p2/acme/anvil.json"), Some(package(false)));
        assert_eq!(DocumentKind::parse("p2/acme/anvil~dev.json"), Some(package(true)));
        assert!(DocumentKind::parse(&format!("p/{hash}.json")).is_some());
        assert!(DocumentKind::parse(&format!("acme/anvil${hash}.json")).is_some());
        for path in ["", "p2/acme.json", "p2/a/../b.json", "acme/anvil.json", "acme/anvil$x.json"] {
            assert_eq!(DocumentKind::parse(path), None, "{path}");
        }
    }
}
