//! What commits and tags say: text, in which addresses, names of commits and what else is
//! known are links.

use crate::visible::escaped;
use kernel::markup::{Find, Link};
use std::ops::Range;

/// Links of one message; what follows is text.
const MOST: usize = 200;
/// What ends an address that stands in a sentence.
const MARKS: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*'];

/// A message as HTML; `project_url` is where the commits are that it names, and `find`
/// finds what else it names.
pub fn html(text: &str, project_url: &str, find: &Find<'_>) -> String {
    let (mut html, mut left) = (String::new(), MOST);
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let found = if left > 0 {
            links(bare, project_url, find)
        } else {
            Vec::new()
        };
        let mut from = 0;
        for link in found.into_iter().take(left) {
            left -= 1;
            html.push_str(&escaped(&word[from..link.range.start]));
            from = link.range.end;
            html.push_str(&shown(&link));
        }
        html.push_str(&escaped(&word[from..]));
    }
    html
}

fn shown(link: &Link) -> String {
    let title = match link.title.is_empty() {
        true => String::new(),
        false => format!(" title=\"{}\"", escaped(&link.title)),
    };
    let (url, text) = (escaped(&link.url), escaped(&link.text));
    format!("<a href=\"{url}\"{title} rel=\"nofollow noopener\">{text}</a>")
}

/// What of a word leads somewhere, and where.
fn links(word: &str, project_url: &str, find: &Find<'_>) -> Vec<Link> {
    let one = |range: Range<usize>, url: String| {
        let text = word[range.clone()].to_owned();
        vec![Link { range, text, url, title: String::new() }]
    };
    if let Some(range) = address(word) {
        let url = &word[range.clone()];
        let known = find(url).into_iter().find(|link| link.range == (0..url.len()));
        return match known {
            Some(link) => vec![Link { range, ..link }],
            None => one(range, url.to_owned()),
        };
    }
    let id = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_id = id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match word.find(id).filter(|_| is_id) {
        Some(start) => {
            let url = format!("{project_url}/-/commit/{}", id.to_ascii_lowercase());
            one(start..start + id.len(), url)
        }
        None => find(word),
    }
}

/// Where in a word an address stands, without what ends it in a sentence.
fn address(word: &str) -> Option<Range<usize>> {
    let begins = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme));
    let start = begins.min()?;
    let rest = word[start..].split(['<', '>', '"', '`']).next().unwrap_or_default();
    let url = rest.trim_end_matches(MARKS);
    let host = url.split_once("://").map_or("", |(_, host)| host);
    (!host.is_empty()).then(|| start..start + url.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str, project_url: &str) -> String {
        super::html(text, project_url, &|_: &str| Vec::new())
    }

    #[test]
    fn what_is_known_is_a_link_and_what_leads_there_is_called_so() {
        let known = "https://x.example/a/1";
        let find = |text: &str| {
            let at = text.find("!1").map(|at| at..at + 2);
            let range = at.or_else(|| (text == known).then_some(0..text.len()));
            let link = range.map(|range| Link {
                range,
                text: "a!1".to_owned(),
                url: "/a/1".to_owned(),
                title: "\"One\"".to_owned(),
            });
            link.into_iter().collect::<Vec<_>>()
        };
        let link = "<a href=\"/a/1\" title=\"&quot;One&quot;\" rel=\"nofollow noopener\">a!1</a>";
        let html = super::html(&format!("Fix (!1),\nsee {known}. <b>"), "/p", &find);
        assert_eq!(html, format!("Fix ({link}),\nsee {link}. &lt;b&gt;"));
    }

    #[test]
    fn addresses_and_commits_are_links() {
        let id = "a".repeat(40);
        let text = format!("See (https://x.example/a?b&c), <b>\n\tnot http:// nor {id}1.\n{id}.");
        let html = html(&text, "/p");
        let url = "https://x.example/a?b&amp;c";
        assert_eq!(
            html,
            format!(
                "See (<a href=\"{url}\" rel=\"nofollow noopener\">{url}</a>), &lt;b&gt;\n\tnot \
                 http:// nor {id}1.\n<a href=\"/p/-/commit/{id}\" rel=\"nofollow noopener\">{id}</a>."
            )
        );
    }

    #[test]
    fn what_is_hostile_stays_text() {
        for text in ["javascript://https", "https://\"><script>", "http://", "\u{202e}", "'\"<>"] {
            let html = html(text, "/p");
            assert!(!html.contains("<script") && !html.contains('\u{202e}'), "{html}");
            assert!(!html.contains("href=\"javascript"), "{html}");
        }
        let many = "https://x.example ".repeat(1000);
        assert_eq!(html(&many, "/p").matches("<a ").count(), MOST);
        assert_eq!(html("", "/p"), "");
    }
}
