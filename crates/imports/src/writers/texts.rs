//! Texts from elsewhere: what names a merge request there names one here, and who is named
//! there is not taken for somebody who is called so here.

use super::Desk;
use crate::ledger;
use crate::model::Kind;
use ::planning::formats::prose::lines;
use kernel::error::Result;
use repositories::formats::ref_name::RefName;
use repositories::model::RepositoryKind;
use repositories::store::{of_project, refs};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Digits of a number.
const MOST_DIGITS: usize = 9;
/// Numbers of one text that are looked for.
const MOST_NUMBERS: usize = 500;
/// Bytes of a line that is read; longer ones stay as they are.
const LONGEST_LINE: usize = 100_000;

/// Those of the numbers that a text names that are merge requests: they came, or their code
/// did, which comes before them.
///
/// # Errors
///
/// What the database refuses.
pub fn requests_of(tx: &mut Tx<'_>, desk: &Desk<'_>, text: &str) -> Result<HashSet<i64>> {
    let numbers = numbers(text, &desk.import.origin);
    if numbers.is_empty() {
        return Ok(HashSet::new());
    }
    let keys: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let came = ledger::known(tx, desk.import.id, Kind::PullRequest, &keys)?;
    let (mut found, rest): (HashSet<i64>, HashSet<i64>) =
        numbers.into_iter().partition(|number| came.contains_key(&number.to_string()));
    let repository = match rest.is_empty() {
        true => None,
        false => of_project(tx, desk.project.id, RepositoryKind::Project)?,
    };
    if let Some(repository) = repository {
        let heads: HashMap<RefName, i64> = rest.into_iter().filter_map(head_of).collect();
        let names: Vec<RefName> = heads.keys().cloned().collect();
        let there = refs::some(tx, repository.id, &names)?;
        found.extend(there.iter().filter_map(|head| heads.get(&head.name)));
    }
    Ok(found)
}

/// The ref of a merge request, with its number.
fn head_of(number: i64) -> Option<(RefName, i64)> {
    let name = format!("refs/merge-requests/{number}/head").parse().ok()?;
    Some((name, number))
}

/// The numbers that a text names.
fn numbers(text: &str, origin: &str) -> HashSet<i64> {
    let seen = RefCell::new(HashSet::new());
    let note = |number| {
        let mut seen = seen.borrow_mut();
        if seen.len() < MOST_NUMBERS {
            seen.insert(number);
        }
        false
    };
    rewritten(text, origin, note, |_| None);
    seen.into_inner()
}

/// A text where `#12` is `!12` of what is a merge request here, and people are named by their
/// names here, or in code, which names nobody. Code stays as it is.
pub fn rewritten(
    text: &str, origin: &str, is_request: impl Fn(i64) -> bool,
    username: impl Fn(&str) -> Option<String>,
) -> String {
    let mut writer = Writer {
        out: String::with_capacity(text.len() + text.len() / 16),
        origin,
        is_request,
        username,
    };
    for (line, whole) in lines(text).zip(text.split_inclusive('\n')) {
        match line.is_code || whole.len() > LONGEST_LINE {
            true => writer.out.push_str(whole),
            false => writer.line(whole),
        }
    }
    writer.out
}

struct Writer<'t, R, U> {
    out: String,
    /// What the project is called there.
    origin: &'t str,
    is_request: R,
    username: U,
}

impl<R: Fn(i64) -> bool, U: Fn(&str) -> Option<String>> Writer<'_, R, U> {
    fn line(&mut self, line: &str) {
        let mut rest = line;
        while let Some((before, code, after)) = code_in(rest) {
            self.plain(before);
            self.out.push_str(code);
            rest = after;
        }
        self.plain(rest);
    }

    /// A part of a line without code.
    fn plain(&mut self, part: &str) {
        let mut from = 0;
        for (at, sign) in part.match_indices(['#', '@']) {
            if at < from {
                continue;
            }
            let found = match sign {
                "#" => self.number(part, from, at),
                _ => self.person(part, at),
            };
            if let Some((start, words, end)) = found {
                self.out.push_str(&part[from..start]);
                self.out.push_str(&words);
                from = end;
            }
        }
        self.out.push_str(&part[from..]);
    }

    /// What stands in the place of a number: from where to where.
    fn number(&self, part: &str, from: usize, at: usize) -> Option<(usize, String, usize)> {
        let digits = part[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 1 + digits;
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        if digits == 0 || digits > MOST_DIGITS || part[end..].chars().next().is_some_and(joins) {
            return None;
        }
        let start = match own_name(&part[from..at], self.origin) {
            Some(length) => at - length,
            None => at,
        };
        let before = &part[..start];
        let is_part = |c: char| joins(c) || matches!(c, '/' | '#' | '&' | '-' | '.');
        if before.chars().next_back().is_some_and(is_part) || before.ends_with("](") {
            return None;
        }
        let number: i64 = part[at + 1..end].parse().ok()?;
        let sign = if (self.is_request)(number) { '!' } else { '#' };
        Some((start, format!("{sign}{number}"), end))
    }

    /// What stands in the place of a name.
    fn person(&self, part: &str, at: usize) -> Option<(usize, String, usize)> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '@');
        if part[..at].chars().next_back().is_some_and(is_part) {
            return None;
        }
        let name = name_at(&part[at + 1..]);
        if name.is_empty() {
            return None;
        }
        let words = match (self.username)(name) {
            Some(here) => format!("@{here}"),
            None => format!("`@{name}`"),
        };
        Some((at, words, at + 1 + name.len()))
    }
}

