//! One file of a difference.

use super::drawing::Drawing;
use super::drawn::DrawnLines;
use super::{MOST_LINES, Sides};
use crate::diff::hunks;
use crate::pages::spot::encoded;
use crate::visible::visible;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::ui;
use repositories::diffs::{Change, FileDiff, Stats};
use repositories::formats::object_id::ObjectId;
use sha1::{Digest, Sha1};

/// Mode of a submodule.
const SUBMODULE: &str = "160000";
const NO_MODE: &str = "000000";
/// Pictures that browsers show.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "ico"];
/// Squares that say how much came and how much went.
const SQUARES: u64 = 5;

/// A file as it is shown.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/diff_file.html")]
pub struct FileView {
    /// Where it stands on the page: the SHA-1 of its path, as others write it.
    pub id: String,
    pub path: String,
    /// Where it was before, if that is elsewhere.
    pub moved_from: Option<String>,
    /// A word and its tone, where there is more to say than that lines changed.
    pub badge: Option<(&'static str, &'static str)>,
    /// Its modes, where they changed.
    pub modes: Option<(String, String)>,
    pub stats: Stats,
    pub body: Body,
    /// The file itself.
    pub url: Option<String>,
    /// It alone.
    pub alone: String,
    /// Where more of its lines are had, if there may be any.
    pub lines_at: Option<String>,
    pub is_parallel: bool,
    /// What a page adds to its heading, and at its end: HTML.
    pub head: String,
    pub foot: String,
    /// What a page lays over the newest of its pictures, likewise.
    pub over: String,
}

impl HtmlSafe for FileView {}

/// What is shown of a file.
#[derive(Debug, Clone)]
pub enum Body {
    /// Its lines, and whether there are more.
    Lines(DrawnLines, bool),
    /// There are none, in words.
    Nothing(&'static str),
    /// They are shown when they are asked for.
    Folded(String),
    TooLarge,
    /// Pictures before and after, by their addresses.
    Pictures(Vec<(&'static str, String)>),
    /// What a submodule was and is set to.
    Submodule(Option<String>, Option<String>),
}

/// Names a file on a page.
pub fn id_of(path: &str) -> String {
    hex::encode(Sha1::digest(path.as_bytes()))
}

impl FileView {
    /// With its lines.
    pub(super) fn of(file: &FileDiff, drawing: &Drawing) -> FileView {
        let view = FileView::with(file, drawing, Body::TooLarge);
        let body = body(file, drawing, &view.id);
        let lines_at = match body {
            Body::Lines(..) if !drawing.ways.is_whole() => lines_at(file, drawing),
            _ => None,
        };
        FileView { body, lines_at, ..view }
    }

    /// With something else instead.
    pub(super) fn with(file: &FileDiff, drawing: &Drawing, body: Body) -> FileView {
        let id = id_of(&file.new_path);
        let addresses = Addresses::of(drawing);
        FileView {
            path: visible(&file.new_path).into_owned(),
            moved_from: (file.old_path != file.new_path)
                .then(|| visible(&file.old_path).into_owned()),
            badge: match file.change {
                Change::Added => Some(("New", "good")),
                Change::Deleted => Some(("Deleted", "bad")),
                Change::Renamed => Some(("Moved", "plain")),
                Change::Changed => None,
            },
            modes: modes(file),
            stats: file.stats,
            body,
            url: addresses.of_file("blob", file),
            alone: format!("{}#{id}", drawing.ways.alone(file)),
            lines_at: None,
            is_parallel: drawing.ways.is_parallel(),
            head: String::new(),
            foot: String::new(),
            over: String::new(),
            id,
        }
    }

    /// How many of five squares came and went, for a picture.
    pub fn squares(&self) -> Vec<(&'static str, u64)> {
        squares(&self.stats)
    }
}

/// How many of five squares came and went, for a picture.
pub fn squares(stats: &Stats) -> Vec<(&'static str, u64)> {
    let Stats { additions, deletions } = *stats;
    let all = additions + deletions;
    let shown = all.min(SQUARES);
    let share = |part: u64| (part * shown).div_ceil(all.max(1));
    let plus = share(additions).min(shown - u64::from(deletions > 0 && shown > 1));
    let class = |at: u64| match at {
        at if at < plus => "plus",
        at if at < shown => "minus",
        _ => "rest",
    };
    (0..SQUARES).map(|at| (class(at), at * 10)).collect()
}

/// Where lines of a file are had that are the same on both sides.
fn lines_at(file: &FileDiff, drawing: &Drawing) -> Option<String> {
    let is_on_both = matches!(file.change, Change::Changed | Change::Renamed);
    let addresses = Addresses::of(drawing);
    is_on_both.then(|| addresses.after("diff_lines", file))?
}

/// Where files of the two commits are, if they are shown by themselves.
struct Addresses<'a> {
    project_url: Option<&'a str>,
    sides: Sides,
}

impl Addresses<'_> {
    fn of(drawing: &Drawing) -> Addresses<'_> {
        Addresses {
            project_url: drawing.project_url.as_deref(),
            sides: drawing.sides,
        }
    }

