//! What becomes of a line when what differs between A and B is replaced by what differs
//! between C and D. Pure.

use super::edits::{Edits, Kind, Line};

/// The changes of one file between the four commits.
#[derive(Debug, Clone, Copy)]
pub struct Changes<'e> {
    /// From A to C.
    pub bases: &'e Edits,
    /// From B to D.
    pub heads: &'e Edits,
    /// From C to D.
    pub now: &'e Edits,
}

/// Between which commits it is seen why a line is no longer there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A and C.
    Bases(Line),
    /// B and D.
    Heads(Line),
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is this one now.
    Moved(Line),
    Outdated(Option<Reason>),
}

impl Changes<'_> {
    /// What became of a line of what differs between A and B.
    pub fn fate(self, line: Line) -> Fate {
        match line.kind {
            Kind::Added => self.of_added(line.new),
            Kind::Removed => self.of_removed(line.old),
            Kind::Same => self.of_same(line.new),
        }
    }

    fn of_added(self, in_b: u32) -> Fate {
        let found = match self.in_d(in_b) {
            Ok(found) => found,
            Err(gone) => return Fate::Outdated(Some(Reason::Heads(gone))),
        };
        match self.now.shows(found) {
            true => Fate::Moved(found),
            // The target has it now, too.
            false => Fate::Outdated(Some(Reason::Bases(self.bases.at_new(found.old)))),
        }
    }

    fn of_removed(self, in_a: u32) -> Fate {
        let line = self.bases.at_old(in_a);
        let Some(in_c) = line.new_line() else {
            return Fate::Outdated(Some(Reason::Bases(line)));
        };
        let found = self.now.at_old(in_c);
        match found.kind {
            Kind::Removed => Fate::Moved(found),
            // The source has it again.
            _ => Fate::Outdated(Some(Reason::Heads(self.heads.at_new(found.new)))),
        }
    }

    fn of_same(self, in_b: u32) -> Fate {
        match self.in_d(in_b) {
            Err(gone) => Fate::Outdated(Some(Reason::Heads(gone))),
            Ok(found) if self.now.shows(found) => Fate::Moved(found),
            Ok(_) => Fate::Outdated(None),
        }
    }

    /// A line of B as it is between C and D, or as it went.
    fn in_d(self, in_b: u32) -> Result<Line, Line> {
        let line = self.heads.at_old(in_b);
        line.new_line().map(|in_d| self.now.at_new(in_d)).ok_or(line)
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
