//! What is done to a text that is safe already: addresses of uploads, films,
//! boxes to tick, and headings that were written as HTML.
//!
//! It reads what the sanitiser writes: whole tags, attributes in double
//! quotes, and no angle in any text. What it puts in comes from here alone.

use super::{Relative, Rendering, tasks};
use std::borrow::Cow;

/// How the address of an upload begins in a text.
const UPLOADS: &str = "/uploads/";
/// Hexadecimal digits behind that.
const SECRET: usize = 32;

pub(super) fn finish(html: String, to: &Rendering<'_>, boxes: &[String]) -> String {
    let uploads = !to.uploads.is_empty() && html.contains(UPLOADS);
    let headings = to.lowered > 0 && ["<h1", "<h2"].iter().any(|tag| html.contains(tag));
    if !uploads && !headings && boxes.is_empty() && to.relative.is_here() {
        return html;
    }
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html.as_str();
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let length = tag_length(&rest[start..]);
        let tag = &rest[start..start + length];
        out.push_str(&dressed(tag, to, boxes));
        rest = &rest[start + length..];
    }
    out.push_str(rest);
    out
}

/// How long a tag is, with both angles; those in quotes are not its end.
pub(super) fn tag_length(html: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in html.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    html.len()
}

fn dressed<'t>(tag: &'t str, to: &Rendering<'_>, boxes: &[String]) -> Cow<'t, str> {
    let name = tag.trim_start_matches(['<', '/']);
    let name = name.split([' ', '>']).next().unwrap_or_default();
    match name {
        "img" if is_of_uploads(tag, "src", to) => picture(tag, to),
        "a" if is_of_uploads(tag, "href", to) => led(tag, "href", to),
        "img" | "a" | "source" if !to.relative.is_here() => elsewhere(tag, name, to.relative),
        "input" => task(tag, to, boxes),
        "h1" | "h2" if to.lowered > 0 => {
            // Those of Markdown are lowered already.
            let level = if name == "h1" { 1 } else { 2 } + to.lowered;
            tag.replacen(name, &format!("h{}", level.min(6)), 1).into()
        }
        _ => tag.into(),
    }
}

/// The value of an attribute, as it is written.
fn value<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    loop {
        let (before, after) = rest.split_once("=\"")?;
        let (value, next) = after.split_once('"')?;
        if before.rsplit(' ').next() == Some(name) {
            return Some(value);
        }
        rest = next;
    }
}

/// Whether an address of a text is that of an upload: a secret, and a name.
fn is_upload(url: &str) -> bool {
    let Some((secret, name)) = url.strip_prefix(UPLOADS).and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let is_hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    secret.len() == SECRET && secret.bytes().all(is_hex) && !name.is_empty() && !name.contains('/')
}

/// Whether a tag leads to an upload that there is here.
fn is_of_uploads(tag: &str, attribute: &str, to: &Rendering<'_>) -> bool {
    !to.uploads.is_empty() && value(tag, attribute).is_some_and(is_upload)
}

/// The tag with the whole address of the upload that it leads to.
fn led<'t>(tag: &'t str, attribute: &str, to: &Rendering<'_>) -> Cow<'t, str> {
    match value(tag, attribute) {
        Some(url) => {
            let (before, after) = (format!(" {attribute}=\"{url}\""), to.uploads);
            tag.replacen(&before, &format!(" {attribute}=\"{after}{url}\""), 1).into()
        }
        None => tag.into(),
    }
}

/// A picture, or the film or sound that an upload is.
fn picture<'t>(tag: &'t str, to: &Rendering<'_>) -> Cow<'t, str> {
    let Some(url) = value(tag, "src") else {
        return tag.into();
    };
    let Some(element) = crate::media::element(url) else {
        return led(tag, "src", to);
    };
    let about = value(tag, "alt").unwrap_or_default();
    let size = |name| value(tag, name).map(|value| format!(" {name}=\"{value}\""));
    let sizes: String = ["width", "height"].into_iter().filter_map(size).collect();
    let (begins, sizes) = (to.uploads, if element == "video" { sizes } else { String::new() });
    format!(
        "<{element} src=\"{begins}{url}\" aria-label=\"{about}\" controls preload=\"metadata\"{sizes}>\
         <a href=\"{begins}{url}\">{about}</a></{element}>"
    )
    .into()
}

