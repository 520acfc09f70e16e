//! Markdown from users, rendered to HTML that is safe to show.
//!
//! Runs on the caller's thread: a long text takes tens of milliseconds, so
//! call it on a blocking thread or within a store closure's preparation.

mod bounds;
mod code;
mod colours;
mod dress;
mod finish;
pub mod hostile;
mod languages;
mod links;
mod mail;
mod plain;
mod recent;
mod relative;
mod tasks;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use comrak::{Arena, Options};

use crate::error::{Error, Result};
pub use bounds::turn;
pub use links::{Find, Link};
pub use mail::for_mail;
pub use plain::{line, plain};
pub use recent::{RecentTexts, read};
pub use relative::{FilesBeside, Relative};
pub use tasks::{Tick, version};

/// Characters of a text that are rendered at most.
const MAX_CHARS: usize = 1_000_000;
/// Block markers at the start of one line (quotes, lists) that still nest.
const MAX_MARKERS: usize = 32;
/// Tags inside each other in the HTML handed to the sanitiser, whose work
/// grows with the square of the depth.
const MAX_DEPTH: usize = 100;
/// Bytes searched while the sanitised HTML is written. The writer searches each
/// text to its end, or to the next angle bracket, for each character that it
/// escapes: the square of the length for a text of nothing but ampersands.
const MAX_ESCAPING: usize = 200_000_000;
/// Put before every id in user text, so none meets one of the page.
const ID_PREFIX: &str = "user-content-";

/// How a text is shown, beside what it says.
#[derive(Clone, Copy)]
pub struct Rendering<'r> {
    /// Which of its words lead somewhere.
    pub find: &'r Find<'r>,
    /// How many levels its headings stand below what they are written as: those
    /// of a page stand above them.
    pub lowered: u8,
    /// Tells its ids from those of other texts on the page.
    pub id: &'r str,
    /// What stands before the addresses of uploads; empty where there are none.
    pub uploads: &'r str,
    /// The form that its boxes belong to; empty where nobody may tick them.
    pub tasks: &'r str,
    /// Where addresses lead that are relative.
    pub relative: Relative<'r>,
}

impl Default for Rendering<'_> {
    fn default() -> Self {
        Rendering {
            find: &nothing,
            lowered: 0,
            id: "",
            uploads: "",
            tasks: "",
            relative: Relative::Here,
        }
    }
}

fn nothing(_: &str) -> Vec<Link> {
    Vec::new()
}

impl Rendering<'_> {
    /// GitHub-flavoured Markdown as safe HTML. A text of more than 1,000,000
    /// characters becomes a notice; [`Rendering::checked`] refuses it instead.
    pub fn html(&self, markdown: &str) -> String {
        let notice = "<p>This text is too long to be rendered.</p>\n";
        self.checked(markdown).unwrap_or_else(|_| notice.to_owned())
    }

    /// The same; more than 1,000,000 characters are [`Error::TooLarge`].
    pub fn checked(&self, markdown: &str) -> Result<String> {
        if markdown.len() > MAX_CHARS && markdown.chars().count() > MAX_CHARS {
            return Err(Error::TooLarge);
        }
        let rendered = match bounds::is_dear(markdown) {
            true => None,
            false => self.bounded(markdown),
        };
        Ok(neutralise(&rendered.unwrap_or_else(|| as_it_is(markdown))))
    }

    fn bounded(&self, markdown: &str) -> Option<String> {
        let (html, boxes) = self.cheap(&tame(markdown))?;
        let safe = SANITISER.clean(&html).to_string();
        let safe = bounds::is_bounded(&safe, markdown).then_some(safe)?;
        let shown = finish::finish(safe, self, &boxes);
        bounds::is_bounded(&shown, markdown).then_some(shown)
    }

    /// HTML that is cheap to sanitise, not yet safe: raw HTML goes through if it
    /// is, else it is shown as text; and what its boxes are about. None when even
    /// that is too dear.
    fn cheap(&self, markdown: &str) -> Option<(String, Vec<String>)> {
        let mut options = options();
        let arena = Arena::new();
        // Told apart while words are looked for, shown as the rest.
        options.render.escaped_char_spans = true;
        let root = comrak::parse_document(&arena, markdown, &options);
        options.render.escaped_char_spans = false;
        links::lead(&arena, root, self.find);
        let boxes = dress::dress(&arena, root, self);
        for escape in [false, true] {
            options.render.r#unsafe = !escape;
            options.render.escape = escape;
            let mut html = bounds::Bounded::of(markdown);
            comrak::format_html(root, &options, &mut html).ok()?;
            let html = html.text;
            if depth(&html) <= MAX_DEPTH && escaping(&html) <= MAX_ESCAPING {
                return Some((html, boxes));
            }
        }
        None
    }
}

