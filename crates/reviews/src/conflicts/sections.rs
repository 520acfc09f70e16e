//! Three texts line by line: what both sides agree on, and where they do not. Pure.
//!
//! As git has it, changes of both sides that overlap or touch one another conflict, unless
//! they are the same; what such changes begin and end with alike is agreed.

use sha1::{Digest, Sha1};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Instant;

/// What became of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nobody changed them.
    Same,
    /// Only our side did.
    Ours,
    /// Only the other side did.
    Theirs,
    /// Both did, alike.
    Both,
    Conflict,
}

/// Lines that belong together, by their bytes in each text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub kind: Kind,
    base: Range<usize>,
    ours: Range<usize>,
    theirs: Range<usize>,
}

kernel::choices! {
    /// Which side of a conflict somebody chose.
    pub enum Pick as "ConflictSide" {
        Ours = "ours",
        Theirs = "theirs",
    }
}

/// A file in conflict, as each side has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    base: String,
    ours: String,
    theirs: String,
    pub sections: Vec<Section>,
}

impl Text {
    /// Compares three texts; after that time no more than roughly.
    pub fn of(base: String, ours: String, theirs: String, until: Instant) -> Text {
        let sections = Comparison::of([&base, &ours, &theirs], until).sections();
        Text { base, ours, theirs, sections }
    }

    pub fn ours(&self) -> &str {
        &self.ours
    }

    pub fn theirs(&self) -> &str {
        &self.theirs
    }

    /// How many bytes all of it has.
    pub fn size(&self) -> usize {
        self.base.len() + self.ours.len() + self.theirs.len()
    }

    pub fn our_lines(&self, section: &Section) -> &str {
        self.ours.get(section.ours.clone()).unwrap_or_default()
    }

    pub fn their_lines(&self, section: &Section) -> &str {
        self.theirs.get(section.theirs.clone()).unwrap_or_default()
    }

    fn base_lines(&self, section: &Section) -> &str {
        self.base.get(section.base.clone()).unwrap_or_default()
    }

    /// What a merge has of a section that does not conflict.
    pub fn agreed(&self, section: &Section) -> &str {
        match section.kind {
            Kind::Theirs => self.their_lines(section),
            Kind::Same | Kind::Ours | Kind::Both | Kind::Conflict => self.our_lines(section),
        }
    }

    pub fn conflicts(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.kind == Kind::Conflict)
    }

    /// Names of the conflicts, in their order: the same where the lines of all sides are.
    pub fn names(&self) -> Vec<String> {
        let mut seen: HashMap<[u8; 20], usize> = HashMap::new();
        let name = |section: &Section| {
            let mut digest = Sha1::new();
            let sides =
                [self.base_lines(section), self.our_lines(section), self.their_lines(section)];
            for lines in sides {
                digest.update(lines.len().to_be_bytes());
                digest.update(lines);
            }
            let digest: [u8; 20] = digest.finalize().into();
            let count = seen.entry(digest).or_default();
            *count += 1;
            format!("{}-{count}", hex::encode(&digest[..8]))
        };
        self.conflicts().map(name).collect()
    }

    /// The text with a side of each conflict, in their order; none while one is missing.
    pub fn resolved(&self, picks: &[Option<Pick>]) -> Option<String> {
        let mut picks = picks.iter();
        let mut text = String::with_capacity(self.ours.len());
        for section in &self.sections {
            let lines = match section.kind {
                Kind::Conflict => self.picked(section, (*picks.next()?)?),
                _ => self.agreed(section),
            };
            push(&mut text, lines);
        }
        Some(text)
    }

    fn picked(&self, section: &Section, pick: Pick) -> &str {
        match pick {
            Pick::Ours => self.our_lines(section),
            Pick::Theirs => self.their_lines(section),
        }
    }

    /// The text with both sides between marks where none was chosen.
    pub fn marked(&self, picks: &[Option<Pick>], (ours, theirs): (&str, &str)) -> String {
        let mut picks = picks.iter().copied().chain(std::iter::repeat(None));
        let mut text = String::with_capacity(self.ours.len());
        for section in &self.sections {
            if section.kind != Kind::Conflict {
                push(&mut text, self.agreed(section));
                continue;
            }
            match picks.next().flatten() {
                Some(pick) => push(&mut text, self.picked(section, pick)),
                None => {
                    push(&mut text, &format!("{OURS} {ours}\n"));
                    push(&mut text, self.our_lines(section));
                    push(&mut text, "=======\n");
                    push(&mut text, self.their_lines(section));
                    push(&mut text, &format!("{THEIRS} {theirs}\n"));
                }
            }
        }
        text
    }

    /// Whether marks are left in a text that neither side has itself.
    pub fn has_marks(&self, text: &str) -> bool {
        let is_mark = |line: &&str| [OURS, THEIRS].iter().any(|mark| begins(line, mark));
        let mut marks = text.lines().filter(is_mark);
        let own: HashSet<&str> = self.ours.lines().chain(self.theirs.lines()).collect();
        marks.any(|mark| !own.contains(mark))
    }
}

const OURS: &str = "<<<<<<<";
const THEIRS: &str = ">>>>>>>";