    /// The file as it is now, or was before it was deleted.
    fn of_file(&self, page: &str, file: &FileDiff) -> Option<String> {
        match file.change {
            Change::Deleted => self.before(page, file),
            _ => self.after(page, file),
        }
    }

    fn before(&self, page: &str, file: &FileDiff) -> Option<String> {
        let is_there = file.change != Change::Added && file.old_mode != SUBMODULE;
        let commit = self.sides.old.filter(|_| is_there)?;
        self.at(page, commit, &file.old_path)
    }

    fn after(&self, page: &str, file: &FileDiff) -> Option<String> {
        let is_there = file.change != Change::Deleted && file.new_mode != SUBMODULE;
        is_there.then(|| self.at(page, self.sides.new, &file.new_path))?
    }

    fn at(&self, page: &str, commit: ObjectId, path: &str) -> Option<String> {
        let url = self.project_url?;
        Some(format!("{url}/-/{page}/{commit}/{}", encoded(path)))
    }
}

fn modes(file: &FileDiff) -> Option<(String, String)> {
    let both = [&file.old_mode, &file.new_mode].iter().all(|mode| mode.as_str() != NO_MODE);
    (both && file.old_mode != file.new_mode).then(|| (file.old_mode.clone(), file.new_mode.clone()))
}

fn body(file: &FileDiff, drawing: &Drawing, id: &str) -> Body {
    if [&file.old_mode, &file.new_mode].iter().any(|mode| mode.as_str() == SUBMODULE) {
        let side = |mode: &str, id: ObjectId| (mode == SUBMODULE).then(|| id.to_string());
        let (old, new) = (side(&file.old_mode, file.old_id), side(&file.new_mode, file.new_id));
        return Body::Submodule(old, new);
    }
    if file.is_binary {
        return pictures(file, &Addresses::of(drawing));
    }
    if file.is_too_large {
        return Body::TooLarge;
    }
    if file.is_collapsed {
        return Body::Folded("Its changes are folded to keep the page short.".to_owned());
    }
    let (hunks, is_cut) = hunks(&file.text, MOST_LINES);
    match (hunks.is_empty(), file.change) {
        (false, _) => Body::Lines(DrawnLines::of(drawing.lines(file, id, &hunks)), is_cut),
        (true, Change::Renamed) => Body::Nothing("Moved without changes."),
        (true, Change::Added) => Body::Nothing("An empty file."),
        (true, Change::Deleted) => Body::Nothing("It was empty."),
        (true, Change::Changed) if file.old_mode != file.new_mode => {
            Body::Nothing("Only its mode changed.")
        }
        (true, Change::Changed) => Body::Nothing("Its lines are the same."),
    }
}

/// Whether a file is shown as a picture.
pub fn is_picture(file: &FileDiff) -> bool {
    let ending = file.new_path.rsplit_once('.').map_or("", |(_, ending)| ending);
    file.is_binary && PICTURES.contains(&ending.to_ascii_lowercase().as_str())
}

fn pictures(file: &FileDiff, addresses: &Addresses<'_>) -> Body {
    if !is_picture(file) || addresses.project_url.is_none() {
        return Body::Nothing("A binary file: its changes cannot be shown.");
    }
    let before = addresses.before("raw", file).map(|url| ("Before", url));
    let after = addresses.after("raw", file).map(|url| ("After", url));
    Body::Pictures(before.into_iter().chain(after).collect())
}

/// The first digits of a commit.
pub fn short(id: &Option<String>) -> String {
    id.as_deref()
        .map_or_else(|| "nothing".to_owned(), |id| id.chars().take(8).collect())
}

/// Lines that came or went, in words.
pub fn told(stats: &Stats) -> String {
    let Stats { additions, deletions } = stats;
    format!("{}, {}", ui::count(*additions, "addition"), ui::count(*deletions, "deletion"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(additions: u64, deletions: u64) -> String {
        let stats = Stats { additions, deletions };
        squares(&stats).iter().map(|(class, _)| &class[..1]).collect()
    }

    #[test]
    fn squares_say_how_much_came_and_went() {
        for (stats, shown) in [
            ((0, 0), "rrrrr"),
            ((1, 0), "prrrr"),
            ((0, 2), "mmrrr"),
            ((1, 1), "pmrrr"),
            ((1000, 1), "ppppm"),
            ((1, 1000), "pmmmm"),
            ((50, 50), "pppmm"),
        ] {
            assert_eq!(letters(stats.0, stats.1), shown, "{stats:?}");
        }
    }
}
