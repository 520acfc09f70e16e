//! Folders.

use super::listing::{Listing, Part};
use super::{SCOPES, refused};
use crate::access::{self, CodeRequest};
use crate::entity::TreeEntry;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Routes};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{EntryKind, Objects, Path};
use std::collections::HashMap;

/// Entries of a recursive tree: small trees can stand below each other very often.
const MOST: usize = 200_000;
/// How deep folders are gone into.
const DEEPEST: usize = 256;

pub(super) fn routes(r: &mut Routes) {
    r.get("/tree", list).scopes(SCOPES).summary("Lists a folder");
}

kernel::params! {
    /// Which folder.
    struct Which {
        /// Branch, tag or commit; the default branch unless said.
        pub rev as "ref": Option<String>,
        /// Path of the folder; the root unless said.
        pub path: Option<String>,
        /// With all that is in folders below.
        pub recursive: Option<bool>,
    }
}

async fn list(at: CodeRequest, which: Params<Which>, listing: Listing) -> Result<Part<TreeEntry>> {
    let recursive = which.recursive == Some(true);
    if listing.is_all() && !recursive {
        return Err(refused("pagination cannot be \"none\" unless \"recursive\" is true"));
    }
    let missing = "invalid revision or path";
    let path = which.path.as_deref().unwrap_or_default();
    let path = Path::read(path).map_err(|_| Error::NotFound(missing))?;
    let (code, revision) = at.at(which.rev.as_deref(), "Tree").await?;
    let work = move |objects: &Objects| {
        let commit = access::commit(objects, &revision, "Tree")?;
        let folder = objects.entry(commit.tree, &path)?;
        let folder = folder.filter(|entry| entry.kind == EntryKind::Folder).found(missing)?;
        let mut entries = Vec::new();
        let deepest = if recursive { DEEPEST } else { 0 };
        read(objects, folder.id, &path, deepest, &mut entries)?;
        entries.sort_by_key(rank);
        tokens(entries, &listing)
    };
    at.objects(&code, work).await
}

/// Folders come first, and submodules last.
fn rank(entry: &TreeEntry) -> u8 {
    match entry.kind {
        "tree" => 0,
        "blob" => 1,
        _ => 2,
    }
}

fn read(
    objects: &Objects, tree: ObjectId, path: &Path, deeper: usize, entries: &mut Vec<TreeEntry>,
) -> Result<()> {
    for entry in objects.tree(tree)?.found("Tree")? {
        if entries.len() >= MOST {
            return Err(Error::BadRequest("The tree has too many entries.".into()));
        }
        entries.push(TreeEntry::of(&entry, path));
        if entry.kind == EntryKind::Folder && deeper > 0 {
            read(objects, entry.id, &path.below(&entry.name), deeper - 1, entries)?;
        }
    }
    Ok(())
}

/// The part that is asked for. Pages are told by the id of an entry, and which one of
/// those with this id it is, unless it is the first.
fn tokens(entries: Vec<TreeEntry>, listing: &Listing) -> Result<Part<TreeEntry>> {
    let mut met: HashMap<String, usize> = HashMap::new();
    let tokens: Vec<String> = entries
        .iter()
        .map(|entry| {
            let times = met.entry(entry.id.clone()).or_default();
            *times += 1;
            match *times {
                1 => entry.id.clone(),
                times => format!("{}.{times}", entry.id),
            }
        })
        .collect();
    listing.of(entries, |_, at| tokens[at].clone())
}