/// Renders a text that stands by itself and names nothing.
pub fn render(markdown: &str) -> String {
    Rendering::default().html(markdown)
}

/// The text itself, where rendering it would take too much: at most five times as
/// long, since quotes stay.
fn as_it_is(markdown: &str) -> String {
    let note = "This text is too complex to be rendered, so it is shown as it is.";
    let text = markdown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<p>{note}</p>\n<pre>{text}</pre>\n")
}

/// The text for HTML, also within quoted attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.footnotes = true;
    options.extension.shortcodes = true;
    options
}

/// Takes the meaning from lines that nest blocks too deeply: the parser visits
/// every open block for every line.
fn tame(markdown: &str) -> Cow<'_, str> {
    if !markdown.lines().any(nests_deeply) {
        return Cow::Borrowed(markdown);
    }
    let lines = markdown.lines().map(|line| match nests_deeply(line) {
        true => format!("\\{}\n", line.trim_start()),
        false => format!("{line}\n"),
    });
    Cow::Owned(lines.collect())
}

fn nests_deeply(line: &str) -> bool {
    let is_marker = |c: char| matches!(c, '>' | '-' | '+' | '*') || c.is_ascii_digit();
    let start = line
        .chars()
        .take_while(|&c| is_marker(c) || matches!(c, ' ' | '\t' | '.' | ')'));
    let (mut quotes, mut items, mut last) = (0, 0, None);
    for c in start {
        quotes += usize::from(c == '>');
        let ends_marker = last.is_some_and(|last| !matches!(last, ' ' | '\t' | '>'));
        items += usize::from(matches!(c, ' ' | '\t') && ends_marker);
        last = Some(c);
    }
    quotes + items > MAX_MARKERS
}

/// The deepest nesting of tags, counting each unclosed one, in one pass. It
/// reads HTML roughly and so counts too much rather than too little.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for (at, _) in html.match_indices('<') {
        let tag = &html[at + 1..];
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if tag.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_void(tag) {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Estimates what [`MAX_ESCAPING`] bounds, from above.
fn escaping(html: &str) -> usize {
    let (mut total, mut length, mut escaped) = (0_usize, 0_usize, 0_usize);
    for (at, byte) in html.bytes().enumerate() {
        let rest = &html.as_bytes()[at..];
        let ends =
            matches!(byte, b'<' | b'>') || rest.starts_with(b"&lt;") || rest.starts_with(b"&gt;");
        if ends {
            total = total.saturating_add(length * escaped);
            (length, escaped) = (0, 0);
        } else {
            length += 1;
            // 0xC2 starts the no-break space, which is escaped, and others.
            escaped += usize::from(matches!(byte, b'&' | 0xC2));
        }
    }
    total.saturating_add(length * escaped)
}

fn is_void(tag: &str) -> bool {
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
    ["br", "hr", "img", "input", "wbr", "col"]
        .iter()
        .any(|v| tag[..end].eq_ignore_ascii_case(v))
}

/// What is left of HTML: text structure, no scripts, styles, forms or frames.
static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .add_tags(["input", "section"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow noopener noreferrer"))
        .id_prefix(Some(ID_PREFIX))
        .add_tag_attributes("a", ["id"])
        .add_tag_attributes("li", ["id"])
        .add_tag_attributes("input", ["checked", "data-task"])
        .add_tag_attributes("pre", ["tabindex"])
        .add_tag_attributes("div", ["aria-label", "role", "tabindex"])
        .add_allowed_classes("div", ["table-scroll"])
        .add_allowed_classes("span", colours::CLASSES)
        .set_tag_attribute_values(HashMap::from([(
            "input",
            HashMap::from([("type", "checkbox"), ("disabled", ""), ("aria-label", "Task")]),
        )]))
        .add_allowed_classes("section", ["footnotes"])
        .add_allowed_classes("sup", ["footnote-ref"])
        .add_allowed_classes("a", ["anchor", "footnote-backref"])
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("a", "href") => Some(local_target(value)),
            // As ours are, and no others.
            ("input", "data-task") => tasks::number(value).map(|_| value.into()),
            ("pre" | "div", "tabindex") => (value == "0").then(|| value.into()),
            ("div", "role") => (value == "region").then(|| value.into()),
            ("div", "aria-label") => (value == "Table").then(|| value.into()),
            _ => Some(value.into()),
        });
    builder
});

/// Links within the text follow their targets, whose ids got a prefix.
fn local_target(href: &str) -> Cow<'_, str> {
    match href.strip_prefix('#') {
        Some(id) if !id.is_empty() && !id.starts_with(ID_PREFIX) => {
            format!("#{ID_PREFIX}{id}").into()
        }
        _ => href.into(),
    }
}

/// Replaces the invisible characters that reorder text, with which a text can
/// read differently from what it is.
fn neutralise(html: &str) -> String {
    html.replace(is_reordering, "\u{FFFD}")
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
