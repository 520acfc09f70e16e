//! What is kept of a version: the `package.json` of its own archive, made
//! ready to go out in packuments.
//!
//! Nothing is taken from what the client says about the archive, so what
//! people read of a version is what they install.

use super::envelope::Publication;
use super::names;
use crate::archive::{self, Contents, Wanted};
use crate::readme::{self, Readme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::fs::File;

/// Largest `package.json`, in bytes.
const MAX_MANIFEST: usize = 512 * 1024;
/// Most bytes kept of one; of a larger one only what installing needs.
const MAX_KEPT: usize = 128 * 1024;

/// Never kept (docs/interface/packages.md 2.4), or written by us.
const DROPPED: &[&str] = &[
    "readme",
    "readmeFilename",
    "licenseText",
    "contributors",
    "exports",
    "dist",
    "deprecated",
    "hasInstallScript",
];

/// What installing needs, in the order of the abbreviated form.
const SHORT: &[&str] = &[
    "name",
    "version",
    "dependencies",
    "optionalDependencies",
    "devDependencies",
    "bundleDependencies",
    "bundledDependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "acceptDependencies",
    "bin",
    "directories",
    "engines",
    "os",
    "cpu",
    "libc",
    "funding",
    "_hasShrinkwrap",
    "hasInstallScript",
];

/// A version as it is kept: lines of JSON that go out unchanged.
#[derive(Debug)]
pub struct StoredManifest<'a> {
    pub manifest: &'a str,
    /// What installing needs, an object.
    pub short: &'a str,
    /// Digests and counts of the archive, an object.
    pub dist: &'a str,
    /// Why the version should not be used, as a JSON string.
    pub deprecated: Option<&'a str>,
}

impl<'a> StoredManifest<'a> {
    /// Reads what [`StoredManifest::text`] wrote.
    pub fn read(text: &'a str) -> Result<StoredManifest<'a>> {
        let mut lines = text.split('\n');
        let (Some(manifest), Some(short), Some(dist)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(Error::internal("what is kept of an npm version is cut"));
        };
        Ok(StoredManifest { manifest, short, dist, deprecated: lines.next() })
    }

    /// As text for the row. JSON as we write it has no line breaks.
    pub fn text(&self) -> String {
        let parts = [Some(self.manifest), Some(self.short), Some(self.dist), self.deprecated];
        let lines: Vec<&str> = parts.into_iter().flatten().collect();
        lines.join("\n")
    }
}

#[derive(Debug)]
pub struct Archive {
    manifest: Map<String, Value>,
    short: Map<String, Value>,
    files: u64,
    unpacked: u64,
    /// What it says at length.
    pub readme: Option<Readme>,
}

/// Reads an archive of `size` bytes, which has to be of this name and version.
pub fn archive(file: File, size: u64, name: &str, version: &str) -> Result<Archive> {
    let (shrinkwrapped, compiled) = (Cell::new(false), Cell::new(false));
    let mut contents = archive::tar_gz(file, size, |path| {
        // Everything lies in one folder, whose name does not matter.
        let within = path.split_once('/').map_or("", |(_, within)| within);
        match within {
            "npm-shrinkwrap.json" => shrinkwrapped.set(true),
            "binding.gyp" => compiled.set(true),
            _ => {}
        }
        match within == "package.json" {
            true => Wanted::Whole,
            false => readme::wanted(path),
        }
    })?;
    let readme = readme::take(&mut contents);
    let mut manifest = package_json(&contents)?;
    check(&manifest, name, version)?;
    let installs = runs_on_install(&manifest, compiled.get());
    manifest.retain(|key, _| !DROPPED.contains(&key.as_str()) && !key.starts_with('_'));
    manifest.insert("version".into(), json!(version));
    normalize_bin(&mut manifest, name);
    manifest.insert("_id".into(), json!(format!("{name}@{version}")));
    manifest.insert("_hasShrinkwrap".into(), json!(shrinkwrapped.get()));
    if installs {
        manifest.insert("hasInstallScript".into(), json!(true));
    }
    let taken = |key: &&str| Some(((*key).to_owned(), manifest.get(*key)?.clone()));
    let short: Map<String, Value> = SHORT.iter().filter_map(taken).collect();
    Ok(Archive {
        manifest,
        short,
        files: contents.files,
        unpacked: contents.unpacked,
        readme,
    })
}

fn package_json(contents: &Contents) -> Result<Map<String, Value>> {
    let members = contents.members.iter();
    let usual = contents.member("package/package.json");
    let Some(found) = usual.or_else(|| members.last()) else {
        return refused("the archive has no package.json");
    };
    if found.bytes.len() > MAX_MANIFEST {
        return refused("the package.json in the archive is too large");
    }
    let bytes = found.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&found.bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(manifest)) => Ok(manifest),
        _ => refused("the package.json in the archive cannot be read"),
    }
}

