//! What of the changes between the heads of two versions came with the target branch, where
//! the versions begin at different commits of it. Pure.

use super::edits::{Edit, Edits};
use super::files::{Files, edits};
use repositories::diffs::{Diffs, FileDiff, Stats};
use std::collections::HashSet;
use std::sync::Arc;

/// What differs around the heads of two versions.
pub struct TargetChanges {
    /// What the older version changes.
    before: Files,
    /// From the base of the older one to that of the newer one.
    bases: Files,
    /// What the newer version changes.
    after: Files,
}

impl TargetChanges {
    pub fn new(before: Arc<Diffs>, bases: Arc<Diffs>, after: Arc<Diffs>) -> TargetChanges {
        let [before, bases, after] = [before, bases, after].map(Files::new);
        TargetChanges { before, bases, after }
    }

    /// A file that differs between the heads, without the hunks in which all is the target's:
    /// the same lines came and went at the same place between the bases. Without any text, it
    /// is the target's as a whole. None where nothing is left out, or too little is known.
    pub fn without(&mut self, file: &FileDiff) -> Option<FileDiff> {
        edits(file)?;
        let theirs = self.between_heads(file)?;
        let is_theirs = |hunk: &&str| Edits::read(hunk).is_some_and(|all| all.are_all_of(&theirs));
        let text: String = hunks(&file.text).filter(|hunk| !is_theirs(hunk)).collect();
        let is_other = file.old_path != file.new_path || file.old_mode != file.new_mode;
        match text.len() == file.text.len() || (text.is_empty() && is_other) {
            true => None,
            false => Some(FileDiff { stats: stats(&text), text, ..file.clone() }),
        }
    }

    /// The target's changes of a file, where they are between the heads.
    fn between_heads(&mut self, file: &FileDiff) -> Option<HashSet<Edit>> {
        let before = self.before.of_new(&file.old_path)?;
        let bases = self.bases.of_old(&before.old)?;
        let after = self.after.of_old(&bases.new).filter(|after| after.new == file.new_path)?;
        let (before, bases, after) = (before.edits?, bases.edits?, after.edits?);
        Some(bases.carried(&before, &after))
    }
}

/// The hunks of a text, each with its heading.
fn hunks(text: &str) -> impl Iterator<Item = &str> {
    let begins = text.match_indices("@@ ").map(|(at, _)| at);
    let begins = begins.filter(move |at| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'));
    let mut begins = begins.peekable();
    std::iter::from_fn(move || {
        let from = begins.next()?;
        text.get(from..begins.peek().copied().unwrap_or(text.len()))
    })
}

fn stats(text: &str) -> Stats {
    let count = |sign: char| text.lines().filter(|line| line.starts_with(sign)).count() as u64;
    Stats { additions: count('+'), deletions: count('-') }
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
