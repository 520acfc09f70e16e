//! Issues that a message closes: «Closes #1, acme/anvil#2 and #3», «fixed: issue #4», also
//! by their addresses.

use super::mentions;
use super::prose;
use super::references::{Name, find_with};

/// With which such a piece of text begins.
const STEMS: &[(&str, &[&str])] = &[
    ("close", &["close", "closes", "closed", "closing"]),
    ("fix", &["fix", "fixes", "fixed", "fixing"]),
    ("resolve", &["resolve", "resolves", "resolved", "resolving"]),
    ("implement", &["implement", "implements", "implemented", "implementing"]),
];

/// The issues that a text closes, each once; addresses begin with the instance's own.
pub fn closed(text: &str, own: &str) -> Vec<Name> {
    let mut all: Vec<Name> = Vec::new();
    for line in prose::lines(text).filter(|line| !line.is_code) {
        for (part, _) in mentions::spans(line.text).filter(|(_, is_code)| !is_code) {
            for name in closed_in(part, own) {
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        }
    }
    all
}

fn closed_in(part: &str, own: &str) -> Vec<Name> {
    let (mut all, mut from, mut goes_on) = (Vec::new(), 0, false);
    for one in find_with(part, own) {
        let before = &part[from..one.range.start];
        goes_on = matches!(one.name, Name::Issue(..))
            && ((goes_on && joins(before)) || ends_with_word(before));
        from = one.range.end;
        if goes_on {
            all.push(one.name);
        }
    }
    all
}

/// Whether what stands between two names makes them a list.
fn joins(between: &str) -> bool {
    matches!(between.trim(), "," | "and" | ", and") && between != "and"
}

/// Whether a text ends with a word that closes, and what may stand behind it.
fn ends_with_word(text: &str) -> bool {
    let bare = text.trim_end_matches(' ');
    let bare = ["issues", "issue"]
        .iter()
        .find_map(|word| bare.strip_suffix(word))
        .unwrap_or(bare);
    let bare = bare.trim_end_matches(' ');
    let word = bare.strip_suffix(':').unwrap_or(bare);
    if word.len() == text.len() {
        return false;
    }
    let last = word.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut letters = last.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let last: String = first.into_iter().chain(letters).collect();
    STEMS
        .iter()
        .any(|(stem, words)| last.starts_with(&stem[..3]) && words.contains(&last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<i64> {
        let number = |name: Name| match name {
            Name::Issue(_, iid) => Some(iid),
            _ => None,
        };
        closed(text, "https://tenon.example").into_iter().filter_map(number).collect()
    }

    #[test]
    fn words_close_what_they_stand_before() {
        for (text, closes) in [
            ("Closes #1", vec![1]),
            ("closing: #1, #2 and #3, and #4", vec![1, 2, 3, 4]),
            ("Fixed issue #1 and also #2", vec![1]),
            ("This resolves: issues acme/anvil#7", vec![7]),
            ("A title\n\nImplements #5\nSee #6", vec![5]),
            ("Closes:#8", vec![8]),
            ("Fixes https://tenon.example/a/b/-/issues/9 and #10.", vec![9, 10]),
        ] {
            assert_eq!(numbers(text), closes, "{text}");
        }
        for text in [
            "#1",
            "Closes#1",
            "CLOSES #1",
            "encloses #1",
            "Closes &1",
            "`Closes #1`",
            "closes the door of #1",
            "fixture #1",
            "Closes !1",
            "Closes https://tenon.example/a/b/-/merge_requests/1",
        ] {
            assert_eq!(numbers(text), Vec::<i64>::new(), "{text}");
        }
    }
}
