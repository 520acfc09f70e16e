//! Names, versions and paths of the generic format (docs/interface/packages.md 2.2, 2.3).

use kernel::error::{Error, Result};

/// Longest name, version or part of a path, in bytes.
pub const MAX_NAME: usize = 255;
/// Longest stored file name, in bytes: a path of several parts.
const MAX_PATH: usize = 1024;

pub fn generic_name(name: &str) -> Result<()> {
    require("package_name", is_plain(name, "._+-") && name != "." && name != "..")
}

pub fn generic_version(version: &str) -> Result<()> {
    require("package_version", is_plain(version, "._+-") && !version.contains(".."))
}

/// The stored file name of a path such as `docs/guide.pdf`: a single part as
/// it is, a path percent-encoded, so a stored name never holds a slash.
pub fn generic_file_name(path: &str) -> Result<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last().expect("split gives at least one part");
    require("file_name", is_file_part(name))?;
    require("path", folders.iter().all(|part| is_file_part(part)))?;
    require("path", path.len() <= MAX_PATH)?;
    if folders.is_empty() {
        return Ok(path.to_owned());
    }
    Ok(encoded(path))
}

/// A path as the one name that stored files have.
pub fn encoded(path: &str) -> String {
    percent_encoding::utf8_percent_encode(path, ENCODED).to_string()
}

/// Everything but the unreserved characters of RFC 3986 section 2.3.
pub const ENCODED: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn is_file_part(part: &str) -> bool {
    let tilde = part.starts_with('~') || part.ends_with('~');
    is_plain(part, "._+~-") && !tilde && part != "." && part != ".."
}

/// Letters and digits of ASCII and these marks, at least one and no more than
/// a name may have.
pub fn is_plain(text: &str, marks: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
}

/// Refuses a parameter that cannot be used.
pub fn require(field: &str, holds: bool) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(invalid(field)),
    }
}

/// A parameter that cannot be used.
pub fn invalid(field: &str) -> Error {
    Error::Parameters(vec![format!("{field} is invalid")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_versions_have_a_closed_alphabet() {
        for name in ["hammer", "My.Tool_2+x-y", "...", "-"] {
            assert!(generic_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(256);
        for name in ["", ".", "..", "a b", "a/b", "a\\b", "a%2fb", "é", "a\n", "a~", &long] {
            assert!(generic_name(name).is_err(), "{name}");
        }
        assert!(generic_version("1.0.0-beta+exp_1").is_ok());
        for version in ["", "1..0", "..", "1 0", "1/0", &long] {
            assert!(generic_version(version).is_err(), "{version}");
        }
    }

    #[test]
    fn paths_are_stored_encoded() {
        assert_eq!(generic_file_name("a+b.zip").unwrap(), "a+b.zip");
        assert_eq!(generic_file_name("docs/a+b~1.zip").unwrap(), "docs%2Fa%2Bb~1.zip");
        for path in [
            "", "/a", "a/", "a//b", "../a", "a/../b", "./a", "~a", "a~", "a\\b", "a\r\nb", "a%2e",
            "a\0",
        ] {
            assert!(generic_file_name(path).is_err(), "{path:?}");
        }
    }

    proptest! {
        #[test]
        fn a_stored_name_never_leaves_its_folder(path in "\\PC{0,60}") {
            if let Ok(stored) = generic_file_name(&path) {
                prop_assert!(!stored.contains(['/', '\\', '\r', '\n', '\0', '"']));
                prop_assert!(stored != "." && stored != "..");
                let back = percent_encoding::percent_decode_str(&stored).decode_utf8().unwrap();
                prop_assert!(!path.contains('/') || back == path);
            }
        }

        #[test]
        fn different_paths_have_different_names(a in "[a-c./+]{1,8}", b in "[a-c./+]{1,8}") {
            if let (Ok(x), Ok(y)) = (generic_file_name(&a), generic_file_name(&b)) {
                prop_assert_eq!(a == b, x == y);
            }
        }
    }
}
