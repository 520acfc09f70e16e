//! A folder as pages show it: what is in it, and which commits changed it last.

use crate::caching::by_bytes;
use kernel::app::App;
use kernel::error::{Found, Result};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Entry, EntryKind, Objects, Path};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Entries of a page.
pub const PAGE: usize = 1000;
/// How long a page waits for the last commits, and how long they are looked for beside
/// it where that is not enough.
const WAIT: Duration = Duration::from_millis(400);
const WORK: Duration = Duration::from_secs(20);
/// Commits that a walk goes through at most.
const STEPS: usize = 200_000;
/// Bytes of titles that are remembered.
const ALL: u64 = 16 * 1024 * 1024;
/// Letters of a title that are remembered.
const TITLE: usize = 200;
/// Bytes of what a link leads to.
const LONGEST_LINK: u64 = 4096;
/// Bytes of a file that names submodules.
const LONGEST_MODULES: u64 = 256 * 1024;

/// A commit, as far as a row tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brief {
    pub id: ObjectId,
    pub title: String,
    pub author: String,
    pub at: kernel::time::Timestamp,
}

/// An entry of a folder.
#[derive(Debug, Clone)]
pub struct Item {
    pub entry: Entry,
    /// Where a link leads, as it is written.
    pub target: Option<String>,
    /// Where the repository of a submodule is, as `.gitmodules` says.
    pub module: Option<String>,
}

/// A part of a folder.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Of which commit it is.
    pub commit: Commit,
    pub items: Vec<Item>,
    /// How many entries there are in all.
    pub total: usize,
    /// Its file that tells what it is about, by name.
    pub readme: Option<Entry>,
}

/// The last commits of a folder and of the entries of a page.
#[derive(Debug, Default)]
pub struct LastCommits {
    pub folder: Option<Commit>,
    pub of: Vec<Option<Brief>>,
}

type Key = (i64, ObjectId, Path, usize);

/// Last commits that were looked for lately.
struct Recent(Cache<Key, Arc<LastCommits>>);

/// Folders whose last commits are being looked for beside requests.
struct Busy(Cache<Key, ()>);

impl Default for Recent {
    fn default() -> Recent {
        let size = |_: &Key, found: &Arc<LastCommits>| {
            found
                .of
                .iter()
                .map(|one| one.as_ref().map_or(8, |one| one.title.len() + 128))
                .sum()
        };
        Recent(by_bytes(ALL, size))
    }
}

impl Default for Busy {
    fn default() -> Busy {
        Busy(Cache::builder().max_capacity(64).time_to_live(WORK * 2).build())
    }
}

/// Folders come first, and submodules last.
fn rank(entry: &Entry) -> u8 {
    match entry.kind {
        EntryKind::Folder => 0,
        EntryKind::Submodule => 2,
        _ => 1,
    }
}

impl Folder {
    /// Reads one page, from 0, of a folder of a commit; none where there is no such folder.
    pub fn read(
        objects: &Objects, commit: Commit, path: &Path, page: usize,
    ) -> Result<Option<Folder>> {
        let folder = objects.entry(commit.tree, path)?;
        let Some(folder) = folder.filter(|entry| entry.kind == EntryKind::Folder) else {
            return Ok(None);
        };
        let mut entries = objects.tree(folder.id)?.found("Tree")?;
        entries.sort_by_key(rank);
        let readme = readme(&entries).cloned();
        let total = entries.len();
        let entries = entries.into_iter().skip(page.saturating_mul(PAGE)).take(PAGE);
        let entries: Vec<Entry> = entries.collect();
        let modules = match entries.iter().any(|entry| entry.kind == EntryKind::Submodule) {
            true => modules(objects, &commit)?,
            false => HashMap::new(),
        };
        let item = |entry: Entry| {
            let target = match entry.kind {
                EntryKind::Link => text(objects, entry.id, LONGEST_LINK)?,
                _ => None,
            };
            let module = match entry.kind {
                EntryKind::Submodule => modules.get(path.below(&entry.name).as_str()).cloned(),
                _ => None,
            };
            Ok(Item { entry, target, module })
        };
        let items = entries.into_iter().map(item).collect::<Result<_>>()?;
        Ok(Some(Folder { commit, items, total, readme }))
    }
}

fn text(objects: &Objects, id: ObjectId, most: u64) -> Result<Option<String>> {
    let content = objects.blob(id, most)?.and_then(|blob| blob.content);
    Ok(content.map(|content| String::from_utf8_lossy(&content).into_owned()))
}

/// The addresses of submodules by their paths, as `.gitmodules` of a commit says.
fn modules(objects: &Objects, commit: &Commit) -> Result<HashMap<String, String>> {
    let file = objects.entry(commit.tree, &Path::default().below(".gitmodules"))?;
    let file = file.filter(|file| file.kind != EntryKind::Folder);
    let text = match file {
        Some(file) => text(objects, file.id, LONGEST_MODULES)?,
        None => None,
    };
    Ok(modules_of(&text.unwrap_or_default()))
}

fn modules_of(text: &str) -> HashMap<String, String> {
    let (mut found, mut path, mut url) = (HashMap::new(), None, None);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            (path, url) = (None, None);
        }
        let value = |name: &str| {
            let rest = line.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            Some(rest.trim().trim_matches('"').to_owned())
        };
        path = value("path").or(path);
        url = value("url").or(url);
        if let (Some(path), Some(url)) = (&path, &url) {
            found.insert(path.clone(), url.clone());
        }
    }
    found
}

/// The file that says what a folder is about: one that is rendered before a plain one.
pub(crate) fn readme(entries: &[Entry]) -> Option<&Entry> {
    let files = entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Program));
    files
        .filter_map(|entry| Some((readme_rank(&entry.name)?, entry)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, entry)| entry)
}

