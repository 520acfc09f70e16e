use super::*;
use crate::formats::npm::envelope::Dist;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Seek, Write};

/// An archive with these files, as a file of its own.
fn packed(files: &[(&str, &str)]) -> (File, u64) {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    let bytes = tar.into_inner().unwrap().finish().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    file.rewind().unwrap();
    (file, bytes.len() as u64)
}

fn read(files: &[(&str, &str)]) -> Result<Archive> {
    let (file, size) = packed(files);
    archive(file, size, "@acme/hammer", "1.0.0")
}

fn read_json(manifest: &Value) -> Result<Archive> {
    read(&[("package/package.json", &manifest.to_string())])
}

#[test]
fn the_archives_own_words_are_kept() {
    let manifest = json!({"name": "@acme/hammer", "version": "v1.0.0", "description": "Hits",
        "bin": "./cli.js", "readme": "no", "exports": {".": "./x.js"}, "_secret": 1,
        "dist": {"tarball": "http://evil"}, "dependencies": {"nail": "^1.0.0"},
        "scripts": {"postinstall": "node x", "test": "y"}, "os": ["linux"]});
    let archive = read(&[
        ("package/package.json", &manifest.to_string()),
        ("package/npm-shrinkwrap.json", "{}"),
        ("package/lib/package.json", "broken"),
    ])
    .unwrap();
    assert_eq!((archive.files, archive.unpacked > 0), (3, true));
    assert_eq!(
        Value::Object(archive.manifest),
        json!({"name": "@acme/hammer", "version": "1.0.0", "description": "Hits",
            "bin": {"hammer": "./cli.js"}, "dependencies": {"nail": "^1.0.0"},
            "scripts": {"postinstall": "node x", "test": "y"}, "os": ["linux"],
            "_id": "@acme/hammer@1.0.0", "_hasShrinkwrap": true, "hasInstallScript": true})
    );
    assert_eq!(
        Value::Object(archive.short),
        json!({"name": "@acme/hammer", "version": "1.0.0", "dependencies": {"nail": "^1.0.0"},
            "bin": {"hammer": "./cli.js"}, "os": ["linux"], "_hasShrinkwrap": true,
            "hasInstallScript": true})
    );
}

#[test]
fn any_folder_and_a_byte_order_mark_will_do() {
    let manifest = "\u{feff}{\"name\": \"@acme/hammer\", \"version\": \"1.0.0\"}";
    let archive = read(&[("hammer-main/package.json", manifest)]).unwrap();
    assert_eq!(archive.manifest["_hasShrinkwrap"], false);
    assert!(!archive.manifest.contains_key("hasInstallScript"));
}

#[test]
fn what_compiles_runs_on_install() {
    let text = json!({"name": "@acme/hammer", "version": "1.0.0"}).to_string();
    let files = [("package/package.json", &*text), ("package/binding.gyp", "")];
    assert_eq!(read(&files).unwrap().manifest["hasInstallScript"], true);
    let text = json!({"name": "@acme/hammer", "version": "1.0.0", "gypfile": false}).to_string();
    let files = [("package/package.json", &*text), ("package/binding.gyp", "")];
    assert!(!read(&files).unwrap().manifest.contains_key("hasInstallScript"));
}

#[test]
fn archives_of_something_else_are_refused() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = format!("\"{}\"", "a".repeat(MAX_MANIFEST));
    for (files, reason) in [
        (vec![("package/index.js", "x")], "has no package.json"),
        (vec![("package.json", "{}")], "has no package.json"),
        (vec![("package/package.json", "[]")], "cannot be read"),
        (vec![("package/package.json", "{")], "cannot be read"),
        (vec![("package/package.json", &*deep)], "cannot be read"),
        (vec![("package/package.json", &*long)], "too large"),
        (vec![("package/package.json", "{}")], "the name"),
    ] {
        let refusal = read(&files).unwrap_err();
        assert!(format!("{refusal:?}").contains(reason), "{refusal:?}");
    }
    for (name, version) in [("hammer", "1.0.0"), ("@acme/hammer", "1.0.1")] {
        assert!(read_json(&json!({"name": name, "version": version})).is_err());
    }
    assert!(read_json(&json!({"name": ["@acme/hammer"], "version": 1})).is_err());
}

#[test]
fn a_large_manifest_is_kept_short() {
    let manifest = json!({"name": "@acme/hammer", "version": "1.0.0",
        "description": "a".repeat(MAX_KEPT), "os": ["linux"]});
    let kept = read_json(&manifest).unwrap().kept(&stored()).unwrap();
    assert!(kept.len() < 2_000);
    let kept = StoredManifest::read(&kept).unwrap();
    assert_eq!(kept.manifest, kept.short);
    let dist: Value = serde_json::from_str(kept.dist).unwrap();
    assert_eq!(dist["integrity"], "sha512-AAD/");
    assert_eq!(dist["shasum"], "0102");
}

fn stored() -> Stored {
    Stored {
        key: "sha256/00".into(),
        size: 4,
        md5: "00".into(),
        sha1: "0102".into(),
        sha256: "03".into(),
        sha512: "0000ff".into(),
    }
}

#[test]
fn declared_digests_have_to_be_those_of_the_bytes() {
    let declares = |shasum: Option<&str>, integrity: Option<&str>, length| {
        let dist = Dist {
            shasum: shasum.map(str::to_owned),
            integrity: integrity.map(str::to_owned),
        };
        let publication =
            Publication { version: "1.0.0".into(), tag: "latest".into(), dist, length };
        check_declared(&publication, &stored()).is_ok()
    };
    assert!(declares(None, None, None));
    assert!(declares(Some("0102"), Some("sha512-AAD/ sha384-x sha1-AQI=?a"), Some(4)));
    assert!(!declares(Some("0103"), None, None));
    assert!(!declares(None, Some("sha512-AAD+"), None));
    assert!(!declares(None, Some("sha512-AAD/ sha1-AAAA"), None));
    assert!(!declares(None, None, Some(5)));
}
