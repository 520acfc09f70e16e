//! Git merges files apart from the repository (decision 18): what it makes is gone with
//! the [`Merger`], but for what is taken along as [`NewObjects`].

use super::pack::NewObjects;
use crate::formats::object_id::ObjectId;
use crate::git::{Git, PATIENCE};
use crate::objects::{RawEntry, read_tree};
use crate::receive::Quarantine;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gix::objs::Kind;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tokio::sync::OwnedSemaphorePermit;

/// Most bytes of what merges make, and of what git says of one.
const LARGEST: u64 = 256 * 1024 * 1024;
pub(super) const ANSWER: usize = 16 * 1024 * 1024;
/// Most files of a conflict that are named.
const MOST_NAMED: usize = 1_000;
/// Candidates up to which renames are looked for by content: beyond, the work would grow
/// with their square.
pub(super) const RENAMES: &str = "merge.renameLimit=1000";
/// The part of a mode that says what something is, and what a submodule is.
const MODE_KIND: u16 = 0o170_000;
const SUBMODULE: u16 = 0o160_000;

kernel::choices! {
    /// Why git cannot merge a file by itself.
    pub enum ConflictKind {
        /// Both sides changed the same lines, or added different files.
        Content = "content",
        /// The same of what is no text.
        Binary = "binary",
        /// One side deleted what the other changed.
        ModifyDelete = "modify_delete",
        /// Both sides renamed it, or one renamed what the other took away or put there.
        Rename = "rename",
        /// It is of different kinds, or has different modes.
        Mode = "mode",
        /// A folder is where a file is on the other side.
        FileDirectory = "file_directory",
        Submodule = "submodule",
        Other = "other",
    }
}

impl ConflictKind {
    /// What one of git's messages is about, none if about no conflict. These names of
    /// kinds are made for programs and stay (git-merge-tree).
    fn of_message(kind: &str) -> Option<ConflictKind> {
        let rest = kind.strip_prefix("CONFLICT")?.trim_start();
        let name = rest.trim_start_matches('(').trim_end_matches(')');
        Some(match name {
            "contents" => ConflictKind::Content,
            "binary" => ConflictKind::Binary,
            "modify/delete" => ConflictKind::ModifyDelete,
            "distinct modes" => ConflictKind::Mode,
            "file/directory" => ConflictKind::FileDirectory,
            _ if name.starts_with("submodule") => ConflictKind::Submodule,
            _ if name.contains("rename") => ConflictKind::Rename,
            _ => ConflictKind::Other,
        })
    }
}

/// A file that git cannot merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is in the merge; what is no UTF-8 is replaced.
    pub path: String,
    pub kind: ConflictKind,
}

/// The files that git cannot merge, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflicts {
    pub files: Vec<Conflict>,
    /// There are more of them than are named.
    pub has_more: bool,
}

/// What comes of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// The tree of it.
    Clean(ObjectId),
    Conflicts(Conflicts),
}

/// Merges files of one repository. What one merge makes, the next ones may build on.
pub struct Merger {
    pub(super) quarantine: Quarantine,
    pub(super) folder: PathBuf,
    _seat: OwnedSemaphorePermit,
}

impl Merger {
    /// Begins beside the objects of a repository.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn begin(app: &App, repository: i64) -> Result<Merger> {
        let (quarantine, folder) = Quarantine::begin(app, repository).await?;
        let seat = app.kept::<Git>().seat().await?;
        Ok(Merger { quarantine, folder, _seat: seat })
    }

    /// Merges two commits over what both come from, as `git merge` does; those that come
    /// from nothing together over nothing.
    ///
    /// # Errors
    ///
    /// `Unavailable` if git takes longer than a minute.
    pub async fn commits(&self, app: &App, sides: [ObjectId; 2]) -> Result<Merged> {
        match self.ask(app, sides, "--messages").await {
            Err(Error::TooLarge) => {}
            asked => return asked,
        }
        // There is so much to say that whether it can be merged was not heard.
        match self.ask(app, sides, "--no-messages").await {
            Err(Error::TooLarge) => {
                Ok(Merged::Conflicts(Conflicts { files: Vec::new(), has_more: true }))
            }
            asked => asked,
        }
    }

    /// Merges what became of one tree in two others; none stands for the empty one.
    ///
    /// # Errors
    ///
    /// As [`Merger::commits`].
    pub async fn trees(
        &self, app: &App, from: Option<ObjectId>, sides: [Option<ObjectId>; 2],
    ) -> Result<Merged> {
        let folder = self.folder.clone();
        let sides = blocking(move || stand_ins(&folder, from, sides)).await?;
        self.commits(app, sides).await
    }

    async fn ask(&self, app: &App, sides: [ObjectId; 2], messages: &str) -> Result<Merged> {
        let asking = self
            .quarantine
            .git(app)
            .await?
            .args(["-c", RENAMES, "merge-tree", "--write-tree", "-z", "--name-only"])
            .args(["--allow-unrelated-histories", messages])
            .args(sides.map(|id| id.to_string()));
        let answered = asking.ask(Vec::new(), ANSWER, PATIENCE).await?;
        match (read(&answered.output), answered.ended.succeeded) {
            (Some((tree, _)), true) => Ok(Merged::Clean(tree)),
            (Some((_, conflicts)), false) => Ok(Merged::Conflicts(conflicts)),
            (None, _) => {
                answered.ended.check("git merge-tree")?;
                Err(Error::internal("git merge-tree named no tree"))
            }
        }
    }

    /// What these trees of merges need that the repository does not have.
    ///
    /// # Errors
    ///
    /// `TooLarge` if it is more than 256 MiB.
    pub async fn made(self, trees: Vec<ObjectId>) -> Result<NewObjects> {
        let folder = self.folder.clone();
        // The folder goes with the quarantine, after it was read.
        let made = blocking(move || collect(&folder, trees)).await;
        drop(self);
        made
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}

