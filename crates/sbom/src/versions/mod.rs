//! Which of two versions is the newer one, as each packager orders them.

mod debian;
mod maven;
mod pypi;
mod semantic;

use std::cmp::Ordering;

/// Longer texts are no versions of anything.
const LONGEST: usize = 256;

/// How two versions of packages of this type (of a package URL) follow one another; none
/// where that is not known.
pub fn compare(kind: &str, one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (one.trim(), other.trim());
    if one.len() > LONGEST || other.len() > LONGEST || one.is_empty() || other.is_empty() {
        return None;
    }
    match kind {
        "npm" | "cargo" | "golang" | "nuget" | "hex" | "pub" | "swift" | "semver"
        | "githubactions" | "bitnami" => semantic::compare(one, other),
        "pypi" => pypi::compare(one, other),
        "maven" => Some(maven::compare(one, other)),
        "gem" => semantic::compare_gems(one, other),
        "composer" => Some(semantic::compare_composer(one, other)),
        "deb" => Some(debian::compare(one, other)),
        "apk" => Some(debian::compare_alpine(one, other)),
        _ => None,
    }
}

/// Numbers of any length.
fn numbers(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// A text as runs of digits and runs of letters.
fn runs(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|it: char| it.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        all.push(run);
        rest = after;
    }
    all
}

#[cfg(test)]
mod tests;
