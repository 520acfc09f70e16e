//! What was said about an issue and what became of it, one page of it.

use super::Reader;
use crate::entity::events::Named;
use crate::model::EventKind;
use crate::pages::tags;
use crate::pages::views::{Entry, EventView, NoteView};
use crate::store::issues::events::Event;
use crate::store::issues::timeline::{self, Entry as Row};
use crate::store::notes::Note;
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::Result;
use kernel::html::{Moment, PageViewer};
use kernel::http::Paging;
use kernel::markup;
use kernel::time::Timestamp;
use spaces::access::MAINTAINER;
use std::collections::HashMap;
use store::Tx;

/// A note's text that was refused.
#[derive(Debug, Clone)]
pub struct Rewritten {
    /// The note.
    pub note_id: i64,
    /// What was typed.
    pub body: String,
}

impl Reader<'_> {
    /// One page, oldest first, and how many entries there are.
    pub fn story(
        &self,
        tx: &mut Tx<'_>,
        paging: &Paging,
        rewritten: Option<&Rewritten>,
    ) -> Result<(Vec<Entry>, i64)> {
        let (issue, inside) = (self.issue.id, self.desk.is_reporter());
        let total = timeline::count(tx, issue, inside)?;
        let rows = timeline::page(tx, issue, inside, paging.per_page, paging.offset())?;
        let (mut authors, mut events) = (Vec::new(), Vec::new());
        for row in &rows {
            match row {
                Row::Said(note) => authors.extend(note.author_id),
                Row::Became(event) => events.push(event.clone()),
            }
        }
        authors.sort_unstable();
        authors.dedup();
        let people = load_basic(tx, &authors)?;
        let named = Named::read(tx, &events)?;
        let now = tx.now();
        let entry = |row: &Row| match row {
            Row::Said(note) => Entry::Note(Box::new(self.note(note, &people, now, rewritten))),
            Row::Became(event) => Entry::Event(Box::new(told(event, &named, now))),
        };
        Ok((rows.iter().map(entry).collect(), total))
    }

    fn note(
        &self,
        note: &Note,
        people: &HashMap<i64, User>,
        now: Timestamp,
        rewritten: Option<&Rewritten>,
    ) -> NoteView {
        let author = note.author_id.and_then(|id| people.get(&id));
        let own = note.author_id.is_some() && note.author_id == self.viewer.user_id();
        let name = author.map_or(SOMEBODY, |user| user.name.as_str());
        let typed = rewritten.filter(|typed| typed.note_id == note.id);
        NoteView {
            id: note.id,
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            name: name.to_owned(),
            initials: PageViewer::initials(name),
            body: typed.map_or(&note.body, |typed| &typed.body).clone(),
            html: markup::render(&note.body),
            is_system: note.is_system,
            is_internal: note.internal,
            is_edited: note.updated_at > note.created_at,
            is_rewritten: typed.is_some(),
            in_thread: note.in_thread,
            discussion_id: note.discussion_id.clone(),
            created_at: Moment::new(note.created_at, now),
            may_change: self.writes() && !note.is_system && (own || self.desk.level >= MAINTAINER),
        }
    }
}

/// Whoever is gone.
const SOMEBODY: &str = "Somebody";

fn told(event: &Event, named: &Named, now: Timestamp) -> EventView {
    let author = named.user(event);
    let label = named.label(event);
    let goal = named.milestone(event);
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
        name: author
            .map_or(SOMEBODY, |user| user.name.as_str())
            .to_owned(),
        what,
        tags: tags(label.map(std::slice::from_ref).unwrap_or_default()),
        milestone: goal.map(|goal| {
            let url = format!("/{}/-/milestones/{}", goal.parent_path, goal.iid);
            (goal.title.clone(), url)
        }),
        created_at: Moment::new(event.created_at, now),
    }
}
