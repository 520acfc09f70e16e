//! What must hold of every text, for whoever makes up texts: the fuzzer.

use super::{Rendering, Tick};

/// Renders bytes as a text, as pages do.
///
/// # Panics
///
/// When what comes out could act, or a box ticks more than itself.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (uploads, tasks) = ("/-/project/1", "t-boxes");
    let html =
        Rendering { lowered: 2, id: "t-", uploads, tasks, ..Rendering::default() }.html(&text);
    check_tags(&html);
    for number in 0..3 {
        for done in [false, true] {
            let Some(ticked) = (Tick { number, done }).apply(&text) else {
                continue;
            };
            let differing = text.bytes().zip(ticked.bytes()).filter(|(a, b)| a != b).count();
            assert!(ticked.len() == text.len() && differing <= 1, "{text:?} became {ticked:?}");
        }
    }
}

/// No tag may act, and only ours may be sent.
fn check_tags(html: &str) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let mut ends = rest.match_indices('>').map(|(end, _)| end);
        let end = ends.find(|end| rest[..*end].matches('"').count().is_multiple_of(2));
        let tag = &rest[..end.expect("every tag is closed")];
        let bare: String = tag.split('"').step_by(2).collect::<String>().to_ascii_lowercase();
        let name = bare.trim_start_matches(['<', '/']).split([' ', '/']).next().unwrap_or_default();
        let active =
            ["script", "style", "iframe", "form", "object", "embed", "svg", "math", "link"];
        assert!(!active.contains(&name) && !bare.contains(" on"), "{tag}");
        assert!(
            name != "button" || tag.starts_with("<button class=\"task\"") || bare == "</button",
            "{tag}"
        );
        for scheme in ["javascript:", "data:", "vbscript:"] {
            let led = ["href", "src"].map(|name| format!("{name}=\"{scheme}"));
            assert!(!led.iter().any(|led| tag.to_ascii_lowercase().contains(led)), "{tag}");
        }
        rest = &rest[tag.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn texts_that_were_found_dangerous_elsewhere_are_not() {
        for text in [
            &b"<div title='\n\n- [ ] a\n\n```rust\nfn a() {}\n```\n\n# x\n\n|a|\n|-|"[..],
            b"- [ ] a\r- [x] b\r\n\t- [ ] c\n\xff\0[ ]",
            b"![a\"](</uploads/0123456789abcdef0123456789abcdef/a\">){width=1}",
            b"<a href=\"\n\n# [x](javascript:a)\n\n<button>x</button>",
            b"[^a]: # <b\n\n[^a] :tada: <input type=checkbox data-task=0>",
        ] {
            check(text);
        }
    }
}
