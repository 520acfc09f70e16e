//! What was said about an issue and what became of it, one page of it.

use super::Reader;
use crate::entity::events::Named;
use crate::model::{EventKind, Label};
use crate::pages::notes::{NotePage, NoteView, SOMEBODY};
use crate::rules::issues::noteable;
use crate::store::issues::events::Event;
use crate::store::issues::timeline::{self, Entry as Row};
use crate::store::notes::shown;
use identity::pages::challenge::Challenge;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::http::Paging;
use kernel::time::Timestamp;
use store::Tx;

#[derive(Debug, Clone)]
pub enum Entry {
    Note(Box<NoteView>),
    Event(Box<EventView>),
}

#[derive(Debug, Clone, Default)]
pub struct EventView {
    pub author: String,
    pub name: String,
    pub what: String,
    pub label: Option<Label>,
    /// Title and path of the milestone.
    pub milestone: Option<(String, String)>,
    pub created_at: Moment,
}

#[derive(Debug, Clone)]
pub struct Rewritten {
    pub note_id: i64,
    pub body: String,
    /// Solved, the same is taken.
    pub challenge: Option<Challenge>,
}

impl Reader<'_> {
    /// One page, oldest first, and how many entries there are.
    pub fn story(
        &self,
        tx: &mut Tx<'_>,
        around: &NotePage<'_>,
        paging: &Paging,
        rewritten: Option<&Rewritten>,
    ) -> Result<(Vec<Entry>, i64)> {
        let issue = self.issue.id;
        let notes = shown(self.viewer, noteable(self.issue), self.desk.is_reporter());
        let total = timeline::count(tx, issue, notes.clone())?;
        let rows = timeline::page(tx, issue, notes, paging.per_page, paging.offset())?;
        let (mut said, mut events) = (Vec::new(), Vec::new());
        for row in &rows {
            match row {
                Row::Said(note) => said.push(note.clone()),
                Row::Became(event) => events.push(event.clone()),
            }
        }
        let mut notes = around.show(tx, said)?.into_iter();
        let named = Named::read(tx, &events)?;
        let now = tx.now();
        let entry = |row: &Row| match row {
            Row::Said(note) => {
                let typed = rewritten.filter(|typed| typed.note_id == note.id);
                let shown = notes.next()?;
                Some(Entry::Note(Box::new(match typed {
                    Some(typed) => shown.rewritten(&typed.body, typed.challenge.as_ref()),
                    None => shown,
                })))
            }
            Row::Became(event) => Some(Entry::Event(Box::new(told(event, &named, now)))),
        };
        Ok((rows.iter().filter_map(entry).collect(), total))
    }
}

fn told(event: &Event, named: &Named, now: Timestamp) -> EventView {
    let author = named.user(event);
    let adds = event.action == "add";
    let what = match (event.kind, event.weight) {
        (EventKind::State, _) => format!("{} this issue", event.action),
        (EventKind::Label, _) if adds => "added the label".to_owned(),
        (EventKind::Label, _) => "removed the label".to_owned(),
        (EventKind::Milestone, _) if adds => "set the milestone".to_owned(),
        (EventKind::Milestone, _) => "removed the milestone".to_owned(),
        (EventKind::Weight, Some(weight)) => format!("set the weight to {weight}"),
        (EventKind::Weight, None) => "removed the weight".to_owned(),
    };
    EventView {
        author: author.map(|user| user.username.clone()).unwrap_or_default(),
        name: author.map_or(SOMEBODY, |user| user.name.as_str()).to_owned(),
        what,
        label: named.label(event).cloned(),
        milestone: named.milestone(event).map(|goal| (goal.title.clone(), goal.path())),
        created_at: Moment::new(event.created_at, now),
    }
}
