//! People and things in place of their pictures.

use crate::html::PageViewer;
use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// How many colours there are in `avatar.css`.
const TINTS: u32 = 6;

/// One or two letters on a colour that stays with the name; hidden from screen
/// readers, as the name stands beside it.
#[derive(Debug, Clone, Template)]
#[template(
    source = r#"<span class="avatar {{ size }} tint-{{ tint }}"{% if !title.is_empty() %} title="{{ title }}"{% endif %} aria-hidden="true">{{ letters }}</span>"#,
    ext = "html"
)]
pub struct Avatar {
    letters: String,
    tint: u32,
    size: &'static str,
    title: String,
}

impl HtmlSafe for Avatar {}

/// The letters of a name, beside it.
pub fn avatar(name: impl Display) -> Avatar {
    let name = name.to_string();
    let tint = name.chars().fold(0u32, |sum, letter| sum.wrapping_mul(31) + u32::from(letter));
    Avatar {
        letters: PageViewer::initials(&name),
        tint: tint % TINTS,
        size: "",
        title: String::new(),
    }
}

impl Avatar {
    /// As tall as a line of text.
    pub fn small(mut self) -> Avatar {
        self.size = "small";
        self
    }

    /// For the heading of a page.
    pub fn big(mut self) -> Avatar {
        self.size = "big";
        self
    }

    /// Says the name to who points at it.
    pub fn title(mut self, title: impl Display) -> Avatar {
        self.title = title.to_string();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::avatar;

    #[test]
    fn a_name_keeps_its_letters_and_colour() {
        let shown = avatar("Ada Lovelace").to_string();
        assert!(shown.contains(">AL<") && shown.contains("tint-"), "{shown}");
        assert_eq!(shown, avatar("Ada Lovelace").to_string());
        assert!(avatar("<b>").small().title("<i>").to_string().contains("&#60;i&#62;"));
        assert!(avatar("").to_string().contains("tint-0"));
    }
}
