//! Names of Python projects and of their files.

use crate::keys::pypi::{self as version, normalized};
use kernel::error::{Error, Result};

/// Longest name, in bytes.
const MAX: usize = 255;
/// What follows the name of a wheel's metadata file (PEP 658).
pub const METADATA: &str = ".metadata";

/// A project's name: letters, digits and `-_.` between them (PEP 508).
pub fn check(name: &str) -> Result<()> {
    let inner = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let ends = [name.bytes().next(), name.bytes().last()];
    let is_name = name.len() <= MAX
        && name.bytes().all(inner)
        && ends.into_iter().all(|end| end.is_some_and(|b| b.is_ascii_alphanumeric()));
    is_name.then_some(()).ok_or_else(|| invalid("Name"))
}

/// How a file is packed and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A built distribution: a zip archive (PEP 427).
    Wheel,
    /// The sources, as tar packed with gzip (PEP 625).
    Sources,
    /// The sources as a zip archive, as older tools made them.
    ZippedSources,
}

/// What a file is by its name, which must be that of this project and version.
pub fn kind_of(file_name: &str, name: &str, version: &str) -> Result<Kind> {
    let refused = || invalid("File name");
    let usable = |b: u8| b.is_ascii_alphanumeric() || b"._+-!".contains(&b);
    if file_name.len() > MAX || !file_name.bytes().all(usable) {
        return Err(refused());
    }
    let endings =
        [(".whl", Kind::Wheel), (".tar.gz", Kind::Sources), (".zip", Kind::ZippedSources)];
    let mut known = endings.into_iter();
    let (stem, kind) = known
        .find_map(|(ending, kind)| Some((file_name.strip_suffix(ending)?, kind)))
        .ok_or_else(refused)?;
    let wanted = (normalized(name), version::key(version));
    let is_of = |name: &str, version: &str| (normalized(name), version::key(version)) == wanted;
    let fits = match kind {
        Kind::Wheel => match *stem.split('-').collect::<Vec<_>>() {
            [name, version, _, _, _] => is_of(name, version),
            [name, version, build, _, _, _] => {
                is_of(name, version) && build.starts_with(|c: char| c.is_ascii_digit())
            }
            _ => false,
        },
        // Either part may hold a dash in the names older tools made.
        Kind::Sources | Kind::ZippedSources => {
            stem.match_indices('-').any(|(at, _)| is_of(&stem[..at], &stem[at + 1..]))
        }
    };
    fits.then_some(kind).ok_or_else(refused)
}

/// A field that cannot be used, in the words clients look for.
pub fn invalid(field: &str) -> Error {
    Error::BadRequest(format!("Validation failed: {field} is invalid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_and_end_with_a_letter_or_digit() {
        for name in ["a", "Foo.Bar-baz_1", "0x"] {
            assert!(check(name).is_ok(), "{name}");
        }
        let long = "a".repeat(256);
        for name in ["", "-a", "a-", ".", "..", "a b", "a/b", "ä", "a\0b", "a\r\nb", &long] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn files_are_told_by_their_names() {
        for (file, kind) in [
            ("foo_bar-1.0-py3-none-any.whl", Kind::Wheel),
            ("foo_bar-1.0.0-1b-py3-none-any.whl", Kind::Wheel),
            ("Foo.Bar-1.0.tar.gz", Kind::Sources),
            ("foo-bar-1.0.tar.gz", Kind::Sources),
            ("foo-bar-v1.zip", Kind::ZippedSources),
        ] {
            assert_eq!(kind_of(file, "Foo-Bar", "1.0").unwrap(), kind, "{file}");
        }
        for file in [
            "",
            "foo_bar-1.0",
            "foo_bar-1.0.tar.bz2",
            "foo_bar-1.0.exe",
            "foo_bar-1.1.tar.gz",
            "other-1.0.tar.gz",
            "foo_bar-1.0-x-py3-none-any.whl",
            "foo_bar-1.0-none-any.whl",
            "foo_bar-1.0-py3-none-any.whl.metadata",
            "../foo_bar-1.0.tar.gz",
            "foo%5fbar-1.0.tar.gz",
            "foo_bar-1.0.tar.gz\r\nx.zip",
        ] {
            assert!(kind_of(file, "Foo-Bar", "1.0").is_err(), "{file}");
        }
    }

    #[test]
    fn versions_with_dashes_are_found_in_names() {
        assert!(kind_of("foo-1.0-1.tar.gz", "foo", "1.0.post1").is_ok());
        assert!(kind_of("foo-2!1.0+a.b.tar.gz", "foo", "2!1.0+a.b").is_ok());
    }
}