fn check(manifest: &Map<String, Value>, name: &str, version: &str) -> Result<()> {
    let text = |key: &str| manifest.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("name") != name {
        return refused("the name in the archive's package.json is not the one published");
    }
    if names::cleaned(text("version")) != version {
        return refused("the version in the archive's package.json is not the one published");
    }
    Ok(())
}

/// Whether installing runs a script; what compiles does so without saying it.
fn runs_on_install(manifest: &Map<String, Value>, compiled: bool) -> bool {
    let scripts = manifest.get("scripts");
    let runs =
        |name: &&str| scripts.is_some_and(|all| all.get(*name).is_some_and(Value::is_string));
    let compiles = compiled && manifest.get("gypfile") != Some(&Value::Bool(false));
    ["preinstall", "install", "postinstall"].iter().any(runs) || compiles
}

/// One program may be written as its path alone; it is called like the package.
fn normalize_bin(manifest: &mut Map<String, Value>, name: &str) {
    let Some(path @ Value::String(_)) = manifest.get("bin") else {
        return;
    };
    let bin = json!({ names::bare(name): path });
    manifest.insert("bin".into(), bin);
}

impl Archive {
    pub fn kept(&self, stored: &Stored) -> Result<String> {
        let text = |value: &Map<String, Value>| serde_json::to_string(value);
        let short = text(&self.short).map_err(Error::internal)?;
        let mut manifest = text(&self.manifest).map_err(Error::internal)?;
        if manifest.len() > MAX_KEPT {
            manifest.clone_from(&short);
        }
        let dist = json!({
            "shasum": stored.sha1,
            "integrity": integrity("sha512", &stored.sha512)?,
            "fileCount": self.files,
            "unpackedSize": self.unpacked,
        });
        let kept = StoredManifest {
            manifest: &manifest,
            short: &short,
            dist: &dist.to_string(),
            deprecated: None,
        };
        Ok(kept.text())
    }
}

/// A digest as HTML writes it.
fn integrity(algorithm: &str, digest: &str) -> Result<String> {
    let bytes = hex::decode(digest).map_err(Error::internal)?;
    Ok(format!("{algorithm}-{}", STANDARD.encode(bytes)))
}

/// Refuses bytes that are not those the client declares.
pub fn check_declared(declared: &Publication, stored: &Stored) -> Result<()> {
    if declared.length.is_some_and(|length| length != stored.size) {
        return refused("length is not the size of the attachment");
    }
    let dist = &declared.dist;
    if let Some(shasum) = &dist.shasum
        && !shasum.eq_ignore_ascii_case(&stored.sha1)
    {
        return refused("dist.shasum is not the digest of the attachment");
    }
    let given = dist.integrity.as_deref().unwrap_or_default();
    for one in given.split_ascii_whitespace() {
        // Options may follow a digest.
        let one = one.split('?').next().unwrap_or_default();
        let ours = match one.split_once('-') {
            Some(("sha512", _)) => integrity("sha512", &stored.sha512)?,
            Some(("sha256", _)) => integrity("sha256", &stored.sha256)?,
            Some(("sha1", _)) => integrity("sha1", &stored.sha1)?,
            _ => continue,
        };
        if one != ours {
            return refused("dist.integrity is not the digest of the attachment");
        }
    }
    Ok(())
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::BadRequest(text.to_owned()))
}

#[cfg(test)]
mod tests;
