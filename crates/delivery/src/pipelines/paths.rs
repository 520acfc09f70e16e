//! Paths of files in commits, for rules that ask which there are and which changed.

use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Entry, EntryKind, Objects};
use std::collections::HashMap;

/// Files that are looked at in one commit; of more, the first.
const MOST: usize = 500_000;
/// Folders in each other.
const DEEPEST: usize = 100;

/// All files of a tree.
pub fn all(objects: &Objects, tree: ObjectId) -> Result<Vec<String>> {
    let mut found = Vec::new();
    collect(objects, tree, "", 0, &mut found)?;
    Ok(found)
}

fn collect(
    objects: &Objects, tree: ObjectId, prefix: &str, depth: usize, found: &mut Vec<String>,
) -> Result<()> {
    for entry in objects.tree(tree)?.unwrap_or_default() {
        if found.len() >= MOST || depth > DEEPEST {
            break;
        }
        let path = format!("{prefix}{}", entry.name);
        match entry.kind {
            EntryKind::Folder => {
                collect(objects, entry.id, &format!("{path}/"), depth + 1, found)?;
            }
            _ => found.push(path),
        }
    }
    Ok(())
}

/// The files that differ between two trees.
pub fn changed(objects: &Objects, old: ObjectId, new: ObjectId) -> Result<Vec<String>> {
    let mut found = Vec::new();
    compare(objects, (Some(old), Some(new)), "", 0, &mut found)?;
    Ok(found)
}

type Pair = (Option<ObjectId>, Option<ObjectId>);

fn compare(
    objects: &Objects, (old, new): Pair, prefix: &str, depth: usize, found: &mut Vec<String>,
) -> Result<()> {
    if old == new || depth > DEEPEST || found.len() >= MOST {
        return Ok(());
    }
    let read = |tree: Option<ObjectId>| -> Result<Vec<Entry>> {
        match tree {
            Some(tree) => Ok(objects.tree(tree)?.unwrap_or_default()),
            None => Ok(Vec::new()),
        }
    };
    let mut before: HashMap<String, Entry> =
        read(old)?.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
    for entry in read(new)? {
        let other = before.remove(&entry.name);
        differ(objects, (other, Some(entry)), prefix, depth, found)?;
    }
    for entry in before.into_values() {
        differ(objects, (Some(entry), None), prefix, depth, found)?;
    }
    Ok(())
}

fn differ(
    objects: &Objects, (old, new): (Option<Entry>, Option<Entry>), prefix: &str, depth: usize,
    found: &mut Vec<String>,
) -> Result<()> {
    let same = match (&old, &new) {
        (Some(old), Some(new)) => old.id == new.id && old.kind == new.kind,
        _ => false,
    };
    let Some(name) = new.as_ref().or(old.as_ref()).map(|entry| entry.name.clone()) else {
        return Ok(());
    };
    if same {
        return Ok(());
    }
    let path = format!("{prefix}{name}");
    let is_folder = |entry: &Option<Entry>| {
        entry.as_ref().filter(|one| one.kind == EntryKind::Folder).map(|one| one.id)
    };
    let folders = (is_folder(&old), is_folder(&new));
    let is_file = [(&old, folders.0), (&new, folders.1)]
        .into_iter()
        .any(|(entry, folder)| entry.is_some() && folder.is_none());
    if is_file {
        found.push(path.clone());
    }
    match folders {
        (None, None) => Ok(()),
        folders => compare(objects, folders, &format!("{path}/"), depth + 1, found),
    }
}
