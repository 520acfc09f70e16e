//! Cutting a text into the terms it is found by.
//!
//! Both engines get the same terms, made here: words without case and accents;
//! of scripts that write without spaces every two letters that follow one
//! another, so that any part of a text is found.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// Characters of a term; what is longer is found by its beginning.
const MAX_TERM: usize = 64;
/// Before a number that a text names as `#12`. No text has this letter as part
/// of a word, so no word is taken for such a term.
const REFERENCE: char = '\u{e001}';
/// Before the id of the project that a thing belongs to.
const PROJECT: char = '\u{e000}';

/// A part of a text that is a term of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub range: Range<usize>,
    /// Folded.
    pub term: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// A number after `#`.
    Reference,
    /// Two letters of a script without spaces.
    Pair,
    /// The last letter of a run of them.
    Last,
}

/// The term of a number that is named as `#12`.
pub fn reference(number: &str) -> String {
    format!("{REFERENCE}{number}")
}

/// The term of what belongs to a project.
pub fn of_project(id: i64) -> String {
    format!("{PROJECT}{id}")
}

/// The words of a text, in their order.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut before = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((start, first)) = letters.next() {
        if !belongs(first) {
            before = first;
            continue;
        }
        let unspaced = is_unspaced(first);
        let mut last = (start, first);
        while let Some(next) =
            letters.next_if(|(_, next)| belongs(*next) && is_unspaced(*next) == unspaced)
        {
            last = next;
        }
        let range = start..last.0 + last.1.len_utf8();
        match unspaced {
            true => pairs(&mut words, text, range),
            false => plain(&mut words, text, range, before == '#'),
        }
        before = last.1;
    }
    words
}

fn plain(words: &mut Vec<Word>, text: &str, range: Range<usize>, is_marked: bool) {
    let part = &text[range.clone()];
    let is_reference = is_marked && part.bytes().all(|byte| byte.is_ascii_digit());
    let kind = if is_reference { Kind::Reference } else { Kind::Plain };
    let term = folded(part);
    if !term.is_empty() {
        words.push(Word { range, term, kind });
    }
}

fn pairs(words: &mut Vec<Word>, text: &str, range: Range<usize>) {
    let letters: Vec<Range<usize>> = text[range.clone()]
        .char_indices()
        .map(|(at, letter)| range.start + at..range.start + at + letter.len_utf8())
        .collect();
    for (at, letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1);
        let range = letter.start..next.map_or(letter.end, |next| next.end);
        let kind = if next.is_some() { Kind::Pair } else { Kind::Last };
        let term = folded(&text[range.clone()]);
        if !term.is_empty() {
            words.push(Word { range, term, kind });
        }
    }
}

fn belongs(letter: char) -> bool {
    letter.is_alphanumeric() || is_accent(letter)
}

fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Letters of Thai to Burmese, Khmer, Japanese, Korean and Chinese.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// Without case, accents, and other ways to write the same letters.
fn folded(word: &str) -> String {
    let bare = word.nfkd().filter(|letter| !is_accent(*letter)).nfc();
    let lower = bare.flat_map(char::to_lowercase);
    lower.filter(|letter| letter.is_alphanumeric()).take(MAX_TERM).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.term).collect()
    }

    #[test]
    fn case_and_accents_do_not_matter() {
        assert_eq!(terms("Crème BRÛLÉE, İzmir"), ["creme", "brulee", "izmir"]);
        assert_eq!(terms("cre\u{300}me"), ["creme"]);
        assert_eq!(terms("Ёлка Й"), ["елка", "и"]);
    }

    #[test]
    fn paths_names_and_numbers_are_cut_at_signs() {
        let all = terms("see crates/Store_io/src/lib.rs@1.2 (#12, x#3a)");
        let expected =
            ["see", "crates", "store", "io", "src", "lib", "rs", "1", "2", "12", "x", "3a"];
        assert_eq!(all, expected);
        let references = words("#12 12 #3a").into_iter().filter(|it| it.kind == Kind::Reference);
        assert_eq!(references.map(|it| it.range).collect::<Vec<_>>(), [Range { start: 1, end: 3 }]);
    }

    #[test]
    fn text_without_spaces_is_cut_into_pairs() {
        assert_eq!(terms("東京都v2"), ["東京", "京都", "都", "v2"]);
        assert_eq!(terms("한글 ไทย"), ["한글", "글", "ไท", "ทย", "ย"]);
    }

    proptest! {
        #[test]
        fn terms_are_letters_and_digits_of_the_text(text in any::<String>()) {
            let mut from = 0;
            for word in words(&text) {
                prop_assert!(text.get(word.range.clone()).is_some());
                prop_assert!(word.range.start >= from, "in order");
                from = word.range.start;
                prop_assert!(word.term.chars().all(char::is_alphanumeric));
                prop_assert!(!word.term.is_empty() && word.term.chars().count() <= MAX_TERM);
            }
        }
    }
}
