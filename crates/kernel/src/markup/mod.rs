//! Markdown from users, rendered to HTML that is safe to show.
//!
//! Runs on the caller's thread: a long text takes tens of milliseconds, so
//! call it on a blocking thread or within a store closure's preparation.

mod bounds;
mod links;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use comrak::{Arena, Options};

use crate::error::{Error, Result};
pub use bounds::turn;
pub use links::{Find, Link};

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

/// Renders GitHub-flavoured Markdown. A text of more than 1,000,000 characters
/// becomes a notice; [`checked`] refuses it instead.
pub fn render(markdown: &str) -> String {
    linked(markdown, &|_| Vec::new())
}

/// Renders like [`render`], with links for the words that are found to lead
/// somewhere.
pub fn linked(markdown: &str, find: &Find<'_>) -> String {
    let notice = "<p>This text is too long to be rendered.</p>\n";
    checked(markdown, find).unwrap_or_else(|_| notice.to_owned())
}

/// Renders like [`linked`]; more than 1,000,000 characters are
/// [`Error::TooLarge`].
pub fn checked(markdown: &str, find: &Find<'_>) -> Result<String> {
    if markdown.len() > MAX_CHARS && markdown.chars().count() > MAX_CHARS {
        return Err(Error::TooLarge);
    }
    let rendered = match bounds::is_dear(markdown) {
        true => None,
        false => to_html(&tame(markdown), find).map(|html| SANITISER.clean(&html).to_string()),
    };
    let safe = rendered
        .filter(|html| bounds::is_bounded(html, markdown))
        .unwrap_or_else(|| as_it_is(markdown));
    Ok(neutralise(&safe))
}

/// The text itself, where rendering it would take too much.
fn as_it_is(markdown: &str) -> String {
    let note = "This text is too complex to be rendered, so it is shown as it is.";
    format!("<p>{note}</p>\n<pre>{}</pre>\n", escape(markdown))
}

