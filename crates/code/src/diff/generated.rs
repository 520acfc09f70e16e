//! Files that programs wrote, which differences show folded: by `.gitattributes`, else
//! by their names.

use crate::caching::by_bytes;
use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Path};
use std::cell::Cell;
use std::sync::Arc;

/// Bytes of all that is remembered.
const ALL: u64 = 4 * 1024 * 1024;
/// Largest `.gitattributes` that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;
/// Steps that are taken to compare all paths of a page with all patterns.
const MOST_STEPS: usize = 5_000_000;
/// Lines of `.gitattributes` that are read.
const MOST_LINES: usize = 2000;
/// What says that a file was generated; the vendor's names and ours.
const ATTRIBUTES: &[&str] = &["generated", "linguist-generated", "gitlab-generated"];
/// What package managers and tools write.
const NAMES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "composer.lock",
    "Cargo.lock",
    "Gemfile.lock",
    "poetry.lock",
    "Pipfile.lock",
    "pdm.lock",
    "uv.lock",
    "go.sum",
    "mix.lock",
    "pubspec.lock",
    "flake.lock",
    "Podfile.lock",
    "packages.lock.json",
    "gradle.lockfile",
    ".terraform.lock.hcl",
];
const ENDINGS: &[&str] = &[
    ".min.js",
    ".min.css",
    ".js.map",
    ".css.map",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    ".pb.rs",
    ".designer.cs",
];

/// Patterns, and what is said of the files that fit.
type Rules = Vec<(String, bool)>;

/// What was read lately, by repository, removals of objects there, and commit: that never
/// says anything else.
struct Recent(Cache<(i64, i64, ObjectId), Arc<Rules>>);

impl Default for Recent {
    fn default() -> Recent {
        let size = |_: &(i64, i64, ObjectId), rules: &Arc<Rules>| {
            rules
                .iter()
                .map(|(pattern, _)| pattern.len() + size_of::<(String, bool)>())
                .sum()
        };
        Recent(by_bytes(ALL, size))
    }
}

/// What a repository says of its files.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    rules: Arc<Rules>,
    /// Steps taken so far: patterns and paths are somebody else's.
    steps: Cell<usize>,
}

impl Generated {
    /// Reads the `.gitattributes` of the root.
    pub fn read(text: &str) -> Generated {
        let rules = text.lines().take(MOST_LINES).filter_map(|line| {
            let mut words = line.split_whitespace();
            let pattern = words.next().filter(|first| !first.starts_with(['#', '!', '[']))?;
            let said = words.filter_map(said).next_back()?;
            Some((pattern.to_owned(), said))
        });
        Generated { rules: Arc::new(rules.collect()), steps: Cell::new(0) }
    }

    /// Whether a program wrote the file at a path.
    pub fn has(&self, path: &str) -> bool {
        let said = self.rules.iter().rev().find(|(pattern, _)| fits(pattern, path, &self.steps));
        said.map_or_else(|| is_by_name(path), |(_, said)| *said)
    }
}

/// What a repository says of its files in a commit; one without `.gitattributes`, or with
/// too large ones, says nothing.
///
/// # Errors
///
/// `Unavailable` if too many read at once.
pub async fn of(app: &App, repository: &Repository, commit: ObjectId) -> Result<Generated> {
    let (key, recent) = ((repository.id, repository.epoch, commit), app.kept::<Recent>());
    if let Some(rules) = recent.0.get(&key) {
        return Ok(Generated { rules, steps: Cell::new(0) });
    }
    let text = objects::read(app, repository, move |objects| {
        let path = Path::read(".gitattributes").unwrap_or_default();
        let Some(commit) = objects.commit(commit)? else { return Ok(None) };
        let Some(entry) = objects.entry(commit.tree, &path)? else {
            return Ok(Some(Vec::new()));
        };
        let blob = objects.blob(entry.id, LARGEST)?;
        Ok(Some(blob.and_then(|blob| blob.content).unwrap_or_default()))
    });
    // One that is not there yet may come.
    let Some(text) = text.await? else {
        return Ok(Generated::default());
    };
    let found = Generated::read(&String::from_utf8_lossy(&text));
    recent.0.insert(key, found.rules.clone());
    Ok(found)
}

