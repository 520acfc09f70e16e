//! The two texts beside a recipe and its binary packages: `conaninfo.txt`
//! tells what a binary package is made for, `conanmanifest.txt` which files
//! there are.

use super::address;
use kernel::error::{Error, Result};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Most bytes of `conaninfo.txt`: settings, options and what it needs.
pub const MAX_INFO: u64 = 256 * 1024;
/// Most bytes of `conanmanifest.txt`: a line for each file.
pub const MAX_MANIFEST: u64 = 16 * 1024 * 1024;
/// Most sections of `conaninfo.txt`.
const MAX_SECTIONS: usize = 100;
/// Most lines of a section.
const MAX_LINES: usize = 5_000;
/// Longest name of a section, in bytes.
const MAX_SECTION: usize = 50;
/// Most files of a manifest.
const MAX_FILES: usize = 200_000;
/// Longest path of a file, in bytes.
const MAX_PATH: usize = 4096;

/// Sections of old clients that hold what their machines were like: shown to
/// nobody who lists packages.
const PRIVATE: [&str; 2] = ["env", "scope"];

/// What a `conaninfo.txt` says, as clients list it: sections of pairs as
/// objects, others as lists of lines.
pub fn info(bytes: &[u8]) -> Result<Value> {
    let refused = |reason: &str| Error::BadRequest(format!("conaninfo.txt {reason}"));
    let text = std::str::from_utf8(bytes).map_err(|_| refused("is not UTF-8"))?;
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            let name = section(line).ok_or_else(|| refused("has a section without a name"))?;
            if sections.len() == MAX_SECTIONS || sections.iter().any(|(known, _)| *known == name) {
                return Err(refused("has too many sections, or one twice"));
            }
            sections.push((name, Vec::new()));
            continue;
        }
        match sections.last_mut() {
            Some((_, lines)) if lines.len() < MAX_LINES => lines.push(line),
            Some(_) => return Err(refused("has too many lines")),
            None => return Err(refused("has lines before its first section")),
        }
    }
    let shown = sections
        .into_iter()
        .filter(|(name, _)| !PRIVATE.contains(name))
        .map(|(name, lines)| (name.to_owned(), section_value(name, &lines)));
    Ok(Value::Object(shown.collect()))
}

/// The name in `[name]`.
fn section(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    let is_plain = name.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
    (is_plain && (2..=MAX_SECTION).contains(&name.len())).then_some(name)
}

fn section_value(name: &str, lines: &[&str]) -> Value {
    if name == "recipe_hash" {
        return lines.first().copied().unwrap_or_default().into();
    }
    let is_list = name.ends_with("requires") || name == "config_version";
    let pairs: Option<Map<String, Value>> = lines
        .iter()
        .map(|line| {
            let (key, value) = line.split_once('=')?;
            Some((key.trim().to_owned(), value.trim().into()))
        })
        .collect();
    match pairs.filter(|_| !is_list) {
        Some(pairs) => Value::Object(pairs),
        None => lines.iter().map(|line| Value::from(*line)).collect(),
    }
}

/// Checks a `conanmanifest.txt` and tells what it says but for its time: of
/// manifests that say the same, one is enough.
pub fn manifest(bytes: &[u8]) -> Result<String> {
    let refused = |reason: &str| Error::BadRequest(format!("conanmanifest.txt {reason}"));
    let text = std::str::from_utf8(bytes).map_err(|_| refused("is not UTF-8"))?;
    let mut lines = text.lines();
    let time = lines.next().unwrap_or_default().trim();
    if time.is_empty() || time.len() > 18 || !time.bytes().all(|c| c.is_ascii_digit()) {
        return Err(refused("does not begin with a time"));
    }
    let mut files = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let (path, md5) = line.rsplit_once(": ").unwrap_or_default();
        let md5 = md5.trim_end();
        let is_digest = md5.len() == 32 && md5.bytes().all(|c| c.is_ascii_hexdigit());
        if !is_digest || !is_path(path) {
            return Err(refused("has a line that is no file with its MD5"));
        }
        if files.len() == MAX_FILES {
            return Err(refused("has too many files"));
        }
        files.push((path, md5.to_ascii_lowercase()));
    }
    files.sort();
    let mut digest = Sha256::new();
    for (path, md5) in files {
        digest.update(format!("{path}: {md5}\n"));
    }
    Ok(hex::encode(digest.finalize()))
}

fn is_path(path: &str) -> bool {
    (1..=MAX_PATH).contains(&path.len())
        && !path.starts_with('/')
        && !path.contains(char::is_control)
        && path.split(['/', '\\']).all(|part| part != "..")
}

