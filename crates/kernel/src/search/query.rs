//! What somebody searches for.

use super::words::{Kind, Word, reference, words};
use crate::error::{Error, Result};
use crate::markup;
use std::ops::Range;
use store::{Term, Terms};

/// Characters of a text that is searched for.
pub const MAX_CHARS: usize = 1_000;
/// Words of it.
pub const MAX_WORDS: usize = 32;
/// Characters of a part of a text that shows why it was found.
const SNIPPET: usize = 200;
/// Those before the first match.
const BEFORE: usize = 60;

/// A text that was searched for, as terms. All must be found; the last may go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// A part of a text, and whether it was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// As it stands in the text.
    pub text: String,
    /// It matches.
    pub is_marked: bool,
}

impl Query {
    /// Reads a text, of which nothing is taken for a command. One that is too
    /// long is refused.
    pub fn parse(text: &str) -> Result<Query> {
        let refused = |most: usize, what| {
            let text = format!("search is too long (maximum is {most} {what})");
            Err(Error::Parameters(vec![text]))
        };
        if text.chars().nth(MAX_CHARS).is_some() {
            return refused(MAX_CHARS, "characters");
        }
        let words = words(text);
        let mut terms: Vec<Term> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let term = term(word, before, text.len());
            terms.extend(term.filter(|term| !terms.contains(term)));
        }
        match terms.len() > MAX_WORDS {
            true => refused(MAX_WORDS, "words"),
            false => Ok(Query { terms }),
        }
    }

    /// Nothing in it can be searched for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The same for an index; of one of these projects, if any are named.
    pub(super) fn terms(&self, projects: &[i64]) -> Terms {
        let any = projects.iter().map(|id| super::words::of_project(*id));
        Terms { all: self.terms.clone(), any: any.collect() }
    }

    fn matches(&self, word: &Word) -> bool {
        let named = (word.kind == Kind::Reference).then(|| reference(&word.term));
        self.terms.iter().any(|term| match term.is_prefix {
            true => word.term.starts_with(&term.text),
            false => word.term == term.text || named.as_ref() == Some(&term.text),
        })
    }

    /// Where a text matches, in order, none in another.
    fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for word in words(text).into_iter().filter(|word| self.matches(word)) {
            match ranges.last_mut() {
                Some(last) if word.range.start < last.end => {
                    last.end = word.range.end.max(last.end)
                }
                _ => ranges.push(word.range),
            }
        }
        ranges
    }

    /// A whole text with what matches.
    pub fn marked(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut from = 0;
        let mut add = |part: &str, is_marked: bool| {
            if !part.is_empty() {
                pieces.push(Piece { text: part.to_owned(), is_marked });
            }
        };
        for range in self.ranges(text) {
            add(&text[from..range.start], false);
            add(&text[range.clone()], true);
            from = range.end;
        }
        add(&text[from..], false);
        pieces
    }

    /// The part of a longer text around the first match, on one line and without
    /// its markup; its beginning where nothing matches.
    pub fn snippet(&self, text: &str) -> Vec<Piece> {
        let (start, part) = self.around(text, 2 * BEFORE, 3 * SNIPPET);
        let plain = markup::plain(part);
        // What was found may be markup, as the address of a link is.
        let line = match self.ranges(&plain).is_empty() {
            true => part.split_whitespace().collect::<Vec<_>>().join(" "),
            false => plain,
        };
        let (cut, shown) = self.around(&line, BEFORE, SNIPPET);
        let mut pieces = self.marked(shown);
        let dots = || Piece { text: "…".into(), is_marked: false };
        if start + cut > 0 {
            pieces.insert(0, dots());
        }
        if cut + shown.len() < line.len() || start + part.len() < text.len() {
            pieces.push(dots());
        }
        pieces
    }

    /// The part of a text of at most so many characters with the first match, of
    /// which so many stand before that; and where it begins, at a word if one
    /// begins before the match.
    fn around<'t>(&self, text: &'t str, before: usize, most: usize) -> (usize, &'t str) {
        let first = self.ranges(text).first().map_or(0, |range| range.start);
        let back = text[..first].char_indices().rev().take(before).last();
        let mut start = back.map_or(first, |(at, _)| at);
        if start > 0 {
            let space = |c: char| c.is_ascii_whitespace();
            start = text[start..first].find(space).map_or(start, |at| start + at + 1);
        }
        let rest = &text[start..];
        let end = rest.char_indices().nth(most).map_or(rest.len(), |(at, _)| at);
        (start, &rest[..end])
    }
}

