//! Draws the files of a page one by one.

use super::drawn::{Drawn, Recent};
use super::file::{Body, FileView};
use super::rows::Rows;
use super::{Sides, Ways};
use crate::diff::{Hunk, Kind, Line};
use crate::highlight::Painter;
use kernel::app::App;
use repositories::diffs::{FileDiff, Stats};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long words that changed and colours are looked for, on one page.
const WORDS: Duration = Duration::from_millis(300);
/// Said of what programs wrote.
const GENERATED: &str = "A program wrote this file, so its changes are folded.";

/// How the files of a page are drawn.
#[derive(Clone)]
pub struct Drawing {
    /// Where files are shown by themselves, if they are.
    pub project_url: Option<String>,
    pub sides: Sides,
    pub ways: Ways,
    /// What stands before the name of a line in the address where it is remarked on, for
    /// who may do that.
    remark_at: Option<String>,
    recent: Arc<Recent>,
    until: Instant,
}

impl Drawing {
    pub fn new(app: &App, project_url: Option<&str>, sides: Sides, ways: Ways) -> Drawing {
        Drawing {
            project_url: project_url.map(str::to_owned),
            sides,
            ways,
            remark_at: None,
            recent: app.kept(),
            until: Instant::now() + WORDS,
        }
    }

    /// With links by which lines are remarked on: the name of a line follows this.
    pub fn remarks(self, at: String) -> Drawing {
        Drawing { remark_at: Some(at), ..self }
    }

    /// The same from now on: words are looked for so long.
    pub fn begun(self) -> Drawing {
        Drawing { until: Instant::now() + WORDS, ..self }
    }

    /// A file with its lines; of one that a program wrote they are folded.
    pub fn file(&self, file: &FileDiff, is_generated: bool) -> FileView {
        let has_lines = !(file.is_binary || file.is_too_large) && file.stats != Stats::default();
        match is_generated && has_lines {
            true => self.folded(file, GENERATED),
            false => FileView::of(file, self),
        }
    }

    /// A file without its lines, for this reason.
    pub fn folded(&self, file: &FileDiff, why: &str) -> FileView {
        FileView::with(file, self, Body::Folded(why.to_owned()))
    }

    /// The lines of a file, as they were drawn lately or now.
    pub(super) fn lines(&self, file: &FileDiff, id: &str, hunks: &[Hunk<'_>]) -> Arc<Drawn> {
        let is_shown = self.project_url.is_some() && !self.ways.is_whole();
        let whole_at = is_shown.then(|| format!("{}#{id}", self.ways.whole(file)));
        // Pages may leave hunks out.
        let mut text = DefaultHasher::new();
        file.text.hash(&mut text);
        let how = format!(
            "{}\n{}\n{}\n{}\n{id}\n{:x}",
            self.ways.is_parallel(),
            self.ways.ignores_space(),
            self.remark_at.as_deref().unwrap_or_default(),
            whole_at.as_deref().unwrap_or_default(),
            text.finish(),
        );
        let key = (file.old_id, file.new_id, how);
        if let Some(known) = self.recent.get(&key) {
            return known;
        }
        let rows = Rows {
            id,
            name: file.new_path.rsplit('/').next().unwrap_or_default(),
            until: self.until,
            is_parallel: self.ways.is_parallel(),
            remark_at: self.remark_at.as_deref(),
            whole_at: whole_at.as_deref(),
        };
        let drawn = Arc::new(rows.draw(hunks));
        // What was late lacks its words.
        if Instant::now() < self.until {
            self.recent.keep(key, drawn.clone());
        }
        drawn
    }
}

/// Lines that both sides have, as HTML: the number of each on the new side, that on the
/// old side, and what stands in it as HTML. `id` is the file's place on the page.
pub fn same_lines<'l>(
    id: &str, is_parallel: bool, lines: impl IntoIterator<Item = (u32, u32, &'l str)>,
) -> String {
    let rows = Rows { is_parallel, ..Rows::bare(id, "", Instant::now()) };
    let mut drawn = Drawn::default();
    for (new, old, text) in lines {
        let line = Line { kind: Kind::Same, old, new, text: "" };
        match is_parallel {
            true => rows.twice(&mut drawn, &line, text),
            false => rows.line(&mut drawn.html, &line, text, true),
        }
    }
    drawn.html
}

/// What stands in lines of a file of this name that follow each other, as HTML, as far as
/// words and colours are found until then.
pub fn texts(name: &str, lines: &[Line<'_>], until: Instant) -> Vec<String> {
    let name = name.rsplit('/').next().unwrap_or_default();
    Rows::bare("", name, until).texts(lines, Painter::of(name))
}
