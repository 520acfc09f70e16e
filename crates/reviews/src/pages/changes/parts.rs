//! The files of a part as they are drawn for one viewer, before what was said is put among
//! them.

use super::files::FileHead;
use super::left_out;
use super::listing::{Listing, PART, change_of, pair};
use super::look::Look;
use super::subject::Subject;
use super::versions::Compared;
use crate::diffs::DiffLimits;
use crate::diffs::reading::{SomeFiles, read_some};
use code::diff::generated::{self, Generated};
use code::pages::parts::diff::{Body, Drawing, FileView, Sides, id_of};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use repositories::diffs::FileDiff;
use repositories::model::Repository;
use std::collections::HashMap;

/// Lines of a part; the files behind them are folded.
const MOST_LINES: usize = 4_000;
const LONG: &str = "Its changes are folded to keep the page short.";
const LARGE: &str = "Its changes are large.";

/// Some files, drawn.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    pub files: Vec<FileView>,
    /// What each of them is now, one for one, and whether it is folded as the viewer has
    /// looked at it.
    changes: Vec<(String, bool)>,
    /// The threads that stand in them.
    pub threads: Vec<String>,
    /// One file is shown by itself.
    pub is_alone: bool,
}

/// What decides which files are folded.
struct Folding<'f> {
    generated: &'f Generated,
    limits: DiffLimits,
    /// It is the only one.
    is_only: bool,
    lines: usize,
}

/// Draws the files that are asked for.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn draw(
    app: &App, repository: &Repository, (subject, compared): (&Subject, &Compared),
    listing: &Listing, look: &Look,
) -> Result<Drawn> {
    let url = subject.url();
    let ways = look.ways(&url);
    let shas = compared.shas();
    let pair = pair(repository.id, shas);
    let paths = ways.paths()?;
    let is_alone = !paths.is_empty();
    let page = subject.page(look, listing);
    let files = match is_alone {
        true => {
            let (ignores_space, context) = (ways.ignores_space(), ways.context());
            let some = SomeFiles { paths, ignores_space, context };
            let read = read_some(app, pair, some).await?;
            let path = ways.path().unwrap_or_default().to_owned();
            read.files.into_iter().filter(|file| file.new_path == path).collect()
        }
        false => listing.part(app, pair, ways.ignores_space(), page).await?,
    };
    let generated = match subject.default.filter(|_| !is_alone) {
        Some(commit) => generated::of(app, repository, commit).await?,
        None => Generated::default(),
    };
    let limits: DiffLimits = app.settings().get(app).await?;
    let sides = Sides { old: Some(shas.base), new: shas.head };
    let project_url = format!("/{}", subject.request().project_path);
    let mut drawing = Drawing::new(app, Some(&project_url), sides, ways);
    if subject.rights.may_say {
        drawing = drawing.remarks(format!("{}comment=", look.query()));
    }
    let viewed = match compared.is_newest {
        true => subject.viewed.clone(),
        false => HashMap::new(),
    };
    let (aimed, is_only) = (subject.aimed_at(look), listing.count() == 1);
    let open = subject.overview.open_of(listing);
    let made = tokio::task::spawn_blocking(move || {
        let drawing = drawing.begun();
        let mut folding = Folding { generated: &generated, limits, is_only, lines: 0 };
        let mut drawn = Drawn { is_alone, ..Drawn::default() };
        for file in &files {
            let (id, change) = (id_of(&file.new_path), change_of(file));
            let is_aimed = aimed.as_ref() == Some(&id);
            let is_open = is_alone || is_aimed;
            let is_hidden = !is_open && viewed.get(&id) == Some(&change);
            drawn.files.push(match (is_hidden, is_open) {
                (true, _) => drawing.folded(file, &looked_at(open.get(&id).copied())),
                (false, true) => drawing.file(file, false),
                (false, false) => folding.draw(&drawing, file),
            });
            drawn.changes.push((change, is_hidden));
        }
        drawn
    });
    let mut drawn = made.await.map_err(Error::internal)?;
    if !is_alone {
        left_out::tell(&mut drawn.files, listing)?;
    }
    let threads = drawn.threads_of(subject, listing, page);
    Ok(Drawn { threads, ..drawn })
}

/// Said of a file that the viewer has looked at.
fn looked_at(open: Option<u64>) -> String {
    match open.unwrap_or_default() {
        0 => "You viewed this file.".to_owned(),
        open => format!("You viewed this file. It has {}.", ui::count(open, "open thread")),
    }
}

impl Folding<'_> {
    fn draw(&mut self, drawing: &Drawing, file: &FileDiff) -> FileView {
        let is_long = file.text.len() >= self.limits.collapsed_bytes() && !self.is_only;
        let lines = file.text.lines().count();
        let is_beyond = self.lines > 0 && self.lines + lines > MOST_LINES;
        if !file.text.is_empty() && (is_long || is_beyond) {
            return drawing.folded(file, LONG);
        }
        self.lines += lines;
        let view = drawing.file(file, self.generated.has(&file.new_path));
        match view.body {
            // What is too large for a part is shown alone.
            Body::TooLarge => drawing.folded(file, LARGE),
            _ => view,
        }
    }
}

impl Drawn {
    /// The threads that stand in these files; where the viewer has looked at a file, they
    /// are folded with it.
    fn threads_of(&self, subject: &Subject, listing: &Listing, page: usize) -> Vec<String> {
        if self.is_alone {
            let at = self.files.first().and_then(|file| listing.place(&file.id));
            let of = |at: usize| subject.overview.of_part(listing, at..at + 1, |_| false);
            return at.map(of).unwrap_or_default();
        }
        let from = (page - 1) * PART;
        let hides = |at: usize| self.changes.get(at - from).is_some_and(|(_, hides)| *hides);
        subject.overview.of_part(listing, from..from + self.files.len(), hides)
    }

    /// Adds to the headings of the files, which these are, what the viewer does there.
    pub fn add_heads(
        &self, files: &mut [FileView], subject: &Subject, look: &Look, csrf: &str,
    ) -> Result<()> {
        let url = subject.url();
        let is_newest = subject.compared.as_ref().is_some_and(|it| it.is_newest);
        for (file, (change, _)) in files.iter_mut().zip(&self.changes) {
            let marks = subject.rights.is_signed_in && is_newest;
            let is_viewed = subject.viewed.get(&file.id) == Some(change);
            let (query, id) = (look.query(), &file.id);
            let head = FileHead {
                id: file.id.clone(),
                path: file.path.clone(),
                url: url.clone(),
                csrf: csrf.to_owned(),
                say_at: subject.rights.may_say.then(|| format!("{query}comment={id}#{id}")),
                mark: marks.then(|| (change.clone(), is_viewed)),
            };
            file.head.push_str(&head.html()?);
        }
        Ok(())
    }
}
