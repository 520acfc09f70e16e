//! Paths and versions of modules (golang.org/ref/mod sections «Module paths»,
//! «Versions» and «Module proxies»).

use crate::access::RegistryAccess;
use std::cmp::Ordering;
use std::fmt;

/// Longest path of a module, in bytes.
const MAX_PATH: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its path, such as `example.org/acme/anvil/v2`.
    pub path: String,
    /// The major version its path names: 2 and more.
    major: Option<u64>,
}

impl Module {
    /// The module of this path, if it is the project's: its own address, with
    /// folders and a major version behind it.
    pub fn of_project(host: &str, entered: &RegistryAccess, path: &str) -> Option<Module> {
        let own = format!("{host}/{}", entered.project.full_path);
        Module::below(&own, path)
    }

    fn below(own: &str, path: &str) -> Option<Module> {
        let rest = path.strip_prefix(own)?;
        if path.len() > MAX_PATH || !(rest.is_empty() || rest.starts_with('/')) {
            return None;
        }
        let parts: Vec<&str> = rest.split('/').skip(1).collect();
        if !parts.iter().all(|part| is_part(part)) {
            return None;
        }
        let major = match parts.last() {
            Some(last) => major_of(last)?,
            None => None,
        };
        Some(Module { path: path.to_owned(), major })
    }

    /// Whether a version may be one of this module: of 2 and more only those
    /// whose path says so, or that have no go.mod.
    pub fn takes(&self, version: &Version) -> bool {
        match self.major {
            Some(major) => version.number.major == major && !version.incompatible,
            None => version.number.major < 2 || version.incompatible,
        }
    }
}

/// Letters, digits and a few marks; no dot at either end.
fn is_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && !part.ends_with('.')
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

/// The major version that `v2` and the like name; nothing for other parts.
/// `None` for what can be no part: `v0`, `v1`, `v02`.
fn major_of(part: &str) -> Option<Option<u64>> {
    let Some(digits) = part.strip_prefix('v') else {
        return Some(None);
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(None);
    }
    match digits.parse::<u64>() {
        Ok(major) if major >= 2 && !digits.starts_with('0') => Some(Some(major)),
        _ => None,
    }
}

/// A version: `v1.2.3`, `v1.2.3-pre`, `v2.0.0+incompatible`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    number: semver::Version,
    incompatible: bool,
}

impl Version {
    /// The version written so; only the one canonical way counts.
    pub fn parse(text: &str) -> Option<Version> {
        let number = semver::Version::parse(text.strip_prefix('v')?).ok()?;
        let incompatible = match number.build.as_str() {
            "" => false,
            "incompatible" if number.major >= 2 => true,
            _ => return None,
        };
        Some(Version { number, incompatible })
    }

    /// Whether it names a commit instead of a release: it ends with a time
    /// and the beginning of a commit's name.
    pub fn is_pseudo(&self) -> bool {
        let Some((rest, commit)) = self.number.pre.as_str().rsplit_once('-') else {
            return false;
        };
        let time = rest.rsplit('.').next().unwrap_or(rest);
        commit.len() == 12
            && commit.bytes().all(|b| b.is_ascii_hexdigit())
            && time.len() == 14
            && time.bytes().all(|b| b.is_ascii_digit())
    }

    /// What `@latest` takes the highest of: releases before pre-releases
    /// before commits.
    pub fn rank(&self) -> (bool, bool, semver::Version) {
        let is_release = self.number.pre.is_empty();
        (is_release, !self.is_pseudo(), self.number.clone())
    }

    /// Whether the module may have a go.mod.
    pub fn is_incompatible(&self) -> bool {
        self.incompatible
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.number)
    }
}

/// What of a module a client wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    List,
    Latest,
    Info(Version),
    GoMod(Version),
    Zip(Version),
}

pub struct WantedVersion;

impl WantedVersion {
    /// Reads the path of a request; nothing for what the protocol does not
    /// have.
    pub fn parse(path: &str) -> Option<(String, What)> {
        if let Some(module) = path.strip_suffix("/@latest") {
            return Some((unescape(module)?, What::Latest));
        }
        let (module, rest) = path.split_once("/@v/")?;
        let module = unescape(module)?;
        if rest == "list" {
            return Some((module, What::List));
        }
        let (version, kind) = rest.rsplit_once('.')?;
        let version = Version::parse(&unescape(version)?)?;
        let what = match kind {
            "info" => What::Info(version),
            "mod" => What::GoMod(version),
            "zip" => What::Zip(version),
            _ => return None,
        };
        Some((module, what))
    }
}

