//! Texts as one line without their markup, for rows of lists.

use super::{dress::text_of, options, tame};
use comrak::Arena;
use comrak::nodes::NodeValue;

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

/// A part of a text in one line, whatever of its markup is cut off.
pub fn plain(part: &str) -> String {
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &tame(part), &options());
    let mut text = String::new();
    for node in root.descendants() {
        match &node.data().value {
            NodeValue::Text(words) => text.push_str(words),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::ShortCode(code) => text.push_str(&code.emoji),
            NodeValue::HtmlInline(tag) => text.push_str(tag),
            NodeValue::CodeBlock(block) => text.extend([" ", &block.literal]),
            NodeValue::HtmlBlock(block) => text.extend([" ", &block.literal]),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            value if value.block() => text.push(' '),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
    fn a_part_of_a_text_keeps_its_words_and_loses_its_marks() {
        for (part, expected) in [
            ("## Steps\n\n- [ ] heat\n- **strike**", "Steps heat strike"),
            ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
            ("before ```rust\nfn open()", "before ```rust fn open()"),
            ("```\nlet x = 1;\n", "let x = 1;"),
            ("cut **off and [here](htt", "cut **off and [here](htt"),
            ("no marks", "no marks"),
            ("A <b>bold</b> text", "A <b>bold</b> text"),
            ("<div>\n*a*\n", "<div> *a*"),
        ] {
            assert_eq!(plain(part), expected, "{part}");
        }
    }

    #[test]
    fn a_line_is_short_whatever_the_text() {
        let long = line(&"word ".repeat(100_000));
        assert!(long.chars().count() <= MOST + 1 && long.ends_with('…'), "{long}");
        assert!(line(&">".repeat(100_000)).chars().count() <= MOST + 1);
    }
}
