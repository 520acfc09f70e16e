//! What differs between two commits: a list of the files, and their lines, below one
//! another or side by side.
//!
//! ```ignore
//! let sides = Sides { old: commit.parents.first().copied(), new: commit.id };
//! let diff = DiffView::read(&app, &head, sides, &url, &params).await?;
//! ```
//!
//! How it is shown stands in the address, so that links remember it: [`Ways`]. A page with
//! more around the files draws them one by one by a [`Drawing`], and puts what it has
//! between their lines.

mod drawing;
mod drawn;
mod file;
mod gaps;
mod rows;
mod ways;

pub use drawing::{Drawing, same_lines, texts};
pub use drawn::DrawnLines;
pub use file::{Body, FileView, id_of, is_picture, squares, told};
pub use ways::{DiffParams, Ways};

use crate::diff::generated::{self, Generated};
use crate::pages::CodeHead;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use repositories::diffs::{self, Asked, Diffs, Limits, Stats};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;

/// Lines of one file that is shown alone.
const MOST_LINES: usize = 10_000;
/// Files up to which their list is open.
const FEW: usize = 20;

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

/// The two commits that are compared; without the older one, with nothing.
#[derive(Debug, Clone, Copy)]
pub struct Sides {
    pub old: Option<ObjectId>,
    pub new: ObjectId,
}

/// What is read for a page that is shown so.
fn asked(ways: &Ways) -> Result<Asked> {
    let paths = ways.paths()?;
    let limits = match paths.is_empty() {
        true => page_limits(),
        false => Limits { lines: usize::MAX, ..Limits::default() },
    };
    Ok(Asked {
        limits,
        ignores_space: ways.ignores_space(),
        context: ways.context(),
        paths,
        ..Asked::default()
    })
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
        let drawing = Drawing::new(app, Some(head.url()), sides, Ways::of(url, params));
        DiffView::drawn(app, head.code.repository()?, drawing).await
    }

    /// The same of one file, which the parameters name, of a repository whose files are
    /// no code.
    pub async fn of_file(
        app: &App, repository: &Repository, sides: Sides, url: &str, params: &DiffParams,
    ) -> Result<DiffView> {
        let drawing = Drawing::new(app, None, sides, Ways::of(url, params));
        DiffView::drawn(app, repository, drawing).await
    }

    async fn drawn(app: &App, repository: &Repository, drawing: Drawing) -> Result<DiffView> {
        let (asked, sides) = (asked(&drawing.ways)?, drawing.sides);
        let diffs = diffs::compare(app, repository.id, sides.old, sides.new, &asked).await?;
        let generated = generated::of(app, repository, sides.new).await?;
        let made = tokio::task::spawn_blocking(move || DiffView::of(drawing, diffs, &generated));
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

    fn of(drawing: Drawing, diffs: Diffs, generated: &Generated) -> DiffView {
        let drawing = drawing.begun();
        let (stats, overflow) = (diffs.stats(), diffs.overflow);
        let is_alone = drawing.ways.path().is_some();
        let file =
            |file: &diffs::FileDiff| drawing.file(file, !is_alone && generated.has(&file.new_path));
        let files = diffs.files.iter().map(file).collect();
        DiffView { files, stats, overflow, ways: drawing.ways }
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
