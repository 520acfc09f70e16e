//! The beginning of a text as one line without its markup, for rows of lists.

use super::{dress::text_of, options, tame};
use comrak::Arena;

/// Characters of a text that are looked at.
const LOOKED_AT: usize = 1_000;
/// Characters of the line.
const MOST: usize = 240;

/// The first paragraph of a text in one line, shortened where it is long.
pub fn line(markdown: &str) -> String {
    let begin: String = markdown.trim().chars().take(LOOKED_AT).collect();
    let begin = begin.split("\n\n").next().unwrap_or_default();
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &tame(begin), &options());
    let blocks: Vec<String> = root.children().map(text_of).collect();
    let text = blocks.join(" ");
    let words: Vec<&str> = text.split_whitespace().collect();
    shortened(&words.join(" "))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_words_and_none_of_the_markup() {
        for (markdown, expected) in [
            ("Everything that is **cast**.", "Everything that is cast."),
            (
                "See the [handbook](https://handbook.example) for `x`.",
                "See the handbook for x.",
            ),
            ("# Anvil\nDrop-forged.", "Anvil Drop-forged."),
            ("First.\n\nSecond.", "First."),
            ("![A picture](/a.png)", "A picture"),
            ("a < b & c", "a < b & c"),
            ("", ""),
        ] {
            assert_eq!(line(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn a_line_is_short_whatever_the_text() {
        let long = line(&"word ".repeat(100_000));
        assert!(long.chars().count() <= MOST + 1 && long.ends_with('…'), "{long}");
        assert!(line(&">".repeat(100_000)).chars().count() <= MOST + 1);
    }
}