/// What an attribute says, if it is one of ours.
fn said(word: &str) -> Option<bool> {
    let (name, value) = match (word.strip_prefix('-'), word.split_once('=')) {
        (Some(name), _) => (name, false),
        (None, Some((name, value))) => (name, !matches!(value, "false" | "0")),
        (None, None) => (word, true),
    };
    ATTRIBUTES.contains(&name).then_some(value)
}

fn is_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end))
}

/// Whether a pattern of `.gitattributes` is for a path: without a slash, for its name
/// anywhere.
fn fits(pattern: &str, path: &str, steps: &Cell<usize>) -> bool {
    match pattern.trim_start_matches('/') {
        bare if !pattern.contains('/') => {
            let name = path.rsplit('/').next().unwrap_or_default();
            matches(bare.as_bytes(), name.as_bytes(), steps)
        }
        rooted => matches(rooted.as_bytes(), path.as_bytes(), steps),
    }
}

/// `?` is a letter, `*` any within a folder, `**` any at all.
fn matches(pattern: &[u8], text: &[u8], steps: &Cell<usize>) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    // Behind `**`, where it was last tried, and whether only beginnings of names count.
    let mut far: Option<(usize, usize, bool)> = None;
    loop {
        steps.set(steps.get() + 1);
        if steps.get() > MOST_STEPS {
            return false;
        }
        if pattern[p..].starts_with(b"**") {
            let is_folder = pattern.get(p + 2) == Some(&b'/');
            p += 2 + usize::from(is_folder);
            (star, far) = (None, Some((p, t, is_folder)));
            continue;
        }
        match (pattern.get(p), text.get(t)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                p += 1;
                star = Some((p, t));
                continue;
            }
            (Some(b'?'), Some(letter)) if *letter != b'/' => {
                (p, t) = (p + 1, t + 1);
                continue;
            }
            (Some(one), Some(other)) if one == other => {
                (p, t) = (p + 1, t + 1);
                continue;
            }
            _ => {}
        }
        let within = star.filter(|(_, from)| text.get(*from).is_some_and(|next| *next != b'/'));
        if let Some((after, from)) = within {
            star = Some((after, from + 1));
            (p, t) = (after, from + 1);
            continue;
        }
        let Some((after, from, is_folder)) = far.filter(|(_, from, _)| *from < text.len()) else {
            return false;
        };
        let slash = text[from..].iter().position(|letter| *letter == b'/');
        let next = match (is_folder, slash) {
            (false, _) => from + 1,
            (true, Some(slash)) => from + slash + 1,
            (true, None) => return false,
        };
        (star, far) = (None, Some((after, next, is_folder)));
        (p, t) = (after, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_attributes_decide() {
        let rules = Generated::read(
            "# x\n*.out linguist-generated\n/api/*.rs generated=true\n\
             docs/** -diff linguist-generated=true\nCargo.lock -linguist-generated\n",
        );
        for path in ["a.out", "b/c.out", "api/x.rs", "docs/a/b.md", "x/yarn.lock", "a.min.js"] {
            assert!(rules.has(path), "{path}");
        }
        for path in ["a.rs", "x/api/x.rs", "api/y/x.rs", "Cargo.lock", "b/Cargo.lock"] {
            assert!(!rules.has(path), "{path}");
        }
        assert!(Generated::default().has("Cargo.lock"));
    }

    #[test]
    fn patterns_fit_as_in_git() {
        for (pattern, path, expected) in [
            ("*", "a/b", true),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("**/x", "x", true),
            ("**/x", "a/b/x", true),
            ("**/x", "a/bx", false),
            ("a/**/x", "a/x", true),
            ("a/**/x", "a/b/c/x", true),
            ("a/?", "a/b", true),
            ("a/?", "a/bc", false),
            ("a*b*c", "axbxbxc", true),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, path, &Cell::new(0)), expected, "{pattern} {path}");
        }
        let (slow, steps) = ("**a*".repeat(200), Cell::new(0));
        assert!((0..1000).all(|_| !fits(&slow, &("a".repeat(5000) + "/b"), &steps)));
    }
}
