//! What commits and tags say: text, in which addresses and names of commits are links.

use crate::visible::escaped;

/// Links of one message; what follows is text.
const MOST: usize = 200;
/// What ends an address that stands in a sentence.
const MARKS: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*'];

/// A message as HTML; `project_url` is where the commits are that it names.
pub fn html(text: &str, project_url: &str) -> String {
    let (mut html, mut links) = (String::new(), 0);
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let link = if links < MOST { link(bare, project_url) } else { None };
        let Some((range, to)) = link else {
            html.push_str(&escaped(word));
            continue;
        };
        links += 1;
        html.push_str(&escaped(&word[..range.start]));
        let (to, shown) = (escaped(&to), escaped(&word[range.clone()]));
        html.push_str(&format!("<a href=\"{to}\" rel=\"nofollow noopener\">{shown}</a>"));
        html.push_str(&escaped(&word[range.end..]));
    }
    html
}

/// What of a word leads somewhere, and where.
fn link(word: &str, project_url: &str) -> Option<(std::ops::Range<usize>, String)> {
    let begins = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme));
    if let Some(start) = begins.min() {
        let rest = word[start..].split(['<', '>', '"', '`']).next().unwrap_or_default();
        let url = rest.trim_end_matches(MARKS);
        let host = url.split_once("://").map_or("", |(_, host)| host);
        return (!host.is_empty()).then(|| (start..start + url.len(), url.to_owned()));
    }
    let id = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_id = id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let start = word.find(id).filter(|_| is_id)?;
    Some((
        start..start + id.len(),
        format!("{project_url}/-/commit/{}", id.to_ascii_lowercase()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