/// The length of the own name of a project that a text ends with.
fn own_name(text: &str, origin: &str) -> Option<usize> {
    let start = text.len().checked_sub(origin.len()).filter(|_| !origin.is_empty())?;
    let is_it = text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(origin));
    is_it.then_some(origin.len())
}

/// The name that a text begins with.
fn name_at(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // A full stop ends a sentence.
    text[..end].trim_end_matches(['.', '-', '/'])
}

/// The first piece of code in a line, with what stands before it and after it.
fn code_in(line: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + line[from..].find('`')?;
        let inner = open + ticks(&line[open..]);
        match closing(line, inner, inner - open) {
            Some(end) => return Some((&line[..open], &line[open..end], &line[end..])),
            None => from = inner,
        }
    }
}

/// The end of the code that so many ticks opened.
fn closing(line: &str, inner: usize, count: usize) -> Option<usize> {
    let mut from = inner;
    loop {
        let at = from + line[from..].find('`')?;
        let length = ticks(&line[at..]);
        from = at + length;
        if length == count {
            return Some(from);
        }
    }
}

fn ticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> String {
        let username = |login: &str| (login == "octocat").then(|| "jane".to_owned());
        rewritten(text, "acme/forge", |number| number == 12, username)
    }

    #[test]
    fn numbers_of_merge_requests_are_those_of_merge_requests() {
        for (text, expected) in [
            ("#12 and #13", "!12 and #13"),
            ("Fixes #12.", "Fixes !12."),
            (
                "(#12), [#12](https://x.example/pull/12)",
                "(!12), [!12](https://x.example/pull/12)",
            ),
            ("acme/forge#12 ACME/Forge#13", "!12 #13"),
            ("other/repo#12 my-acme/forge#12", "other/repo#12 my-acme/forge#12"),
            (
                "a#12 #12a #0012 ##12 &#12; https://x.example/#12",
                "a#12 #12a !12 ##12 &#12; https://x.example/#12",
            ),
            ("[there](#12)", "[there](#12)"),
            ("# 12\r\n#1234567890", "# 12\r\n#1234567890"),
            ("`#12` ``a`#12`` #12", "`#12` ``a`#12`` !12"),
            ("```\n#12\n```\n#12\n\n    #12\n", "```\n#12\n```\n!12\n\n    #12\n"),
            ("`open #12", "`open !12"),
            ("", ""),
        ] {
            assert_eq!(changed(text), expected, "{text}");
        }
    }

    #[test]
    fn people_are_named_as_here_or_not_at_all() {
        for (text, expected) in [
            ("@octocat, look", "@jane, look"),
            ("ask @joe.", "ask `@joe`."),
            ("@acme/team @x-y-", "`@acme/team` `@x-y`-"),
            (
                "jane@example.com https://x.example/@joe",
                "jane@example.com https://x.example/@joe",
            ),
            ("`@joe` and @joe", "`@joe` and `@joe`"),
            ("@dependabot[bot] (@joe)", "`@dependabot`[bot] (`@joe`)"),
            ("@ @@joe é@joe", "@ @@joe é@joe"),
        ] {
            assert_eq!(changed(text), expected, "{text}");
        }
    }

    #[test]
    fn what_was_changed_once_stays() {
        let once = changed("@joe and @octocat of #12 and #13");
        assert_eq!(changed("`@joe` of !12 and #13"), "`@joe` of !12 and #13");
        assert_eq!(once, "`@joe` and @jane of !12 and #13");
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let found = numbers("#12 `#3` acme/forge#4 x#5 #12", "acme/forge");
        assert_eq!(found, HashSet::from([12, 4]));
    }

    #[test]
    fn long_lines_end_soon() {
        let long = format!("x{}@joe #12 ", "`".repeat(99_000));
        assert_eq!(changed(&long).len(), long.len() + 2);
        let odd: String = (1..200).map(|count| "`".repeat(count) + "x").collect();
        assert_eq!(changed(&odd), odd);
        let huge = "@joe ".repeat(30_000);
        assert_eq!(changed(&huge), huge);
    }
}