/// The tree that git names first, then the files in conflict, and what it says of each.
fn read(output: &[u8]) -> Option<(ObjectId, Conflicts)> {
    let mut fields = output.split(|byte| *byte == 0);
    let tree = std::str::from_utf8(fields.next()?).ok()?.trim_end().parse().ok()?;
    let paths: Vec<&[u8]> = fields.by_ref().take_while(|field| !field.is_empty()).collect();
    let kinds = kinds(fields);
    let file = |path: &&[u8]| Conflict {
        path: String::from_utf8_lossy(path).into_owned(),
        kind: kinds.get(*path).copied().unwrap_or(ConflictKind::Other),
    };
    let files = paths.iter().take(MOST_NAMED).map(file).collect();
    Some((tree, Conflicts { files, has_more: paths.len() > MOST_NAMED }))
}

/// What each file's conflict is, by the first message of one about it that is about more
/// than its lines: how many files it is about, these, its kind, and a sentence.
pub(super) fn kinds<'o>(
    mut fields: impl Iterator<Item = &'o [u8]>,
) -> HashMap<&'o [u8], ConflictKind> {
    let mut kinds = HashMap::new();
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<usize>().ok();
    while let Some(count) = fields.next().and_then(number) {
        let paths: Vec<&[u8]> = fields.by_ref().take(count).collect();
        let (Some(kind), Some(_)) = (fields.next(), fields.next()) else {
            break;
        };
        if let Some(kind) = ConflictKind::of_message(&String::from_utf8_lossy(kind)) {
            for path in paths {
                let known = kinds.entry(path).or_insert(kind);
                if *known == ConflictKind::Content {
                    *known = kind;
                }
            }
        }
    }
    kinds
}

/// Git merges commits, not trees: two that stand for the sides, over one for where both
/// come from. No ref ever leads to them.
fn stand_ins(
    folder: &Path, from: Option<ObjectId>, sides: [Option<ObjectId>; 2],
) -> Result<[ObjectId; 2]> {
    let [one, other] = sides;
    let empty = write(folder, Kind::Tree, b"")?;
    let commit = |tree: Option<ObjectId>, parent: &str| {
        let tree = tree.unwrap_or(empty);
        let line = "x <x> 0 +0000";
        let text = format!("tree {tree}\n{parent}author {line}\ncommitter {line}\n\n");
        write(folder, Kind::Commit, text.as_bytes())
    };
    let base = commit(from, "")?;
    let parent = format!("parent {base}\n");
    Ok([commit(one, &parent)?, commit(other, &parent)?])
}

/// Where git keeps an object that is in no pack.
pub(super) fn place(folder: &Path, id: ObjectId) -> PathBuf {
    let name = id.to_string();
    let (below, rest) = name.split_at(2);
    folder.join(below).join(rest)
}

pub(super) fn write(folder: &Path, kind: Kind, data: &[u8]) -> Result<ObjectId> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, data);
    let id: ObjectId = id.map_err(|error| Error::internal(error.to_string()))?.into();
    let path = place(folder, id);
    // Nobody may write over what git made.
    if path.try_exists()? {
        return Ok(id);
    }
    if let Some(below) = path.parent() {
        std::fs::create_dir_all(below)?;
    }
    let mut packing = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packing.write_all(format!("{kind} {}\0", data.len()).as_bytes())?;
    packing.write_all(data)?;
    std::fs::write(path, packing.finish()?)?;
    Ok(id)
}

