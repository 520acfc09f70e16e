//! Names of refs, as git allows them (git-check-ref-format), and what each kind is for.

use std::fmt;
use std::str::FromStr;
use store::{FromRow, FromValue, IntoValue, Row, Type, Value};

/// Longest name, in bytes.
const MAX: usize = 1024;
/// Longest part of a name between slashes: git makes files of them, and locks.
const MAX_PART: usize = 250;
/// What is never shown and never written by clients: kept for ourselves.
const HIDDEN: &[&str] = &["refs/keep-around/", "refs/tmp/", "refs/environments/"];
/// What clients see and do not write.
const READ_ONLY: &[&str] = &["refs/merge-requests/"];

/// A whole name of a ref, such as `refs/heads/main`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefName(String);

/// The text is no name of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRefName;

impl RefName {
    /// The ref of a branch.
    pub fn branch(name: &str) -> Result<RefName, BadRefName> {
        format!("refs/heads/{name}").parse()
    }

    /// The ref of a tag.
    pub fn tag(name: &str) -> Result<RefName, BadRefName> {
        format!("refs/tags/{name}").parse()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The branch it is.
    pub fn as_branch(&self) -> Option<&str> {
        self.0.strip_prefix("refs/heads/")
    }

    /// The tag it is.
    pub fn as_tag(&self) -> Option<&str> {
        self.0.strip_prefix("refs/tags/")
    }

    /// Whether nobody outside is told of it.
    pub fn is_hidden(&self) -> bool {
        HIDDEN.iter().any(|prefix| self.0.starts_with(prefix))
    }

    /// Whether clients may make, change and delete it.
    pub fn is_writable(&self) -> bool {
        !self.is_hidden() && !READ_ONLY.iter().any(|prefix| self.0.starts_with(prefix))
    }

    /// The names that cannot be beside it, since it would stand below them.
    pub fn above(&self) -> impl Iterator<Item = &str> {
        let slashes = self.0.match_indices('/').skip(2);
        slashes.map(|(at, _)| &self.0[..at])
    }
}

impl FromStr for RefName {
    type Err = BadRefName;

    fn from_str(text: &str) -> Result<RefName, BadRefName> {
        let rest = text.strip_prefix("refs/").ok_or(BadRefName)?;
        let is_good = text.len() <= MAX
            && rest.contains('/')
            && rest.split('/').all(is_part)
            && !text.contains("..")
            && !text.contains("@{")
            && !text.ends_with('.')
            && !begins_like_option(rest);
        match is_good {
            true => Ok(RefName(text.to_owned())),
            false => Err(BadRefName),
        }
    }
}

fn is_part(part: &str) -> bool {
    let is_bad = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    !part.is_empty()
        && part.len() <= MAX_PART
        && !part.starts_with('.')
        && !part.ends_with(".lock")
        && !part.contains(is_bad)
}

/// Whether the short name would be read as an option.
fn begins_like_option(rest: &str) -> bool {
    rest.split_once('/').is_some_and(|(_, short)| short.starts_with('-'))
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl IntoValue for &RefName {
    const TYPE: Type = <String as IntoValue>::TYPE;

    fn into_value(self) -> Value {
        self.0.clone().into_value()
    }
}

impl FromValue for RefName {
    fn from_value(value: Value) -> store::Result<RefName> {
        let text = String::from_value(value)?;
        let wrong = |BadRefName| store::Error::Type { what: format!("{text:?} is no ref") };
        text.parse().map_err(wrong)
    }
}

impl FromRow for RefName {
    fn from_row(row: &mut Row<'_>) -> store::Result<RefName> {
        row.at(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_git_allows() {
        for good in ["refs/heads/main", "refs/heads/a/b-c", "refs/tags/v1.0", "refs/heads/é@"] {
            assert!(good.parse::<RefName>().is_ok(), "{good}");
        }
        let long = format!("refs/heads/{}", "x".repeat(300));
        for bad in [
            "",
            "main",
            "refs/heads",
            "refs/heads/",
            "refs/heads//a",
            "refs/heads/.a",
            "refs/heads/a.lock/b",
            "refs/heads/a..b",
            "refs/../heads/a",
            "refs/heads/a.",
            "refs/heads/@{-1}",
            "refs/heads/--upload-pack=x",
            "refs/heads/a b",
            "refs/heads/a\u{7f}",
            "refs/heads/a\nb",
            "refs/heads/a*",
            "refs/heads/a\\b",
            &long,
        ] {
            assert_eq!(bad.parse::<RefName>(), Err(BadRefName), "{bad}");
        }
    }

    #[test]
    fn some_names_are_our_own() {
        let name = |text: &str| text.parse::<RefName>().expect("a good name");
        assert!(name("refs/keep-around/x").is_hidden());
        assert!(!name("refs/merge-requests/1/head").is_hidden());
        assert!(!name("refs/merge-requests/1/head").is_writable());
        assert!(name("refs/notes/commits").is_writable());
    }

    #[test]
    fn a_name_stands_below_others() {
        let name: RefName = "refs/heads/a/b/c".parse().expect("a good name");
        assert_eq!(name.above().collect::<Vec<_>>(), ["refs/heads/a", "refs/heads/a/b"]);
    }
}
