//! What differs between two commits: a list of the files, and their lines, below one
//! another or side by side.
//!
//! ```ignore
//! let sides = Sides { old: commit.parents.first().copied(), new: commit.id };
//! let diff = DiffView::read(&app, &head, sides, &url, &params).await?;
//! ```
//!
//! How it is shown stands in the address, so that links remember it.

mod file;
mod rows;

use crate::diff::generated::Generated;
use crate::entity::in_address;
use crate::pages::CodeHead;
use askama::Template;
use askama::filters::HtmlSafe;
use file::FileView;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use repositories::diffs::{self, Asked, Diffs, Limits, Stats};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Path};
use std::time::{Duration, Instant};

/// How long words that changed are looked for, on one page.
const WORDS: Duration = Duration::from_millis(300);
/// Lines of one file that is shown alone.
const MOST_LINES: usize = 10_000;
/// Files up to which their list is open.
const FEW: usize = 20;
/// Largest `.gitattributes` that is read, in bytes.
const LARGEST_ATTRIBUTES: u64 = 64 * 1024;

/// What a page shows of all files: a part of a patch of any size is a page of some
/// megabytes at most.
fn page_limits() -> Limits {
    Limits {
        lines: 5000,
        bytes: 512_000,
        open_bytes: 20 * 1024,
        open_files: 100,
        ..Limits::default()
    }
}

kernel::params! {
    /// How what differs is shown.
    #[derive(Default)]
    pub struct DiffParams {
        /// `parallel` has both sides beside each other.
        pub view: Option<String>,
        /// `1` leaves out changes of white space.
        pub w: Option<String>,
        /// One file alone.
        pub path: Option<String>,
        /// Its path before, if that is another.
        pub old_path: Option<String>,
    }
}

/// The two commits that are compared; without the older one, with nothing.
#[derive(Debug, Clone, Copy)]
pub struct Sides {
    pub old: Option<ObjectId>,
    pub new: ObjectId,
}

/// How it is shown, and the addresses of the same shown otherwise.
#[derive(Debug, Clone, Default)]
struct Ways {
    /// The page, without what is told below.
    url: String,
    is_parallel: bool,
    ignores_space: bool,
    path: Option<String>,
    old_path: Option<String>,
}

impl Ways {
    fn of(url: &str, params: &DiffParams) -> Ways {
        let path = |path: &Option<String>| path.clone().filter(|path| !path.is_empty());
        Ways {
            url: url.to_owned(),
            is_parallel: params.view.as_deref() == Some("parallel"),
            ignores_space: params.w.as_deref() == Some("1"),
            path: path(&params.path),
            old_path: path(&params.old_path),
        }
    }

    fn url(&self) -> String {
        let pairs = [
            ("view", self.is_parallel.then_some("parallel")),
            ("w", self.ignores_space.then_some("1")),
            ("path", self.path.as_deref()),
            ("old_path", self.old_path.as_deref()),
        ];
        let said = pairs.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let said: Vec<String> =
            said.map(|(name, value)| format!("{name}={}", in_address(value))).collect();
        match said.is_empty() {
            true => self.url.clone(),
            false => {
                let joint = if self.url.contains('?') { '&' } else { '?' };
                format!("{}{joint}{}", self.url, said.join("&"))
            }
        }
    }

    fn parallel(&self, is_parallel: bool) -> String {
        Ways { is_parallel, ..self.clone() }.url()
    }

    fn space(&self) -> String {
        Ways { ignores_space: !self.ignores_space, ..self.clone() }.url()
    }

    fn all(&self) -> String {
        Ways { path: None, old_path: None, ..self.clone() }.url()
    }

    fn alone(&self, file: &diffs::FileDiff) -> String {
        let path = Some(file.new_path.clone());
        let old_path = (file.old_path != file.new_path).then(|| file.old_path.clone());
        Ways { path, old_path, ..self.clone() }.url()
    }

    fn asked(&self) -> Result<Asked> {
        let paths = self.path.iter().chain(&self.old_path);
        let paths = paths.map(|path| Path::read(path).map(|path| path.to_string()));
        let paths: Vec<String> = paths
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| Error::NotFound("File"))?;
        let limits = match paths.is_empty() {
            true => page_limits(),
            false => Limits { lines: usize::MAX, ..Limits::default() },
        };
        Ok(Asked { limits, ignores_space: self.ignores_space, paths })
    }
}