/// What holds of every text and path, whatever its bytes: it is refused with
/// a reason, or reads as something that can go out. Panics where a promise is
/// broken; the fuzz target and a test below feed it.
pub fn hostile(bytes: &[u8]) {
    let check = |error: Error| {
        let is_plain =
            matches!(error, Error::BadRequest(_) | Error::Parameters(_) | Error::NotFound(_));
        assert!(is_plain, "{error}");
    };
    match info(bytes) {
        Ok(told) => {
            let told = told.as_object().expect("sections").clone();
            assert!(PRIVATE.iter().all(|name| !told.contains_key(*name)));
        }
        Err(error) => check(error),
    }
    match manifest(bytes) {
        Ok(digest) => assert_eq!(digest.len(), 64),
        Err(error) => check(error),
    }
    let path = String::from_utf8_lossy(bytes);
    for read in [address::without_revisions, address::with_revisions] {
        match read(&path) {
            Ok((recipe, _)) => assert_eq!(address::Recipe::read(&recipe.full()), Some(recipe)),
            Err(error) => check(error),
        }
    }
    match address::file(&path) {
        Ok((_, _, name)) => {
            let stored = address::stored(&name);
            assert!(!stored.contains(['/', '\\', '\r', '\n', '\0', '"']));
            assert!(!name.split('/').any(|part| part == ".."));
        }
        Err(error) => check(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn sections_are_pairs_or_lists() {
        let new = "[settings]\nos=Linux\ncompiler.version = 12\n\n# a comment\n[requires]\nzlib/1.3\nq/[>=1]\n\
            [options]\nshared=False\n[conf]\na:b=x=y\n";
        assert_eq!(
            info(new.as_bytes()).unwrap(),
            json!({
                "settings": {"os": "Linux", "compiler.version": "12"},
                "requires": ["zlib/1.3", "q/[>=1]"], "options": {"shared": "False"},
                "conf": {"a:b": "x=y"},
            })
        );
        let old = "[settings]\n    os=Linux\n\n[requires]\n\n[options]\n\n[full_requires]\n    \
            zlib/1.2:5ab8\n\n[recipe_hash]\n    f5b7\n\n[env]\n    SECRET=1\n";
        assert_eq!(
            info(old.as_bytes()).unwrap(),
            json!({
                "settings": {"os": "Linux"}, "requires": [], "options": {},
                "full_requires": ["zlib/1.2:5ab8"], "recipe_hash": "f5b7",
            })
        );
        assert_eq!(info(b"").unwrap(), json!({}));
    }

    #[test]
    fn what_is_no_info_is_refused() {
        let many = "[aa]\n".to_owned() + &"x=1\n".repeat(MAX_LINES + 1);
        let sections: String = (0..=MAX_SECTIONS)
            .map(|at| format!("[a{}]\n", "b".repeat(at % 40 + 1)))
            .collect();
        for text in [
            "os=Linux\n",
            "[]\n",
            "[A]\n",
            "[settings\n",
            "[settings]\n[settings]\n",
            &many,
            &sections,
        ] {
            assert!(info(text.as_bytes()).is_err(), "{text:.40}");
        }
        assert!(info(b"[settings]\nos=\xff\n").is_err());
    }

    #[test]
    fn manifests_that_differ_in_time_say_the_same() {
        let one = "1700000000\na.h: 0123456789abcdef0123456789abcdef\nb: c.h: 0123456789abcdef0123456789abcdeF\n";
        let other = "1800000000\r\nb: c.h: 0123456789abcdef0123456789abcdef\r\na.h: 0123456789abcdef0123456789abcdef";
        assert_eq!(manifest(one.as_bytes()).unwrap(), manifest(other.as_bytes()).unwrap());
        assert_ne!(manifest(b"1\n").unwrap(), manifest(one.as_bytes()).unwrap());
        for text in [
            "",
            "now\n",
            "-1\n",
            "1\na.h\n",
            "1\na.h: 0123\n",
            "1\n: 0123456789abcdef0123456789abcdef\n",
            "1\n../a: 0123456789abcdef0123456789abcdef\n",
            "1\n/a: 0123456789abcdef0123456789abcdef\n",
            "1\na\u{7}: 0123456789abcdef0123456789abcdef\n",
            "99999999999999999999\n",
        ] {
            assert!(manifest(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(manifest(b"1\n\xff: 0123456789abcdef0123456789abcdef\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "[ -~\n\t\\[\\]=:]{0,200}") {
            hostile(text.as_bytes());
            hostile(format!("[settings]\n{text}").as_bytes());
            hostile(format!("1\n{text}").as_bytes());
        }

        #[test]
        fn any_path_is_answered(rest in "[a-f0-9/._@%\\\\-]{0,80}") {
            hostile(format!("ham/1.0/_/_/{rest}").as_bytes());
            hostile(format!("ham/1.0/_/_/0/export/metadata/{rest}").as_bytes());
        }
    }
}
