//! Where a change puts a file: stricter than what old histories hold, since nothing is
//! made here that a checkout could be harmed by.

use crate::objects::Path;
use gix::validate::path::component;
use std::result::Result;

/// Most of a path that is shown again.
const SHOWN: usize = 300;
/// What checkouts on any system would take for git's own folder.
const CAREFUL: component::Options = component::Options {
    protect_windows: false,
    protect_hfs: true,
    protect_ntfs: true,
};

/// Reads the path of a file, or says what is wrong with it.
pub fn file_path(text: &str) -> Result<Path, String> {
    if text.is_empty() {
        return Err("You must provide a file path".into());
    }
    if text.split('/').any(|part| part == "..") {
        return Err("Path cannot include directory traversal".into());
    }
    let read = Path::read(text).ok().filter(|path| path.as_str() == text);
    match read.filter(|path| !text.contains('\\') && path.parts().all(is_harmless)) {
        Some(path) => Ok(path),
        None => {
            let shown: String = text.chars().take(SHOWN).collect();
            Err(format!("invalid path: '{shown}'"))
        }
    }
}

fn is_harmless(part: &str) -> bool {
    component(part.into(), None, CAREFUL).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_files_are_read() {
        for good in ["a", "docs/guide.md", ".gitignore", "a/.gitmodules", "con", "a b/ü\n", "git"]
        {
            assert_eq!(file_path(good).map(|path| path.to_string()), Ok(good.to_owned()));
        }
    }

    #[test]
    fn what_leads_elsewhere_is_refused_in_words() {
        assert_eq!(file_path(""), Err("You must provide a file path".into()));
        for up in ["..", "../x", "a/../b", "a/..", "/.."] {
            assert_eq!(file_path(up), Err("Path cannot include directory traversal".into()));
        }
        let (long, deep) = ("a".repeat(256), "a/".repeat(2048) + "a");
        for bad in [
            ".",
            "/",
            "/a",
            "a/",
            "a//b",
            "./a",
            "a\0",
            "a\\b",
            ".git",
            ".GIT/config",
            "a/.Git/x",
            "git~1/x",
            ".git./x",
            ".git /x",
            ".git::$INDEX_ALLOCATION/x",
            ".g\u{200c}it/x",
            &long,
            &deep,
        ] {
            let said = file_path(bad).expect_err("it leads elsewhere");
            assert!(said.starts_with("invalid path: '"), "{bad:?}: {said}");
        }
    }
}
