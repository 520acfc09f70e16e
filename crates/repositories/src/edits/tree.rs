//! A tree of files while it is changed. Folders are read as they are come by.

use super::pack::NewObjects;
use crate::formats::object_id::ObjectId;
use crate::objects::{Objects, Path, RawEntry};
use gix::objs::Kind;
use kernel::error::{Error, Result};
use std::collections::BTreeMap;

const FOLDER: u16 = 0o040_000;
/// The part of a mode that says what something is.
const KIND: u16 = 0o170_000;
const REGULAR: u16 = 0o100_000;
const SUBMODULE: u16 = 0o160_000;
pub const FILE: u16 = 0o100_644;
pub const PROGRAM: u16 = 0o100_755;

/// Something that is no folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    pub mode: u16,
    pub id: ObjectId,
}

impl Leaf {
    /// A submodule, at this commit.
    pub fn submodule(id: ObjectId) -> Leaf {
        Leaf { mode: SUBMODULE, id }
    }

    /// Neither a link nor a submodule.
    pub fn is_file(self) -> bool {
        self.mode & KIND == REGULAR
    }

    pub fn is_submodule(self) -> bool {
        self.mode & KIND == SUBMODULE
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Nothing,
    Folder,
    Leaf(Leaf),
    /// A part of the way is no folder.
    Blocked,
}

#[derive(Debug, Clone)]
enum Node {
    Leaf(Leaf),
    /// A folder that nobody looked into.
    Closed(ObjectId),
    Open(Folder),
}

#[derive(Debug, Clone, Default)]
struct Folder {
    /// The tree it was read from.
    was: Option<ObjectId>,
    entries: BTreeMap<Vec<u8>, Node>,
}

/// The files of a commit to be.
pub struct Files<'o> {
    objects: &'o Objects,
    root: Folder,
}

impl<'o> Files<'o> {
    /// Begins with a tree, or with nothing.
    pub fn of(objects: &'o Objects, tree: Option<ObjectId>) -> Result<Files<'o>> {
        let root = match tree {
            Some(tree) => open(objects, tree)?,
            None => Folder::default(),
        };
        Ok(Files { objects, root })
    }

    pub fn at(&mut self, path: &Path) -> Result<At> {
        let mut folder = &mut self.root;
        let folder_path = path.folder();
        for part in folder_path.parts() {
            match folder.opened(self.objects, part)? {
                Some(Node::Open(inner)) => folder = inner,
                Some(_) => return Ok(At::Blocked),
                None => return Ok(At::Nothing),
            }
        }
        Ok(match folder.entries.get(path.name().as_bytes()) {
            None => At::Nothing,
            Some(Node::Leaf(leaf)) => At::Leaf(*leaf),
            Some(_) => At::Folder,
        })
    }

    /// Puts something where nothing is, or something like it; folders on the way are
    /// made.
    pub fn put(&mut self, path: &Path, leaf: Leaf) -> Result<()> {
        let mut folder = &mut self.root;
        let folder_path = path.folder();
        for part in folder_path.parts() {
            if folder.opened(self.objects, part)?.is_none() {
                folder.entries.insert(part.into(), Node::Open(Folder::default()));
            }
            match folder.entries.get_mut(part.as_bytes()) {
                Some(Node::Open(inner)) => folder = inner,
                _ => return Err(Error::internal("a file stands where a folder shall be")),
            }
        }
        folder.entries.insert(path.name().into(), Node::Leaf(leaf));
        Ok(())
    }

    /// Removes what is no folder.
    pub fn remove(&mut self, path: &Path) -> Result<()> {
        let mut folder = &mut self.root;
        let folder_path = path.folder();
        for part in folder_path.parts() {
            match folder.opened(self.objects, part)? {
                Some(Node::Open(inner)) => folder = inner,
                _ => return Ok(()),
            }
        }
        folder.entries.remove(path.name().as_bytes());
        Ok(())
    }

    /// The tree of it all, with those objects that are new. Folders without files are
    /// left out, as git does.
    pub fn write(self, new: &mut NewObjects) -> Result<ObjectId> {
        match self.root.write(new)? {
            Some(id) => Ok(id),
            None => new.add(Kind::Tree, bytes::Bytes::new()),
        }
    }
}

impl Folder {
    /// What has this name, read if it is a folder.
    fn opened(&mut self, objects: &Objects, name: &str) -> Result<Option<&mut Node>> {
        let Some(node) = self.entries.get_mut(name.as_bytes()) else {
            return Ok(None);
        };
        if let Node::Closed(id) = node {
            *node = Node::Open(open(objects, *id)?);
        }
        Ok(Some(node))
    }

    /// The tree of this folder; none if nothing is in it.
    fn write(self, new: &mut NewObjects) -> Result<Option<ObjectId>> {
        let mut written: Vec<(Vec<u8>, u16, ObjectId)> = Vec::with_capacity(self.entries.len());
        for (name, node) in self.entries {
            let (mode, id) = match node {
                Node::Leaf(leaf) => (leaf.mode, Some(leaf.id)),
                Node::Closed(id) => (FOLDER, Some(id)),
                Node::Open(folder) => (FOLDER, folder.write(new)?),
            };
            written.extend(id.map(|id| (name, mode, id)));
        }
        if written.is_empty() {
            return Ok(None);
        }
        written.sort_by_cached_key(|(name, mode, _)| sorted_as(name, *mode));
        let mut data = Vec::new();
        for (name, mode, id) in written {
            data.extend_from_slice(format!("{mode:o} ").as_bytes());
            data.extend_from_slice(&name);
            data.push(0);
            data.extend_from_slice(&id.bytes());
        }
        match self.was.filter(|was| is_tree(*was, &data)) {
            Some(was) => Ok(Some(was)),
            None => new.add(Kind::Tree, data.into()).map(Some),
        }
    }
}

/// Git sorts folders as if their names ended with a slash.
fn sorted_as(name: &[u8], mode: u16) -> Vec<u8> {
    let mut name = name.to_vec();
    if mode == FOLDER {
        name.push(b'/');
    }
    name
}

fn is_tree(id: ObjectId, data: &[u8]) -> bool {
    let hash = gix::objs::compute_hash(gix::hash::Kind::Sha1, Kind::Tree, data);
    hash.is_ok_and(|hash| ObjectId::from(hash) == id)
}

fn open(objects: &Objects, tree: ObjectId) -> Result<Folder> {
    let missing = || Error::internal(format!("the tree {tree} is not here"));
    let entries = objects.raw_tree(tree)?.ok_or_else(missing)?;
    let node = |entry: &RawEntry| match entry.mode & KIND {
        FOLDER => Node::Closed(entry.id),
        _ => Node::Leaf(Leaf { mode: entry.mode, id: entry.id }),
    };
    let entries = entries.into_iter().map(|entry| {
        let node = node(&entry);
        (entry.name, node)
    });
    Ok(Folder { was: Some(tree), entries: entries.collect() })
}