/// What a word of a query asks for; the last letter of a run stands in the pair
/// before it already.
fn term(word: &Word, before: Option<&Word>, end: usize) -> Option<Term> {
    let in_pair = |before: &Word| before.kind == Kind::Pair && before.range.end == word.range.end;
    match word.kind {
        Kind::Reference => Some(Term { text: reference(&word.term), is_prefix: false }),
        Kind::Last if before.is_some_and(in_pair) => None,
        Kind::Pair => Some(Term { text: word.term.clone(), is_prefix: false }),
        Kind::Last => Some(Term { text: word.term.clone(), is_prefix: true }),
        Kind::Plain => {
            let goes_on = word.range.end == end && word.term.chars().nth(1).is_some();
            Some(Term { text: word.term.clone(), is_prefix: goes_on })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Query {
        Query::parse(text).expect("it is short")
    }

    fn shown(pieces: &[Piece]) -> String {
        let piece = |piece: &Piece| match piece.is_marked {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn all_words_are_asked_for_and_the_last_may_go_on() {
        let terms = |text: &str| -> Vec<String> {
            let star =
                |term: &Term| format!("{}{}", term.text, if term.is_prefix { "*" } else { "" });
            read(text).terms.iter().map(star).collect()
        };
        assert_eq!(terms("Door door HIN"), ["door", "hin*"]);
        assert_eq!(terms("door "), ["door"]);
        assert_eq!(terms("a"), ["a"]);
        assert_eq!(terms("#12"), ["\u{e001}12"]);
        assert_eq!(terms("東"), ["東*"]);
        assert_eq!(terms("東京都 x"), ["東京", "京都", "x"]);
        assert_eq!(terms("\"NOT\" (x OR y) -z*:A & | !"), ["not", "x", "or", "y", "z", "a"]);
        assert!(read("!?* \u{e000}\u{e001}").is_empty());
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(Query::parse(&"a".repeat(MAX_CHARS)).is_ok());
        assert!(Query::parse(&"a".repeat(MAX_CHARS + 1)).is_err());
        let many = |count: usize| (0..count).map(|at| format!("w{at} ")).collect::<String>();
        assert!(Query::parse(&many(MAX_WORDS)).is_ok());
        assert!(Query::parse(&many(MAX_WORDS + 1)).is_err());
    }

    #[test]
    fn matches_are_marked_where_they_stand() {
        assert_eq!(shown(&read("dör").marked("A door, the DÖRR")), "A door, the [DÖRR]");
        assert_eq!(shown(&read("#3").marked("3 of #3")), "3 of #[3]");
        assert_eq!(shown(&read("京都").marked("東京都")), "東[京都]");
        assert_eq!(shown(&read("x").marked("")), "");
    }

    #[test]
    fn a_snippet_surrounds_the_first_match() {
        let text = format!("{}the  door\nopens {}", "word ".repeat(40), "more ".repeat(80));
        let snippet = shown(&read("door").snippet(&text));
        assert!(snippet.starts_with("…word word") && snippet.contains("the [door] opens more"));
        assert!(snippet.ends_with('…') && snippet.chars().count() <= SNIPPET + 4);
        assert_eq!(shown(&read("absent").snippet("short text")), "short text");
        let marked = "## Steps\n\n- the **door** [leads](https://a.example/hinge)\n";
        assert_eq!(shown(&read("door").snippet(marked)), "Steps the [door] leads");
        let found = shown(&read("hinge").snippet(marked));
        assert!(found.ends_with("(https://a.example/[hinge])"), "{found}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_marked(text in any::<String>(), on in any::<String>()) {
            if let Ok(query) = Query::parse(&text) {
                let marked = query.marked(&on);
                let whole: String = marked.iter().map(|piece| piece.text.as_str()).collect();
                prop_assert_eq!(whole, on.clone());
                let snippet: usize =
                    query.snippet(&on).iter().map(|piece| piece.text.chars().count()).sum();
                prop_assert!(snippet <= SNIPPET + 2);
            }
        }

        #[test]
        fn a_text_is_found_by_itself(text in "[a-zA-Zéß東京 #0-9/_-]{1,40}") {
            let query = read(&text);
            let words = words(&text);
            for term in &query.terms {
                let has = |word: &Word| {
                    word.term.starts_with(&term.text) || reference(&word.term) == term.text
                };
                prop_assert!(words.iter().any(has), "{:?} in {:?}", term, text);
            }
        }
    }
}
