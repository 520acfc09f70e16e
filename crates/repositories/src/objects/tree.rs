//! Folders and what is in them.

use super::{Kind, Objects, damaged};
use crate::formats::object_id::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::{EntryKind as Mode, EntryRef};
use kernel::error::Result;
use std::fmt;

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    Folder,
    File,
    Program,
    Link,
    /// A commit of another repository.
    Submodule,
}

impl EntryKind {
    /// Six digits, as interfaces show them.
    pub fn mode(self) -> &'static str {
        match self {
            EntryKind::Folder => "040000",
            EntryKind::File => "100644",
            EntryKind::Program => "100755",
            EntryKind::Link => "120000",
            EntryKind::Submodule => "160000",
        }
    }

    /// The kind of object behind it, as interfaces name it.
    pub fn object(self) -> &'static str {
        match self {
            EntryKind::Folder => "tree",
            EntryKind::File | EntryKind::Program | EntryKind::Link => "blob",
            EntryKind::Submodule => "commit",
        }
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
    pub id: ObjectId,
}

/// An entry of a folder as git keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry {
    pub mode: u16,
    pub name: Vec<u8>,
    pub id: ObjectId,
}

/// The way from the root of a tree, without `.`, `..` and empty parts; empty for the
/// root itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Path(String);

/// The text leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongPath;

impl Path {
    /// Longest, in bytes.
    pub const LONGEST: usize = 4096;
    /// Longest part, in bytes.
    const LONGEST_PART: usize = 255;

    /// Reads `docs/guide.md`, with or without `/` at its end.
    pub fn read(text: &str) -> Result<Path, WrongPath> {
        let text = text.strip_suffix('/').unwrap_or(text);
        if text.is_empty() {
            return Ok(Path::default());
        }
        let is_part =
            |part: &str| !matches!(part, "" | "." | "..") && part.len() <= Path::LONGEST_PART;
        let is_good = text.len() <= Path::LONGEST && !text.contains('\0');
        match is_good && text.split('/').all(is_part) {
            true => Ok(Path(text.to_owned())),
            false => Err(WrongPath),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it is in.
    pub fn folder(&self) -> Path {
        Path(self.0.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned())
    }

    /// What is below it under this name.
    #[must_use]
    pub fn below(&self, name: &str) -> Path {
        match self.is_root() {
            true => Path(name.to_owned()),
            false => Path(format!("{}/{name}", self.0)),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Entry {
    pub(crate) fn of(entry: EntryRef<'_>) -> Entry {
        Entry {
            name: String::from_utf8_lossy(entry.filename).into_owned(),
            kind: kind(entry.mode.kind()),
            id: entry.oid.to_owned().into(),
        }
    }
}

impl RawEntry {
    pub(crate) fn of(entry: EntryRef<'_>) -> RawEntry {
        RawEntry {
            mode: entry.mode.value(),
            name: entry.filename.to_vec(),
            id: entry.oid.to_owned().into(),
        }
    }
}

/// Every entry of a tree, or that it is damaged.
pub(crate) fn read<T>(data: &[u8], of: fn(EntryRef<'_>) -> T) -> Result<Vec<T>> {
    let entries = TreeRefIter::from_bytes(data, gix::hash::Kind::Sha1);
    entries.map(|entry| entry.map(of).map_err(|_| damaged())).collect()
}

impl Objects {
    /// What is in a folder, in git's order; none if there is no such tree.
    pub fn tree(&self, id: ObjectId) -> Result<Option<Vec<Entry>>> {
        self.data(id, Kind::Tree)?.map(|data| read(&data, Entry::of)).transpose()
    }

    /// The same as git keeps it, for who writes it again.
    pub fn raw_tree(&self, id: ObjectId) -> Result<Option<Vec<RawEntry>>> {
        self.data(id, Kind::Tree)?.map(|data| read(&data, RawEntry::of)).transpose()
    }

    /// What is at a path of a tree; the root is a folder without a name.
    pub fn entry(&self, tree: ObjectId, path: &Path) -> Result<Option<Entry>> {
        let mut found = Entry { name: String::new(), kind: EntryKind::Folder, id: tree };
        for part in path.parts() {
            if found.kind != EntryKind::Folder {
                return Ok(None);
            }
            match self.entry_of(found.id, part)? {
                Some(entry) => found = entry,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    fn entry_of(&self, tree: ObjectId, name: &str) -> Result<Option<Entry>> {
        let Some(data) = self.data(tree, Kind::Tree)? else {
            return Ok(None);
        };
        // A name that is no UTF-8 is asked for as it is shown.
        let is_shown = name.contains(char::REPLACEMENT_CHARACTER);
        for entry in TreeRefIter::from_bytes(&data, gix::hash::Kind::Sha1) {
            let entry = entry.map_err(|_| damaged())?;
            let is_it = entry.filename == name.as_bytes()
                || (is_shown && String::from_utf8_lossy(entry.filename) == name);
            if is_it {
                return Ok(Some(Entry::of(entry)));
            }
        }
        Ok(None)
    }
}

fn kind(mode: Mode) -> EntryKind {
    match mode {
        Mode::Tree => EntryKind::Folder,
        Mode::Blob => EntryKind::File,
        Mode::BlobExecutable => EntryKind::Program,
        Mode::Link => EntryKind::Link,
        Mode::Commit => EntryKind::Submodule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let path = |text: &str| Path::read(text).map(|path| path.to_string());
        assert_eq!(path("docs/guide.md"), Ok("docs/guide.md".into()));
        assert_eq!(path("docs/"), Ok("docs".into()));
        assert_eq!(path(""), Ok(String::new()));
        assert_eq!(path("/"), Ok(String::new()));
        for wrong in [
            "../x",
            "a/../b",
            "a//b",
            "/a",
            "./a",
            "a\0b",
            &"a/".repeat(3000),
            &"a".repeat(256),
        ] {
            assert_eq!(path(wrong), Err(WrongPath), "{wrong:?}");
        }
        let deep = Path::read("a/b/c").expect("a good path");
        assert_eq!((deep.name(), deep.folder().as_str()), ("c", "a/b"));
        assert_eq!(Path::default().below("a").below("b").as_str(), "a/b");
    }
}
