//! What stands in the file of a project, and under which name (docs/project-file-format.md).

use crate::model::Object;
use kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What its first entry says it is.
pub const FORMAT: &str = "tenon-project";
/// The newest version that is read, and the one that is written.
pub const VERSION: u32 = 1;
/// The first entry, and the last.
pub const MANIFEST: &str = "tenon-project.json";
pub const END: &str = "end.json";
/// Repositories, as bundles of git.
pub const REPOSITORY: &str = "repository.bundle";
pub const WIKI: &str = "wiki.bundle";
/// Longest name of an entry, in bytes: more needs extensions of the format, which are refused.
pub const LONGEST_NAME: usize = 100;

kernel::choices! {
    /// Lists in the file, in the order in which they are written.
    pub enum List {
        Labels = "labels",
        Milestones = "milestones",
        Releases = "releases",
        Members = "members",
        MergeRequests = "merge_requests",
        Issues = "issues",
        CodeNotes = "code_notes",
        Notes = "notes",
        Events = "events",
        ProtectedBranches = "protected_branches",
        Snippets = "snippets",
        Uploads = "uploads",
        LfsObjects = "lfs_objects",
    }
}

impl List {
    /// The list that an object stands in; none of what is no thing of its own.
    pub fn of(object: &Object) -> Option<List> {
        Some(match object {
            Object::Label(_) => List::Labels,
            Object::Milestone(_) => List::Milestones,
            Object::Release(_) => List::Releases,
            Object::Member(_) => List::Members,
            Object::MergeRequest(_) => List::MergeRequests,
            Object::Review(_) => return None,
            Object::Issue(_) => List::Issues,
            Object::Note(_) => List::Notes,
            Object::CodeNote(_) => List::CodeNotes,
            Object::Event(_) => List::Events,
            Object::ProtectedBranch(_) => List::ProtectedBranches,
        })
    }

    /// The name of its part of this number, from 1.
    pub fn part(self, number: u32) -> String {
        format!("{self}-{number:06}.ndjson")
    }

    /// Before all names of its parts, and behind them.
    pub fn bounds(self) -> (String, String) {
        (format!("{self}-"), format!("{self}."))
    }
}

/// The first entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    /// The program that wrote it.
    #[serde(default)]
    pub generator: String,
    pub exported_at: Timestamp,
    /// The name of the server it was written on.
    pub host: String,
    pub project: AboutProject,
}

/// The project as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AboutProject {
    pub id: i64,
    pub name: String,
    pub path: String,
    pub full_path: String,
    pub default_branch: Option<String>,
    /// Settings by the names that changing a project knows.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

impl Manifest {
    /// Reads and checks it.
    ///
    /// # Errors
    ///
    /// A sentence for whose file it is.
    pub fn read(bytes: &[u8]) -> Result<Manifest, String> {
        let wrong = || format!("{MANIFEST} is not what it has to be.");
        // No database keeps a zero in a text.
        if bytes.windows(6).any(|six| six == b"\\u0000") {
            return Err(wrong());
        }
        let read: Manifest = serde_json::from_slice(bytes).map_err(|_| wrong())?;
        if read.format != FORMAT {
            return Err("The file is no export of a project.".into());
        }
        match read.version {
            1..=VERSION => Ok(read),
            version => Err(format!("The file has version {version}, which is not known here.")),
        }
    }

    /// The name of the server, as far as it is one.
    pub fn host(&self) -> &str {
        let is_part =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        let is_name = (1..=255).contains(&self.host.len()) && self.host.chars().all(is_part);
        if is_name { &self.host } else { "unknown" }
    }
}

/// The last entry: without it the file is not whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// How many entries there are before it.
    pub entries: u64,
    /// How many lines each list has.
    pub lines: BTreeMap<String, u64>,
}

/// A snippet, whose files are a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct Snippet<P> {
    pub number: i64,
    pub title: String,
    pub description: Option<String>,
    /// `private`, `internal` or `public`.
    pub visibility: String,
    pub author: Option<P>,
    /// The paths of its files, in the order of its tree.
    #[serde(default)]
    pub files: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The entry of a snippet's repository.
pub fn snippet(number: i64) -> String {
    format!("snippets/{number}.bundle")
}

/// A file that texts show; its bytes are an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct UploadedFile<P> {
    pub secret: String,
    pub name: String,
    pub sha256: String,
    pub by: Option<P>,
    pub created_at: Timestamp,
}

/// A large file of git; its bytes are an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LargeFile {
    pub oid: String,
    pub size: i64,
}

/// The entry of bytes by their SHA-256: files of texts with the same ones share it.
pub fn upload(sha256: &str) -> String {
    format!("uploads/{sha256}")
}

pub fn large_file(oid: &str) -> String {
    format!("lfs/{oid}")
}

/// Whether an entry may be called so: plain parts, none of which leads up.
pub fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && part.chars().all(is_letter);
    name.len() <= LONGEST_NAME && name.split('/').all(is_part)
}

/// Whether it is an entry that this version reads; others, of newer ones, are passed over.
pub fn is_known(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let digest = |text: &str| {
        text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    if matches!(name, REPOSITORY | WIKI) {
        return true;
    }
    if let Some((folder, rest)) = name.split_once('/') {
        return match folder {
            "snippets" => rest.strip_suffix(".bundle").is_some_and(digits),
            "uploads" | "lfs" => digest(rest),
            _ => false,
        };
    }
    let part = name.strip_suffix(".ndjson").and_then(|stem| stem.rsplit_once('-'));
    part.is_some_and(|(list, number)| {
        List::from_text(list).is_some() && number.len() == 6 && digits(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_known_by_their_names() {
        let digest = "0a".repeat(32);
        for name in [
            "repository.bundle",
            "issues-000001.ndjson",
            "merge_requests-000120.ndjson",
            "snippets/7.bundle",
            &upload(&digest),
            &large_file(&digest),
        ] {
            assert!(is_plain(name) && is_known(name), "{name}");
        }
        for name in [
            "issues-1.ndjson",
            "others-000001.ndjson",
            "snippets/x.bundle",
            "uploads/short",
            "new/thing.json",
        ] {
            assert!(is_plain(name) && !is_known(name), "{name}");
        }
    }

    #[test]
    fn no_entry_leads_elsewhere() {
        for name in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a//b",
            "a\\b",
            "a/.",
            "a\0b",
            "ä",
            &"x".repeat(LONGEST_NAME + 1),
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn parts_lie_between_their_bounds_and_no_others_do() {
        for list in List::ALL {
            let (before, behind) = list.bounds();
            for other in List::ALL {
                let part = other.part(1);
                assert_eq!(before < part && part < behind, list == other, "{list} {part}");
            }
        }
    }

    #[test]
    fn a_manifest_of_another_kind_is_refused() {
        let text = |format: &str, version: u32| {
            serde_json::json!({
                "format": format, "version": version, "exported_at": "2031-01-01T00:00:00Z",
                "host": "a b", "project": {"id": 1, "name": "a", "path": "a", "full_path": "x/a"},
            })
            .to_string()
        };
        let read = Manifest::read(text(FORMAT, 1).as_bytes()).expect("it is one");
        assert_eq!(read.host(), "unknown");
        for wrong in [text("other", 1), text(FORMAT, 0), text(FORMAT, 2), "{}".into()] {
            assert!(Manifest::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
