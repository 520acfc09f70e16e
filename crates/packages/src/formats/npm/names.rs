//! Names, versions and tags of npm (docs/interface/packages.md 2.2).

use semver::Version;

/// Longest name, scope included, in bytes: what npm allows to publish.
const MAX_NAME: usize = 214;
/// Longest version, in bytes (the semver package of npm).
const MAX_VERSION: usize = 256;
/// Longest tag, in bytes.
const MAX_TAG: usize = 255;
/// Numbers above this one lose digits in JavaScript.
const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Whether the text names a package: `name` or `@scope/name`.
pub fn is_name(text: &str) -> bool {
    let bare = match text.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, name)) if is_part(scope) => name,
            _ => return false,
        },
        None => text,
    };
    text.len() <= MAX_NAME && is_part(bare)
}

/// The scope of a name, without `@`.
pub fn scope(name: &str) -> Option<&str> {
    let (scope, _) = name.strip_prefix('@')?.split_once('/')?;
    Some(scope)
}

/// The name without its scope.
pub fn bare(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A dot alone or two are steps in a path, and `-` begins the registry's own
/// addresses.
fn is_part(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-+._".contains(&b);
    !matches!(text, "" | "-" | "." | "..") && text.bytes().all(plain)
}

/// The version, if the text is a strict one (SemVer 2).
pub fn version(text: &str) -> Option<Version> {
    let version = Version::parse(text).ok().filter(|_| text.len() <= MAX_VERSION)?;
    let numbers = [version.major, version.minor, version.patch];
    numbers.iter().all(|number| *number <= MAX_NUMBER).then_some(version)
}

/// The version that a `package.json` means: `v1.0.0` is taken for `1.0.0`, as
/// npm does before it publishes.
pub fn cleaned(text: &str) -> &str {
    text.trim().trim_start_matches(['=', 'v']).trim_start()
}

/// The stored name of a version's file, scope and slash included.
pub fn file_name(name: &str, version: &str) -> String {
    format!("{name}-{version}.tgz")
}

/// Whether the text may be a tag. Ranges may not: `npm install x@1` would
/// mean both.
pub fn is_tag(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~!*'()".contains(&b);
    !text.is_empty() && text.len() <= MAX_TAG && text.bytes().all(plain) && !is_range(text)
}

/// Whether npm takes the text for a range of versions.
pub fn is_range(text: &str) -> bool {
    text.split("||").all(|part| {
        let part = part.trim();
        match part.split_once(" - ") {
            Some((from, to)) => is_partial(from.trim()) && is_partial(to.trim()),
            None => part.split_whitespace().all(is_comparator),
        }
    })
}

fn is_comparator(text: &str) -> bool {
    let rest = text.trim_start_matches(['<', '>', '=', '^', '~']);
    rest.is_empty() || is_partial(rest)
}

/// `1`, `1.x`, `v1.2`, `1.2.3-beta.1`, `*`.
fn is_partial(text: &str) -> bool {
    let text = text.trim_start_matches(['v', '=']);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, suffix) = text.split_at(end);
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_number = |part: &&str| {
        matches!(*part, "x" | "X" | "*")
            || (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let marks = |b: u8| b.is_ascii_alphanumeric() || b"-+.".contains(&b);
    parts.len() <= 3
        && parts.iter().all(is_number)
        && (suffix.is_empty() || parts.len() == 3)
        && suffix.bytes().all(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_at_most_one_scope() {
        for name in ["hammer", "@acme/hammer", "My.Tool_2+x-y", "@a.b/_c", "-x"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(215);
        for name in [
            "", "@", "@acme", "@acme/", "@/hammer", "@a/b/c", "a/b", ".", "..", "-", "@../a",
            "@a/..", "a b", "a%2fb", "a\\b", "é", "a\r\nb", "a~", &long,
        ] {
            assert!(!is_name(name), "{name:?}");
        }
        assert_eq!(scope("@acme/hammer"), Some("acme"));
        assert_eq!(bare("@acme/hammer"), "hammer");
        assert_eq!(scope("hammer"), None);
    }

    #[test]
    fn versions_are_strict() {
        for text in ["1.0.0", "0.0.1-beta.1+build.5", "9007199254740991.0.0"] {
            assert!(version(text).is_some(), "{text}");
        }
        let long = format!("1.0.0-{}", "a".repeat(256));
        for text in [
            "",
            "1",
            "1.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0 ",
            "9007199254740992.0.0",
            "latest",
            &long,
        ] {
            assert!(version(text).is_none(), "{text}");
        }
        assert_eq!(cleaned(" v1.2.3 "), "1.2.3");
        assert_eq!(cleaned("=v1.2.3"), "1.2.3");
    }

    #[test]
    fn a_tag_is_no_range() {
        for tag in ["latest", "next", "beta-2", "lts_iron", "v1-lts", "1a", "release.x"] {
            assert!(is_tag(tag), "{tag}");
        }
        for tag in [
            "",
            "1",
            "1.0",
            "1.0.0",
            "v1",
            "^1.0.0",
            "~1",
            ">=1",
            "1.x",
            "*",
            "x",
            "1 - 2",
            "1||2",
            "1.0.0-beta",
            "a b",
            "a/b",
            "a%2fb",
            "é",
            "<script>",
        ] {
            assert!(!is_tag(tag), "{tag}");
        }
    }
}
