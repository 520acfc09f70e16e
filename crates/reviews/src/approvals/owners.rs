//! Files that say who owns which paths: one pattern a line with those who own what it fits,
//! in sections. The last line of a section that fits a path is for it. Pure.

use repositories::protection::model::fits;
use std::collections::BTreeMap;

/// Where such a file may be, the first one counts.
pub const PLACES: [&str; 4] =
    [".service/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
/// Largest file that is read, in bytes.
pub const LARGEST: u64 = 1024 * 1024;
/// Most lines with patterns that are read, and most owners of one.
const MOST_LINES: usize = 2_000;
const MOST_OWNERS: usize = 100;
/// Most paths of a change that are looked up.
const MOST_PATHS: usize = 1_000;
/// What a line without a section is in.
const NO_SECTION: &str = "codeowners";

/// Who owns something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A user, or a group by its path.
    Name(String),
    /// A user by an address.
    Address(String),
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    pattern: Pattern,
    owners: Vec<Owner>,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    name: String,
    is_optional: bool,
    approvals: i64,
    /// Who owns what a line names nobody for.
    owners: Vec<Owner>,
    lines: Vec<Line>,
}

/// Whose approval a change needs, by a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    pub section: String,
    pub pattern: String,
    pub owners: Vec<Owner>,
    /// How many of them; 0 where it is only a wish.
    pub approvals: i64,
}

/// Whose approval a change of these paths needs, by the text of a file: each line that is
/// the last of its section for one of the paths, once.
pub fn demands(text: &str, paths: &[String]) -> Vec<Demand> {
    let mut demands = Vec::new();
    let paths: Vec<Vec<&str>> =
        paths.iter().take(MOST_PATHS).map(|path| path.split('/').collect()).collect();
    for section in sections(text) {
        let mut lines: BTreeMap<usize, &Line> = BTreeMap::new();
        for path in &paths {
            let mut newest = section.lines.iter().enumerate().rev();
            lines.extend(newest.find(|(_, line)| line.pattern.fits(path)));
        }
        let demand = |line: &Line| {
            let is_bare = line.owners.is_empty();
            let owners = if is_bare { &section.owners } else { &line.owners };
            Demand {
                section: section.name.clone(),
                pattern: line.pattern.text.clone(),
                owners: owners.clone(),
                approvals: if section.is_optional { 0 } else { section.approvals },
            }
        };
        let found = lines.values().map(|line| demand(line));
        demands.extend(found.filter(|one| !one.owners.is_empty()));
    }
    demands
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section {
        name: NO_SECTION.to_owned(),
        is_optional: false,
        approvals: 1,
        owners: Vec::new(),
        lines: Vec::new(),
    }];
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines.take(MOST_LINES) {
        match section(line) {
            Some(new) => begin(&mut sections, new),
            None => {
                if let Some(last) = sections.last_mut() {
                    last.lines.push(read_line(line));
                }
            }
        }
    }
    sections
}

/// Lines that follow go to the section of this name, which may have been there before.
fn begin(sections: &mut Vec<Section>, mut new: Section) {
    let same = sections.iter().position(|one| one.name.eq_ignore_ascii_case(&new.name));
    if let Some(at) = same {
        let old = sections.remove(at);
        new.lines = old.lines;
        if new.owners.is_empty() {
            new.owners = old.owners;
        }
    }
    sections.push(new);
}

/// `^[Name][2] @owner`: optional, with how many have to approve and whom it is of.
fn section(line: &str) -> Option<Section> {
    let (is_optional, rest) = match line.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (name, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let counted = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (count, rest): (Option<i64>, &str) = match counted {
        Some((count, rest)) => (count.trim().parse().ok(), rest),
        None => (None, rest),
    };
    let name = name.trim();
    // `[a-z]x` is a pattern.
    let is_section = !name.is_empty() && (rest.is_empty() || rest.starts_with(char::is_whitespace));
    is_section.then(|| Section {
        name: name.to_owned(),
        is_optional,
        approvals: count.unwrap_or(1).clamp(1, super::model::MOST_APPROVALS),
        owners: owners(rest.split_whitespace()),
        lines: Vec::new(),
    })
}

/// A pattern, in which `\ ` is a space, and its owners.
fn read_line(line: &str) -> Line {
    let mut pattern = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => pattern.extend(letters.next()),
            letter if letter.is_whitespace() => break,
            letter => pattern.push(letter),
        }
    }
    let owners = owners(letters.as_str().split_whitespace());
    Line { pattern: Pattern::new(pattern), owners }
}

fn owners<'w>(words: impl Iterator<Item = &'w str>) -> Vec<Owner> {
    let words = words.take_while(|word| !word.starts_with('#'));
    let owner = |word: &str| match word.strip_prefix('@') {
        // `@@role` is not a name.
        Some(name) if !name.is_empty() && !name.starts_with('@') => {
            Some(Owner::Name(name.to_owned()))
        }
        None if word.contains('@') => Some(Owner::Address(word.to_owned())),
        _ => None,
    };
    words.filter_map(owner).take(MOST_OWNERS).collect()
}

/// A pattern of paths: `*` stands for a part of a name, `**` for any folders. One that does
/// not begin with a slash fits in each folder, one that ends with one all below, and a name
/// of a folder that too.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    text: String,
    parts: Vec<String>,
}

impl Pattern {
    fn new(text: String) -> Pattern {
        let bare = text.trim_start_matches('/');
        let mut parts: Vec<String> = bare.split('/').map(str::to_owned).collect();
        if !text.starts_with('/') {
            parts.insert(0, "**".to_owned());
        }
        if bare.ends_with('/') {
            parts.pop();
            parts.extend(["**".to_owned(), "*".to_owned()]);
        }
        Pattern { text, parts }
    }

    /// Whether it fits a path, by its parts.
    fn fits(&self, path: &[&str]) -> bool {
        let ends = self.ends(path);
        let is_whole = ends.last().copied().unwrap_or(false);
        // What has a star at its end stands for names, not for all below them.
        let is_literal = self.parts.last().is_some_and(|last| !last.contains('*'));
        is_whole || (is_literal && ends.iter().any(|end| *end))
    }

    /// After how many parts of a path it can end.
    fn ends(&self, path: &[&str]) -> Vec<bool> {
        let is_other =
            |first: &String| !first.contains('*') && path.first() != Some(&first.as_str());
        if self.parts.first().is_some_and(is_other) {
            return Vec::new();
        }
        let mut ends = vec![false; path.len() + 1];
        ends.iter_mut().take(1).for_each(|begin| *begin = true);
        for part in &self.parts {
            ends = match part.as_str() {
                "**" => passed(&ends),
                part => named(&ends, path, part),
            };
        }
        ends
    }
}

/// From where it can end now on, it can end anywhere.
fn passed(ends: &[bool]) -> Vec<bool> {
    let is_there = |seen: &mut bool, end: &bool| {
        *seen |= *end;
        Some(*seen)
    };
    ends.iter().scan(false, is_there).collect()
}

/// One more part that has this name.
fn named(ends: &[bool], path: &[&str], part: &str) -> Vec<bool> {
    let next = ends.iter().zip(path).map(|(end, name)| *end && fits(part, name));
    std::iter::once(false).chain(next).collect()
}

#[cfg(test)]
#[path = "owners_tests.rs"]
mod tests;
