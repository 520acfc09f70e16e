//! What became of each line of a file, from the hunks of what differs. Pure.

use code::diff;
use std::collections::HashSet;

/// Lines of one file that are looked through.
const MOST: usize = 2_000_000;
/// Equal lines around a change that are shown with it.
const CONTEXT: u32 = 3;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Added,
    Removed,
    /// Both sides have it.
    Same,
}

/// A line of what differs of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line {
    pub kind: Kind,
    /// Its number on the old side, or that of the next line there.
    pub old: u32,
    /// Likewise on the new side.
    pub new: u32,
}

impl Line {
    /// Its number on the old side, if it is there.
    pub fn old_line(self) -> Option<u32> {
        (self.kind != Kind::Added).then_some(self.old)
    }

    /// Its number on the new side, if it is there.
    pub fn new_line(self) -> Option<u32> {
        (self.kind != Kind::Removed).then_some(self.new)
    }

    /// Its place among all lines, which counts up from each to the next.
    pub fn place(self) -> u64 {
        u64::from(self.old) + u64::from(self.new)
    }
}

/// So many lines from one on; without any, the next line is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Run {
    from: u32,
    count: u32,
}

impl Run {
    /// The first line behind it.
    fn end(self) -> u32 {
        self.from.saturating_add(self.count)
    }
}

/// Lines of the old side, and those that replaced them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edit {
    old: Run,
    new: Run,
}

/// All changes of a file, from its beginning on; none of one that is the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Reads the hunks of what differs; none if there is more of them than is looked
    /// through.
    pub fn read(text: &str) -> Option<Edits> {
        let (hunks, is_cut) = diff::hunks(text, MOST);
        if is_cut {
            return None;
        }
        let mut edits = Vec::new();
        for hunk in &hunks {
            let mut open: Option<Edit> = None;
            for line in &hunk.lines {
                match line.kind {
                    diff::Kind::Same => edits.extend(open.take()),
                    diff::Kind::Remark => {}
                    diff::Kind::Removed | diff::Kind::Added => {
                        let edit = open.get_or_insert(Edit {
                            old: Run { from: line.old, count: 0 },
                            new: Run { from: line.new, count: 0 },
                        });
                        match line.kind {
                            diff::Kind::Removed => edit.old.count += 1,
                            _ => edit.new.count += 1,
                        }
                    }
                }
            }
            edits.extend(open);
        }
        Some(Edits { edits })
    }

    /// What became of a line that the new side has.
    pub fn at_new(&self, number: u32) -> Line {
        let next = self.edits.partition_point(|edit| edit.new.end() <= number);
        match self.edits.get(next).filter(|edit| edit.new.from <= number) {
            Some(edit) => Line { kind: Kind::Added, old: edit.old.end(), new: number },
            None => {
                let before = next.checked_sub(1).and_then(|last| self.edits.get(last));
                let old = before.map_or(number, |edit| {
                    edit.old.end().saturating_add(number.saturating_sub(edit.new.end()))
                });
                Line { kind: Kind::Same, old, new: number }
            }
        }
    }

    /// What became of a line that the old side has.
    pub fn at_old(&self, number: u32) -> Line {
        let next = self.edits.partition_point(|edit| edit.old.end() <= number);
        match self.edits.get(next).filter(|edit| edit.old.from <= number) {
            Some(edit) => Line { kind: Kind::Removed, old: number, new: edit.new.from },
            None => {
                let before = next.checked_sub(1).and_then(|last| self.edits.get(last));
                let new = before.map_or(number, |edit| {
                    edit.new.end().saturating_add(number.saturating_sub(edit.old.end()))
                });
                Line { kind: Kind::Same, old: number, new }
            }
        }
    }

    /// The line with these numbers; with that of the new side alone, an unchanged one is
    /// found, too. Whether files have so many lines is not known here.
    pub fn find(&self, old: Option<u32>, new: Option<u32>) -> Option<Line> {
        match (old, new) {
            (None, Some(new)) => Some(self.at_new(new)),
            (Some(old), None) => Some(self.at_old(old)).filter(|line| line.kind == Kind::Removed),
            (Some(old), Some(new)) => {
                Some(self.at_new(new)).filter(|line| line.old_line() == Some(old))
            }
            (None, None) => None,
        }
    }

    /// These changes where they stand between two other texts: the old side with the changes
    /// `before`, and the new side with the changes `after`. What these touch is left out.
    pub fn carried(&self, before: &Edits, after: &Edits) -> HashSet<Edit> {
        let carried = |edit: &Edit| {
            Some(Edit {
                old: before.untouched(edit.old)?,
                new: after.untouched(edit.new)?,
            })
        };
        self.edits.iter().filter_map(carried).collect()
    }

    /// Whether there are changes, and all of them are among these.
    pub fn are_all_of(&self, others: &HashSet<Edit>) -> bool {
        !self.edits.is_empty() && self.edits.iter().all(|edit| others.contains(edit))
    }

    /// Where lines of the old side are on the new one; none if one of them changed, or others
    /// came between them. Of no lines, if something changed at their place.
    fn untouched(&self, run: Run) -> Option<Run> {
        let next = self.edits.partition_point(|edit| edit.old.end() < run.from);
        let near = self.edits.get(next..).unwrap_or_default();
        let mut near = near.iter().take_while(|edit| edit.old.from <= run.end());
        let is_touched = near.any(|edit| match run.count {
            0 => true,
            _ => edit.old.from < run.end() && run.from < edit.old.end(),
        });
        let from = self.at_old(run.from).new;
        (!is_touched).then_some(Run { from, ..run })
    }

    /// Whether a line changed, or stands beside one that did.
    pub fn shows(&self, line: Line) -> bool {
        if line.kind != Kind::Same {
            return true;
        }
        let next = self.edits.partition_point(|edit| edit.new.end() <= line.new);
        let is_before = |edit: &Edit| edit.new.from.saturating_sub(line.new) <= CONTEXT;
        let is_behind = |edit: &Edit| line.new.saturating_sub(edit.new.end()) < CONTEXT;
        let last = next.checked_sub(1).and_then(|last| self.edits.get(last));
        self.edits.get(next).is_some_and(is_before) || last.is_some_and(is_behind)
    }
}

#[cfg(test)]
#[path = "edits_tests.rs"]
pub(crate) mod tests;
