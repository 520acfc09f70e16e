//! The ends of lines of a text that came back out of a form: browsers send each as two
//! characters, whatever the file has.

use similar::{Algorithm, ChangeTag, TextDiff};
use std::time::Duration;

/// How long lines are compared.
const WHILE: Duration = Duration::from_millis(500);
const ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// What was typed, with the ends of lines that the file has: lines that were there
/// before keep theirs, others have what most have.
pub fn restored(original: &str, typed: &str) -> String {
    let before: Vec<(&str, &str)> = lines(original).collect();
    let usual = usual(&before);
    let after: Vec<(&str, &str)> = lines(typed).collect();
    let is_mixed = before.iter().any(|(_, end)| !end.is_empty() && *end != usual);
    let mut ends = vec![usual; after.len()];
    if is_mixed {
        let old: Vec<&str> = before.iter().map(|(line, _)| *line).collect();
        let new: Vec<&str> = after.iter().map(|(line, _)| *line).collect();
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Myers)
            .timeout(WHILE)
            .diff_slices(&old, &new);
        for change in diff.iter_all_changes().filter(|one| one.tag() == ChangeTag::Equal) {
            if let (Some(from), Some(to)) = (change.old_index(), change.new_index())
                && !before[from].1.is_empty()
            {
                ends[to] = before[from].1;
            }
        }
    }
    let mut text = String::with_capacity(typed.len());
    for ((line, end), kept) in after.iter().zip(ends) {
        text.push_str(line);
        if !end.is_empty() {
            text.push_str(kept);
        }
    }
    text
}

/// Each line and what it ends with; the last may end with nothing.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, behind) = rest.split_at(at);
        let length = match behind {
            "" => 0,
            two if two.starts_with("\r\n") => 2,
            _ => 1,
        };
        let (end, next) = behind.split_at(length);
        rest = next;
        Some((line, end))
    })
}

/// How most lines end.
fn usual(lines: &[(&str, &str)]) -> &'static str {
    let count = |wanted: &str| lines.iter().filter(|(_, end)| *end == wanted).count();
    let most = ENDS.into_iter().rev().max_by_key(|end| count(end));
    most.filter(|end| count(end) > 0).unwrap_or("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn files_keep_the_ends_of_their_lines() {
        for (original, typed, wanted) in [
            ("", "a\r\nb", "a\nb"),
            ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
            ("a\r\nb\r\n", "a\r\nc\r\nd", "a\r\nc\r\nd"),
            ("a\rb\r", "a\r\nb\r\nc\r\n", "a\rb\rc\r"),
            ("a\nb\r\nc\n", "a\r\nb\r\nx\r\nc\r\n", "a\nb\r\nx\nc\n"),
            ("no end", "no end\r\n", "no end\n"),
        ] {
            assert_eq!(restored(original, typed), wanted, "{original:?} {typed:?}");
        }
    }

    proptest! {
        #[test]
        fn what_nobody_changed_comes_back_as_it_was(original in "[ab\r\n]{0,40}") {
            let shown = original.replace("\r\n", "\n").replace('\r', "\n");
            let sent = shown.replace('\n', "\r\n");
            prop_assert_eq!(restored(&original, &sent), original);
        }
    }
}
