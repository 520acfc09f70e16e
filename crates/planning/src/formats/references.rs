//! What a piece of text names: `#1`, `acme/anvil#1`, `!1`, `&1`, `acme&1`, `^alert#1`,
//! `~bug`, `~"two words"`, `%1.0` and `@jane`; and by its whole address ([`addresses`]).

use super::addresses::addresses;
use super::mentions::{self, name_at};
use super::prose;
use std::ops::Range;

/// Longest name or path that is looked for, in characters.
pub(super) const LONGEST: usize = 255;

/// Most names of one text that are told of.
const MOST: usize = 50;

/// Between the sign and the number of an alert.
const ALERT: &str = "alert#";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Name {
    /// An issue by its number, in this project or that of a path.
    Issue(Option<String>, i64),
    /// A merge request by its number, in this project or that of a path.
    MergeRequest(Option<String>, i64),
    /// An epic by its number, in this group or that of a path.
    Epic(Option<String>, i64),
    /// An alert by its number, in this project or that of a path.
    Alert(Option<String>, i64),
    Label(String),
    /// A milestone by its title or number.
    Milestone(String),
    /// A user by login, or a group by path.
    Person(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// With its sign, and the path before it.
    pub range: Range<usize>,
    pub name: Name,
}

pub fn find(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    for (at, sign) in text.match_indices(['#', '!', '&', '^', '~', '%', '@']) {
        let from = found.last().map_or(0, |last| last.range.end);
        if at >= from {
            found.extend(reference(text, from, at, sign));
        }
    }
    found
}

/// The same with what addresses lead to that begin with the instance's own.
pub fn find_with(text: &str, own: &str) -> Vec<Reference> {
    let (mut found, mut from) = (Vec::new(), 0);
    for address in addresses(text, own) {
        found.extend(find_in(text, from..address.range.start));
        from = address.range.end;
        found.push(Reference { range: address.range, name: address.name });
    }
    found.extend(find_in(text, from..text.len()));
    found
}

fn find_in(text: &str, part: Range<usize>) -> impl Iterator<Item = Reference> {
    let from = part.start;
    find(&text[part]).into_iter().map(move |one| Reference {
        range: one.range.start + from..one.range.end + from,
        name: one.name,
    })
}

/// The name whose sign stands at a place, after what is read already.
fn reference(text: &str, from: usize, at: usize, sign: &str) -> Option<Reference> {
    let rest = &text[at + sign.len()..];
    let path = match sign {
        "#" | "!" | "&" | "^" => path_at_end(&text[from..at]),
        _ => "",
    };
    let start = at - path.len();
    let is_part = |c: char| joins(c) || (sign == "!" && c == '!');
    if text[..start].chars().next_back().is_some_and(is_part) {
        return None;
    }
    let (name, length) = match sign {
        "#" => {
            let (iid, length) = number(rest)?;
            (Name::Issue(filled(path), iid), length)
        }
        "!" => {
            let (iid, length) = number(rest)?;
            (Name::MergeRequest(filled(path), iid), length)
        }
        "&" => {
            let (iid, length) = number(rest)?;
            (Name::Epic(filled(path), iid), length)
        }
        "^" => {
            let (iid, length) = number(rest.strip_prefix(ALERT)?)?;
            (Name::Alert(filled(path), iid), ALERT.len() + length)
        }
        "@" => {
            let name = name_at(rest);
            let known = !name.is_empty() && name.len() <= LONGEST;
            (Name::Person(known.then(|| name.to_owned())?), name.len())
        }
        _ => {
            let (title, length) = title(rest)?;
            let name = if sign == "~" { Name::Label } else { Name::Milestone };
            (name(title), length)
        }
    };
    let end = at + sign.len() + length;
    Some(Reference { range: start..end, name })
}

/// What a text names outside of code, each name once, by addresses that begin with the
/// instance's own, too.
pub fn named(text: &str, own: &str) -> Vec<Name> {
    let mut all: Vec<Name> = Vec::new();
    for line in prose::lines(text).filter(|line| !line.is_code) {
        for (part, _) in mentions::spans(line.text).filter(|(_, is_code)| !is_code) {
            for one in find_with(part, own) {
                if all.len() < MOST && !all.contains(&one.name) {
                    all.push(one.name);
                }
            }
        }
    }
    all
}

/// A text for elsewhere: what it names by a number alone in a project is named with the
/// path of that, outside of code.
pub fn qualified(text: &str, project: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in prose::lines(text) {
        for (at, (part, is_code)) in mentions::spans(line.text).enumerate() {
            if at > 0 {
                all.push('`');
            }
            match line.is_code || is_code {
                true => all.push_str(part),
                false => qualify(&mut all, part, project),
            }
        }
        all.push('\n');
    }
    if !text.ends_with('\n') {
        all.pop();
    }
    all
}

fn qualify(all: &mut String, part: &str, project: &str) {
    let mut from = 0;
    for one in find(part) {
        if let Name::Issue(None, _) | Name::MergeRequest(None, _) | Name::Alert(None, _) = one.name
        {
            all.push_str(&part[from..one.range.start]);
            all.push_str(project);
            from = one.range.start;
        }
    }
    all.push_str(&part[from..]);
}

fn filled(path: &str) -> Option<String> {
    (!path.is_empty()).then(|| path.to_owned())
}

/// Whether a character before a name makes it a part of a word.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#' | '^' | '~' | '%' | '@' | '&')
}

/// The path of a project or group that a text ends with.
fn path_at_end(text: &str) -> &str {
    let part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let length = text.chars().rev().take_while(part).count();
    match length <= LONGEST {
        true => &text[text.len() - length..],
        false => "",
    }
}

