//! Texts from elsewhere, as they can be stored here.

use crate::model::MAX_TITLE;

/// For what has no title there.
const UNTITLED: &str = "Untitled";

/// A title: one line, not too long, and not empty.
pub fn line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let cut: String = spaced.trim().chars().take(MAX_TITLE).collect();
    match cut.trim_end() {
        "" => UNTITLED.to_owned(),
        line => line.to_owned(),
    }
}

/// The title of a label: lists of labels are told apart by commas.
pub fn label_title(name: &str) -> String {
    line(&name.replace(',', ";"))
}

/// A text of several lines: databases keep no NUL.
pub fn prose(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{label_title_error, title_error};

    #[test]
    fn whatever_is_a_title_there_can_be_one_here() {
        let long = "ä".repeat(300);
        for text in ["", " \t", "a\r\nb\0", "Größe 🚀", "a, b", &long] {
            assert_eq!(title_error(&line(text)), None, "{text}");
            assert_eq!(label_title_error(&label_title(text)), None, "{text}");
        }
        assert_eq!(line("a\nb "), "a b");
        assert_eq!(label_title("good, first"), "good; first");
    }

    #[test]
    fn texts_lose_what_cannot_be_stored_alone() {
        assert_eq!(prose("a\0\r\n\tb"), "a\r\n\tb");
    }
}
