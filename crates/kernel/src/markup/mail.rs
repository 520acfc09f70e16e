//! Rendered texts in mail, which shows them without our styles and must not tell
//! anybody that it was opened.

use super::finish::tag_length;
use ammonia::{Builder, UrlRelative};
use std::collections::HashSet;
use url::Url;

/// A rendered text for a mail: nothing is fetched to show it, since pictures become
/// links, and relative addresses begin with that of this instance.
pub fn for_mail(html: &str, base: &str) -> String {
    let relative = match Url::parse(base) {
        Ok(base) => UrlRelative::RewriteWithBase(base),
        Err(_) => UrlRelative::Deny,
    };
    let mut builder = Builder::default();
    builder
        .rm_tags(["img", "map", "area"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(None)
        .url_relative(relative);
    builder.clean(&linked(html)).to_string()
}

/// The same with links to pictures in their place.
fn linked(html: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find("<img") {
        text.push_str(&rest[..at]);
        let (tag, behind) = rest[at..].split_at(tag_length(&rest[at..]));
        if let Some(source) = attribute(tag, "src") {
            let name = attribute(tag, "alt").filter(|name| !name.is_empty());
            let name = name.unwrap_or("picture");
            text.push_str(&format!("<a href=\"{source}\">{name}</a>"));
        }
        rest = behind;
    }
    text + rest
}

/// An attribute as it stands in a tag that the sanitiser wrote: in double quotes.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, behind) = tag.split_once(&format!(" {name}=\""))?;
    Some(behind.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::render;

    const BASE: &str = "https://tenon.example/sub/";

    #[test]
    fn pictures_are_links_and_addresses_are_whole() {
        let text =
            "![A > \"b\"](/-/project/1/a.png) and [it](/acme/-/issues/1)\n\n<img src=http://x/y>";
        let html = for_mail(&render(text), BASE);
        assert!(!html.contains("<img"), "{html}");
        for part in [
            "href=\"https://tenon.example/-/project/1/a.png\"",
            "href=\"https://tenon.example/acme/-/issues/1\"",
            "<a href=\"http://x/y\">picture</a>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn nothing_is_fetched_or_acts() {
        for text in [
            "![](javascript:alert(1)) <img src=//evil.example/a.png onerror=alert(1)>",
            "<picture><source srcset=http://x/y></picture><video src=http://x/y autoplay>",
            "<a href=x><img src=http://x/y alt='<script>'></a>",
            "<img src=\"http://x/y\"",
        ] {
            let html = for_mail(&render(text), BASE).to_lowercase();
            for part in ["<script", "<img", "<source", "<video", "javascript:", " on"] {
                assert!(!html.contains(part), "{part}: {html}");
            }
        }
    }
}
