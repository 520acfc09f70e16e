//! What of an import has texts and files, kind by kind, and how far it was looked at.

use crate::model::Kind;
use kernel::error::Result;
use planning::store::texts as plans;
use releases::model::Link;
use reviews::store::texts as reviewed;
use std::collections::HashMap;
use std::fmt;
use store::Tx;

/// A kind of what has texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Releases,
    Issues,
    MergeRequests,
    Notes,
    CodeNotes,
}

const ALL: [Place; 5] = [
    Place::Releases,
    Place::Issues,
    Place::MergeRequests,
    Place::Notes,
    Place::CodeNotes,
];

/// What a thing says, and what can be had with it.
#[derive(Debug, Default)]
pub struct Thing {
    pub text: Option<String>,
    pub links: Vec<Link>,
}

impl Place {
    /// What came of it.
    pub const fn kind(self) -> Kind {
        match self {
            Place::Releases => Kind::Release,
            Place::Issues => Kind::Issue,
            Place::MergeRequests => Kind::PullRequest,
            Place::Notes => Kind::Note,
            Place::CodeNotes => Kind::DiffNote,
        }
    }

    /// What is looked at after it.
    pub fn next(self) -> Option<Place> {
        ALL.iter().copied().skip_while(|place| *place != self).nth(1)
    }

    /// Some things by their ids: those that say something, if that is asked for, or have links.
    pub fn things(
        self, tx: &mut Tx<'_>, ids: &[i64], with_texts: bool,
    ) -> Result<HashMap<i64, Thing>> {
        let mut things: HashMap<i64, Thing> = HashMap::new();
        if ids.is_empty() {
            return Ok(things);
        }
        if with_texts {
            for (id, text) in self.texts(tx, ids)? {
                things.entry(id).or_default().text = Some(text);
            }
        }
        if self == Place::Releases {
            for link in releases::store::links::of_releases(tx, ids)? {
                things.entry(link.release_id).or_default().links.push(link);
            }
        }
        Ok(things)
    }

    fn texts(self, tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String)>> {
        match self {
            Place::Releases => releases::store::texts(tx, ids),
            Place::Issues => plans::of_issues(tx, ids),
            Place::MergeRequests => reviewed::of_requests(tx, ids),
            Place::Notes | Place::CodeNotes => plans::of_notes(tx, ids),
        }
    }

    /// What one thing says now.
    pub fn text(self, tx: &mut Tx<'_>, id: i64) -> Result<Option<String>> {
        Ok(self.texts(tx, &[id])?.pop().map(|(_, text)| text))
    }

    /// Has one thing say the same in other words.
    pub fn set_text(self, tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
        match self {
            Place::Releases => releases::store::set_text(tx, id, text),
            Place::Issues => plans::set_of_issue(tx, id, text),
            Place::MergeRequests => reviewed::set_of_request(tx, id, text),
            Place::Notes | Place::CodeNotes => plans::set_of_note(tx, id, text),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().as_str())
    }
}

/// How far it was looked at: up to a record of what came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub place: Place,
    pub after: i64,
}

impl Cursor {
    const BEGINNING: Cursor = Cursor { place: Place::Releases, after: 0 };

    /// Reads one of ours; what is none is the beginning.
    pub fn read(text: Option<&str>) -> Cursor {
        let read = || {
            let (place, after) = text?.split_once(':')?;
            let place = ALL.into_iter().find(|one| one.kind().as_str() == place)?;
            Some(Cursor { place, after: after.parse().ok()? })
        };
        read().unwrap_or(Cursor::BEGINNING)
    }

    pub fn text(self) -> String {
        format!("{}:{}", self.place, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_are_written() {
        for place in ALL {
            let cursor = Cursor { place, after: 12 };
            assert_eq!(Cursor::read(Some(&cursor.text())), cursor);
        }
        for none in [None, Some(""), Some("x:1"), Some("issue:x")] {
            assert_eq!(Cursor::read(none), Cursor::BEGINNING);
        }
    }

    #[test]
    fn each_kind_has_its_turn() {
        let mut turns = vec![Place::Releases];
        while let Some(next) = turns.last().and_then(|place| place.next()) {
            turns.push(next);
        }
        assert_eq!(turns, ALL);
    }
}
