//! Merges that git cannot make by itself: what the sides of each file are, and the files of
//! such a merge with other content in place of conflicts.

use super::merge_tree::{
    ANSWER, ConflictKind, Merger, RENAMES, kinds, opened, parts, place, write,
};
use crate::formats::object_id::ObjectId;
use crate::git::PATIENCE;
use crate::model::Repository;
use crate::objects::{self, Objects, Path, RawEntry, read_tree};
use bytes::Bytes;
use flate2::read::ZlibDecoder;
use gix::objs::Kind;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::io::Read;

/// Most files in conflict that are read.
const MOST: usize = 1_000;
/// Most bytes of a folder that a merge wrote.
const LARGEST_FOLDER: u64 = 32 * 1024 * 1024;
/// Bytes that may stand before an object: its kind and its size.
const HEADER: u64 = 64;

/// A file as one side of a merge has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub mode: u32,
    pub id: ObjectId,
}

/// A file that git cannot merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedFile {
    /// Where it is in the merge.
    pub path: Vec<u8>,
    pub kind: ConflictKind,
    /// As both sides had it once.
    pub base: Option<Side>,
    /// As the commit has it that is merged into.
    pub ours: Option<Side>,
    /// As the commit has it that is merged.
    pub theirs: Option<Side>,
}

/// A merge that git cannot make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicted {
    /// All files; what conflicts stands in them between marks.
    pub tree: ObjectId,
    /// Those in conflict, in git's order.
    pub files: Vec<ConflictedFile>,
    /// There are more of them than are read.
    pub has_more: bool,
}

impl Merger {
    /// Merges the second of two commits into the first, as [`Merger::commits`] does, and
    /// reads what conflicts; none if nothing does.
    ///
    /// # Errors
    ///
    /// `TooLarge` if there is more to say than is heard; `Unavailable` if git takes longer
    /// than a minute.
    pub async fn conflicted(&self, app: &App, sides: [ObjectId; 2]) -> Result<Option<Conflicted>> {
        let asking = self
            .quarantine
            .git(app)
            .await?
            .args(["-c", RENAMES, "merge-tree", "--write-tree", "-z"])
            .args(["--allow-unrelated-histories", "--messages"])
            .args(sides.map(|id| id.to_string()));
        let answered = asking.ask(Vec::new(), ANSWER, PATIENCE).await?;
        match (read(&answered.output), answered.ended.succeeded) {
            (Some(_), true) => Ok(None),
            (Some(conflicted), false) => Ok(Some(conflicted)),
            (None, _) => {
                answered.ended.check("git merge-tree")?;
                Err(Error::internal("git merge-tree named no tree"))
            }
        }
    }

    /// The bytes of files that are in the repository, or were made by this merge; none of
    /// one that has more of them.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many read at once.
    pub async fn contents(
        &self, app: &App, repository: &Repository, ids: Vec<ObjectId>, most: u64,
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let folder = self.folder.clone();
        let work = move |objects: &Objects| {
            let made = Made { objects, folder: &folder };
            ids.iter().map(|id| made.content(*id, most)).collect()
        };
        objects::read(app, repository, work).await
    }

    /// The files of a merge with other content at some paths, where files are; what else is
    /// known of these stays.
    ///
    /// # Errors
    ///
    /// As [`Merger::contents`].
    pub async fn resolved(
        &self, app: &App, repository: &Repository, tree: ObjectId, contents: Vec<(Path, Bytes)>,
    ) -> Result<ObjectId> {
        let folder = self.folder.clone();
        let work = move |objects: &Objects| {
            let made = Made { objects, folder: &folder };
            contents.iter().try_fold(tree, |tree, (path, content)| {
                let blob = write(&folder, Kind::Blob, content)?;
                made.put(tree, &path.parts().collect::<Vec<_>>(), blob)
            })
        };
        objects::read(app, repository, work).await
    }
}

/// The tree that git names first, then each side of the files in conflict, and what it says
/// of them.
fn read(output: &[u8]) -> Option<Conflicted> {
    let mut fields = output.split(|byte| *byte == 0);
    let tree = std::str::from_utf8(fields.next()?).ok()?.trim_end().parse().ok()?;
    let sides: Vec<&[u8]> = fields.by_ref().take_while(|field| !field.is_empty()).collect();
    let kinds = kinds(fields);
    let mut files: Vec<ConflictedFile> = Vec::new();
    for (side, stage, path) in sides.into_iter().filter_map(staged) {
        if files.last().is_none_or(|file| file.path != path) {
            files.push(ConflictedFile {
                path: path.to_vec(),
                kind: kinds.get(path).copied().unwrap_or(ConflictKind::Other),
                base: None,
                ours: None,
                theirs: None,
            });
        }
        let Some(file) = files.last_mut() else { continue };
        match stage {
            1 => file.base = Some(side),
            2 => file.ours = Some(side),
            _ => file.theirs = Some(side),
        }
    }
    let has_more = files.len() > MOST;
    files.truncate(MOST);
    Some(Conflicted { tree, files, has_more })
}