/// HTML that is cheap to sanitise, not yet safe: raw HTML goes through if it
/// is, else it is shown as text. None when even that is too dear.
fn to_html(markdown: &str, find: &Find<'_>) -> Option<String> {
    let mut options = options();
    let arena = Arena::new();
    // Told apart while words are looked for, shown as the rest.
    options.render.escaped_char_spans = true;
    let root = comrak::parse_document(&arena, markdown, &options);
    options.render.escaped_char_spans = false;
    links::lead(&arena, root, find);
    for escape in [false, true] {
        options.render.r#unsafe = !escape;
        options.render.escape = escape;
        let mut html = String::new();
        comrak::format_html(root, &options, &mut html).ok()?;
        if !bounds::is_bounded(&html, markdown) {
            return None;
        }
        if depth(&html) <= MAX_DEPTH && escaping(&html) <= MAX_ESCAPING {
            return Some(html);
        }
    }
    None
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
        .add_tag_attributes("input", ["checked"])
        .set_tag_attribute_values(HashMap::from([(
            "input",
            HashMap::from([("type", "checkbox"), ("disabled", ""), ("aria-label", "Task")]),
        )]))
        .add_allowed_classes("section", ["footnotes"])
        .add_allowed_classes("sup", ["footnote-ref"])
        .add_allowed_classes("a", ["footnote-backref"])
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("a", "href") => Some(local_target(value)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn the_flavour_is_rendered() {
        for (markdown, html) in [
            ("**b** ~~s~~", "<strong>b</strong> <del>s</del>"),
            ("|a|\n|-|\n|1|", "<td>1</td>"),
            ("- [x] done", "checked=\"\""),
            ("# Title", "<h1>Title</h1>"),
            ("`a < b`", "<code>a &lt; b</code>"),
            ("<details><summary>s</summary>x</details>", "<summary>s</summary>x</details>"),
            ("![alt](/a.png)", "<img src=\"/a.png\" alt=\"alt\">"),
        ] {
            assert!(render(markdown).contains(html), "{markdown}: {}", render(markdown));
        }
    }

    #[test]
    fn links_are_marked_and_footnotes_find_each_other() {
        let html = render("see https://example.com/x and a[^1]\n\n[^1]: note");
        let link = "<a href=\"https://example.com/x\" rel=\"nofollow noopener noreferrer\">";
        assert!(html.contains(link), "{html}");
        assert!(html.contains("href=\"#user-content-fn-1\""), "{html}");
        assert!(html.contains("id=\"user-content-fn-1\""), "{html}");
        assert!(html.contains("id=\"user-content-fnref-1\""), "{html}");
    }

    #[test]
    fn nothing_active_survives() {
        for markdown in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](&#106;avascript:alert(1))",
            "[x](java\u{1}script:alert(1))",
            "<a href=\"java&#10;script:alert(1)\">x</a>",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
            "[x](vbscript:x)",
            "<svg><script>alert(1)</script></svg>",
            "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
            "<iframe src=//x></iframe><form action=/><button>x</button></form>",
            "<style>*{display:none}</style><p style=\"position:fixed\">x</p>",
            "<input type=text name=password autofocus>",
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            "```\"onmouseover=alert(1)\nx\n```",
        ] {
            let html = render(markdown).to_lowercase();
            for active in ["<script", "<svg", "<math", "<iframe", "<form", "<button", "<style"] {
                assert!(!html.contains(active), "{markdown}: {html}");
            }
            for (tag, _) in html.split('<').filter_map(|part| part.split_once('>')) {
                for active in [" on", "script:", "data:", "style=", "type=\"text", "autofocus"] {
                    assert!(!tag.contains(active), "{markdown}: {html}");
                }
            }
        }
    }

    #[test]
    fn words_lead_on_outside_of_code_and_links() {
        let find = |text: &str| -> Vec<Link> {
            let one = |(at, word): (usize, &str)| Link {
                range: at..at + word.len(),
                text: "<one>".to_owned(),
                url: "/1?a=b&c".to_owned(),
                title: "\"first\"".to_owned(),
            };
            text.match_indices("#1").map(one).collect()
        };
        let link = "<a href=\"/1?a=b&amp;c\" title=\"&quot;first&quot;\" \
                    rel=\"nofollow noopener noreferrer\">&lt;one&gt;</a>";
        for (markdown, html) in [
            ("see #1, **#1**", format!("see {link}, <strong>{link}</strong>")),
            ("`#1` \\#1", "<code>#1</code> #1".to_owned()),
            ("    #1", "<pre><code>#1\n</code></pre>".to_owned()),
            ("|#1|\n|-|", format!("<th>{link}</th>")),
        ] {
            let shown = linked(markdown, &find);
            assert!(shown.contains(&html), "{markdown}: {shown}");
        }
        let shown = linked("[to #1](/x) ![#1](/y.png) https://example.com/#1", &find);
        assert!(!shown.contains("one"), "{shown}");
    }

    #[test]
    fn ids_do_not_meet_those_of_the_page() {
        let html = render("<a id=\"login\" name=\"x\">x</a>");
        assert!(html.contains("id=\"user-content-login\"") && !html.contains("name"), "{html}");
    }

    #[test]
    fn reordering_characters_are_made_visible() {
        let html = render("a\u{202E}b &#x202E; `\u{2066}` [x](/a \"&#x2069;\")");
        assert!(!html.contains(is_reordering));
        assert_eq!(html.matches('\u{FFFD}').count(), 4, "{html}");
    }

    #[test]
    fn the_longest_text_is_refused() {
        assert!(matches!(
            checked(&"ä".repeat(MAX_CHARS + 1), &|_| Vec::new()),
            Err(Error::TooLarge)
        ));
        assert!(render(&"x".repeat(MAX_CHARS + 1)).contains("too long"));
        assert!(checked(&"ä\n".repeat(1000), &|_| Vec::new()).is_ok());
    }

    #[test]
    fn deep_lines_lose_their_meaning_and_nothing_else() {
        let html = render(&format!("{} x\n\n> quote\n\n- - - item", ">".repeat(500)));
        assert!(html.contains("&gt;&gt;&gt;") && html.contains("<blockquote>"), "{html}");
        assert!(!nests_deeply("--------------------------------------------------------"));
        assert!(!nests_deeply("* 2026-11-20 12:00:00 some log line"));
    }

    #[test]
    fn bombs_take_less_than_a_second() {
        // Debug builds leave dependencies unoptimised, ten times slower.
        let limit = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });
        let n = 50_000;
        for (name, bomb) in [
            ("quotes", ">".repeat(n)),
            ("spaced quotes", "> ".repeat(n)),
            ("quoted lines", format!("{}\n", "> ".repeat(30)).repeat(n / 60)),
            ("lists", "- ".repeat(n)),
            ("growing lists", (0..400).map(|d| format!("{}- x\n", "  ".repeat(d))).collect()),
            ("numbers", "1. ".repeat(n)),
            ("brackets", "[".repeat(n)),
            ("images", "![".repeat(n)),
            ("links", "[a](".repeat(n)),
            ("stars", "*a **a ".repeat(n)),
            ("closing stars", format!("{}x{}", "*".repeat(n), "*".repeat(n))),
            ("underscores", "_a __a ".repeat(n)),
            ("ticks", (1..400).map(|d| "`".repeat(d) + " ").collect()),
            ("tags", "<div>".repeat(n)),
            ("formatting", "<b>".repeat(n)),
            ("anchors", "<a href=x>".repeat(n)),
            ("tables in tables", "<table><tr><td>".repeat(n / 2)),
            ("angles", "<".repeat(n)),
            ("comments", "<!--".repeat(n)),
            ("declarations", "<!A".repeat(n)),
            ("instructions", "<?".repeat(n)),
            ("entities", "&".repeat(n)),
            ("entities in a title", format!("[x](/ \"{}\")", "&".repeat(n))),
            ("degrees", "°".repeat(n)),
            ("footnotes", (0..5000).map(|d| format!("[^{d}]\n\n[^{d}]: x\n\n")).collect()),
            (
                "wide table",
                format!("{}\n{}\n{}", "|a".repeat(3000), "|-".repeat(3000), "|\n".repeat(3000)),
            ),
            ("addresses", "a@b.".repeat(n)),
            ("web addresses", "http://".repeat(n)),
        ] {
            let started = Instant::now();
            render(&bomb);
            let took = started.elapsed();
            assert!(took < limit, "{name}: {took:?}");
        }
    }
}
