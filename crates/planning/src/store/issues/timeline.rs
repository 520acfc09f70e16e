//! What was said about something and what became of it, in one order: each
//! discussion stands where it began. Everything is read by the order of an index,
//! so what a page costs does not grow with the issue or its longest thread.

use super::events::{self as of_issues, Event};
use super::long_texts::{self, Length};
use crate::model::epics::EPIC;
use crate::store::epics::events as of_epics;
use crate::store::notes::ISSUE;
use crate::store::notes::{Note, Noteable, showing};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::http::paging::COUNT_LIMIT;
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, grouped};

/// Notes of a discussion that are read at once; a page of its own has all.
pub const MOST_SHOWN: i64 = 100;
/// Notes of a discussion up to which it is told how many there are.
pub const MOST_COUNTED: i64 = 1_000;
/// Notes of all discussions of a page up to which one statement reads how long each
/// of these is.
const FEW: i64 = 500;

#[derive(Debug, Clone)]
pub enum Entry {
    Said(Discussion),
    Became(Event),
}

/// Notes that answer one another, oldest first.
#[derive(Debug, Clone)]
pub struct Discussion {
    pub notes: Vec<Note>,
    /// How many it has, which may be more than are here.
    pub total: i64,
    /// Notes of which only the beginning is here.
    pub cut: Vec<i64>,
}

/// The story of an issue, or of another thing that has notes, as it shows to
/// somebody.
#[derive(Debug, Clone)]
pub struct Timeline {
    noteable: Noteable,
    /// They see what is for reporters.
    is_reporter: bool,
    /// Condition on `notes`: those of a discussion that show.
    shown: Fragment,
    /// Where its events are, if it has any.
    events: Option<EventRows>,
}

/// A moment in a story: its time, and the id of the note that stands there.
type Moment = (Timestamp, i64);

/// Where a note stands, counted to [`COUNT_LIMIT`] and one more.
#[derive(Debug, Clone, Copy)]
pub struct NotePlace {
    /// Entries before its discussion.
    pub entries_before: i64,
    /// Notes before it in its discussion.
    pub notes_before: i64,
}

impl NotePlace {
    /// It stands on a page of the story, not only on that of its discussion.
    pub fn is_in_story(self) -> bool {
        self.entries_before <= COUNT_LIMIT && self.notes_before < MOST_SHOWN
    }
}

/// Where it is written what became of things of one kind.
#[derive(Debug, Clone, Copy)]
pub struct EventRows {
    /// The rows of one thing, whose id follows.
    pub of: &'static str,
    /// Some of them by their ids.
    pub by_ids: fn(&mut Tx<'_>, &[i64]) -> Result<Vec<Event>>,
}

const OF_ISSUES: EventRows = EventRows {
    of: "issue_events where issue_id = ",
    by_ids: of_issues::by_ids,
};
const OF_EPICS: EventRows =
    EventRows { of: "epic_events where epic_id = ", by_ids: of_epics::by_ids };

impl Timeline {
    /// As it shows to a viewer who sees the thing, as a reporter or not.
    pub fn new(tx: &Tx<'_>, viewer: &Viewer, noteable: Noteable, is_reporter: bool) -> Timeline {
        let shown = showing(tx, viewer, noteable.kind, is_reporter);
        let events = match noteable.kind {
            ISSUE => Some(OF_ISSUES),
            EPIC => Some(OF_EPICS),
            _ => None,
        };
        Timeline { noteable, is_reporter, shown, events }
    }

    /// With what became of a thing of a room above.
    pub fn with(self, events: Option<EventRows>) -> Timeline {
        Timeline { events: events.or(self.events), ..self }
    }

    /// Condition on `notes`: those that begin a discussion.
    fn beginning(&self) -> Fragment {
        let mut first = Fragment::new("notes.noteable_type = ");
        first
            .bind(self.noteable.kind)
            .push(" and notes.noteable_id = ", self.noteable.id);
        first.raw(match self.is_reporter {
            true => " and notes.begins",
            false => " and notes.begins_in_public",
        });
        first.raw(" and ").append(self.shown.clone());
        first
    }