/// What differs, as it is shown.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/diff.html")]
pub struct DiffView {
    ways: Ways,
    files: Vec<FileView>,
    stats: Stats,
    overflow: bool,
}

impl HtmlSafe for DiffView {}

impl DiffView {
    /// Reads what differs. `url` is the address of the page without its query.
    pub async fn read(
        app: &App, head: &CodeHead, sides: Sides, url: &str, params: &DiffParams,
    ) -> Result<DiffView> {
        let ways = Ways::of(url, params);
        DiffView::read_ways(app, head.code.repository()?, Some(head.url()), sides, ways).await
    }

    /// The same of one file, which the parameters name, of a repository whose files are
    /// no code.
    pub async fn of_file(
        app: &App, repository: &Repository, sides: Sides, url: &str, params: &DiffParams,
    ) -> Result<DiffView> {
        let ways = Ways::of(url, params);
        DiffView::read_ways(app, repository, None, sides, ways).await
    }

    async fn read_ways(
        app: &App, repository: &Repository, project_url: Option<&str>, sides: Sides, ways: Ways,
    ) -> Result<DiffView> {
        let asked = ways.asked()?;
        let diffs = diffs::compare(app, repository.id, sides.old, sides.new, &asked).await?;
        let generated = generated(app, repository, sides.new).await?;
        let project_url = project_url.map(str::to_owned);
        let made = tokio::task::spawn_blocking(move || {
            DiffView::of(project_url.as_deref(), sides, ways, diffs, &generated)
        });
        made.await.map_err(Error::internal)
    }

    /// Nothing differs.
    pub fn none(url: &str, params: &DiffParams) -> DiffView {
        DiffView {
            ways: Ways::of(url, params),
            files: Vec::new(),
            stats: Stats::default(),
            overflow: false,
        }
    }

    fn of(
        project_url: Option<&str>, sides: Sides, ways: Ways, diffs: Diffs, generated: &Generated,
    ) -> DiffView {
        let until = Instant::now() + WORDS;
        let (stats, overflow) = (diffs.stats(), diffs.overflow);
        let file = |file: diffs::FileDiff| {
            let is_folded = ways.path.is_none() && generated.has(&file.new_path);
            FileView::of(&file, project_url, sides, &ways, is_folded, until)
        };
        let files = diffs.files.into_iter().map(file).collect();
        DiffView { files, stats, overflow, ways }
    }

    /// How many files differ.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    fn counted(&self) -> String {
        let more = if self.overflow { "+" } else { "" };
        match self.files.len() {
            1 => "1 changed file".to_owned(),
            files => format!("{files}{more} changed files"),
        }
    }

    fn has_few(&self) -> bool {
        self.files.len() <= FEW
    }
}

async fn generated(app: &App, repository: &Repository, commit: ObjectId) -> Result<Generated> {
    let text = objects::read(app, repository, move |objects| {
        let path = Path::read(".gitattributes").unwrap_or_default();
        let Some(commit) = objects.commit(commit)? else { return Ok(None) };
        let Some(entry) = objects.entry(commit.tree, &path)? else {
            return Ok(None);
        };
        Ok(objects.blob(entry.id, LARGEST_ATTRIBUTES)?.and_then(|blob| blob.content))
    });
    let text = text.await?.unwrap_or_default();
    Ok(Generated::read(&String::from_utf8_lossy(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_remember_how_it_is_shown() {
        let params = DiffParams {
            view: Some("parallel".into()),
            w: Some("1".into()),
            path: Some("a b&c".into()),
            ..DiffParams::default()
        };
        let ways = Ways::of("/p/-/commit/1", &params);
        assert_eq!(ways.url(), "/p/-/commit/1?view=parallel&w=1&path=a%20b%26c");
        assert_eq!(ways.parallel(false), "/p/-/commit/1?w=1&path=a%20b%26c");
        assert_eq!(ways.all(), "/p/-/commit/1?view=parallel&w=1");
        assert_eq!(Ways::of("/p", &DiffParams::default()).url(), "/p");
        let wrong = DiffParams { path: Some("../x".into()), ..DiffParams::default() };
        assert!(Ways::of("/p", &wrong).asked().is_err());
    }
}
