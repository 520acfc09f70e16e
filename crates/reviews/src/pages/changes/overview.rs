//! All threads that stand in code, told in short: how many of each file are open, which
//! stand in a part of the files, and which comes next.

use super::aims::LineName;
use super::listing::Listing;
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use crate::threads::model::ThreadPlace;
use crate::threads::store as rows;
use ::store::Tx;
use code::pages::parts::diff::id_of;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::Desk;
use planning::store::notes::showing;
use std::collections::HashMap;
use std::ops::Range;

/// Threads of a merge request that are told of.
const MOST: i64 = 2_000;
/// Threads that are led to one by one.
const MOST_STEPS: usize = 200;
/// Threads of a part of the files.
const MOST_OF_PART: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct Overview {
    threads: Vec<Told>,
    /// There are more than are told of.
    pub has_more: bool,
}

#[derive(Debug, Clone)]
struct Told {
    discussion_id: String,
    /// The name of its file on the page, and where in it.
    file: String,
    numbers: (u32, u32),
    is_open: bool,
}

impl From<ThreadPlace> for Told {
    fn from(place: ThreadPlace) -> Told {
        let ThreadPlace { discussion_id, line_code, path, is_open, .. } = place;
        let line = line_code.as_deref().and_then(LineName::read);
        let (file, numbers) = match line {
            Some(line) => (line.file, line.numbers.unwrap_or_default()),
            None => (id_of(&path.unwrap_or_default()), (u32::MAX, u32::MAX)),
        };
        Told { discussion_id, file, numbers, is_open }
    }
}

impl Overview {
    /// Reads what shows to the viewer.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, desk: Desk<'_>, request: &MergeRequest,
    ) -> Result<Overview> {
        let shown = showing(tx, viewer, MERGE_REQUEST, desk.is_reporter());
        let mut places = rows::places(tx, request.id, &shown, MOST + 1)?;
        let most = usize::try_from(MOST).unwrap_or(usize::MAX);
        let has_more = places.len() > most;
        places.truncate(most);
        Ok(Overview {
            threads: places.into_iter().map(Told::from).collect(),
            has_more,
        })
    }

    /// The file that a thread stands in, by its name on the page.
    pub fn file_of(&self, discussion_id: &str) -> Option<&str> {
        let told = self.threads.iter().find(|told| told.discussion_id == discussion_id)?;
        Some(&told.file)
    }

    /// How many threads are not resolved, of each file of the page.
    pub fn open_of(&self, listing: &Listing) -> HashMap<String, u64> {
        let names: Vec<String> = listing.files().map(|file| id_of(&file.new_path)).collect();
        let mut open = HashMap::new();
        for told in self.threads.iter().filter(|told| told.is_open) {
            if let Some(name) = listing.place(&told.file).and_then(|at| names.get(at)) {
                *open.entry(name.clone()).or_insert(0) += 1;
            }
        }
        open
    }

    /// How many threads are not resolved.
    pub fn open(&self) -> u64 {
        self.threads.iter().filter(|told| told.is_open).count() as u64
    }

    /// The threads that stand in these files of the page but for those that `hides` names,
    /// and where they stand in none any more, behind the last of them.
    pub fn of_part(
        &self, listing: &Listing, part: Range<usize>, hides: impl Fn(usize) -> bool,
    ) -> Vec<String> {
        let is_last = part.end >= listing.count();
        let is_here = |told: &&Told| match listing.place(&told.file) {
            Some(at) => part.contains(&at) && !hides(at),
            None => is_last,
        };
        let here = self.threads.iter().filter(is_here).take(MOST_OF_PART);
        here.map(|told| told.discussion_id.clone()).collect()
    }

    /// Threads that are not resolved, in the order of the page.
    pub fn steps(&self, listing: &Listing) -> Vec<String> {
        let place = |told: &Told| listing.place(&told.file).unwrap_or(usize::MAX);
        let mut open: Vec<&Told> = self.threads.iter().filter(|told| told.is_open).collect();
        open.sort_by_key(|told| {
            let (old, new) = told.numbers;
            (place(told), u64::from(old) + u64::from(new))
        });
        open.iter().take(MOST_STEPS).map(|told| told.discussion_id.clone()).collect()
    }
}

/// What comes before a thread among others and what comes next, from the end to the
/// beginning and back; without one, the last and the first.
pub fn around<'s>(steps: &'s [String], thread: Option<&str>) -> Option<(&'s str, &'s str)> {
    let step = |at: usize| steps.get(at).map(String::as_str);
    let (first, last) = (step(0)?, step(steps.len() - 1)?);
    let at = thread.and_then(|thread| steps.iter().position(|step| step == thread));
    let Some(at) = at else {
        return Some((last, first));
    };
    let before = at.checked_sub(1).and_then(step).unwrap_or(last);
    Some((before, step(at + 1).unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_gone_round() {
        let steps = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(around(&steps, None), Some(("c", "a")));
        assert_eq!(around(&steps, Some("a")), Some(("c", "b")));
        assert_eq!(around(&steps, Some("c")), Some(("b", "a")));
        assert_eq!(around(&steps, Some("x")), Some(("c", "a")));
        assert_eq!(around(&[], Some("a")), None);
    }

    #[test]
    fn where_a_thread_stands_is_read() {
        let place = |line_code: Option<&str>, path: Option<&str>| ThreadPlace {
            discussion_id: "d".into(),
            line_code: line_code.map(str::to_owned),
            path: path.map(str::to_owned),
            is_outdated: false,
            is_open: true,
        };
        let code = format!("{}_3_4", id_of("a"));
        let told = Told::from(place(Some(&code), None));
        assert_eq!((told.file, told.numbers), (id_of("a"), (3, 4)));
        assert_eq!(Told::from(place(None, Some("b"))).file, id_of("b"));
    }
}
