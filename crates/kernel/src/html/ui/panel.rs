//! Panels: the few newest rows of a list, with a link to the whole of it.

use super::headings::{Tally, tally};
use super::shows::Badge;
use crate::html::page::Moment;
use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// A few rows with a heading, on a page that sums up several lists.
#[derive(Debug, Template)]
#[template(path = "ui/panel.html")]
pub struct Panel {
    id: &'static str,
    title: String,
    count: Option<Tally>,
    all: Option<(String, String)>,
    /// HTML that is safe to show.
    body: String,
}

impl HtmlSafe for Panel {}

/// A panel of rows, or of whatever a page shows by a template of its own; `id`
/// is the one of its heading.
pub fn panel(id: &'static str, title: impl Display, body: impl HtmlSafe) -> Panel {
    Panel {
        id,
        title: title.to_string(),
        count: None,
        all: None,
        body: body.to_string(),
    }
}

impl Panel {
    /// Where all of it stands.
    pub fn all(mut self, label: impl Display, url: impl Display) -> Panel {
        self.all = Some((label.to_string(), url.to_string()));
        self
    }

    /// How many there are in all.
    pub fn count(mut self, count: impl Display) -> Panel {
        self.count = Some(tally(count));
        self
    }
}

/// Rows of a panel; without any, a sentence that says so.
#[derive(Debug, Template)]
#[template(path = "ui/rows.html")]
pub struct Rows {
    rows: Vec<Row>,
    nothing: String,
}

impl HtmlSafe for Rows {}

/// Rows of a panel.
pub fn rows(rows: Vec<Row>) -> Rows {
    Rows { rows, nothing: String::new() }
}

impl Rows {
    /// What is said where there are none.
    pub fn or(mut self, nothing: impl Display) -> Rows {
        self.nothing = nothing.to_string();
        self
    }
}

/// One row: a picture, what it is called, badges, and what is told of it.
#[derive(Debug)]
pub struct Row {
    lead: String,
    title: String,
    url: Option<String>,
    badges: Vec<Badge>,
    about: Vec<String>,
}

impl Row {
    /// A row that leads nowhere yet; `lead` is an icon or an avatar.
    pub fn new(lead: impl HtmlSafe, title: impl Display) -> Row {
        Row {
            lead: lead.to_string(),
            title: title.to_string(),
            url: None,
            badges: Vec::new(),
            about: Vec::new(),
        }
    }

    /// Where its title leads.
    pub fn url(mut self, url: Option<String>) -> Row {
        self.url = url;
        self
    }

    /// A badge behind its title.
    pub fn badge(mut self, badge: Badge) -> Row {
        self.badges.push(badge);
        self
    }

    /// Something told of it; nothing where the text is empty.
    pub fn about(mut self, text: impl Display) -> Row {
        let text = text.to_string();
        if !text.is_empty() {
            self.about.push(crate::markup::escape(&text));
        }
        self
    }

    /// When something happened to it, behind a word: `started`.
    pub fn at(mut self, word: &'static str, moment: Moment) -> Row {
        self.about.push(format!("{word} {moment}"));
        self
    }

    fn about_line(&self) -> String {
        self.about.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{badge, icon};
    use super::*;

    #[test]
    fn a_row_escapes_what_it_is_given() {
        let row = Row::new(icon("package"), "<b>")
            .url(Some("/a\"b".into()))
            .badge(badge("<i>", "plain"))
            .about("<u>")
            .about("");
        let shown = panel("packages", "<p>", rows(vec![row])).all("All <x>", "/all").to_string();
        for raw in ["<b>", "<i>", "<u>", "<p><", "<x>", "a\"b\""] {
            assert!(!shown.contains(raw), "{raw} in {shown}");
        }
        assert!(shown.contains("<svg") && shown.contains("id=\"packages\""), "{shown}");
        assert!(!shown.contains("tally"), "no count unless one is given: {shown}");
    }

    #[test]
    fn no_rows_say_so() {
        let shown = panel("issues", "Issues", rows(Vec::new()).or("None.")).count(0).to_string();
        assert!(shown.contains("None.") && !shown.contains("<ul"), "{shown}");
        assert!(shown.contains("<span class=\"tally\">0</span>"), "{shown}");
    }
}
