//! Bytes of each language, counted once for each tree.

use super::attributes::Attributes;
use super::table;
use kernel::app::App;
use kernel::error::{Error, Result};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Objects, Path};
use repositories::output;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of the list of files of a tree.
const MOST: usize = 64 * 1024 * 1024;
/// Bytes of `.gitattributes` that are read.
const MOST_ATTRIBUTES: u64 = 256 * 1024;
/// Trees whose languages are remembered.
const REMEMBERED: u64 = 10_000;

/// A language and how much of the whole it is, in percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    pub name: String,
    pub percent: f64,
}

/// What was counted.
struct Counted(Cache<(i64, ObjectId), Arc<Vec<Share>>>);

impl Default for Counted {
    fn default() -> Counted {
        Counted(Cache::new(REMEMBERED))
    }
}

/// The languages of the files of a tree, the most of first.
pub async fn of_tree(
    app: &App, repository: &Repository, tree: ObjectId,
) -> Result<Arc<Vec<Share>>> {
    let counted = app.kept::<Counted>();
    if let Some(known) = counted.0.get(&(repository.id, tree)) {
        return Ok(known);
    }
    let attributes = attributes(app, repository, tree).await?;
    let args = ["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options"];
    let listing =
        output::ask(app, repository.id, MOST, |git| git.args(args).args([tree.to_string()]));
    let listed = match listing.await {
        // So many files are nobody's work: it is not worth counting.
        Err(Error::TooLarge) => Vec::new(),
        listed => listed?,
    };
    let text = String::from_utf8_lossy(&listed).into_owned();
    let shares = Arc::new(shares(&sizes(&text, &attributes)));
    counted.0.insert((repository.id, tree), shares.clone());
    Ok(shares)
}

async fn attributes(app: &App, repository: &Repository, tree: ObjectId) -> Result<Attributes> {
    let read = move |objects: &Objects| {
        let Ok(path) = Path::read(".gitattributes") else {
            return Ok(None);
        };
        match objects.entry(tree, &path)? {
            Some(entry) => objects.blob(entry.id, MOST_ATTRIBUTES),
            None => Ok(None),
        }
    };
    let blob = objects::read(app, repository, read).await?;
    let content = blob.and_then(|blob| blob.content).unwrap_or_default();
    Ok(Attributes::read(&String::from_utf8_lossy(&content)))
}

/// Bytes of each language.
fn sizes(listed: &str, attributes: &Attributes) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    for (path, size) in listed.split('\0').filter_map(file) {
        if let Some(language) = language(path, attributes) {
            *sizes.entry(language).or_default() += size;
        }
    }
    sizes
}

/// The path and size of a file: `MODE blob ID SIZE<tab>PATH`.
fn file(line: &str) -> Option<(&str, u64)> {
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split_ascii_whitespace();
    // A link's content is a path.
    let is_file = words.next()?.starts_with("100") && words.next()? == "blob";
    let size = words.nth(1)?.parse().ok()?;
    is_file.then_some((path, size))
}

fn language(path: &str, attributes: &Attributes) -> Option<String> {
    let wish = attributes.of(path);
    let is_left_out = wish.vendored.unwrap_or_else(|| table::is_vendored(path))
        || wish.generated.unwrap_or_else(|| table::is_generated(path))
        || wish.documentation.unwrap_or_else(|| table::is_documentation(path))
        || wish.detectable == Some(false);
    if is_left_out {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    match wish.language {
        // What is not known here is called as they call it.
        Some(own) => Some(table::by_own_name(&own).map_or(own, str::to_owned)),
        None => table::by_name(name).map(str::to_owned),
    }
}

fn shares(sizes: &BTreeMap<String, u64>) -> Vec<Share> {
    let total: u64 = sizes.values().sum();
    let mut all: Vec<(&String, u64)> = sizes
        .iter()
        .map(|(name, size)| (name, *size))
        .filter(|(_, size)| *size > 0)
        .collect();
    all.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let percent = |size: u64| (size as f64 * 10_000.0 / total as f64).round() / 100.0;
    all.into_iter()
        .map(|(name, size)| Share { name: name.clone(), percent: percent(size) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_language() {
        let line = |mode: &str, size: &str, path: &str| {
            format!("{mode} blob {} {size:>7}\t{path}\0", "1".repeat(40))
        };
        let listed = [
            line("100644", "300", "src/main.rs"),
            line("100755", "100", "run.sh"),
            line("120000", "5", "link.rs"),
            line("100644", "9000", "vendor/a.go"),
            line("100644", "9000", "README.md"),
            line("100644", "0", "empty.py"),
            "160000 commit 1111 -\tsub\0".to_owned(),
        ]
        .concat();
        let plain = sizes(&listed, &Attributes::read(""));
        let share = |name: &str, percent| Share { name: name.into(), percent };
        assert_eq!(shares(&plain), [share("Rust", 75.0), share("Shell", 25.0)]);
        let own = "vendor/** -linguist-vendored\n*.rs linguist-language=Klingon\n\
            *.sh linguist-detectable=false\n";
        let own = sizes(&listed, &Attributes::read(own));
        assert_eq!(shares(&own), [share("Go", 96.77), share("Klingon", 3.23)]);
    }
}