    /// The first so many entries, of those before a moment if one is named. Both
    /// halves end there, so that neither is read to its end.
    fn entries(&self, before: Option<Moment>, most: i64) -> Fragment {
        let mut query = Fragment::new(
            "select * from (select false as is_event, notes.id as id,
                notes.created_at as created_at from notes where ",
        );
        query.append(self.beginning());
        if let Some((at, id)) = before {
            query.push(" and (notes.created_at, notes.id) < (", at).push(", ", id).raw(")");
        }
        query.push(" order by notes.created_at, notes.id limit ", most).raw(") as said");
        let Some(events) = self.events else {
            return query;
        };
        query
            .raw(" union all select * from (select true, id, created_at from ")
            .push(events.of, self.noteable.id);
        if let Some((at, _)) = before {
            query.push(" and created_at < ", at);
        }
        query.push(" order by created_at, id limit ", most).raw(") as became");
        query
    }

    fn count_entries(&self, tx: &mut Tx<'_>, before: Option<Moment>, most: i64) -> Result<i64> {
        let mut query = Fragment::new("select count(*) from (");
        query.append(self.entries(before, most)).raw(") as entries");
        Ok(first(tx, query)?.unwrap_or(0))
    }

    /// How many entries there are, counted a page beyond this one and to
    /// [`COUNT_LIMIT`] at least.
    pub fn count(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<i64> {
        self.count_entries(tx, None, counted_to(paging))
    }

    /// One page, oldest first; a note stands before what came of it.
    pub fn page(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<Vec<Entry>> {
        let most = paging.offset().saturating_add(paging.per_page);
        let mut query = Fragment::new("select is_event, id from (");
        query
            .append(self.entries(None, most))
            .push(") as entries order by created_at, is_event, id limit ", paging.per_page)
            .push(" offset ", paging.offset());
        let order: Vec<(bool, i64)> = tx.query(query)?;
        let ids = |events: bool| -> Vec<i64> {
            let some = order.iter().filter(|(is_event, _)| *is_event == events);
            some.map(|(_, id)| *id).collect()
        };
        let mut said = self.discussions(tx, ids(false))?;
        let events: Vec<Event> = match self.events {
            Some(events) => (events.by_ids)(tx, &ids(true))?,
            None => Vec::new(),
        };
        let mut events: HashMap<i64, Event> = events.into_iter().map(|one| (one.id, one)).collect();
        let entry = |(is_event, id): (bool, i64)| match is_event {
            true => events.remove(&id).map(Entry::Became),
            false => said.remove(&id).map(Entry::Said),
        };
        Ok(order.into_iter().filter_map(entry).collect())
    }

    /// The discussions that begin with these notes, each as far as it is shown.
    /// Past so much text, answers are left out.
    fn discussions(&self, tx: &mut Tx<'_>, firsts: Vec<i64>) -> Result<HashMap<i64, Discussion>> {
        let (begun, lengths) = match self.short(tx, &firsts)? {
            Some(short) => short,
            None => {
                let begun = self.begun(tx, firsts.clone())?;
                let lengths = long_texts::lengths(tx, self.of_beginnings(&begun), i64::MAX)?;
                (begun, lengths)
            }
        };
        let first = |id: &str| begun.iter().find(|one| one.discussion_id == id);
        let place = |one: &Length| {
            let first = first(&one.discussion_id)?.first_id;
            firsts.iter().position(|id| *id == first)
        };
        let is_first = |id: i64| firsts.contains(&id);
        let (read, cut) = long_texts::read(tx, sorted(lengths, place), is_first)?;
        let mut notes = grouped(read.into_iter().map(|note| (note.discussion_id.clone(), note)));
        let discussion = |one: Begun| {
            let notes = notes.remove(&one.discussion_id)?;
            let cut = cut.iter().copied().filter(|id| *id == one.first_id).collect();
            Some((one.first_id, Discussion { notes, total: one.total, cut }))
        };
        Ok(begun.into_iter().filter_map(discussion).collect())
    }

    /// Some discussions, each as far as it is shown, in the order they began.
    pub fn some(&self, tx: &mut Tx<'_>, ids: &[String]) -> Result<Vec<Discussion>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = Fragment::new("select notes.id from notes where ");
        query
            .append(self.beginning())
            .raw(" and")
            .in_list("notes.discussion_id", ids)
            .raw(" order by notes.created_at, notes.id");
        let firsts: Vec<i64> = tx.query(query)?;
        let mut said = self.discussions(tx, firsts.clone())?;
        Ok(firsts.iter().filter_map(|id| said.remove(id)).collect())
    }

    /// How far the discussions of these first notes go, with the lengths of all their
    /// notes, where they are few: then one statement reads them.
    fn short(&self, tx: &mut Tx<'_>, firsts: &[i64]) -> Result<Option<(Vec<Begun>, Vec<Length>)>> {
        let mut of = Fragment::new(
            "notes.discussion_id in (select began.discussion_id from notes began where",
        );
        of.in_list("began.id", firsts.to_vec()).raw(") and ").append(self.shown.clone());
        let lengths = long_texts::lengths(tx, of, FEW + 1)?;
        let mut totals: HashMap<&str, i64> = HashMap::new();
        for one in &lengths {
            *totals.entry(one.discussion_id.as_str()).or_default() += 1;
        }
        if lengths.len() as i64 > FEW || totals.values().any(|total| *total > MOST_SHOWN) {
            return Ok(None);
        }
        let begun = lengths.iter().filter(|one| firsts.contains(&one.id)).map(|one| Begun {
            first_id: one.id,
            discussion_id: one.discussion_id.clone(),
            total: totals.get(one.discussion_id.as_str()).copied().unwrap_or(1),
            cut_at: None,
            cut_id: None,
        });
        Ok(Some((begun.collect(), lengths)))
    }

    /// How far the discussions of these first notes go.
    fn begun(&self, tx: &mut Tx<'_>, firsts: Vec<i64>) -> Result<Vec<Begun>> {
        let mut query = Fragment::new(
            "select begun.first_id, begun.discussion_id, begun.total,
                cut.created_at as cut_at, cut.id as cut_id
             from (select began.id as first_id, began.discussion_id,
                (select count(*) from (select 1 from notes
                    where notes.discussion_id = began.discussion_id and ",
        );
        query
            .append(self.shown.clone())
            .push(" limit ", MOST_SHOWN + MOST_COUNTED + 1)
            .raw(
                ") as counted) as total,
                (select notes.id from notes
                    where notes.discussion_id = began.discussion_id and ",
            )
            .append(self.shown.clone())
            .push(" order by notes.created_at, notes.id limit 1 offset ", MOST_SHOWN - 1)
            .raw(") as last_id from notes began where")
            .in_list("began.id", firsts)
            .raw(") as begun left join notes cut on cut.id = begun.last_id");
        Ok(tx.query(query)?)
    }

    /// Condition on `notes`: those of these discussions up to where they are cut.
    fn of_beginnings(&self, begun: &[Begun]) -> Fragment {
        let whole = begun.iter().filter(|one| one.total <= MOST_SHOWN);
        let whole: Vec<String> = whole.map(|one| one.discussion_id.clone()).collect();
        let mut query = Fragment::new("(");
        query.in_list("notes.discussion_id", whole);
        for one in begun {
            let (true, Some(at), Some(id)) = (one.total > MOST_SHOWN, one.cut_at, one.cut_id)
            else {
                continue;
            };
            query
                .push(" or (notes.discussion_id = ", one.discussion_id.as_str())
                .push(" and (notes.created_at, notes.id) <= (", at)
                .push(", ", id)
                .raw("))");
        }
        query.raw(") and ").append(self.shown.clone());
        query
    }

    /// Condition on `notes`: those of one discussion of it. The sum keeps
    /// PostgreSQL from walking all notes of the issue for it.
    fn of_discussion(&self, id: &str) -> Fragment {
        let mut of = Fragment::new("notes.discussion_id = ");
        of.bind(id)
            .push(" and notes.noteable_type = ", self.noteable.kind)
            .push(" and notes.noteable_id + 0 = ", self.noteable.id)
            .raw(" and ")
            .append(self.shown.clone());
        of
    }

    /// One page of the notes of one discussion, oldest first; they are counted as
    /// entries are.
    pub fn discussion(&self, tx: &mut Tx<'_>, id: &str, paging: &Paging) -> Result<Discussion> {
        let total = count_notes(tx, self.of_discussion(id), counted_to(paging))?;
        let mut page = Fragment::new("notes.id in (select notes.id from notes where ");
        page.append(self.of_discussion(id))
            .push(" order by notes.created_at, notes.id limit ", paging.per_page)
            .push(" offset ", paging.offset())
            .raw(")");
        let lengths = long_texts::lengths(tx, page, i64::MAX)?;
        let (notes, cut) = long_texts::read(tx, lengths, |_| true)?;
        Ok(Discussion { notes, total, cut })
    }

    /// The discussion of one note, with nothing but that.
    pub fn alone(&self, tx: &mut Tx<'_>, id: i64) -> Result<Option<Discussion>> {
        let mut query = Fragment::new("select notes.* from notes where notes.noteable_type = ");
        query
            .bind(self.noteable.kind)
            .push(" and notes.noteable_id = ", self.noteable.id)
            .push(" and notes.id = ", id)
            .raw(" and ")
            .append(self.shown.clone());
        let note: Option<Note> = first(tx, query)?;
        Ok(note.map(|note| Discussion { notes: vec![note], total: 1, cut: Vec::new() }))
    }

    /// One page of the discussions, the latest first, and how many there are, counted
    /// as entries are.
    pub fn latest(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<(Vec<Discussion>, i64)> {
        let total = count_notes(tx, self.beginning(), counted_to(paging))?;
        let mut query = Fragment::new("select notes.id from notes where ");
        query
            .append(self.beginning())
            .push(" order by notes.created_at desc, notes.id desc limit ", paging.per_page)
            .push(" offset ", paging.offset());
        let firsts: Vec<i64> = tx.query(query)?;
        let mut said = self.discussions(tx, firsts.clone())?;
        Ok((firsts.iter().filter_map(|id| said.remove(id)).collect(), total))
    }

    /// How many discussions began after that of a note.
    pub fn later(&self, tx: &mut Tx<'_>, note: &Note) -> Result<i64> {
        let (at, id) = self.began(tx, note)?;
        let mut after = self.beginning();
        after.push(" and (notes.created_at, notes.id) > (", at).push(", ", id).raw(")");
        count_notes(tx, after, COUNT_LIMIT + 1)
    }

    /// When the discussion of a note began, and with which.
    fn began(&self, tx: &mut Tx<'_>, note: &Note) -> Result<Moment> {
        let mut query = Fragment::new("select notes.created_at, notes.id from notes where ");
        query
            .append(self.of_discussion(&note.discussion_id))
            .raw(" order by notes.created_at, notes.id limit 1");
        Ok(first(tx, query)?.unwrap_or((note.created_at, note.id)))
    }

    /// Where a note stands.
    pub fn place_of(&self, tx: &mut Tx<'_>, note: &Note) -> Result<NotePlace> {
        let began = self.began(tx, note)?;
        let mut before = self.of_discussion(&note.discussion_id);
        before
            .push(" and (notes.created_at, notes.id) < (", note.created_at)
            .push(", ", note.id)
            .raw(")");
        Ok(NotePlace {
            entries_before: self.count_entries(tx, Some(began), COUNT_LIMIT + 1)?,
            notes_before: count_notes(tx, before, COUNT_LIMIT + 1)?,
        })
    }
}

/// A discussion: its first note, its notes counted no further than is told, and
/// the last of them that is shown, if more follow.
#[derive(FromRow)]
struct Begun {
    first_id: i64,
    discussion_id: String,
    total: i64,
    cut_at: Option<Timestamp>,
    cut_id: Option<i64>,
}

/// Lengths by the places of their discussions, of which none may be gone.
fn sorted(lengths: Vec<Length>, place: impl Fn(&Length) -> Option<usize>) -> Vec<Length> {
    let placed = lengths.into_iter().filter_map(|one| Some((place(&one)?, one)));
    let mut placed: Vec<(usize, Length)> = placed.collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, one)| one).collect()
}

/// How far a list is counted whose pages may go on.
fn counted_to(paging: &Paging) -> i64 {
    let next = paging.offset().saturating_add(paging.per_page);
    COUNT_LIMIT.max(next).saturating_add(1)
}

fn count_notes(tx: &mut Tx<'_>, of: Fragment, most: i64) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from (select 1 from notes where ");
    query.append(of).push(" limit ", most).raw(") as counted");
    Ok(first(tx, query)?.unwrap_or(0))
}

fn first<R: FromRow>(tx: &mut Tx<'_>, query: Fragment) -> Result<Option<R>> {
    Ok(tx.query(query)?.into_iter().next())
}
