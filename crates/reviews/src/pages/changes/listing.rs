//! The files that differ, in the order of the page, in parts of some files each.

use super::versions::Compared;
use crate::diffs::order::by_parts;
use crate::diffs::patch_id::of_file;
use crate::diffs::reading::{Extent, Pair, Reading, SomeFiles, read, read_paths, read_some};
use crate::positions::Shas;
use crate::positions::target::TargetChanges;
use code::pages::parts::diff::id_of;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::diffs::{Diffs, FileDiff, Stats};
use sha1::{Digest, Sha1};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Files of a part.
pub const PART: usize = 20;
/// Files that are put in order at once: another thread would take longer to be woken.
const FEW: usize = 100;
/// Paths at which it is looked up what the target changed, where that is too much at once.
const MOST_PATHS: usize = 200;

/// All files that differ.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    diffs: Arc<Diffs>,
    /// Their places among what was read.
    order: Vec<usize>,
    by_id: HashMap<String, usize>,
    /// Their texts and numbers of lines are known; else each part is read by itself.
    pub is_read: bool,
    /// There are more than can be told.
    pub overflow: bool,
    /// Files that both versions change alike.
    pub alike: usize,
    /// The names of files without the hunks that came with the target branch.
    cut: HashSet<String>,
}

impl Listing {
    /// Reads what differs of what is compared.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn read(
        app: &App, repository: i64, compared: &Compared, ignores_space: bool,
    ) -> Result<Listing> {
        if !compared.has_files() {
            return Ok(Listing::default());
        }
        let pair = pair(repository, compared.shas());
        let (diffs, is_read) = readable(app, pair, ignores_space).await?;
        let kept = match &compared.from {
            Some(from) if from.base_id != compared.to.base_id => {
                let of = |old, new| Pair { repository, old, new };
                let limited = Reading::of(Extent::Limited);
                let before = read(app, of(from.base_id, from.head_id), limited).await?;
                let after =
                    read(app, of(compared.to.base_id, compared.to.head_id), limited).await?;
                let bases = of(from.base_id, compared.to.base_id);
                let bases = of_target(app, bases, &diffs).await?;
                Some((before, bases, after))
            }
            _ => None,
        };
        if kept.is_none() && diffs.files.len() <= FEW {
            return Ok(Listing::of(diffs, is_read));
        }
        let made = tokio::task::spawn_blocking(move || {
            let listing = Listing::of(diffs, is_read);
            match kept {
                Some((before, bases, after)) => listing
                    .without_alike(&before, &after)
                    .without_target(TargetChanges::new(before, bases, after)),
                None => listing,
            }
        });
        made.await.map_err(Error::internal)
    }

    fn of(diffs: Arc<Diffs>, is_read: bool) -> Listing {
        let mut order: Vec<usize> = (0..diffs.files.len()).collect();
        order.sort_by(|one, other| {
            by_parts(&diffs.files[*one].new_path, &diffs.files[*other].new_path)
        });
        let overflow = diffs.overflow;
        Listing { diffs, order, is_read, overflow, ..Listing::default() }.named()
    }

    fn named(mut self) -> Listing {
        let new = self.files().enumerate().map(|(at, file)| (id_of(&file.new_path), at));
        let moved = self.files().enumerate().filter(|(_, file)| file.old_path != file.new_path);
        let old = moved.map(|(at, file)| (id_of(&file.old_path), at));
        // Of two with one path the first is meant, and nothing by its old path that another
        // has now.
        let mut by_id = HashMap::with_capacity(self.order.len());
        for (id, at) in new.chain(old) {
            by_id.entry(id).or_insert(at);
        }
        self.by_id = by_id;
        self
    }

    /// Without files that neither version changes, or both change alike: what moved with
    /// the target branch is no change of this one.
    fn without_alike(mut self, before: &Diffs, after: &Diffs) -> Listing {
        if before.overflow || after.overflow {
            return self;
        }
        let by_path = |diffs: &'_ Diffs| -> HashMap<String, [u8; 20]> {
            let of = |file: &FileDiff| (file.new_path.clone(), of_file(file));
            diffs.files.iter().map(of).collect()
        };
        let (before, after) = (by_path(before), by_path(after));
        let all = self.order.len();
        let diffs = self.diffs.clone();
        self.order.retain(|at| {
            let file = &diffs.files[*at];
            let (old, new) = (before.get(&file.old_path), after.get(&file.new_path));
            old != new
        });
        self.alike = all - self.order.len();
        self.named()
    }

    /// Without the hunks that came with the target branch, and files that are left empty so.
    fn without_target(mut self, mut target: TargetChanges) -> Listing {
        if !self.is_read {
            return self;
        }
        let without = |at: &usize| Some((*at, target.without(self.diffs.files.get(*at)?)?));
        let found: Vec<(usize, FileDiff)> = self.order.iter().filter_map(without).collect();
        if found.is_empty() {
            return self;
        }
        let mut gone = HashSet::new();
        let diffs = Arc::make_mut(&mut self.diffs);
        for (at, file) in found {
            if file.text.is_empty() {
                gone.insert(at);
            } else {
                self.cut.insert(id_of(&file.new_path));
                diffs.files[at] = file;
            }
        }
        self.order.retain(|at| !gone.contains(at));
        self.alike += gone.len();
        self.named()
    }

    /// Whether hunks of a file are left out, by its name on the page.
    pub fn is_cut(&self, id: &str) -> bool {
        self.cut.contains(id)
    }

    /// All files, in their order.
    pub fn files(&self) -> impl Iterator<Item = &FileDiff> {
        self.order.iter().map(|at| &self.diffs.files[*at])
    }

    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Lines of all files, where they are known.
    pub fn stats(&self) -> Option<Stats> {
        let sum = |sum: Stats, file: &FileDiff| Stats {
            additions: sum.additions + file.stats.additions,
            deletions: sum.deletions + file.stats.deletions,
        };
        self.is_read.then(|| self.files().fold(Stats::default(), sum))
    }

    /// The place of a file, by its name on the page, or the one that it had before.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The part that a file is in, from 1.
    pub fn page_of(&self, id: &str) -> Option<usize> {
        self.place(id).map(|at| at / PART + 1)
    }

    /// How many parts there are, one at least.
    pub fn pages(&self) -> usize {
        self.count().div_ceil(PART).max(1)
    }

    fn range(&self, page: usize) -> Range<usize> {
        let from = page.saturating_sub(1).saturating_mul(PART).min(self.count());
        from..(from + PART).min(self.count())
    }

    /// The files of a part with their texts.
    ///
    /// # Errors
    ///
    /// `Unavailable` if too many are busy with repositories.
    pub async fn part(
        &self, app: &App, pair: Pair, ignores_space: bool, page: usize,
    ) -> Result<Vec<FileDiff>> {
        let named: Vec<&FileDiff> = self.files().skip(self.range(page).start).take(PART).collect();
        if self.is_read {
            return Ok(named.into_iter().cloned().collect());
        }
        let paths = named.iter().flat_map(|file| [&file.old_path, &file.new_path]);
        let mut paths: Vec<String> = paths.cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        let some = SomeFiles { paths, ignores_space, context: None };
        let read = read_some(app, pair, some).await?;
        let find = |file: &FileDiff| {
            let is_it = |one: &&FileDiff| {
                (&one.old_path, &one.new_path) == (&file.old_path, &file.new_path)
                    && one.change == file.change
            };
            let found = read.files.iter().find(is_it).cloned();
            found.unwrap_or_else(|| FileDiff { is_collapsed: true, ..file.clone() })
        };
        Ok(named.into_iter().map(find).collect())
    }
}

