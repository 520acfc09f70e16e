//! What stands at the head of a page or of a card.

use askama::Template;
use askama::filters::HtmlSafe;
use std::borrow::Borrow;
use std::fmt::Display;

/// The name of a page that has nothing beside it.
#[derive(Debug, Template)]
#[template(
    source = r#"<div class="head"><div class="grow"><h1>{{ title }}</h1>{% if !about.is_empty() %}<p>{{ about }}</p>{% endif %}</div></div>"#,
    ext = "html"
)]
pub struct Heading {
    title: String,
    about: String,
}

/// The name of a page that has nothing beside it; others call
/// `part::heading()`.
pub fn heading(title: impl Display) -> Heading {
    Heading { title: title.to_string(), about: String::new() }
}

impl Heading {
    /// One sentence below it.
    pub fn about(mut self, text: impl Display) -> Heading {
        self.about = text.to_string();
        self
    }
}

impl HtmlSafe for Heading {}

/// How many there are, beside a name.
#[derive(Debug, Template)]
#[template(
    source = r#" <span class="tally">{{ count }}{% if is_more %}+{% endif %}</span>"#,
    ext = "html"
)]
pub struct Tally {
    count: String,
    is_more: bool,
}

/// How many there are, with a space between it and the name before it.
pub fn tally(count: impl Display) -> Tally {
    Tally { count: count.to_string(), is_more: false }
}

impl Tally {
    /// There may be more than that.
    pub fn more(mut self, is_more: impl Borrow<bool>) -> Tally {
        self.is_more = *is_more.borrow();
        self
    }
}

impl HtmlSafe for Tally {}

/// A search in the head of a card, of the list below it.
#[derive(Debug, Template)]
#[template(path = "ui/card_search.html")]
pub struct CardSearch {
    url: String,
    label: String,
    value: String,
    hint: String,
}

/// A search of a card's list; `label` says what it looks for.
pub fn card_search(
    url: impl Display, label: impl Display, value: impl Display, hint: impl Display,
) -> CardSearch {
    CardSearch {
        url: url.to_string(),
        label: label.to_string(),
        value: value.to_string(),
        hint: hint.to_string(),
    }
}

impl HtmlSafe for CardSearch {}

/// A small link in the head of a card.
#[derive(Debug, Template)]
#[template(
    source = r#"<a class="button small" href="{{ url }}">{{ label }}</a>"#,
    ext = "html"
)]
pub struct CardLink {
    label: String,
    url: String,
}

/// A small link in the head of a card.
pub fn card_link(label: impl Display, url: impl Display) -> CardLink {
    CardLink { label: label.to_string(), url: url.to_string() }
}

impl HtmlSafe for CardLink {}

/// A few words in the head of a card.
#[derive(Debug, Template)]
#[template(source = r#"<span class="muted">{{ text }}</span>"#, ext = "html")]
pub struct Remark {
    text: String,
}

/// A few words in the head of a card.
pub fn remark(text: impl Display) -> Remark {
    Remark { text: text.to_string() }
}

impl HtmlSafe for Remark {}

/// A number of an overview.
#[derive(Debug, Clone)]
pub struct Tile {
    label: String,
    number: String,
    url: String,
}

impl Tile {
    /// What is counted, how many there are, and where they are listed; an empty
    /// address leads nowhere.
    pub fn new(label: impl Display, number: impl Display, url: impl Display) -> Tile {
        Tile {
            label: label.to_string(),
            number: number.to_string(),
            url: url.to_string(),
        }
    }
}

/// Numbers of an overview.
#[derive(Debug, Template)]
#[template(path = "ui/tiles.html")]
pub struct Tiles {
    tiles: Vec<Tile>,
}

/// Numbers of an overview.
pub fn tiles(tiles: impl AsRef<[Tile]>) -> Tiles {
    Tiles { tiles: tiles.as_ref().to_vec() }
}

impl HtmlSafe for Tiles {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_escape_what_they_are_given() {
        let search = card_search("/x?a&b", "<b>", "\"", "<i>").to_string();
        let all = [
            heading("<b>").about("<i>").to_string(),
            tally("<b>").more(true).to_string(),
            search,
            card_link("<b>", "\"").to_string(),
            remark("<b>").to_string(),
            tiles([Tile::new("<b>", "<i>", "\"")]).to_string(),
        ];
        for html in all {
            assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
            assert!(!html.contains("\"\"\""), "{html}");
        }
        assert_eq!(tally(3).to_string(), " <span class=\"tally\">3</span>");
    }
}