fn begins(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Adds lines behind others: the last of a side may have no end.
fn push(text: &mut String, lines: &str) {
    if !lines.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(lines);
}

/// Lines of the base, and those that replaced them on a side.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    base: Range<usize>,
    side: Range<usize>,
}

fn changes(base: &[&str], side: &[&str], until: Instant) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, base, side, Some(until)) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            continue;
        }
        match changes.last_mut() {
            Some(last) if last.base.end == old.start && last.side.end == new.start => {
                last.base.end = old.end;
                last.side.end = new.end;
            }
            _ => changes.push(Change { base: old, side: new }),
        }
    }
    changes
}

/// The lines of three texts while they are gone through.
struct Comparison<'t> {
    lines: [Vec<&'t str>; 3],
    /// What became of the base on both sides.
    changes: [Vec<Change>; 2],
    /// Lines of each text that are behind.
    at: [usize; 3],
    sections: Vec<(Kind, [Range<usize>; 3])>,
}

impl<'t> Comparison<'t> {
    fn of(texts: [&'t str; 3], until: Instant) -> Comparison<'t> {
        let lines = texts.map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let [base, ours, theirs] = &lines;
        let changes = [changes(base, ours, until), changes(base, theirs, until)];
        Comparison { lines, changes, at: [0; 3], sections: Vec::new() }
    }

    fn sections(mut self) -> Vec<Section> {
        let [mine, other] = std::mem::take(&mut self.changes);
        let (mut mine, mut other) = (mine.iter().peekable(), other.iter().peekable());
        while let Some(start) = [mine.peek(), other.peek()]
            .into_iter()
            .flatten()
            .map(|change| change.base.start)
            .min()
        {
            self.same(start);
            let (mut end, mut last) = (start, [None, None]);
            loop {
                let touches = |change: &&Change| change.base.start <= end;
                let (next, side) = match mine.next_if(touches) {
                    Some(change) => (change, 0),
                    None => match other.next_if(touches) {
                        Some(change) => (change, 1),
                        None => break,
                    },
                };
                end = end.max(next.base.end);
                last[side] = Some(next);
            }
            self.changed(end, last);
        }
        let rest = self.lines[0].len();
        self.same(rest);
        self.by_bytes()
    }

    /// Nobody changed the lines of the base up to one.
    fn same(&mut self, until: usize) {
        let count = until.saturating_sub(self.at[0]);
        if count > 0 {
            self.push(Kind::Same, [count; 3]);
        }
    }

    /// The lines of the base up to one were changed, on each side last so.
    fn changed(&mut self, end: usize, last: [Option<&Change>; 2]) {
        let count = end - self.at[0];
        let new = |side: usize, at: usize| match last[side] {
            Some(change) => change.side.end + (end - change.base.end) - at,
            None => count,
        };
        let (ours, theirs) = (new(0, self.at[1]), new(1, self.at[2]));
        match last {
            [Some(_), Some(_)] => self.disputed([count, ours, theirs]),
            [Some(_), None] => self.push(Kind::Ours, [count, ours, theirs]),
            _ => self.push(Kind::Theirs, [count, ours, theirs]),
        }
    }

    /// Both sides changed these many lines of each text.
    fn disputed(&mut self, [base, ours, theirs]: [usize; 3]) {
        let side = |number: usize, count: usize| {
            self.lines[number]
                .get(self.at[number]..self.at[number] + count)
                .unwrap_or_default()
        };
        let (mine, other) = (side(1, ours), side(2, theirs));
        if mine == other {
            return self.push(Kind::Both, [base, ours, theirs]);
        }
        let before = alike(mine.iter().zip(other));
        let most = ours.min(theirs) - before;
        let behind = alike(mine.iter().rev().zip(other.iter().rev())).min(most);
        if before > 0 {
            self.push(Kind::Both, [0, before, before]);
        }
        let both = before + behind;
        self.push(Kind::Conflict, [base, ours - both, theirs - both]);
        if behind > 0 {
            self.push(Kind::Both, [0, behind, behind]);
        }
    }

    /// These many lines of each text are a section.
    fn push(&mut self, kind: Kind, counts: [usize; 3]) {
        let mut at = self.at.iter_mut().zip(counts);
        let ranges = [(); 3].map(|()| match at.next() {
            Some((at, count)) => {
                let from = *at;
                *at += count;
                from..*at
            }
            None => 0..0,
        });
        self.sections.push((kind, ranges));
    }

    /// The sections with bytes in place of lines.
    fn by_bytes(self) -> Vec<Section> {
        let offsets = self.lines.map(|lines| {
            let ends = lines.iter().scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            });
            std::iter::once(0).chain(ends).collect::<Vec<usize>>()
        });
        let bytes = |text: usize, lines: &Range<usize>| {
            let at = |line: usize| offsets[text].get(line).copied().unwrap_or_default();
            at(lines.start)..at(lines.end)
        };
        let section = |(kind, [base, ours, theirs]): &(Kind, [Range<usize>; 3])| Section {
            kind: *kind,
            base: bytes(0, base),
            ours: bytes(1, ours),
            theirs: bytes(2, theirs),
        };
        self.sections.iter().map(section).collect()
    }
}

/// How many pairs are alike from the first on.
fn alike<T: PartialEq>(pairs: impl Iterator<Item = (T, T)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
#[path = "sections_tests.rs"]
mod tests;
