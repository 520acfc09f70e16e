//! What a piece of text names: `#1`, `acme/anvil#1`, `^alert#1`, `~bug`,
//! `~"two words"`, `%1.0` and `@jane`.

use super::mentions::name_at;
use std::ops::Range;

/// Longest name or path that is looked for, in characters.
const LONGEST: usize = 255;

/// Between the sign and the number of an alert.
const ALERT: &str = "alert#";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Name {
    /// An issue by its number, in this project or that of a path.
    Issue(Option<String>, i64),
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
    for (at, sign) in text.match_indices(['#', '^', '~', '%', '@']) {
        let from = found.last().map_or(0, |last| last.range.end);
        if at >= from {
            found.extend(reference(text, from, at, sign));
        }
    }
    found
}

/// The name whose sign stands at a place, after what is read already.
fn reference(text: &str, from: usize, at: usize, sign: &str) -> Option<Reference> {
    let rest = &text[at + sign.len()..];
    let path = match sign {
        "#" | "^" => path_at_end(&text[from..at]),
        _ => "",
    };
    let start = at - path.len();
    if text[..start].chars().next_back().is_some_and(joins) {
        return None;
    }
    let (name, length) = match sign {
        "#" => {
            let (iid, length) = number(rest)?;
            (Name::Issue(filled(path), iid), length)
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

fn filled(path: &str) -> Option<String> {
    (!path.is_empty()).then(|| path.to_owned())
}

/// Whether a character before a name makes it a part of a word.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#' | '^' | '~' | '%' | '@' | '&')
}

/// The path of a project that a text ends with.
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
        let text = "See #1, acme/anvil#22: ~bug ~\"two words\" %1.0. %\"May 2\" (@jane/x) ~a::b! ^alert#3, a/b^alert#4";
        let of = |name: fn(String) -> Name, text: &str| name(text.to_owned());
        let expected = [
            ("#1", issue(None, 1)),
            ("acme/anvil#22", issue(Some("acme/anvil"), 22)),
            ("~bug", of(Name::Label, "bug")),
            ("~\"two words\"", of(Name::Label, "two words")),
            ("%1.0", of(Name::Milestone, "1.0")),
            ("%\"May 2\"", of(Name::Milestone, "May 2")),
            ("@jane/x", of(Name::Person, "jane/x")),
            ("~a::b", of(Name::Label, "a::b")),
            ("^alert#3", Name::Alert(None, 3)),
            ("a/b^alert#4", Name::Alert(Some("a/b".to_owned()), 4)),
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
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        assert_eq!(read("anvil#1")[0].1, issue(Some("anvil"), 1));
        assert_eq!(read("#1#2").len(), 1);
    }

    #[test]
    fn long_texts_are_read_in_a_moment() {
        let started = std::time::Instant::now();
        for part in ["#", "a#", "~\"", "@", "a/", "%x", "#1 ", "~a:"] {
            find(&part.repeat(100_000));
        }
        assert!(started.elapsed().as_secs() < 5);
    }
}
