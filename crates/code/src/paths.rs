//! The paths of all files of a commit, and searching them.

use crate::caching::by_bytes;
use kernel::error::{Found, Result};
use kernel::ids::fold;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{EntryKind, Objects, Path};
use std::sync::Arc;

/// Paths that are listed, and entries that are gone through: small folders can stand
/// below each other very often.
const MOST: usize = 100_000;
const MOST_MET: usize = 400_000;
/// How deep folders are gone into.
const DEEPEST: usize = 256;
/// Bytes of paths that are remembered.
const ALL: u64 = 32 * 1024 * 1024;

/// The paths of a commit.
pub type Paths = Arc<[Path]>;

/// Those of trees that were gone through lately.
pub struct Recent(Cache<ObjectId, Paths>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, |_, paths| {
            paths.iter().map(|path| path.as_str().len() + 32).sum()
        }))
    }
}

impl Recent {
    /// All files of a tree, at most so many as are gone through.
    pub fn of(&self, objects: &Objects, tree: ObjectId) -> Result<Paths> {
        if let Some(known) = self.0.get(&tree) {
            return Ok(known);
        }
        let mut walk = Walk { objects, met: 0, paths: Vec::new() };
        walk.collect(tree, &Path::default(), DEEPEST)?;
        let paths: Paths = walk.paths.into();
        self.0.insert(tree, paths.clone());
        Ok(paths)
    }
}

/// What was gone through, and found.
struct Walk<'w> {
    objects: &'w Objects,
    met: usize,
    paths: Vec<Path>,
}

impl Walk<'_> {
    fn collect(&mut self, tree: ObjectId, above: &Path, deeper: usize) -> Result<()> {
        for entry in self.objects.tree(tree)?.found("Tree")? {
            let path = above.below(&entry.name);
            self.met += 1;
            // What is deeper than any address leads nowhere.
            let is_beyond = path.as_str().len() > Path::LONGEST;
            if is_beyond || self.met > MOST_MET || self.paths.len() >= MOST {
                return Ok(());
            }
            match entry.kind {
                EntryKind::Folder if deeper > 0 => self.collect(entry.id, &path, deeper - 1)?,
                EntryKind::Folder | EntryKind::Submodule => {}
                _ => self.paths.push(path),
            }
        }
        Ok(())
    }
}

/// The best of some paths for a search, at most so many: those whose names have it,
/// then those that have it anywhere, then those that have its letters in their order.
pub fn search(paths: &[Path], text: &str, most: usize) -> Vec<Path> {
    let wanted: String = fold(text).chars().filter(|c| !c.is_whitespace()).collect();
    let ranked = paths.iter().filter_map(|path| Some((rank(path, &wanted)?, path)));
    let mut found: Vec<_> = ranked.collect();
    found.sort_by_key(|(rank, path)| (*rank, path.as_str().len()));
    found.into_iter().take(most).map(|(_, path)| path.clone()).collect()
}

/// How good a path is for a search, the best being 0.
fn rank(path: &Path, wanted: &str) -> Option<u8> {
    let folded = fold(path.as_str());
    let name = folded.rsplit('/').next().unwrap_or_default();
    Some(match () {
        () if name == wanted => 0,
        () if name.starts_with(wanted) => 1,
        () if name.contains(wanted) => 2,
        () if folded.contains(wanted) => 3,
        () if has_letters(&folded, wanted) => 4,
        () => return None,
    })
}

fn has_letters(text: &str, wanted: &str) -> bool {
    let mut letters = text.chars();
    wanted.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_before_folders_and_letters_last() {
        let paths = ["src/main.rs", "main/README.md", "docs/a.md", "m/a/i/n", "src/domain.rs"];
        let paths: Vec<Path> = paths.iter().map(|path| Path::read(path).unwrap()).collect();
        let found = search(&paths, "Main", 10);
        let found: Vec<&str> = found.iter().map(Path::as_str).collect();
        assert_eq!(found, ["src/main.rs", "src/domain.rs", "main/README.md", "m/a/i/n"]);
        assert_eq!(search(&paths, "s r c m", 1)[0].as_str(), "src/main.rs");
        assert_eq!(search(&paths, "zzz", 9), []);
        assert_eq!(search(&paths, "", 9).len(), 5);
    }
}