fn number(text: &str) -> Option<(i64, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let next = text[length..].chars().next();
    let ends = next.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    let number = text[..length].parse().ok().filter(|_| ends)?;
    Some((number, length))
}

/// The title that a text begins with, between quotes or one word, and how
/// long it is as it is written.
fn title(text: &str) -> Option<(String, usize)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.char_indices().take(LONGEST + 1);
        let (end, _) = end.into_iter().find(|(_, c)| *c == '"')?;
        return (end > 0).then(|| (quoted[..end].to_owned(), end + 2));
    }
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '+');
    let end = text.find(|c| !part(c)).unwrap_or(text.len());
    let word = text[..end].trim_end_matches(['.', ':', '/', '-']);
    let known = !word.is_empty() && word.chars().count() <= LONGEST;
    known.then(|| (word.to_owned(), word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Name)> {
        let named = |one: Reference| (text[one.range].to_owned(), one.name);
        find(text).into_iter().map(named).collect()
    }

    fn issue(path: Option<&str>, iid: i64) -> Name {
        Name::Issue(path.map(str::to_owned), iid)
    }

    #[test]
    fn every_kind_is_read_with_its_place() {
        let text = "See #1, acme/anvil#22: &7 acme/tools&8. ~bug ~\"two words\" %1.0. %\"May 2\" (@jane/x) ~a::b! ^alert#3, a/b^alert#4 !5 a/b!6";
        let of = |name: fn(String) -> Name, text: &str| name(text.to_owned());
        let expected = [
            ("#1", issue(None, 1)),
            ("acme/anvil#22", issue(Some("acme/anvil"), 22)),
            ("&7", Name::Epic(None, 7)),
            ("acme/tools&8", Name::Epic(Some("acme/tools".to_owned()), 8)),
            ("~bug", of(Name::Label, "bug")),
            ("~\"two words\"", of(Name::Label, "two words")),
            ("%1.0", of(Name::Milestone, "1.0")),
            ("%\"May 2\"", of(Name::Milestone, "May 2")),
            ("@jane/x", of(Name::Person, "jane/x")),
            ("~a::b", of(Name::Label, "a::b")),
            ("^alert#3", Name::Alert(None, 3)),
            ("a/b^alert#4", Name::Alert(Some("a/b".to_owned()), 4)),
            ("!5", Name::MergeRequest(None, 5)),
            ("a/b!6", Name::MergeRequest(Some("a/b".to_owned()), 6)),
        ];
        assert_eq!(read(text), expected.map(|(part, name)| (part.to_owned(), name)));
    }

    #[test]
    fn parts_of_words_are_no_names() {
        for text in [
            "",
            "#",
            "#x",
            "#1a",
            "##1",
            "&#1",
            "&",
            "&&1",
            "&amp;1",
            "&x1",
            "&1a",
            "&1_",
            "R&D",
            "#&1",
            "ü&1",
            "100%",
            "50%off",
            "a@b.c",
            "x~y",
            "~",
            "~ a",
            "~\"\"",
            "~\"open",
            "@",
            "@.",
            "#99999999999999999999",
            "~~a",
            "ü#1",
            "^alert#",
            "^alert#x",
            "^#1",
            "^alarm#1",
            "^^alert#1",
            "!",
            "!!1",
            "!x",
            "!1a",
            "![1](2)",
            "a != 1",
            "ü!1",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        assert_eq!(read("anvil#1")[0].1, issue(Some("anvil"), 1));
        assert_eq!(read("#1#2").len(), 1);
        assert_eq!(read("&1&2").len(), 1);
    }

    #[test]
    fn numbers_are_named_with_their_project_elsewhere() {
        let text = "See #1, a/b#2 and ^alert#3.\n`#4` &5 ~bug @jane\n```\n#6\n```\n#7 !8 `open\n";
        let there = "See a/c#1, a/b#2 and a/c^alert#3.\n`#4` &5 ~bug @jane\n```\n#6\n```\na/c#7 \
            a/c!8 `open\n";
        assert_eq!(qualified(text, "a/c"), there);
        for same in ["", "\n", "a\nb", "a\n\n", "`", "``"] {
            assert_eq!(qualified(same, "a/c"), same);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_named_stands_there_and_nothing_else_changes(
            text in "[a#!&^~%@/.`\\n0-2\" -]{0,60}",
        ) {
            let mut end = 0;
            for one in find(&text) {
                proptest::prop_assert!(one.range.start >= end && one.range.end <= text.len());
                end = one.range.end;
                let written = &text[one.range];
                let read = match &one.name {
                    Name::Issue(path, iid) => format!("{}#{iid}", path.as_deref().unwrap_or("")),
                    Name::MergeRequest(path, iid) => {
                        format!("{}!{iid}", path.as_deref().unwrap_or(""))
                    }
                    Name::Epic(path, iid) => format!("{}&{iid}", path.as_deref().unwrap_or("")),
                    _ => continue,
                };
                // A number may begin with zeros.
                proptest::prop_assert_eq!(read.replace('0', ""), written.replace('0', ""));
            }
            let there = qualified(&text, "ü");
            proptest::prop_assert_eq!(there.replace('ü', ""), text);
        }
    }

    #[test]
    fn long_texts_are_read_in_a_moment() {
        let started = std::time::Instant::now();
        for part in ["#", "a#", "!", "a!", "&", "a&", "&1 ", "~\"", "@", "a/", "%x", "#1 ", "~a:"] {
            find(&part.repeat(100_000));
        }
        assert!(started.elapsed().as_secs() < 5);
    }
}