/// What the target branch changed; where that is too much, of these files alone.
async fn of_target(app: &App, pair: Pair, files: &Diffs) -> Result<Arc<Diffs>> {
    let all = read(app, pair, Reading::of(Extent::Limited)).await?;
    if !all.overflow {
        return Ok(all);
    }
    let paths = files.files.iter().map(|file| file.old_path.clone());
    read_paths(app, pair, paths.take(MOST_PATHS).collect()).await
}

/// What differs, with all texts where these are not too many.
async fn readable(app: &App, pair: Pair, ignores_space: bool) -> Result<(Arc<Diffs>, bool)> {
    let reading = |extent| Reading { extent, ignores_space };
    let limited = read(app, pair, reading(Extent::Limited)).await?;
    if !limited.overflow {
        return Ok((limited, true));
    }
    Ok((read(app, pair, reading(Extent::Names)).await?, false))
}

pub fn pair(repository: i64, shas: Shas) -> Pair {
    Pair { repository, old: shas.base, new: shas.head }
}

/// A file by its name on the page, with its text; none where it does not differ.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn find_file(
    app: &App, pair: Pair, id: &str, ignores_space: bool,
) -> Result<Option<FileDiff>> {
    let (diffs, is_read) = readable(app, pair, ignores_space).await?;
    let is_it = |file: &&FileDiff| id_of(&file.new_path) == id;
    let Some(file) = diffs.files.iter().find(is_it) else {
        return Ok(None);
    };
    let has_text = is_read && !(file.is_collapsed || file.is_too_large);
    if has_text || file.is_binary {
        return Ok(Some(file.clone()));
    }
    let paths = vec![file.old_path.clone(), file.new_path.clone()];
    let read = read_some(app, pair, SomeFiles { paths, ignores_space, context: None }).await?;
    let found = read.files.into_iter().find(|file| id_of(&file.new_path) == id);
    Ok(Some(found.unwrap_or_else(|| file.clone())))
}

