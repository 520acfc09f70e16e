//! composer.json and the versions that tags and branches stand for
//! (getcomposer.org/doc/04-schema.md, getcomposer.org/doc/articles/versions.md).

use kernel::error::{Error, Result};
use serde_json::{Map, Value};

/// Longest name, in bytes.
const MAX_NAME: usize = 255;
/// Deepest nesting of a manifest.
const MAX_DEPTH: usize = 32;

/// A package's manifest, as its archive holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Its name, `vendor/name`.
    pub name: String,
    pub fields: Map<String, Value>,
}

impl Manifest {
    /// Reads a composer.json.
    ///
    /// # Errors
    /// 422 where it is no JSON object or has no usable name.
    pub fn parse(bytes: &[u8]) -> Result<Manifest> {
        let refused = |text: &str| Error::Unprocessable(format!("422 Unprocessable - {text}"));
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|_| refused("composer.json is not valid JSON"))?;
        let Value::Object(fields) = value else {
            return Err(refused("composer.json must hold an object"));
        };
        if fields.values().any(|value| depth(value) > MAX_DEPTH) {
            return Err(refused("composer.json is nested too deeply"));
        }
        match fields.get("name").and_then(Value::as_str) {
            Some(name) if is_name(name) => Ok(Manifest { name: name.to_owned(), fields }),
            _ => Err(refused("composer.json must have a name such as vendor/name")),
        }
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Two parts of lower-case letters and digits with single marks between.
pub fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    name.len() <= MAX_NAME
        && name.split_once('/').is_some_and(|(vendor, name)| part(vendor) && part(name))
}

/// The version a tag stands for: itself, without a `v` before it.
pub fn version_of_tag(tag: &str) -> Option<String> {
    let version = tag.strip_prefix('v').unwrap_or(tag);
    let (numbers, suffix) = match version.split_once('-') {
        Some((numbers, suffix)) => (numbers, Some(suffix)),
        None => (version, None),
    };
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let fits = parts.len() <= 4
        && parts.iter().all(is_number)
        && suffix.is_none_or(is_suffix)
        && version.len() <= MAX_NAME;
    fits.then(|| version.to_owned())
}

fn is_suffix(suffix: &str) -> bool {
    !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_+".contains(&b))
}

/// The development version a branch stands for: `1.x` is `1.x-dev`, any
/// other `dev-` and its name.
pub fn version_of_branch(branch: &str) -> Option<String> {
    let usable = !branch.is_empty()
        && branch.len() <= MAX_NAME - 4
        && !branch.contains("..")
        && branch.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./+".contains(&b));
    if !usable {
        return None;
    }
    let numbers = branch.strip_prefix('v').unwrap_or(branch);
    let parts: Vec<&str> = numbers.split('.').collect();
    let (last, before) = parts.split_last()?;
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_line = matches!(*last, "x" | "*") && !before.is_empty() && before.len() <= 3;
    if is_line && before.iter().all(is_number) {
        return Some(format!("{}.x-dev", before.join(".")));
    }
    Some(format!("dev-{branch}"))
}

/// Whether clients look for it among development versions.
pub fn is_development(version: &str) -> bool {
    version.starts_with("dev-") || version.ends_with("-dev")
}

/// What holds of every manifest, tag and branch, whatever its bytes: it is
/// refused with 422, or its name is a name; what stands for a version can be
/// written into documents and addresses. Panics where a promise is broken; the
/// fuzz target and a test below feed it.
pub fn hostile(bytes: &[u8]) {
    match Manifest::parse(bytes) {
        Ok(manifest) => assert!(is_name(&manifest.name)),
        Err(error) => assert!(matches!(error, Error::Unprocessable(_)), "{error}"),
    }
    let text = String::from_utf8_lossy(bytes);
    let versions = [version_of_tag(&text), version_of_branch(&text)];
    for version in versions.into_iter().flatten() {
        let is_plain = |c: char| !c.is_control() && !" \"\\%#?".contains(c);
        assert!(version.chars().all(is_plain), "{version:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_and_branches_stand_for_versions() {
        for (tag, version) in [
            ("1.2.3", Some("1.2.3")),
            ("v1.2.3.4-beta.2", Some("1.2.3.4-beta.2")),
            ("1", Some("1")),
            ("release-1", None),
            ("1.2.3.4.5", None),
            ("1.2-", None),
            ("", None),
            ("v", None),
        ] {
            assert_eq!(version_of_tag(tag).as_deref(), version, "{tag}");
        }
        for (branch, version) in [
            ("main", Some("dev-main")),
            ("feature/x", Some("dev-feature/x")),
            ("1.x", Some("1.x-dev")),
            ("v2.1.x", Some("2.1.x-dev")),
            ("x", Some("dev-x")),
            ("", None),
            ("a b", None),
            ("a..b", None),
        ] {
            assert_eq!(version_of_branch(branch).as_deref(), version, "{branch}");
        }
        assert!(is_development("dev-main") && is_development("1.x-dev"));
        assert!(!is_development("1.0.0-beta"));
    }

    #[test]
    fn a_manifest_needs_a_name() {
        let read = |text: &str| Manifest::parse(text.as_bytes());
        assert_eq!(read(r#"{"name": "acme/anvil"}"#).unwrap().name, "acme/anvil");
        let deep = format!(r#"{{"name": "a/b", "x": {}{}}}"#, "[".repeat(40), "]".repeat(40));
        for text in [
            "",
            "[]",
            "{}",
            r#"{"name": 1}"#,
            r#"{"name": "acme"}"#,
            r#"{"name": "Acme/Anvil"}"#,
            r#"{"name": "../anvil"}"#,
            r#"{"name": "a/b/c"}"#,
            &deep,
        ] {
            assert!(matches!(read(text), Err(Error::Unprocessable(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}") {
            hostile(text.as_bytes());
        }
    }
}