/// Mode, object and number of a side, and behind a tab the path.
fn staged(field: &[u8]) -> Option<(Side, u8, &[u8])> {
    let tab = field.iter().position(|byte| *byte == b'\t')?;
    let (said, path) = (field.get(..tab)?, field.get(tab + 1..)?);
    let mut words = std::str::from_utf8(said).ok()?.split(' ');
    let mode = u32::from_str_radix(words.next()?, 8).ok()?;
    let id = words.next()?.parse().ok()?;
    Some((Side { mode, id }, words.next()?.parse().ok()?, path))
}

/// The objects of a repository, and what a merge wrote beside them.
struct Made<'m> {
    objects: &'m Objects,
    folder: &'m std::path::Path,
}

impl Made<'_> {
    /// What the merge wrote by this name; a part of what has more bytes.
    fn loose(&self, id: ObjectId, most: u64) -> Result<Option<(Kind, Vec<u8>)>> {
        let Some(file) = opened(&place(self.folder, id))? else {
            return Ok(None);
        };
        let mut object = Vec::new();
        ZlibDecoder::new(file).take(most + HEADER).read_to_end(&mut object)?;
        parts(object).map(Some)
    }

    fn content(&self, id: ObjectId, most: u64) -> Result<Option<Vec<u8>>> {
        match self.loose(id, most)? {
            Some((Kind::Blob, data)) => Ok(Some(data).filter(|data| data.len() as u64 <= most)),
            Some(_) => Ok(None),
            None => Ok(self.objects.blob(id, most)?.and_then(|blob| blob.content)),
        }
    }

    fn entries(&self, tree: ObjectId) -> Result<Vec<RawEntry>> {
        let missing = || Error::internal(format!("the tree {tree} is not here"));
        match self.loose(tree, LARGEST_FOLDER)? {
            Some((Kind::Tree, data)) => read_tree(&data, RawEntry::of),
            Some(_) => Err(missing()),
            None => self.objects.raw_tree(tree)?.ok_or_else(missing),
        }
    }

    /// The same tree with this file at a path, where one is.
    fn put(&self, tree: ObjectId, path: &[&str], blob: ObjectId) -> Result<ObjectId> {
        let missing = || Error::internal("a file in conflict is not in its merge");
        let (name, rest) = path.split_first().ok_or_else(missing)?;
        let mut entries = self.entries(tree)?;
        let mut named = entries.iter_mut().filter(|entry| entry.name == name.as_bytes());
        let entry = named.next().ok_or_else(missing)?;
        entry.id = match rest.is_empty() {
            true => blob,
            false => self.put(entry.id, rest, blob)?,
        };
        write(self.folder, Kind::Tree, &written(&entries))
    }
}

/// A tree as git keeps it.
fn written(entries: &[RawEntry]) -> Vec<u8> {
    let mut data = Vec::new();
    for entry in entries {
        data.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
        data.extend_from_slice(&entry.name);
        data.push(0);
        data.extend_from_slice(&entry.id.bytes());
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "e526318deb4a08587caf76e5ad96d082a84cfb86";

    #[test]
    fn the_sides_of_each_file_are_read() {
        let id = |digit: &str| digit.repeat(40);
        let said = format!(
            "{TREE}|100644 {} 1\ta b|100644 {} 2\ta b|100755 {} 3\ta b|100644 {} 2\tnew||\
             1|a b|Auto-merging|Auto-merging a b|1|a b|CONFLICT (contents)|in a b|\
             2|new|gone|CONFLICT (rename/delete)|new was renamed|",
            id("1"),
            id("2"),
            id("3"),
            id("4"),
        );
        let read = read(said.replace('|', "\0").as_bytes()).expect("an answer");
        assert_eq!((read.tree.to_string().as_str(), read.has_more), (TREE, false));
        let side =
            |mode: u32, digit: &str| Some(Side { mode, id: id(digit).parse().expect("an object") });
        let both = ConflictedFile {
            path: b"a b".to_vec(),
            kind: ConflictKind::Content,
            base: side(0o100_644, "1"),
            ours: side(0o100_644, "2"),
            theirs: side(0o100_755, "3"),
        };
        let one = ConflictedFile {
            path: b"new".to_vec(),
            kind: ConflictKind::Rename,
            base: None,
            ours: side(0o100_644, "4"),
            theirs: None,
        };
        assert_eq!(read.files, [both, one]);
        assert_eq!(super::read(b"fatal: no\0"), None);
    }

    #[test]
    fn trees_are_written_as_they_are_read() {
        let mut data = b"100644 a\0".to_vec();
        data.extend_from_slice(&[1; 20]);
        data.extend_from_slice(b"40000 b\0");
        data.extend_from_slice(&[2; 20]);
        let entries = read_tree(&data, RawEntry::of).expect("a tree");
        assert_eq!(written(&entries), data);
    }
}