/// Upper case letters travel as `!` and the lower case one, for file systems
/// that know no difference.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '!' => match chars.next()? {
                letter @ 'a'..='z' => plain.push(letter.to_ascii_uppercase()),
                _ => return None,
            },
            'A'..='Z' => return None,
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// The path a go.mod says its module has.
pub fn declared(go_mod: &str) -> Option<String> {
    let mut in_block = false;
    for line in go_mod.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let rest = if in_block {
            line
        } else {
            match line.strip_prefix("module") {
                Some(rest) if rest.starts_with([' ', '\t', '(', '"', '`']) => rest.trim(),
                _ => continue,
            }
        };
        match rest {
            "(" => in_block = true,
            "" => {}
            ")" => return None,
            path => return Some(path.trim_matches(['"', '`']).to_owned()),
        }
    }
    None
}

/// What holds of every text, whatever it is: a version reads back as it is
/// written, and a module stays below its project. Panics where a promise is
/// broken; the fuzz target and a test below feed it.
pub fn hostile(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(version) = Version::parse(&text) {
        let again = Version::parse(&version.to_string()).map(|again| again.to_string());
        assert_eq!(again, Some(version.to_string()));
    }
    let own = "example.org/acme/anvil";
    for path in [Some(text.to_string()), unescape(&text), declared(&text)] {
        if let Some(module) = path.and_then(|path| Module::below(own, &path)) {
            assert!(module.path.starts_with(own) && !module.path.contains("/."));
        }
    }
    let _ = WantedVersion::parse(&text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OWN: &str = "example.org/acme/anvil";

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn a_project_has_the_modules_below_its_address() {
        for path in ["", "/v2", "/cmd", "/cmd/Tool/v3"] {
            assert!(Module::below(OWN, &format!("{OWN}{path}")).is_some(), "{path}");
        }
        for path in ["x", "/", "/v1", "/v0", "/v02", "/a//b", "/..", "/.git", "/a b", "/a%"] {
            assert!(Module::below(OWN, &format!("{OWN}{path}")).is_none(), "{path}");
        }
        assert!(Module::below(OWN, "example.org/acme").is_none());
    }

    #[test]
    fn versions_fit_the_major_version_of_the_path() {
        let (plain, second) = (
            Module::below(OWN, OWN).unwrap(),
            Module::below(OWN, &format!("{OWN}/v2")).unwrap(),
        );
        assert!(plain.takes(&version("v0.1.0")) && plain.takes(&version("v1.9.9-rc.1")));
        assert!(plain.takes(&version("v2.0.0+incompatible")) && !plain.takes(&version("v2.0.0")));
        assert!(second.takes(&version("v2.1.0")) && !second.takes(&version("v3.0.0")));
        for text in ["1.0.0", "v1.0", "v01.0.0", "v1.0.0+meta", "v1.0.0+incompatible", "vx"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn commits_are_known_from_releases() {
        for text in [
            "v0.0.0-20260102030405-abcdef012345",
            "v1.2.4-0.20260102030405-abcdef012345",
            "v1.2.3-pre.0.20260102030405-abcdef012345",
        ] {
            assert!(version(text).is_pseudo(), "{text}");
        }
        assert!(!version("v1.2.3-rc-1").is_pseudo());
        let all = ["v1.0.0", "v1.1.0-rc.1", "v1.1.0-0.20260102030405-abcdef012345"];
        let latest = all.map(version).into_iter().max_by_key(Version::rank);
        assert_eq!(latest.unwrap().to_string(), "v1.0.0");
    }

    #[test]
    fn requests_are_read() {
        assert_eq!(
            WantedVersion::parse("example.org/!acme/anvil/@v/v1.0.0-!r!c.1.info"),
            Some(("example.org/Acme/anvil".into(), What::Info(version("v1.0.0-RC.1"))))
        );
        assert_eq!(WantedVersion::parse("a.b/c/@v/list"), Some(("a.b/c".into(), What::List)));
        assert_eq!(WantedVersion::parse("a.b/c/@latest"), Some(("a.b/c".into(), What::Latest)));
        for path in
            ["a.b/c", "a.b/C/@v/list", "a.b/!!c/@v/list", "a.b/@v/v1.0.0.tar", "a.b/@v/x.mod"]
        {
            assert_eq!(WantedVersion::parse(path), None, "{path}");
        }
    }

    #[test]
    fn a_go_mod_names_its_module() {
        for text in [
            "module a.b/c",
            "// note\nmodule \"a.b/c\" // here\n\ngo 1.20\n",
            "module (\n\ta.b/c\n)\n",
        ] {
            assert_eq!(declared(text).as_deref(), Some("a.b/c"), "{text}");
        }
        assert_eq!(declared("modules a.b/c"), None);
        assert_eq!(declared(""), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}") {
            hostile(text.as_bytes());
        }
    }
}
