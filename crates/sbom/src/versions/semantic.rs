//! Semantic versions, of any count of numbers, and what packagers made of them.

use std::cmp::Ordering;

use super::{is_number, numbers, runs};

/// A version of numbers with something before it was released.
struct Semantic<'a> {
    numbers: Vec<&'a str>,
    before: Vec<&'a str>,
}

fn parse(text: &str) -> Option<Semantic<'_>> {
    let text = text.strip_prefix(['v', 'V', '=']).unwrap_or(text);
    let text = text.split('+').next().unwrap_or_default();
    let (core, before) = match text.split_once('-') {
        Some((core, before)) => (core, before.split('.').collect()),
        None => (text, Vec::new()),
    };
    // Go writes its releases so: go1.2.3rc1.
    let core = core.strip_prefix("go").unwrap_or(core);
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.iter().all(|it| is_number(it)).then_some(Semantic { numbers, before })
}

pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (parse(one)?, parse(other)?);
    let by_numbers = padded(&one.numbers, &other.numbers);
    Some(by_numbers.then_with(|| before(&one.before, &other.before)))
}

fn padded(one: &[&str], other: &[&str]) -> Ordering {
    for index in 0..one.len().max(other.len()) {
        let at = |list: &[&str]| list.get(index).map_or("0", |it| it).to_owned();
        match numbers(&at(one), &at(other)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    Ordering::Equal
}

/// What is before a release is older than it; numbers are older than words.
fn before(one: &[&str], other: &[&str]) -> Ordering {
    match (one.is_empty(), other.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    for (one, other) in one.iter().zip(other) {
        let unequal = match (is_number(one), is_number(other)) {
            (true, true) => numbers(one, other),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => one.to_ascii_lowercase().cmp(&other.to_ascii_lowercase()),
        };
        if unequal != Ordering::Equal {
            return unequal;
        }
    }
    one.len().cmp(&other.len())
}

/// `Gem::Version`: words are older than numbers, wherever they stand.
pub(super) fn compare_gems(one: &str, other: &str) -> Option<Ordering> {
    let valid = |text: &str| {
        let known = |it: char| it.is_ascii_alphanumeric() || it == '.' || it == '-';
        text.starts_with(|it: char| it.is_ascii_digit()) && text.chars().all(known)
    };
    if !valid(one) || !valid(other) {
        return None;
    }
    let (one, other) = (one.replace('-', ".pre."), other.replace('-', ".pre."));
    let (one, other) = (segments(&one), segments(&other));
    for index in 0..one.len().max(other.len()) {
        let at = |list: &[String]| list.get(index).cloned().unwrap_or_else(|| "0".into());
        let (one, other) = (at(&one), at(&other));
        let unequal = match (is_number(&one), is_number(&other)) {
            (true, true) => numbers(&one, &other),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => one.cmp(&other),
        };
        if unequal != Ordering::Equal {
            return Some(unequal);
        }
    }
    Some(Ordering::Equal)
}

fn segments(text: &str) -> Vec<String> {
    let parts = text.split('.').flat_map(runs);
    parts.map(str::to_owned).collect()
}

/// PHP's `version_compare`, as Composer uses it.
pub(super) fn compare_composer(one: &str, other: &str) -> Ordering {
    let parts = |text: &str| -> Vec<String> {
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let text = text.split('+').next().unwrap_or_default();
        let pieces = text.split(['.', '-', '_']).flat_map(runs);
        pieces.map(str::to_ascii_lowercase).collect()
    };
    let (one, other) = (parts(one), parts(other));
    for index in 0..one.len().max(other.len()) {
        let at = |list: &[String]| list.get(index).cloned();
        let (one, other) = (at(&one), at(&other));
        let rank = |it: &Option<String>| match it {
            Some(text) if is_number(text) => 10,
            None => 6,
            Some(text) => word_rank(text),
        };
        let unequal = match (&one, &other) {
            (Some(one), Some(other)) if is_number(one) && is_number(other) => numbers(one, other),
            // `1.0` and `1.0.0` are the same to Composer.
            (Some(number), None) if is_number(number) && numbers(number, "0").is_eq() => {
                Ordering::Equal
            }
            (None, Some(number)) if is_number(number) && numbers(number, "0").is_eq() => {
                Ordering::Equal
            }
            _ => rank(&one).cmp(&rank(&other)),
        };
        if unequal != Ordering::Equal {
            return unequal;
        }
    }
    Ordering::Equal
}

fn word_rank(text: &str) -> i32 {
    match text {
        "dev" => 1,
        "a" | "alpha" => 2,
        "b" | "beta" => 3,
        "rc" | "c" => 4,
        "#" => 5,
        "pl" | "p" | "patch" => 7,
        _ => 0,
    }
}
