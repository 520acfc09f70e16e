//! Texts of a repository as pages show them: whoever wrote them could write anything.

use kernel::markup;
use std::borrow::Cow;

/// The text with the invisible letters that reorder others made visible, so that what is
/// read is what is there.
pub fn visible(text: &str) -> Cow<'_, str> {
    match text.contains(is_reordering) {
        true => text.replace(is_reordering, "\u{FFFD}").into(),
        false => text.into(),
    }
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The same as HTML.
pub fn escaped(text: &str) -> String {
    markup::escape(&visible(text))
}

/// At most so many letters of it, in one line.
pub fn line(text: &str, most: usize) -> String {
    let mut letters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        line.push('…');
    }
    visible(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reorders_is_seen() {
        assert_eq!(visible("a\u{202e}b"), "a\u{fffd}b");
        assert_eq!(escaped("<\u{2066}>"), "&lt;\u{fffd}&gt;");
        assert_eq!(line("a\tb\ncd", 4), "a b …");
        assert_eq!(line("abcd", 4), "abcd");
    }
}