/// What merges wrote of these trees and what is in them.
fn collect(folder: &Path, mut wanted: Vec<ObjectId>) -> Result<NewObjects> {
    let (mut new, mut room, mut seen) = (NewObjects::default(), LARGEST, HashSet::new());
    while let Some(id) = wanted.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(file) = opened(&place(folder, id))? else {
            continue;
        };
        let mut object = Vec::new();
        ZlibDecoder::new(file).take(room + 1).read_to_end(&mut object)?;
        room = room.checked_sub(object.len() as u64).ok_or(Error::TooLarge)?;
        let (kind, data) = parts(object)?;
        if kind == Kind::Tree {
            let entries = read_tree(&data, RawEntry::of)?;
            let inside = entries.iter().filter(|entry| entry.mode & MODE_KIND != SUBMODULE);
            wanted.extend(inside.map(|entry| entry.id));
        }
        new.add(kind, data.into())?;
    }
    Ok(new)
}

/// None of what the repository has already.
pub(super) fn opened(path: &Path) -> Result<Option<std::fs::File>> {
    match std::fs::File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn parts(mut object: Vec<u8>) -> Result<(Kind, Vec<u8>)> {
    let damaged = || Error::internal("git made an object that is none");
    let end = object.iter().position(|byte| *byte == 0).ok_or_else(damaged)?;
    let data = object.split_off(end + 1);
    match object.split(|byte| *byte == b' ').next() {
        Some(b"blob") => Ok((Kind::Blob, data)),
        Some(b"tree") => Ok((Kind::Tree, data)),
        _ => Err(damaged()),
    }
}

#[cfg(test)]
#[path = "merge_tree_by_git.rs"]
mod by_git;

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "e526318deb4a08587caf76e5ad96d082a84cfb86";

    fn answer(fields: &[&str]) -> Vec<u8> {
        let mut bytes = TREE.as_bytes().to_vec();
        for field in fields {
            bytes.push(0);
            bytes.extend_from_slice(field.as_bytes());
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn files_in_conflict_are_told_with_their_kinds() {
        let said = "a|b|c|ren|ren2|z||1|a|Auto-merging|Auto-merging a\
                    |1|a|CONFLICT (contents)|in a|1|b|CONFLICT (binary)|Cannot merge b\
                    |1|b|CONFLICT (contents)|in b|1|c|CONFLICT (modify/delete)|c deleted\
                    |2|ren|ren2|CONFLICT (rename/rename)|renamed";
        let answered = answer(&said.split('|').collect::<Vec<_>>());
        let (tree, conflicts) = read(&answered).expect("an answer");
        assert_eq!(tree.to_string(), TREE);
        let read: Vec<(&str, &str)> = conflicts
            .files
            .iter()
            .map(|one| (one.path.as_str(), one.kind.as_str()))
            .collect();
        assert_eq!(
            read,
            [
                ("a", "content"),
                ("b", "binary"),
                ("c", "modify_delete"),
                ("ren", "rename"),
                ("ren2", "rename"),
                ("z", "other"),
            ]
        );
        assert!(!conflicts.has_more);
    }

    #[test]
    fn a_clean_merge_names_no_file() {
        for answered in [answer(&[]), answer(&["", "1", "a", "Auto-merging", "Auto-merging a"])] {
            let (_, conflicts) = read(&answered).expect("an answer");
            assert_eq!(conflicts, Conflicts::default());
        }
        assert_eq!(read(b""), None);
        assert_eq!(read(b"fatal: no\0"), None);
    }

    #[test]
    fn many_files_are_cut_off() {
        let names: Vec<String> = (0..=MOST_NAMED).map(|number| format!("f{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (_, conflicts) = read(&answer(&names)).expect("an answer");
        assert!(conflicts.has_more && conflicts.files.len() == MOST_NAMED);
    }

    #[test]
    fn messages_of_git_have_kinds() {
        for (text, kind) in [
            ("CONFLICT (contents)", Some(ConflictKind::Content)),
            ("CONFLICT (distinct modes)", Some(ConflictKind::Mode)),
            ("CONFLICT (file/directory)", Some(ConflictKind::FileDirectory)),
            ("CONFLICT (submodule lacks merge base)", Some(ConflictKind::Submodule)),
            ("CONFLICT (rename/delete)", Some(ConflictKind::Rename)),
            ("CONFLICT(directory rename unclear split)", Some(ConflictKind::Rename)),
            ("CONFLICT (something new)", Some(ConflictKind::Other)),
            ("Auto-merging", None),
        ] {
            assert_eq!(ConflictKind::of_message(text), kind, "{text}");
        }
    }

    #[test]
    fn only_what_is_wanted_is_collected() {
        let folder = tempfile::tempdir().expect("a folder");
        let blob = write(folder.path(), Kind::Blob, b"x").expect("written");
        write(folder.path(), Kind::Blob, b"left").expect("written");
        let mut tree = b"100644 x\0".to_vec();
        tree.extend_from_slice(&blob.bytes());
        tree.extend_from_slice(b"160000 y\0");
        tree.extend_from_slice(&[7; 20]);
        let tree = write(folder.path(), Kind::Tree, &tree).expect("written");
        let gone = ObjectId::from_bytes([9; 20]);
        let new = collect(folder.path(), vec![tree, tree, gone]).expect("collected");
        assert_eq!(new.len(), 2);
    }
}
