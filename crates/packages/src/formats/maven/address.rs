//! Addresses of a Maven repository: `group/as/folders/artifact/version/file`
//! (docs/interface/packages.md 2.2, 2.6).

use crate::rules::names::{invalid, is_plain};
use kernel::error::Result;

/// The file in which clients note which versions there are.
pub const METADATA: &str = "maven-metadata.xml";
/// What versions under development end in.
pub const SNAPSHOT: &str = "-SNAPSHOT";
/// Longest path, in bytes.
const MAX_PATH: usize = 1024;

/// A file of a repository, or the digest of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The package: group and artifact as folders.
    pub name: String,
    /// Its version; none for what is noted about all versions.
    pub version: Option<String>,
    pub file_name: String,
    /// The digest of the file rather than the file.
    pub sum: Option<Sum>,
}

/// A digest beside a file, named by the ending of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

const SUMS: [(&str, Sum); 4] = [
    (".md5", Sum::Md5),
    (".sha1", Sum::Sha1),
    (".sha256", Sum::Sha256),
    (".sha512", Sum::Sha512),
];

impl Address {
    /// Reads what follows the prefix of the repository.
    pub fn parse(path: &str) -> Result<Address> {
        read(path).ok_or_else(|| invalid("path"))
    }

    /// Whether clients read, change and write this file again, so that several
    /// may do so at once.
    pub fn is_metadata(&self) -> bool {
        self.file_name == METADATA
    }

    /// Paths of projects that packages of this name are looked for in where
    /// the address names none. What is noted about all versions belongs to
    /// the project of this path or, with one part more, of the one above.
    pub fn projects(&self) -> Vec<&str> {
        let mut paths = vec![self.name.as_str()];
        if let (None, Some((above, _))) = (&self.version, self.name.rsplit_once('/')) {
            paths.push(above);
        }
        paths
    }
}

fn read(path: &str) -> Option<Address> {
    if path.len() > MAX_PATH {
        return None;
    }
    let (folders, file) = path.rsplit_once('/')?;
    let (file_name, sum) = split_sum(file);
    if !is_part(file_name, "._+-") {
        return None;
    }
    let parts: Vec<&str> = folders.split('/').collect();
    let (last, above) = parts.split_last()?;
    let (first, between) = match above.split_first() {
        Some((first, between)) => (*first, between),
        None => ("", above),
    };
    let plain = |part: &str| is_part(part, "_.-");
    let above_is_plain = above.is_empty() || plain(first.strip_prefix('@').unwrap_or(first));
    if !above_is_plain || !between.iter().all(|part| plain(part)) || !is_part(last, "_.+-") {
        return None;
    }
    let (name, version) = if file_name == METADATA && !last.ends_with(SNAPSHOT) {
        (folders.to_owned(), None)
    } else if above.len() >= 2 && !last.contains("..") {
        (above.join("/"), Some((*last).to_owned()))
    } else {
        return None;
    };
    Some(Address { name, version, file_name: file_name.to_owned(), sum })
}

fn split_sum(file: &str) -> (&str, Option<Sum>) {
    let mut found = SUMS.iter().filter_map(|(ending, sum)| {
        let rest = file.strip_suffix(ending)?;
        Some((rest, Some(*sum)))
    });
    found.next().unwrap_or((file, None))
}

fn is_part(part: &str, marks: &str) -> bool {
    is_plain(part, marks) && part != "." && part != ".."
}

/// What tells a file from the others of its version: classifier and extension
/// (`-sources.jar`), or the extension alone where the name does not begin with
/// artifact and version as names in a repository do.
pub fn kind(name: &str, version: Option<&str>, file_name: &str) -> String {
    let artifact = name.rsplit('/').next().unwrap_or_default();
    let rest = file_name
        .strip_prefix(artifact)
        .and_then(|rest| rest.strip_prefix('-'))
        .and_then(|rest| without_version(rest, version?))
        .filter(|rest| rest.starts_with(['-', '.']));
    match (rest, file_name.rfind('.')) {
        (Some(rest), _) => rest.to_owned(),
        (None, Some(dot)) => file_name[dot..].to_owned(),
        (None, None) => String::new(),
    }
}

