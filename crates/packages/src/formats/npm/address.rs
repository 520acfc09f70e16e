//! What a path below a registry's address is about. The same package is asked
//! for as `@scope%2fname` and as `@scope/name`; paths arrive here decoded.

use super::names::{bare, is_name, scope};

/// What a path of a package names.
#[derive(Debug, PartialEq, Eq)]
pub enum Address {
    /// The package: `NAME`.
    Package(String),
    /// A package as a client saw it: `NAME/-rev/REV`.
    Revision(String, String),
    /// A file by its stored name: `NAME/-/FILE`.
    File(String, String),
    /// A file to be deleted: `NAME/-/FILE/-rev/REV`.
    FileRevision(String, String),
}

/// Reads the path of a package.
pub fn package(path: &str) -> Option<Address> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let (path, revision) = match path.split_once("/-rev/") {
        Some((path, revision)) if !revision.is_empty() && !revision.contains('/') => {
            (path, Some(revision.to_owned()))
        }
        Some(_) => return None,
        None => (path, None),
    };
    let Some((name, file)) = path.split_once("/-/") else {
        let name = Some(path).filter(|name| is_name(name))?.to_owned();
        return Some(match revision {
            Some(revision) => Address::Revision(name, revision),
            None => Address::Package(name),
        });
    };
    let file = stored_name(name, file)?;
    let name = name.to_owned();
    Some(match revision {
        Some(_) => Address::FileRevision(name, file),
        None => Address::File(name, file),
    })
}

/// Clients that make addresses themselves leave the scope out of the file.
fn stored_name(name: &str, file: &str) -> Option<String> {
    let of_package = |file: &str| {
        let rest = file.strip_prefix(bare(name))?.strip_prefix('-')?;
        rest.strip_suffix(".tgz").filter(|rest| !rest.is_empty())?;
        Some(())
    };
    let file = match scope(name) {
        Some(scope) => file.strip_prefix(&format!("@{scope}/")).unwrap_or(file),
        None => file,
    };
    if !is_name(name) || file.contains('/') {
        return None;
    }
    of_package(file)?;
    Some(match scope(name) {
        Some(scope) => format!("@{scope}/{file}"),
        None => file.to_owned(),
    })
}

/// Reads `NAME/dist-tags` and `NAME/dist-tags/TAG`.
pub fn tags(path: &str) -> Option<(String, Option<String>)> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let (name, tag) = match path.strip_suffix("/dist-tags") {
        Some(name) => (name, None),
        None => {
            let (name, tag) = path.split_once("/dist-tags/")?;
            (name, Some(tag.to_owned()))
        }
    };
    is_name(name).then(|| (name.to_owned(), tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn packages_files_and_revisions_are_told_apart() {
        let named = Address::Package(text("@acme/hammer"));
        assert_eq!(package("@acme/hammer"), Some(named));
        assert_eq!(package("hammer/"), Some(Address::Package(text("hammer"))));
        let file = Address::File(text("@acme/hammer"), text("@acme/hammer-1.0.0.tgz"));
        assert_eq!(package("@acme/hammer/-/@acme/hammer-1.0.0.tgz").as_ref(), Some(&file));
        assert_eq!(package("@acme/hammer/-/hammer-1.0.0.tgz"), Some(file));
        let file = Address::FileRevision(text("hammer"), text("hammer-1.0.0.tgz"));
        assert_eq!(package("hammer/-/hammer-1.0.0.tgz/-rev/3"), Some(file));
        let revision = Address::Revision(text("hammer"), text("3-a"));
        assert_eq!(package("hammer/-rev/3-a"), Some(revision));
        for path in [
            "",
            "/",
            "-",
            "-/whoami",
            "a/b",
            "@acme",
            "hammer/-/",
            "hammer/-/anvil-1.tgz",
            "hammer/-/hammer-.tgz",
            "hammer/-/hammer-1.0.0.zip",
            "hammer/-/../hammer-1.tgz",
            "hammer/-/@acme/hammer-1.tgz",
            "@acme/hammer/-/@evil/hammer-1.tgz",
            "hammer/-rev/",
            "hammer/-rev/a/b",
            "../hammer",
        ] {
            assert_eq!(package(path), None, "{path}");
        }
    }

    #[test]
    fn tags_have_addresses_below_their_package() {
        assert_eq!(tags("hammer/dist-tags"), Some((text("hammer"), None)));
        assert_eq!(
            tags("@acme/hammer/dist-tags/next"),
            Some((text("@acme/hammer"), Some(text("next"))))
        );
        for path in ["", "dist-tags", "/dist-tags", "a/b/dist-tags", "hammer"] {
            assert_eq!(tags(path), None, "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_file_belongs_to_its_package(path in "[@a-c/.-]{0,12}(/-/)?[@a-c/.-]{0,12}(\\.tgz)?") {
            if let Some(Address::File(name, file)) = package(&path) {
                prop_assert!(is_name(&name));
                prop_assert!(file.starts_with(&format!("{name}-")), "{name} {file}");
            }
        }
    }
}
