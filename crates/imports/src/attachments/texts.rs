//! Addresses in Markdown: where they stand, and the same text with others in their place.

use std::collections::HashMap;
use std::ops::Range;

/// How addresses begin.
const BEGIN: &str = "http";

/// How an address stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Where a link or a picture leads.
    Target,
    /// By itself.
    Bare,
}

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    /// What is replaced with it: a bare one may stand in angle brackets.
    at: Range<usize>,
    address: Range<usize>,
    standing: Standing,
}

/// What stands in the place of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instead {
    /// Where links lead in its place.
    pub target: String,
    /// What shows it where it stood by itself.
    pub markdown: String,
}

/// Those of some kind of the addresses that a text leads to or shows, as they are written, each
/// once and so many at most. Code is left alone.
pub fn addresses(text: &str, most: usize, is_wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for found in find(text) {
        let address = &text[found.address];
        if !is_wanted(address) || all.contains(&address) {
            continue;
        }
        if all.len() >= most {
            break;
        }
        all.push(address);
    }
    all
}

/// The same text with others in the place of some addresses.
pub fn replaced(text: &str, instead: &HashMap<String, Instead>) -> String {
    let (mut new, mut end) = (String::with_capacity(text.len()), 0);
    for found in find(text) {
        let Some(other) = instead.get(&text[found.address]) else {
            continue;
        };
        new.push_str(&text[end..found.at.start]);
        new.push_str(match found.standing {
            Standing::Target => &other.target,
            Standing::Bare => &other.markdown,
        });
        end = found.at.end;
    }
    new.push_str(&text[end..]);
    new
}

fn find(text: &str) -> Vec<Found> {
    let (mut all, mut begin, mut fence) = (Vec::new(), 0, None);
    for line in text.split_inclusive('\n') {
        let is_fence = fence_of(line);
        match (fence, is_fence) {
            (None, Some(sign)) => fence = Some(sign),
            (Some(open), Some(sign)) if open == sign => fence = None,
            (None, None) => find_in(text, begin..begin + line.len(), &mut all),
            _ => {}
        }
        begin += line.len();
    }
    all
}

/// What begins or ends a block of code.
fn fence_of(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|sign| line.starts_with(sign))
}

fn find_in(text: &str, line: Range<usize>, all: &mut Vec<Found>) {
    let (mut from, mut is_code) = (line.start, false);
    while let Some(start) = text[from..line.end].find(BEGIN).map(|at| from + at) {
        let signs = text[from..start].bytes().filter(|byte| *byte == b'`').count();
        is_code ^= signs % 2 == 1;
        let rest = &text[start..line.end];
        let end = match rest.starts_with("http://") || rest.starts_with("https://") {
            true => start + length(rest),
            false => start + BEGIN.len(),
        };
        from = end;
        if end - start == BEGIN.len() || is_code {
            continue;
        }
        all.extend(standing(text, start..end, &text[line.start..start]));
    }
}

/// How long the address is that a text begins with.
fn length(rest: &str) -> usize {
    let mut open = 0_usize;
    let is_end = |(_, c): &(usize, char)| match c {
        '(' => {
            open += 1;
            false
        }
        ')' if open > 0 => {
            open -= 1;
            false
        }
        c => c.is_whitespace() || c.is_control() || "<>\"'`|[])\\".contains(*c),
    };
    let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
    rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']).len()
}

/// How an address stands, by what is around it; none of one that is the text of a link.
fn standing(text: &str, address: Range<usize>, before: &str) -> Option<Found> {
    let behind = &text[address.end..];
    let is_target = before.ends_with("](")
        || before.ends_with("](<")
        || before.trim_end().ends_with("]:")
        || before.ends_with("=\"")
        || before.ends_with("='");
    let found = |at, standing| Some(Found { at, address: address.clone(), standing });
    match is_target {
        true => found(address.clone(), Standing::Target),
        false if before.ends_with('[') && behind.starts_with(']') => None,
        false if before.ends_with('<') && behind.starts_with('>') => {
            found(address.start - 1..address.end + 1, Standing::Bare)
        }
        false => found(address.clone(), Standing::Bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instead(addresses: &[&str]) -> HashMap<String, Instead> {
        let each = addresses.iter().map(|address| {
            let instead = Instead {
                target: "/uploads/s/a.png".into(),
                markdown: "![a](U)".into(),
            };
            ((*address).to_owned(), instead)
        });
        each.collect()
    }

    fn all(text: &str) -> Vec<&str> {
        addresses(text, 100, |_| true)
    }

    #[test]
    fn addresses_are_found_wherever_they_stand() {
        let text = "![a](https://h.example/a.png \"t\") <img src=\"https://h.example/b.png\">\n\
             see https://h.example/c(1).zip, or <https://h.example/d>.\n\
             [x](<https://h.example/e>) [1]\n\n[1]: https://h.example/f\n\
             [https://h.example/g](https://h.example/g)\n";
        let found = ["a.png", "b.png", "c(1).zip", "d", "e", "f", "g"]
            .map(|name| format!("https://h.example/{name}"));
        assert_eq!(all(text), found);
        assert_eq!(addresses(text, 2, |one| !one.ends_with("a.png")), found[1..3]);
    }

    #[test]
    fn code_is_left_alone() {
        let text =
            "`https://h.example/a` ``` x\n```\nhttps://h.example/b\n```\nhttps://h.example/c";
        assert_eq!(all(text), ["https://h.example/c"]);
        let open = "~~~\nhttps://h.example/b\n```\nhttps://h.example/c\n";
        assert_eq!(all(open), Vec::<&str>::new());
    }

    #[test]
    fn links_lead_elsewhere_and_what_stood_alone_is_shown() {
        let a = "https://h.example/a.png";
        let here = instead(&[a]);
        for (text, new) in [
            (format!("![x]({a}) é"), "![x](/uploads/s/a.png) é".to_owned()),
            (format!("<img src='{a}'>"), "<img src='/uploads/s/a.png'>".to_owned()),
            (format!("{a}."), "![a](U).".to_owned()),
            (format!("<{a}>"), "![a](U)".to_owned()),
            (format!("[{a}]({a})"), format!("[{a}](/uploads/s/a.png)")),
            (format!("`{a}` {a}2"), format!("`{a}` {a}2")),
            (format!("{a}\n{a}"), "![a](U)\n![a](U)".to_owned()),
        ] {
            assert_eq!(replaced(&text, &here), new, "{text}");
        }
    }

    #[test]
    fn any_text_may_be_looked_at() {
        for text in [
            "",
            "http://",
            "(((https://",
            "<http://é>",
            "https://a)b(c",
            "http http:/ ]: http://x\\",
        ] {
            assert_eq!(replaced(text, &HashMap::new()), text);
        }
    }
}
