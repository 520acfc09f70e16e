//! One file of a difference.

use super::rows::Rows;
use super::{MOST_LINES, Sides, Ways};
use crate::diff::hunks;
use crate::pages::spot::encoded;
use crate::visible::visible;
use kernel::html::ui;
use repositories::diffs::{Change, FileDiff, Stats};
use repositories::formats::object_id::ObjectId;
use sha1::{Digest, Sha1};
use std::time::Instant;

/// Mode of a submodule.
const SUBMODULE: &str = "160000";
const NO_MODE: &str = "000000";
/// Pictures that browsers show.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "ico"];
/// Squares that say how much came and how much went.
const SQUARES: u64 = 5;

/// A file as it is shown.
#[derive(Debug, Clone)]
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
}

/// What is shown of a file.
#[derive(Debug, Clone)]
pub enum Body {
    /// Its lines as HTML, and whether there are more.
    Lines(String, bool),
    /// There are none, in words.
    Nothing(&'static str),
    /// They are shown when they are asked for.
    Folded(&'static str),
    TooLarge,
    /// Pictures before and after, by their addresses.
    Pictures(Vec<(&'static str, String)>),
    /// What a submodule was and is set to.
    Submodule(Option<String>, Option<String>),
}

impl FileView {
    pub(super) fn of(
        file: &FileDiff, project_url: Option<&str>, sides: Sides, ways: &Ways, is_folded: bool,
        until: Instant,
    ) -> FileView {
        let id = hex::encode(Sha1::digest(file.new_path.as_bytes()));
        let addresses = Addresses { project_url, sides };
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
            body: body(file, &addresses, &id, (ways.is_parallel, is_folded), until),
            url: addresses.of("blob", file),
            alone: format!("{}#{id}", ways.alone(file)),
            id,
        }
    }

    /// How many of five squares came and went, for a picture.
    pub fn squares(&self) -> Vec<(&'static str, u64)> {
        let Stats { additions, deletions } = self.stats;
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
}

/// Where files of the two commits are, if they are shown by themselves.
struct Addresses<'a> {
    project_url: Option<&'a str>,
    sides: Sides,
}

impl Addresses<'_> {
    /// The file as it is now, or was before it was deleted.
    fn of(&self, page: &str, file: &FileDiff) -> Option<String> {
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

fn body(
    file: &FileDiff, addresses: &Addresses<'_>, id: &str, (is_parallel, is_folded): (bool, bool),
    until: Instant,
) -> Body {
    if [&file.old_mode, &file.new_mode].iter().any(|mode| mode.as_str() == SUBMODULE) {
        let side = |mode: &str, id: ObjectId| (mode == SUBMODULE).then(|| id.to_string());
        let (old, new) = (side(&file.old_mode, file.old_id), side(&file.new_mode, file.new_id));
        return Body::Submodule(old, new);
    }
    if file.is_binary {
        return pictures(file, addresses);
    }
    if file.is_too_large {
        return Body::TooLarge;
    }
    if is_folded && file.stats != Stats::default() {
        return Body::Folded("A program wrote this file, so its changes are folded.");
    }
    if file.is_collapsed {
        return Body::Folded("Its changes are folded to keep the page short.");
    }
    let (hunks, is_cut) = hunks(&file.text, MOST_LINES);
    match (hunks.is_empty(), file.change) {
        (false, _) => Body::Lines(Rows { id, until, is_parallel }.html(&hunks), is_cut),
        (true, Change::Renamed) => Body::Nothing("Moved without changes."),
        (true, Change::Added) => Body::Nothing("An empty file."),
        (true, Change::Deleted) => Body::Nothing("It was empty."),
        (true, Change::Changed) => Body::Nothing("Its lines are the same."),
    }
}

fn pictures(file: &FileDiff, addresses: &Addresses<'_>) -> Body {
    let ending = file.new_path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_picture = PICTURES.contains(&ending.to_ascii_lowercase().as_str());
    if !is_picture || addresses.project_url.is_none() {
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

    fn squares(additions: u64, deletions: u64) -> String {
        let stats = Stats { additions, deletions };
        let file = FileView {
            id: String::new(),
            path: String::new(),
            moved_from: None,
            badge: None,
            modes: None,
            stats,
            body: Body::TooLarge,
            url: None,
            alone: String::new(),
        };
        file.squares().iter().map(|(class, _)| &class[..1]).collect()
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
            assert_eq!(squares(stats.0, stats.1), shown, "{stats:?}");
        }
    }
}
