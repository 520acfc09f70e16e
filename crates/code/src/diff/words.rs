//! Which words of a line changed.

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::Instant;

/// Longest line that is looked into, in bytes.
const LONGEST: usize = 1000;
/// Words of both lines, beyond which nothing is looked for.
const MOST: usize = 400;

/// The parts of two lines that differ, in bytes; none if they have too little in common
/// for that to be told apart, are too long, or the time is over.
pub fn changed(
    old: &str, new: &str, until: Instant,
) -> Option<(Vec<Range<usize>>, Vec<Range<usize>>)> {
    if old.len() > LONGEST || new.len() > LONGEST || Instant::now() >= until {
        return None;
    }
    let (before, after) = (words(old), words(new));
    if before.len() + after.len() > MOST {
        return None;
    }
    let (mut gone, mut come, mut same) = (Vec::new(), Vec::new(), 0);
    let (one, other): (Vec<&str>, Vec<&str>) = (texts(&before), texts(&after));
    for op in capture_diff_slices_deadline(Algorithm::Myers, &one, &other, Some(until)) {
        let (tag, one, other) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            same += weight(&before[one]);
            continue;
        }
        if !matches!(op, DiffOp::Insert { .. }) {
            push(&mut gone, range(&before, one));
        }
        if !matches!(op, DiffOp::Delete { .. }) {
            push(&mut come, range(&after, other));
        }
    }
    // Where less than a third is the same, all of it changed.
    let whole = weight(&before).max(weight(&after));
    (same * 3 >= whole && same > 0).then_some((gone, come))
}

fn texts<'t>(words: &[(usize, &'t str)]) -> Vec<&'t str> {
    words.iter().map(|(_, word)| *word).collect()
}

/// Letters without blanks.
fn weight(words: &[(usize, &str)]) -> usize {
    words.iter().map(|(_, word)| word.trim().len()).sum()
}

fn range(words: &[(usize, &str)], part: Range<usize>) -> Range<usize> {
    match (words.get(part.start), words.get(part.end.saturating_sub(1))) {
        (Some((from, _)), Some((last, word))) if part.start < part.end => *from..last + word.len(),
        _ => 0..0,
    }
}

fn push(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        _ if next.is_empty() => {}
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}

/// Words, blanks and other letters each by themselves, with where they begin.
fn words(line: &str) -> Vec<(usize, &str)> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, c) in line.char_indices() {
        let now = kind(c);
        if last.is_some_and(|last| last != now || now == 2) {
            words.push((from, &line[from..at]));
            from = at;
        }
        last = Some(now);
    }
    if from < line.len() {
        words.push((from, &line[from..]));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parts(old: &str, new: &str) -> Option<(Vec<String>, Vec<String>)> {
        let until = Instant::now() + Duration::from_secs(60);
        let (gone, come) = changed(old, new, until)?;
        let of = |text: &str, ranges: Vec<Range<usize>>| {
            ranges.into_iter().map(|range| text[range].to_owned()).collect()
        };
        Some((of(old, gone), of(new, come)))
    }

    #[test]
    fn words_that_changed_are_found() {
        let (gone, come) = parts("let größe = alt(1);", "let größe = neu(1, 2);").unwrap();
        assert_eq!((gone, come), (vec!["alt".into()], vec!["neu".into(), ", 2".into()]));
        let (gone, come) = parts("a b c", "a c").unwrap();
        assert_eq!((gone.concat().trim(), come.concat()), ("b", String::new()));
    }

    #[test]
    fn lines_without_much_in_common_changed_whole() {
        assert_eq!(parts("one two", "three four"), None);
        assert_eq!(parts("", "x"), None);
        assert_eq!(parts(&"x".repeat(2000), "x"), None);
        assert_eq!(changed("a b", "a c", Instant::now()), None);
    }
}
