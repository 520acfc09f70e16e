//! Small marks in rows and texts: labels, people, times.

use super::avatar::{Avatar, avatar};
use super::icons::{Icon, icon};
use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// A word with a colour of its own.
#[derive(Debug, Template)]
#[template(
    source = r#"{% if !url.is_empty() %}<a class="chip" href="{{ url }}">{% endif %}<span class="badge tag"{% if !about.is_empty() %} title="{{ about }}"{% endif %}>{{ super::marks::swatch(color) }}{{ title }}</span>{% if !url.is_empty() %}</a>{% endif %}"#,
    ext = "html"
)]
pub struct Tag {
    title: String,
    color: String,
    about: String,
    url: String,
}

/// A word with a colour of its own, such as a label.
pub fn tag(title: impl Display, color: impl Display) -> Tag {
    Tag {
        title: title.to_string(),
        color: color.to_string(),
        about: String::new(),
        url: String::new(),
    }
}

impl Tag {
    /// What it means, said to who points at it.
    pub fn about(mut self, text: impl Display) -> Tag {
        self.about = text.to_string();
        self
    }

    /// Leads to a list of what wears it.
    pub fn at(mut self, url: impl Display) -> Tag {
        self.url = url.to_string();
        self
    }
}

impl HtmlSafe for Tag {}

/// A colour by itself: a text beside it says the same, or it means nothing more.
#[derive(Debug, Template)]
#[template(
    source = r#"<svg class="swatch" viewBox="0 0 8 8" aria-hidden="true" focusable="false"><rect width="8" height="8" rx="2" fill="{{ color }}"/></svg>"#,
    ext = "html"
)]
pub struct Swatch {
    color: String,
}

/// A colour by itself.
pub fn swatch(color: impl Display) -> Swatch {
    Swatch { color: color.to_string() }
}

impl HtmlSafe for Swatch {}

/// Somebody with their picture, leading somewhere.
#[derive(Debug, Template)]
#[template(
    source = r#"<a class="person" href="{{ url }}">{{ picture }}{% if about.is_empty() %}{{ name }}{% else %}<span class="hush">{{ about }}</span>{% endif %}</a>"#,
    ext = "html"
)]
pub struct PersonLink {
    name: String,
    url: String,
    picture: Avatar,
    about: String,
}

/// Somebody with their picture, leading somewhere.
pub fn person(name: impl Display, url: impl Display) -> PersonLink {
    PersonLink {
        picture: avatar(&name).small(),
        name: name.to_string(),
        url: url.to_string(),
        about: String::new(),
    }
}

impl PersonLink {
    /// The picture alone; this is what it means.
    pub fn alone(mut self, about: impl Display) -> PersonLink {
        self.about = about.to_string();
        self.picture = self.picture.title(&self.name);
        self
    }
}

impl HtmlSafe for PersonLink {}

/// How far something is, as a small picture that leads to it.
#[derive(Debug, Clone, Template)]
#[template(
    source = r#"<a class="ci ci-dot ci-{{ group }}" href="{{ url }}" title="{{ text }}">{{ icon }}<span class="hush">{{ text }}</span></a>"#,
    ext = "html"
)]
pub struct StateDot {
    text: String,
    group: String,
    icon: Icon,
    url: String,
}

/// How far something is: said by `text`, shown by a picture in the colours of a group.
pub fn state_dot(
    text: impl Display, group: impl Display, picture: &str, url: impl Display,
) -> StateDot {
    StateDot {
        text: text.to_string(),
        group: group.to_string(),
        icon: icon(picture),
        url: url.to_string(),
    }
}

impl HtmlSafe for StateDot {}

/// A time of which only a part is written, such as the clock of a day that is
/// known.
#[derive(Debug, Template)]
#[template(
    source = r#"<time datetime="{{ iso }}" title="{{ exact }}">{{ written }}</time>"#,
    ext = "html"
)]
pub struct PartOfTime {
    iso: String,
    exact: String,
    written: String,
}

/// A time of which only a part is written.
pub fn part_of_time(iso: impl Display, exact: impl Display, written: impl Display) -> PartOfTime {
    PartOfTime {
        iso: iso.to_string(),
        exact: exact.to_string(),
        written: written.to_string(),
    }
}

impl HtmlSafe for PartOfTime {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_escape_what_they_are_given() {
        let all = [
            tag("<b>", "\"").about("<i>").at("\"><b>").to_string(),
            swatch("\"><b>").to_string(),
            person("<b>", "\"><i>").to_string(),
            person("<b>", "/x").alone("\"<i>").to_string(),
            part_of_time("\"", "<b>", "<i>").to_string(),
            state_dot("<b>", "\"><i>", "check", "\"><b>").to_string(),
        ];
        for html in all {
            assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        }
        assert!(!tag("bug", "#fff").to_string().contains("<a"));
    }
}
