//! Maven's `ComparableVersion`.

use std::cmp::Ordering;

use super::{is_number, numbers, runs};

/// A piece of a version, and whether a hyphen (or a change between digits and letters) stands
/// before it.
#[derive(Debug, Clone)]
struct Piece {
    after_hyphen: bool,
    text: String,
}

pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (parse(one), parse(other));
    for index in 0..one.len().max(other.len()) {
        let unequal = match (one.get(index), other.get(index)) {
            (Some(one), Some(other)) => both(one, other),
            (Some(one), None) => alone(one),
            (None, Some(other)) => alone(other).reverse(),
            (None, None) => Ordering::Equal,
        };
        if unequal != Ordering::Equal {
            return unequal;
        }
    }
    Ordering::Equal
}

fn parse(text: &str) -> Vec<Piece> {
    let text = text.to_ascii_lowercase();
    let mut all: Vec<Piece> = Vec::new();
    for (index, group) in text.split('-').enumerate() {
        for (place, part) in group.split('.').enumerate() {
            let pieces = runs(part);
            let pieces = if pieces.is_empty() { vec!["0"] } else { pieces };
            let followed = pieces.len() > 1;
            for (run, piece) in pieces.into_iter().enumerate() {
                let after_hyphen = (index > 0 && place == 0) || run > 0;
                let text = alias(piece, followed && run == 0);
                all.push(Piece { after_hyphen, text });
            }
        }
        trim(&mut all);
    }
    all
}

/// Zeros and what stands for a release say nothing at the end of a group.
fn trim(all: &mut Vec<Piece>) {
    let nothing = |it: &Piece| match is_number(&it.text) {
        true => numbers(&it.text, "0").is_eq(),
        false => it.text.is_empty(),
    };
    while all.last().is_some_and(nothing) {
        all.pop();
    }
}

fn alias(text: &str, before_digits: bool) -> String {
    let known = match text {
        "a" if before_digits => "alpha",
        "b" if before_digits => "beta",
        "m" if before_digits => "milestone",
        "cr" => "rc",
        "ga" | "final" | "release" => "",
        other => other,
    };
    known.to_owned()
}

/// Words in their order; those that nobody knows come after all others.
fn rank(text: &str) -> usize {
    const KNOWN: [&str; 7] = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];
    KNOWN.iter().position(|it| *it == text).unwrap_or(KNOWN.len())
}

fn both(one: &Piece, other: &Piece) -> Ordering {
    match (is_number(&one.text), is_number(&other.text)) {
        (true, true) => {
            // `1-1` is older than `1.1`.
            let by_number = numbers(&one.text, &other.text);
            other.after_hyphen.cmp(&one.after_hyphen).then(by_number)
        }
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => {
            rank(&one.text).cmp(&rank(&other.text)).then_with(|| one.text.cmp(&other.text))
        }
    }
}

/// A piece where the other version has ended.
fn alone(piece: &Piece) -> Ordering {
    match is_number(&piece.text) {
        true => numbers(&piece.text, "0"),
        false => rank(&piece.text).cmp(&rank("")),
    }
}
