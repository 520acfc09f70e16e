//! What an npm client sends.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

/// An archive of these files, as `npm pack` makes it.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, *bytes).expect("memory can be written");
    }
    let packed = tar.into_inner().expect("memory can be written");
    packed.finish().expect("memory can be written")
}

/// An archive with this `package.json`.
pub fn archive_of(manifest: &Value) -> Vec<u8> {
    let text = manifest.to_string();
    archive(&[
        ("package/package.json", text.as_bytes()),
        ("package/index.js", b"module.exports = 1\n"),
    ])
}

/// The digest of bytes as `dist.integrity` has it.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha512-{}", STANDARD.encode(Sha512::digest(bytes)))
}

/// The body that publishes this archive as what the manifest says, with a tag.
pub fn publication(manifest: &Value, archive: &[u8], tag: &str) -> Value {
    let (name, version) = (text(manifest, "name"), text(manifest, "version"));
    let mut described = manifest.clone();
    described["_id"] = json!(format!("{name}@{version}"));
    described["readme"] = json!("# Said \"twice\"\n");
    described["dist"] = json!({
        "integrity": integrity(archive),
        "tarball": format!("http://elsewhere.example/{name}/-/{name}-{version}.tgz"),
    });
    let file = json!({
        "content_type": "application/octet-stream",
        "data": STANDARD.encode(archive),
        "length": archive.len(),
    });
    json!({
        "_id": name,
        "name": name,
        "dist-tags": {tag: version},
        "versions": {version: described},
        "access": null,
        "_attachments": {format!("{name}-{version}.tgz"): file},
    })
}

/// The body that publishes a version with nothing special.
pub fn plain(name: &str, version: &str) -> Value {
    let manifest = json!({"name": name, "version": version, "description": "A test"});
    publication(&manifest, &archive_of(&manifest), "latest")
}

/// A name within a path.
pub fn escaped(name: &str) -> String {
    name.replace('/', "%2f")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a manifest has a name and a version")
}
