//! Boxes of task lists: how they are clicked, and ticked in the text.

use super::{escape, options, tame};
use comrak::Arena;
use comrak::nodes::NodeValue;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// What tells a box of ours from whatever else a text holds: nobody can write
/// it, as it is another one each time the program starts.
pub(super) static SECRET: LazyLock<String> =
    LazyLock::new(|| hex::encode(crate::secrets::random_bytes::<16>()));

/// Stands for a box until the text is safe.
pub(super) fn mark(number: usize, is_done: bool) -> String {
    let done = if is_done { " checked=\"\"" } else { "" };
    format!("<input type=\"checkbox\" data-task=\"{}-{number}\"{done}> ", *SECRET)
}

/// The number of the box that a mark stands for.
pub(super) fn number(mark: &str) -> Option<usize> {
    mark.strip_prefix(SECRET.as_str())?.strip_prefix('-')?.parse().ok()
}

/// The button in place of a box. It sends the number of its box, and whether
/// that is to be ticked, with the form of this id.
pub(super) fn button(number: usize, is_done: bool, about: &str, form: &str) -> String {
    let about = if about.trim().is_empty() { "Task" } else { about.trim() };
    format!(
        "<button class=\"task\" form=\"{}\" name=\"task\" value=\"{number}:{}\" role=\"checkbox\" \
         aria-checked=\"{is_done}\" aria-label=\"{}\"></button>",
        escape(form),
        u8::from(!is_done),
        escape(about)
    )
}

/// Tells a text from any other: who ticks a box says which text they saw.
pub fn version(markdown: &str) -> String {
    hex::encode(Sha256::digest(markdown.as_bytes()))
}

/// A box to tick, as its button names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// Which box of the text, from the first.
    pub number: usize,
    /// Whether it is ticked or emptied.
    pub done: bool,
}

impl Tick {
    /// What a button sent.
    pub fn of(value: &str) -> Option<Tick> {
        let (number, done) = value.split_once(':')?;
        Some(Tick { number: number.parse().ok()?, done: done == "1" })
    }

    /// The text with this box ticked or emptied and nothing else changed; none
    /// if it has no such box.
    pub fn apply(self, markdown: &str) -> Option<String> {
        let at = place(markdown, self.number)?;
        let sign = if self.done { "x" } else { " " };
        Some(format!("{}{sign}{}", &markdown[..at], &markdown[at + 1..]))
    }
}

/// Where the sign of a box stands in the text. The text is parsed as it is when
/// it is shown, so that the number means the same.
fn place(markdown: &str, number: usize) -> Option<usize> {
    if super::bounds::is_dear(markdown) {
        return None;
    }
    let tamed = tame(markdown);
    let arena = Arena::new();
    let root = comrak::parse_document(&arena, &tamed, &options());
    let mut found = root.descendants().filter_map(|node| {
        let data = node.data();
        match &data.value {
            NodeValue::TaskItem(item) => Some((item.symbol_sourcepos.start, data.sourcepos.start)),
            _ => None,
        }
    });
    let (sign, item) = found.nth(number)?;
    let start = line_start(markdown, sign.line)?;
    // What stands before the item in its line is not searched.
    let skipped = if item.line == sign.line {
        item.column.saturating_sub(1)
    } else {
        0
    };
    let line = markdown.get(start + skipped..)?.split(['\n', '\r']).next()?;
    let open = line.find('[')?;
    let is_box = matches!(line.as_bytes().get(open + 1), Some(b' ' | b'x' | b'X'))
        && line.as_bytes().get(open + 2) == Some(&b']');
    is_box.then_some(start + skipped + open + 1)
}

/// Where a line begins, counted from 1; lines end as Markdown has it.
fn line_start(text: &str, line: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    let mut starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
    starts.nth(line.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_box_changes() {
        let text = "# [ ] no\r\n- [ ] a [ ] b\n* [x] c\n  1. [X] d\n> + [ ] e\n\n```\n- [ ] no\n```\n\
                    - - [ ] f\n-\n  [ ] g\n- é [ ] no\n- [ ] h";
        let ticked = |number, done| Tick { number, done }.apply(text);
        for (number, done, before, after) in [
            (0, true, "- [ ] a [ ] b", "- [x] a [ ] b"),
            (1, false, "* [x] c", "* [ ] c"),
            (2, false, "[X] d", "[ ] d"),
            (3, true, "[ ] e", "[x] e"),
            (4, true, "[ ] f", "[x] f"),
            (5, true, "[ ] g", "[x] g"),
            (6, true, "[ ] h", "[x] h"),
        ] {
            assert_eq!(ticked(number, done), Some(text.replacen(before, after, 1)), "{number}");
        }
        assert_eq!(ticked(7, true), None);
    }

    #[test]
    fn a_button_says_what_it_does() {
        assert_eq!(Tick::of("3:1"), Some(Tick { number: 3, done: true }));
        assert_eq!(Tick::of("3:0"), Some(Tick { number: 3, done: false }));
        for value in ["", "3", ":1", "x:1", "-1:1", "99999999999999999999999:1"] {
            assert_eq!(Tick::of(value), None, "{value}");
        }
    }
}
