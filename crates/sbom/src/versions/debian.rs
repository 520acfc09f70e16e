//! Debian's order (deb-version), and Alpine's, which is near to it.

use std::cmp::Ordering;

use super::{is_number, numbers, runs};

pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one_epoch, one) = one.split_once(':').unwrap_or(("0", one));
    let (other_epoch, other) = other.split_once(':').unwrap_or(("0", other));
    let (one, one_revision) = one.rsplit_once('-').unwrap_or((one, "0"));
    let (other, other_revision) = other.rsplit_once('-').unwrap_or((other, "0"));
    numbers(one_epoch, other_epoch)
        .then_with(|| part(one, other))
        .then_with(|| part(one_revision, other_revision))
}

/// Letters before all but `~`, which comes before the end.
fn weight(letter: Option<char>) -> i64 {
    match letter {
        Some('~') => -1,
        None => 0,
        Some(letter) if letter.is_ascii_digit() => 0,
        Some(letter) if letter.is_ascii_alphabetic() => i64::from(u32::from(letter)),
        Some(letter) => i64::from(u32::from(letter)) + 256,
    }
}

fn part(mut one: &str, mut other: &str) -> Ordering {
    while !one.is_empty() || !other.is_empty() {
        let digit = |text: &str| text.find(|it: char| it.is_ascii_digit()).unwrap_or(text.len());
        let (one_word, one_rest) = one.split_at(digit(one));
        let (other_word, other_rest) = other.split_at(digit(other));
        let (mut ones, mut others) = (one_word.chars(), other_word.chars());
        loop {
            let (a, b) = (ones.next(), others.next());
            match weight(a).cmp(&weight(b)) {
                Ordering::Equal if a.is_none() && b.is_none() => break,
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        let end = |text: &str| text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
        let (one_number, one_after) = one_rest.split_at(end(one_rest));
        let (other_number, other_after) = other_rest.split_at(end(other_rest));
        match numbers(one_number, other_number) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
        (one, other) = (one_after, other_after);
    }
    Ordering::Equal
}

/// Numbers, a letter, suffixes (`_alpha`, `_p`), and the revision (`-r3`).
pub(super) fn compare_alpine(one: &str, other: &str) -> Ordering {
    let (one, one_revision) = one.rsplit_once("-r").unwrap_or((one, "0"));
    let (other, other_revision) = other.rsplit_once("-r").unwrap_or((other, "0"));
    let (one, one_suffix) = one.split_once('_').unwrap_or((one, ""));
    let (other, other_suffix) = other.split_once('_').unwrap_or((other, ""));
    part(one, other)
        .then_with(|| suffix(one_suffix).cmp(&suffix(other_suffix)))
        .then_with(|| numbers(one_revision, other_revision))
}

fn suffix(text: &str) -> (i32, u64) {
    let pieces = runs(text);
    let word = pieces.first().copied().unwrap_or_default();
    let number = pieces.get(1).filter(|it| is_number(it)).and_then(|it| it.parse().ok());
    let rank = match word {
        "alpha" => -4,
        "beta" => -3,
        "pre" => -2,
        "rc" => -1,
        "" => 0,
        _ => 1,
    };
    (rank, number.unwrap_or(0))
}