/// Names what both sides of a file are: another name is another change.
pub fn change_of(file: &FileDiff) -> String {
    let FileDiff { old_id, new_id, old_mode, new_mode, .. } = file;
    hex::encode(Sha1::digest(format!("{old_id} {new_id} {old_mode} {new_mode}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diffs::shown::tests::file;

    fn listing(paths: &[&str]) -> Listing {
        let files = paths.iter().map(|path| file(path, "@@ -1 +1 @@\n-a\n+b\n")).collect();
        Listing::of(Arc::new(Diffs { files, overflow: false }), true)
    }

    fn names(listing: &Listing) -> Vec<&str> {
        listing.files().map(|file| file.new_path.as_str()).collect()
    }

    #[test]
    fn files_are_in_parts_and_found_by_their_names() {
        let paths: Vec<String> = (0..45).map(|at| format!("f{at:02}")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let all = listing(&paths);
        assert_eq!((all.pages(), all.range(3), all.range(9)), (3, 40..45, 45..45));
        assert_eq!(all.page_of(&id_of("f20")), Some(2));
        assert_eq!(all.page_of(&id_of("gone")), None);
        assert_eq!(listing(&[]).pages(), 1);
        assert_eq!(names(&listing(&["b", "a/c"])), ["a/c", "b"]);
    }

    #[test]
    fn what_moved_with_the_target_is_left_out() {
        let of = |files: Vec<FileDiff>| Diffs { files, overflow: false };
        let same = file("same", "@@ -1 +1 @@\n-a\n+b\n");
        let one = file("other", "@@ -1 +1 @@\n-a\n+b\n");
        let other = file("other", "@@ -1 +1 @@\n-a\n+c\n");
        let moved = file("same", "@@ -9 +9 @@ x\n-a\n+b\n");
        let all = listing(&["same", "other", "target"]);
        let left = all.without_alike(&of(vec![same, one]), &of(vec![moved, other]));
        assert_eq!((names(&left), left.alike), (vec!["other"], 2));
        assert_eq!(left.page_of(&id_of("same")), None);
    }

    #[test]
    fn hunks_of_the_target_are_left_out() {
        let of = |files: Vec<FileDiff>| Arc::new(Diffs { files, overflow: false });
        let (theirs, ours) = ("@@ -9 +9 @@\n-x\n+y\n", "@@ -1 +1 @@\n-a\n+b\n");
        let both = format!("{ours}{theirs}");
        let all = Listing::of(of(vec![file("both", &both), file("theirs", theirs)]), true);
        let bases = of(vec![file("both", theirs), file("theirs", theirs)]);
        let target = TargetChanges::new(of(Vec::new()), bases, of(vec![file("both", ours)]));
        let left = all.without_target(target);
        assert_eq!((names(&left), left.alike), (vec!["both"], 1));
        assert_eq!(left.files().next().map(|file| file.text.as_str()), Some(ours));
        assert_eq!(left.stats(), Some(Stats { additions: 1, deletions: 1 }));
        assert!(left.is_cut(&id_of("both")) && !left.is_cut(&id_of("theirs")));
    }

    #[test]
    fn a_mark_is_of_one_change() {
        let one = file("a", "");
        assert_eq!(change_of(&one), change_of(&FileDiff { text: "x".into(), ..one.clone() }));
        let other = FileDiff { new_mode: "100755".into(), ..one.clone() };
        assert_ne!(change_of(&one), change_of(&other));
    }
}