/// What follows the version, which in files of snapshots is often a time and
/// a number: `1.0-20310506.120000-1`.
fn without_version<'f>(rest: &'f str, version: &str) -> Option<&'f str> {
    if let Some(rest) = rest.strip_prefix(version) {
        return Some(rest);
    }
    let base = version.strip_suffix(SNAPSHOT)?;
    let rest = rest.strip_prefix(base)?.strip_prefix('-')?;
    let (day, rest) = rest.split_once('.')?;
    let (time, rest) = rest.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let end = rest.find(['-', '.']).unwrap_or(rest.len());
    (is_number(day) && is_number(time) && is_number(&rest[..end])).then(|| &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(path: &str) -> (String, Option<String>, String, Option<Sum>) {
        let found = Address::parse(path).unwrap();
        (found.name, found.version, found.file_name, found.sum)
    }

    #[test]
    fn a_path_is_package_version_and_file() {
        let jar = "com/acme/anvil/1.0+b/anvil-1.0+b.jar";
        let of_version = |file: &str, sum| {
            ("com/acme/anvil".to_owned(), Some("1.0+b".to_owned()), file.to_owned(), sum)
        };
        assert_eq!(parsed(jar), of_version("anvil-1.0+b.jar", None));
        for (ending, sum) in SUMS {
            let wanted = of_version("anvil-1.0+b.jar", Some(sum));
            assert_eq!(parsed(&format!("{jar}{ending}")), wanted);
        }
        let signed = parsed(&format!("{jar}.asc.sha1"));
        assert_eq!(signed, of_version("anvil-1.0+b.jar.asc", Some(Sum::Sha1)));
    }

    #[test]
    fn metadata_has_a_version_in_snapshots_only() {
        let snapshot = parsed("com/acme/anvil/1.0-SNAPSHOT/maven-metadata.xml");
        assert_eq!(snapshot.1.as_deref(), Some("1.0-SNAPSHOT"));
        assert_eq!(snapshot.0, "com/acme/anvil");
        for path in ["com", "com/acme/anvil", "com/acme/anvil/1.0", "@acme/anvil"] {
            let found = parsed(&format!("{path}/maven-metadata.xml.sha1"));
            let wanted = (path.to_owned(), None, METADATA.into(), Some(Sum::Sha1));
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn tricks_and_incomplete_paths_are_no_addresses() {
        let long = format!("com/acme/anvil/{}/a.jar", "1".repeat(256));
        let deep = format!("{}anvil/1.0/a.jar", "a/".repeat(600));
        for path in [
            "",
            "a.jar",
            "maven-metadata.xml",
            "1.0/a.jar",
            "anvil/1.0/a.jar",
            "/com/acme/anvil/1.0/a.jar",
            "com//anvil/1.0/a.jar",
            "com/acme/anvil/1.0/",
            "com/acme/anvil/../a.jar",
            "com/../anvil/1.0/a.jar",
            "../acme/anvil/1.0/a.jar",
            "com/./anvil/1.0/a.jar",
            "com/acme/anvil/1..0/a.jar",
            "com/acme/anvil/1.0/..",
            "com/acme/anvil/1.0/.sha1",
            "com/acme/anvil/1.0/a~.jar",
            "com/acme/anvil/1.0/a\\b.jar",
            "com/acme/anvil/1.0/a b.jar",
            "com/acme/anvil/1.0/a\r\nb",
            "com/acme/anvil/1.0/a%2e",
            "com/ac+me/anvil/1.0/a.jar",
            "com/@acme/anvil/1.0/a.jar",
            "cöm/acme/anvil/1.0/a.jar",
            &long,
            &deep,
        ] {
            assert!(Address::parse(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn projects_are_found_by_the_name() {
        let projects = |path| {
            let found = Address::parse(path).unwrap();
            found.projects().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(projects("acme/anvil/1.0/anvil.jar"), ["acme/anvil"]);
        let of_all = projects("acme/anvil/maven-metadata.xml");
        assert_eq!(of_all, ["acme/anvil", "acme"]);
    }

    #[test]
    fn kinds_are_classifier_and_extension() {
        for (version, file, wanted) in [
            ("1.0", "anvil-1.0.jar", ".jar"),
            ("1.0", "anvil-1.0-sources.jar", "-sources.jar"),
            ("1.0", "anvil-1.0.jar.asc", ".jar.asc"),
            ("1.0", "other.jar", ".jar"),
            ("1.0", "anvil-1.01.jar", ".jar"),
            ("1.0", "plain", ""),
            ("1.0-SNAPSHOT", "anvil-1.0-20310506.120000-1.jar", ".jar"),
            ("1.0-SNAPSHOT", "anvil-1.0-20310506.120000-12-tests.jar", "-tests.jar"),
            ("1.0-SNAPSHOT", "anvil-1.0-SNAPSHOT.jar", ".jar"),
            ("1.0-SNAPSHOT", "anvil-1.0-next.one-1.jar", ".jar"),
        ] {
            assert_eq!(kind("com/acme/anvil", Some(version), file), wanted, "{file}");
        }
    }

    proptest! {
        #[test]
        fn every_path_is_refused_or_safe(path in "(\\PC{0,6}|[a-z.@+/-]{1,8}|/){0,12}") {
            if let Ok(found) = Address::parse(&path) {
                for part in found.name.split('/').chain([found.file_name.as_str()]) {
                    prop_assert!(!part.is_empty() && part != "." && part != "..");
                    prop_assert!(part.is_ascii() && !part.contains(['\\', '"', '\0', '\n']));
                }
                kind(&found.name, found.version.as_deref(), &found.file_name);
            }
        }
    }
}