/// A link or a picture whose address is relative to another place: the link
/// leads there, and so does the name of the picture, which is not here.
fn elsewhere<'t>(tag: &'t str, name: &str, relative: Relative<'_>) -> Cow<'t, str> {
    let attribute = if name == "a" { "href" } else { "src" };
    let Some(url) = value(tag, attribute) else {
        return tag.into();
    };
    let to = relative.led(url, name != "a");
    let written = format!(" {attribute}=\"{url}\"");
    match (name, to) {
        (_, Some(to)) if to == url => tag.into(),
        ("a", Some(to)) => tag.replacen(&written, &format!(" href=\"{to}\""), 1).into(),
        ("a", None) => tag.replacen(&written, "", 1).into(),
        (_, Some(to)) if relative.has_pictures() => {
            tag.replacen(&written, &format!(" src=\"{to}\""), 1).into()
        }
        ("img", _) => value(tag, "alt").unwrap_or_default().to_owned().into(),
        _ => "".into(),
    }
}

/// The button of a box.
fn task<'t>(tag: &'t str, to: &Rendering<'_>, boxes: &[String]) -> Cow<'t, str> {
    let number = value(tag, "data-task").and_then(tasks::number);
    match number.and_then(|number| Some((number, boxes.get(number)?))) {
        Some((number, about)) => {
            let is_done = tag.contains(" checked=");
            tasks::button(number, is_done, about, to.tasks).into()
        }
        None => tag.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn what_is_relative_to_another_place_does_not_lead_here() {
        let shown = |relative, html: &str| {
            let to = Rendering { relative, ..Rendering::default() };
            finish(html.to_owned(), &to, &[])
        };
        let html = "<a href=\"docs/a.md\" rel=\"x\">a</a><img src=\"b.png\" alt=\"B\">\
                    <a href=\"https://c.example/\">c</a>";
        assert_eq!(
            shown(Relative::Nowhere, html),
            "<a rel=\"x\">a</a>B<a href=\"https://c.example/\">c</a>"
        );
        assert_eq!(
            shown(Relative::Below("https://g.example/r/"), html),
            "<a href=\"https://g.example/r/docs/a.md\" rel=\"x\">a</a>B\
             <a href=\"https://c.example/\">c</a>"
        );
        assert_eq!(shown(Relative::Here, html), html);
    }

    #[test]
    fn only_uploads_get_the_address_of_their_place() {
        let to = Rendering { uploads: "/-/project/5", ..Rendering::default() };
        let full = |html: &str| finish(html.replace("S", SECRET), &to, &[]).replace(SECRET, "S");
        for (html, expected) in [
            (
                "<a href=\"/uploads/S/a.txt\" rel=\"x\">a</a>",
                "<a href=\"/-/project/5/uploads/S/a.txt\" rel=\"x\">a</a>",
            ),
            (
                "<img title=\"<a> src=\" src=\"/uploads/S/a.png\">",
                "<img title=\"<a> src=\" src=\"/-/project/5/uploads/S/a.png\">",
            ),
            ("<code>src=\"/uploads/S/a.png\"</code>", "<code>src=\"/uploads/S/a.png\"</code>"),
            ("<a href=\"/uploads/S/a/b\">", "<a href=\"/uploads/S/a/b\">"),
            ("<a href=\"/uploads/x/a\">", "<a href=\"/uploads/x/a\">"),
            ("<a href=\"/uploads/-/system/a\">", "<a href=\"/uploads/-/system/a\">"),
        ] {
            assert_eq!(full(html), expected);
        }
        let film = full(
            "<img src=\"/uploads/S/a.mp4\" alt=\"A\" width=\"9\"><img src=\"/uploads/S/b.mp3\" alt=\"B\">",
        );
        assert!(
            film.contains("<video src=\"/-/project/5/uploads/S/a.mp4\" aria-label=\"A\" controls")
        );
        assert!(film.contains(" width=\"9\"><a href=") && film.contains("</audio>"), "{film}");
    }
}
