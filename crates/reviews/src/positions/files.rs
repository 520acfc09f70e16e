//! The files that differ between two commits, found by their paths on either side.

use super::edits::Edits;
use repositories::diffs::{Change, Diffs, FileDiff};
use std::collections::HashMap;
use std::sync::Arc;

/// The files that differ between two commits. What became of their lines is read once.
pub(super) struct Files {
    diffs: Arc<Diffs>,
    by_old: HashMap<String, usize>,
    by_new: HashMap<String, usize>,
    edits: HashMap<usize, Option<Arc<Edits>>>,
}

/// A file on both sides.
#[derive(Debug, Clone)]
pub(super) struct Both {
    pub old: String,
    pub new: String,
    /// None where it is not known what became of its lines.
    pub edits: Option<Arc<Edits>>,
    /// Its content is another one, or it is on one side alone.
    pub is_changed: bool,
}

impl Files {
    pub(super) fn new(diffs: Arc<Diffs>) -> Files {
        let (mut by_old, mut by_new) = (HashMap::new(), HashMap::new());
        for (at, file) in diffs.files.iter().enumerate() {
            if file.change != Change::Added {
                by_old.insert(file.old_path.clone(), at);
            }
            if file.change != Change::Deleted {
                by_new.insert(file.new_path.clone(), at);
            }
        }
        Files { diffs, by_old, by_new, edits: HashMap::new() }
    }

    /// The file at a path of the old side; none if it is not known whether it differs.
    pub(super) fn of_old(&mut self, path: &str) -> Option<Both> {
        let at = self.by_old.get(path).copied();
        self.both(at, path)
    }

    /// Likewise of the new side.
    pub(super) fn of_new(&mut self, path: &str) -> Option<Both> {
        let at = self.by_new.get(path).copied();
        self.both(at, path)
    }

    fn both(&mut self, at: Option<usize>, path: &str) -> Option<Both> {
        let file = at.and_then(|at| self.diffs.files.get(at).map(|file| (at, file)));
        let Some((at, file)) = file else {
            let (old, new) = (path.to_owned(), path.to_owned());
            let edits = Some(Arc::default());
            return (!self.diffs.overflow).then_some(Both { old, new, edits, is_changed: false });
        };
        let edits = self.edits.entry(at).or_insert_with(|| edits(file).map(Arc::new));
        Some(Both {
            old: file.old_path.clone(),
            new: file.new_path.clone(),
            edits: edits.clone(),
            is_changed: file.old_id != file.new_id,
        })
    }
}

/// What became of the lines of a file, if its text is there.
pub(super) fn edits(file: &FileDiff) -> Option<Edits> {
    match file.is_binary || file.is_too_large || file.is_collapsed {
        true => None,
        false => Edits::read(&file.text),
    }
}
