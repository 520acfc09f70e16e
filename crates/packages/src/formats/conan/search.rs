//! Searching recipes by their names, and listing the binary packages of one.

use super::address::{INFO, MANIFEST, Recipe};
use super::{Client, Search, store};
use crate::rules::names::{invalid, require};
use crate::scope::Prefix;
use http::StatusCode;
use kernel::error::{Error, Found, Result};
use kernel::http::{Response, reply};
use regex::RegexBuilder;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// Longest pattern, in characters.
const MAX_PATTERN: usize = 300;
const MAX_RESULTS: usize = 10_000;

/// The recipes whose name, or a beginning of all they are called, fits.
pub async fn recipes(client: &Client, wanted: &Search) -> Result<Response> {
    let pattern = wanted.q.as_deref().filter(|text| !text.is_empty());
    let pattern = pattern.unwrap_or("*");
    let folds = !is_false(wanted.ignorecase.as_deref());
    let fits = Pattern::new(pattern, folds)?;
    let beginning = beginning(pattern);
    let found = client.read(move |tx, scope, _| store::recipes(tx, scope, &beginning));
    let by_project = matches!(client.prefix, Prefix::Instance);
    let mut results = BTreeSet::new();
    for (name, project) in found.await? {
        let Some(recipe) = Recipe::read(&name) else {
            continue;
        };
        // What is not named after its project is not found at this address.
        let is_here = !by_project || recipe.is_of(&project);
        if is_here && fits.recipe(&recipe) && results.len() < MAX_RESULTS {
            results.insert(name);
        }
    }
    reply::json(StatusCode::OK, &json!({"results": results}))
}

fn is_false(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.eq_ignore_ascii_case("false") || text == "0")
}

/// What the names of all recipes that fit begin with, folded.
fn beginning(pattern: &str) -> String {
    let plain = pattern.split(['*', '?', '/', '@']).next();
    kernel::ids::fold(plain.unwrap_or_default())
}

/// A pattern with `*` and `?`, matched in linear time.
struct Pattern {
    regex: regex::Regex,
    /// Only recipes without user and channel: the pattern ends with `@`.
    bare: bool,
}

impl Pattern {
    fn new(pattern: &str, folds: bool) -> Result<Pattern> {
        require("q", pattern.chars().count() <= MAX_PATTERN)?;
        let (pattern, bare) = match pattern.strip_suffix('@') {
            Some(rest) => (rest, true),
            None => (pattern, false),
        };
        let mut text = String::from("^(?:");
        for c in pattern.chars() {
            match c {
                '*' if text.ends_with(".*") => {}
                '*' => text.push_str(".*"),
                '?' => text.push('.'),
                c => text.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            }
        }
        text.push_str(")$");
        let regex = RegexBuilder::new(&text)
            .case_insensitive(folds)
            .dot_matches_new_line(true)
            .build()
            .map_err(|_| invalid("q"))?;
        Ok(Pattern { regex, bare })
    }

    fn recipe(&self, recipe: &Recipe) -> bool {
        let is_bare = recipe.project().is_none();
        if self.bare && !is_bare {
            return false;
        }
        let mut texts = recipe.beginnings().into_iter();
        texts.any(|text| self.regex.is_match(&text)) || self.regex.is_match(&recipe.full())
    }
}

/// The binary packages of a recipe: of this revision, or of the newest.
pub async fn binaries(
    client: &Client, recipe: &Recipe, revision: Option<&str>, list_only: Option<&str>,
) -> Result<Response> {
    let revision = revision.map(str::to_owned);
    let found = client.look(recipe, move |tx, package| {
        let revision = match revision {
            Some(revision) => {
                let known = store::has_recipe(tx, package, &revision)?;
                known.then_some(revision).found("Package")?
            }
            None => {
                let newest = store::revisions(tx, package, 1)?;
                newest.into_iter().next().found("Package")?.revision
            }
        };
        store::infos(tx, package, &revision)
    });
    let short = list_only.is_some_and(|_| !is_false(list_only));
    reply::json(StatusCode::OK, &newest(&found.await?, short)?)
}

/// Of each binary package what its newest complete revision is made for, as it
/// was read in its `conaninfo.txt`.
fn newest(found: &[store::About], short: bool) -> Result<Map<String, Value>> {
    let mut revisions: HashMap<&str, &str> = HashMap::new();
    for one in found.iter().filter(|one| one.path == MANIFEST) {
        revisions.entry(&one.reference).or_insert(&one.revision);
    }
    let references = revisions.keys().map(|name| ((*name).to_owned(), json!({})));
    let mut shown: Map<String, Value> = references.collect();
    for one in found.iter().filter(|one| one.path == INFO && !short) {
        let is_newest = revisions.get(one.reference.as_str()) == Some(&one.revision.as_str());
        if let (true, Some(told)) = (is_newest, &one.metadata) {
            let told = serde_json::from_str(told).map_err(Error::internal)?;
            shown.insert(one.reference.clone(), told);
        }
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, folds: bool, recipe: &str) -> bool {
        let recipe = Recipe::read(recipe).unwrap();
        Pattern::new(pattern, folds).unwrap().recipe(&recipe)
    }

    #[test]
    fn patterns_fit_names_and_more_of_a_recipe() {
        for pattern in [
            "*",
            "hammer",
            "HAM*",
            "h?mmer",
            "hammer/*",
            "hammer/1.0",
            "hammer/1.0@acme/*",
            "hammer/1.0@acme/stable",
            "*/1.0",
            "*@acme/stable",
            "***mm***",
        ] {
            assert!(fits(pattern, true, "hammer/1.0@acme/stable"), "{pattern}");
        }
        for pattern in ["ham", "ammer*r", "hammer/2*", "hammer/1.0@", "[h]ammer", "h.mmer", "%"] {
            assert!(!fits(pattern, true, "hammer/1.0@acme/stable"), "{pattern}");
        }
        assert!(!fits("Ham*", false, "hammer/1.0@_/_"));
        for pattern in ["hammer/1.0@", "hammer/1.0", "hammer/1.0@_/_", "ham*@"] {
            assert!(fits(pattern, true, "hammer/1.0@_/_"), "{pattern}");
        }
        assert!(Pattern::new(&"*a".repeat(200), true).is_err());
        assert_eq!(beginning("Ham*er/1.0"), "ham");
        assert_eq!(beginning("*"), "");
    }

    #[test]
    fn hostile_patterns_take_linear_time() {
        let pattern = Pattern::new(&format!("{}b", "*a".repeat(140)), true).unwrap();
        let recipe = Recipe::read(&format!("{}/1.0@_/_", "a".repeat(50))).unwrap();
        let began = std::time::Instant::now();
        for _ in 0..2_000 {
            assert!(!pattern.recipe(&recipe));
        }
        assert!(began.elapsed().as_secs() < 5);
    }
}
