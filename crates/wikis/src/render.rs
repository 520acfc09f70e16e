//! Pages as HTML. What they call other pages by leads to these, from where the page stands.

use crate::access::Wiki;
use crate::model::{Format, slug_of};
use crate::tree::Page;
use code::entity::in_address;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::markup::{self, FilesBeside, Link, Relative, Rendering};
use spaces::pages::Space;
use spaces::references::{self, FindNamed, TextOf};
use store::Tx;

/// The text of a page as HTML that is safe to show, with links to what the viewer sees of
/// what it names.
pub async fn html(app: &App, viewer: &Viewer, wiki: &Wiki, page: &Page) -> Result<String> {
    let content = page.matter().content.to_owned();
    if page.file.format != Format::Markdown {
        return Ok(format!("<pre tabindex=\"0\">{}</pre>", markup::escape(&content)));
    }
    let named = named(app, viewer, wiki, content.clone()).await?;
    let _turn = markup::turn().await?;
    let (url, uploads) = (wiki.url(), wiki.uploads());
    let folder = page.file.path.folder().to_string();
    let rendering = move || {
        let in_address = in_address(&folder);
        let files = FilesBeside { pages: &url, bytes: &url, folder: &in_address, query: "" };
        let find = |text: &str| both(links(text, &folder), named(text));
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

async fn named(app: &App, viewer: &Viewer, wiki: &Wiki, text: String) -> Result<FindNamed> {
    let (viewer, space) = (viewer.clone(), wiki.space.clone());
    let read = move |tx: &mut Tx<'_>| {
        let of = match &space {
            Space::Project(project, _) => TextOf::Project(project),
            Space::Group(group, _) => TextOf::Group(group),
        };
        references::named(tx, &viewer, of, &[text.as_str()])
    };
    app.read(read).await
}

/// Links to pages and to what is named, in their order; what is named within a link stays
/// text.
fn both(mut pages: Vec<Link>, named: Vec<Link>) -> Vec<Link> {
    let is_free = |one: &Link| {
        let next = pages.partition_point(|page| page.range.end <= one.range.start);
        pages.get(next).is_none_or(|page| page.range.start >= one.range.end)
    };
    let named: Vec<Link> = named.into_iter().filter(is_free).collect();
    pages.extend(named);
    pages.sort_by_key(|link| link.range.start);
    pages
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
    fn what_is_named_within_a_link_stays_text() {
        let one = |range: std::ops::Range<usize>, text: &str| Link {
            range,
            text: text.to_owned(),
            url: String::new(),
            title: String::new(),
        };
        let pages = || vec![one(5..12, "page"), one(20..30, "other")];
        let named = vec![one(0..2, "#1"), one(8..10, "#2"), one(12..14, "#3"), one(29..31, "#4")];
        let all: Vec<String> = both(pages(), named).into_iter().map(|link| link.text).collect();
        assert_eq!(all, ["#1", "page", "#3", "other"]);
    }

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
