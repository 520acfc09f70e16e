//! PEP 440.

use std::cmp::Ordering;

use super::{is_number, numbers, runs};

/// A version as it is compared.
#[derive(Debug)]
struct Version {
    epoch: String,
    release: Vec<String>,
    /// `a`, `b`, `rc` with a number; a development release of none of these comes before.
    pre: (i32, String),
    post: Option<String>,
    dev: Option<String>,
    local: Option<Vec<String>>,
}

pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (parse(one)?, parse(other)?);
    let order = numbers(&one.epoch, &other.epoch)
        .then_with(|| release(&one.release, &other.release))
        .then_with(|| one.pre.0.cmp(&other.pre.0))
        .then_with(|| numbers(&one.pre.1, &other.pre.1))
        .then_with(|| optional(one.post.as_deref(), other.post.as_deref(), Ordering::Less))
        .then_with(|| optional(one.dev.as_deref(), other.dev.as_deref(), Ordering::Greater))
        .then_with(|| local(one.local.as_deref(), other.local.as_deref()));
    Some(order)
}

fn release(one: &[String], other: &[String]) -> Ordering {
    for index in 0..one.len().max(other.len()) {
        let at = |list: &[String]| list.get(index).cloned().unwrap_or_else(|| "0".into());
        match numbers(&at(one), &at(other)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    Ordering::Equal
}

/// Where only one has it, what has none is `absent`.
fn optional(one: Option<&str>, other: Option<&str>, absent: Ordering) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => absent,
        (Some(_), None) => absent.reverse(),
        (Some(one), Some(other)) => numbers(one, other),
    }
}

fn local(one: Option<&[String]>, other: Option<&[String]>) -> Ordering {
    let (one, other) = match (one, other) {
        (None, None) => return Ordering::Equal,
        (None, Some(_)) => return Ordering::Less,
        (Some(_), None) => return Ordering::Greater,
        (Some(one), Some(other)) => (one, other),
    };
    for (one, other) in one.iter().zip(other) {
        let unequal = match (is_number(one), is_number(other)) {
            (true, true) => numbers(one, other),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => one.cmp(other),
        };
        if unequal != Ordering::Equal {
            return unequal;
        }
    }
    one.len().cmp(&other.len())
}

fn parse(text: &str) -> Option<Version> {
    let text = text.to_ascii_lowercase();
    let text = text.strip_prefix('v').unwrap_or(&text);
    let (public, local) = match text.split_once('+') {
        Some((public, local)) => (public, Some(local)),
        None => (text, None),
    };
    let (epoch, rest) = public.split_once('!').unwrap_or(("0", public));
    if !is_number(epoch) {
        return None;
    }
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
    let (release, suffix) = rest.split_at(end);
    let release: Vec<String> =
        release.trim_end_matches('.').split('.').map(str::to_owned).collect();
    if !release.iter().all(|it| is_number(it)) {
        return None;
    }
    let mut version = Version {
        epoch: epoch.to_owned(),
        release,
        pre: (4, "0".into()),
        post: None,
        dev: None,
        local: local.map(|it| it.split(['.', '-', '_']).map(str::to_owned).collect()),
    };
    suffixes(suffix, &mut version)?;
    if version.dev.is_some() && version.pre.0 == 4 && version.post.is_none() {
        version.pre.0 = 0;
    }
    Some(version)
}

/// `a1`, `.post2`, `-3`, `.dev4`: in this order, each once.
fn suffixes(text: &str, version: &mut Version) -> Option<()> {
    let pieces: Vec<&str> = text.split(['.', '-', '_']).flat_map(runs).collect();
    let mut pieces = pieces.into_iter().peekable();
    while let Some(word) = pieces.next() {
        if is_number(word) {
            version.post = Some(word.to_owned());
            continue;
        }
        let number = pieces.next_if(|it| is_number(it)).unwrap_or("0").to_owned();
        match word {
            "a" | "alpha" => version.pre = (1, number),
            "b" | "beta" => version.pre = (2, number),
            "rc" | "c" | "pre" | "preview" => version.pre = (3, number),
            "post" | "rev" | "r" => version.post = Some(number),
            "dev" => version.dev = Some(number),
            _ => return None,
        }
    }
    Some(())
}