/// Endings of files that are texts with markup.
const MARKUP: &[&str] = &[
    "adoc",
    "asciidoc",
    "creole",
    "mediawiki",
    "org",
    "pod",
    "rdoc",
    "rst",
    "textile",
    "txt",
    "wiki",
];

/// How good a name is for that, the best being 0.
fn readme_rank(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let word = match stem {
        "readme" => 0,
        "index" => 10,
        _ => return None,
    };
    match ending {
        "" => Some(word + 3),
        _ if is_markdown(&name) => Some(word),
        ending if MARKUP.contains(&ending) => Some(word + 2),
        _ => None,
    }
}

/// Whether a file of this name is Markdown.
pub fn is_markdown(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| {
        matches!(ending.as_str(), "md" | "markdown" | "mkd" | "mkdn" | "mdown")
    })
}

/// The last commits of a page of a folder. What takes too long is looked for beside the
/// request, and not told yet.
pub async fn last_commits(
    app: &App, repository: &Repository, folder: &Folder, (path, page): (&Path, usize),
) -> Result<Arc<LastCommits>> {
    let names = folder.items.iter().map(|item| item.entry.name.clone()).collect();
    let key = (repository.id, folder.commit.id, path.clone(), page);
    Wanted { key, folder: path.clone(), names }.find(app, repository).await
}

/// The last commit of one file, in the same way.
pub async fn last_commit(
    app: &App, repository: &Repository, commit: ObjectId, file: &Path,
) -> Result<Option<Brief>> {
    let names = [file.name().to_owned()].into();
    // No page of a folder has this number.
    let key = (repository.id, commit, file.clone(), usize::MAX);
    let found = Wanted { key, folder: file.folder(), names }.find(app, repository).await?;
    Ok(found.of.first().cloned().flatten())
}

/// Whose last commits are looked for.
#[derive(Clone)]
struct Wanted {
    key: Key,
    folder: Path,
    names: Arc<[String]>,
}

impl Wanted {
    async fn find(self, app: &App, repository: &Repository) -> Result<Arc<LastCommits>> {
        let recent = app.kept::<Recent>();
        if let Some(known) = recent.0.get(&self.key) {
            return Ok(known);
        }
        let (found, is_whole) = self.look(app, repository, WAIT).await?;
        let found = Arc::new(found);
        if is_whole {
            recent.0.insert(self.key, found.clone());
            return Ok(found);
        }
        let busy = app.kept::<Busy>();
        if busy.0.get(&self.key).is_none() {
            busy.0.insert(self.key.clone(), ());
            let (app, repository) = (app.clone(), repository.clone());
            tokio::spawn(async move {
                if let Ok((found, _)) = self.look(&app, &repository, WORK).await {
                    recent.0.insert(self.key, Arc::new(found));
                }
            });
        }
        Ok(found)
    }

    async fn look(
        &self, app: &App, repository: &Repository, time: Duration,
    ) -> Result<(LastCommits, bool)> {
        let Wanted { key: (_, commit, ..), folder, names } = self.clone();
        let work = move |objects: &Objects| {
            let until = Instant::now() + time;
            let changes = objects.last_changes(commit, &folder, &names, (STEPS, until))?;
            let mut ids: Vec<ObjectId> = changes.of.iter().flatten().copied().collect();
            ids.sort_unstable();
            ids.dedup();
            let commits = objects.commits(&ids)?;
            let briefs: HashMap<ObjectId, Brief> =
                commits.iter().map(|commit| (commit.id, Brief::of(commit))).collect();
            let of = changes.of.iter().map(|id| briefs.get(id.as_ref()?).cloned()).collect();
            let folder = changes.folder.map(|id| objects.commit(id)).transpose()?.flatten();
            Ok((LastCommits { folder, of }, changes.is_whole))
        };
        objects::read(app, repository, work).await
    }
}

impl Brief {
    /// A commit in short.
    pub fn of(commit: &Commit) -> Brief {
        Brief {
            id: commit.id,
            title: commit.title().chars().take(TITLE).collect(),
            author: commit.author.name.chars().take(TITLE).collect(),
            at: commit.committer.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Option<String> {
        let id = "1".repeat(40).parse().unwrap();
        let entry = |name: &&str| Entry { name: (*name).to_owned(), kind: EntryKind::File, id };
        let entries: Vec<Entry> = names.iter().map(entry).collect();
        readme(&entries).map(|entry| entry.name.clone())
    }

    #[test]
    fn a_readme_that_is_rendered_comes_first() {
        for (names, expected) in [
            (&["README", "readme.md"][..], Some("readme.md")),
            (&["README.txt", "README"], Some("README.txt")),
            (&["index.md", "Readme"], Some("Readme")),
            (&["INDEX.markdown", "a.md"], Some("INDEX.markdown")),
            (&["readme.html", "index.js", "README.md.bak"], None),
        ] {
            assert_eq!(chosen(names).as_deref(), expected, "{names:?}");
        }
    }

    #[test]
    fn submodules_are_named_with_their_addresses() {
        let text = "[submodule \"a\"]\n\tpath = lib/a\n\turl = https://a.example/a.git\n\
                    [submodule \"b\"]\n\turl = ../b.git\n\tpath = b\n[submodule \"c\"]\npath = c\n";
        let found = modules_of(text);
        assert_eq!(found.get("lib/a").map(String::as_str), Some("https://a.example/a.git"));
        assert_eq!(found.get("b").map(String::as_str), Some("../b.git"));
        assert_eq!(found.len(), 2);
    }
}
