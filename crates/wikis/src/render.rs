//! Pages as HTML. What they call other pages by leads to these, from where the page stands.

use crate::access::Wiki;
use crate::model::{Format, slug_of};
use crate::tree::Page;
use code::entity::in_address;
use kernel::error::{Error, Result};
use kernel::markup::{self, FilesBeside, Link, Relative, Rendering};

/// The text of a page as HTML that is safe to show.
pub async fn html(wiki: &Wiki, page: &Page) -> Result<String> {
    let content = page.matter().content.to_owned();
    if page.file.format != Format::Markdown {
        return Ok(format!("<pre tabindex=\"0\">{}</pre>", markup::escape(&content)));
    }
    let _turn = markup::turn().await?;
    let (url, uploads) = (wiki.url(), wiki.uploads());
    let folder = page.file.path.folder().to_string();
    let rendering = move || {
        let in_address = in_address(&folder);
        let files = FilesBeside { pages: &url, bytes: &url, folder: &in_address, query: "" };
        let find = |text: &str| links(text, &folder);
        let shown = Rendering {
            find: &find,
            lowered: 1,
            uploads: &uploads,
            relative: Relative::Files(files),
            ..Rendering::default()
        };
        shown.html(&content)
    };
    tokio::task::spawn_blocking(rendering).await.map_err(Error::internal)
}

/// `[[page]]` and `[[text|page]]` in a piece of text of a page in this folder.
fn links(text: &str, folder: &str) -> Vec<Link> {
    let (mut links, mut from) = (Vec::new(), 0);
    while let Some(at) = text[from..].find("[[").map(|at| from + at) {
        let Some(end) = text[at..].find("]]").map(|end| at + end) else {
            break;
        };
        let inside = &text[at + 2..end];
        from = end + 2;
        let (shown, target) = inside.split_once('|').unwrap_or((inside, inside));
        let is_one = !inside.contains(['[', ']', '\n']);
        if let Some(url) = target_of(target.trim(), folder).filter(|_| is_one) {
            links.push(Link {
                range: at..from,
                text: shown.trim().to_owned(),
                url,
                title: String::new(),
            });
        }
    }
    links
}

/// Where the name of a page leads, as from the root of the wiki.
fn target_of(target: &str, folder: &str) -> Option<String> {
    if target.starts_with("http://") || target.starts_with("https://") {
        return Some(target.to_owned());
    }
    let (page, part) =
        target.split_once('#').map_or((target, None), |(page, part)| (page, Some(part)));
    if page.contains(':') {
        return None;
    }
    let slug = slug_of(page);
    let whole = match (page.starts_with('/'), slug.is_empty()) {
        (_, true) => return part.map(|part| format!("#{}", in_address(part))),
        (false, _) if !folder.is_empty() => format!("{folder}/{slug}"),
        _ => slug,
    };
    let part = part.map_or(String::new(), |part| format!("#{}", in_address(part)));
    Some(format!("/{}{part}", in_address(&whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_lead_to_them() {
        let found = |text: &str| {
            let links = links(text, "guide").into_iter();
            links.map(|link| (link.text, link.url)).collect::<Vec<_>>()
        };
        let one = |text: &str, url: &str| vec![(text.to_owned(), url.to_owned())];
        assert_eq!(found("see [[How to]]."), one("How to", "/guide/How-to"));
        assert_eq!(found("[[Begin here | /home]]"), one("Begin here", "/home"));
        assert_eq!(found("[[a#b c]]"), one("a#b c", "/guide/a#b%20c"));
        assert_eq!(found("[[ü?x]]"), one("ü?x", "/guide/%C3%BC%3Fx"));
        assert_eq!(found("[[x|https://a.example/]]"), one("x", "https://a.example/"));
        for none in ["[[javascript:alert(1)]]", "[[", "[[a", "[[[a]]", "[[]]", "[[|]]"] {
            assert!(found(none).is_empty(), "{none}");
        }
    }
}
