//! What was said about something and what became of it, one page of it.

use crate::entity::events::Named;
use crate::model::EventKind;
use crate::pages::notes::{Activity, ActivityText, Entry, NotePage, Person, Story, StoryQuery};
use crate::store::issues::events::Event;
use crate::store::issues::timeline::{Discussion, Entry as Row, Timeline};
use kernel::error::{Found, Result};
use kernel::html::Moment;
use kernel::http::Paging;
use kernel::time::Timestamp;
use store::Tx;

pub struct StoryReader<'s> {
    pub timeline: Timeline,
    pub around: &'s NotePage<'s>,
    /// What it is about: «issue».
    pub noun: &'static str,
}

impl StoryReader<'_> {
    /// What is asked for: one page of all, of one discussion, or one note; and how
    /// many entries or notes there are.
    pub fn story(
        &self, tx: &mut Tx<'_>, asked: &StoryQuery, paging: &Paging,
    ) -> Result<(Story, i64)> {
        match (&asked.thread, asked.note) {
            (_, Some(note)) => {
                let said = self.timeline.alone(tx, note)?.found("Note")?;
                Ok((Story::new(self.around.show(tx, vec![said])?), 1))
            }
            (Some(id), None) => self.thread(tx, id, paging),
            (None, None) => self.entries(tx, paging),
        }
    }

    /// One page, oldest first, and how many entries there are.
    fn entries(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<(Story, i64)> {
        let total = self.timeline.count(tx, paging)?;
        let rows = self.timeline.page(tx, paging)?;
        let (mut said, mut events, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            order.push(matches!(row, Row::Said(_)));
            match row {
                Row::Said(discussion) => said.push(discussion),
                Row::Became(event) => events.push(event),
            }
        }
        let named = Named::read(tx, &events)?;
        let now = tx.now();
        let mut said = self.around.show(tx, said)?.into_iter();
        let mut became = events
            .iter()
            .map(|event| Entry::Activity(Box::new(self.told(event, &named, now))));
        let entries = order.into_iter().filter_map(|is_said| match is_said {
            true => said.next(),
            false => became.next(),
        });
        Ok((Story::new(entries.collect()), total))
    }

    /// One page of one discussion, and how many notes it has.
    fn thread(&self, tx: &mut Tx<'_>, id: &str, paging: &Paging) -> Result<(Story, i64)> {
        let said = self.timeline.discussion(tx, id, paging)?;
        let total = said.total;
        (total > 0).then_some(()).found("Thread")?;
        // The other pages of it hold the rest.
        let said = Discussion { total: said.notes.len() as i64, ..said };
        Ok((Story::new(self.around.show(tx, vec![said])?), total))
    }

    fn told(&self, event: &Event, named: &Named, now: Timestamp) -> Activity {
        let adds = event.action == "add";
        let text = match (event.kind, event.weight) {
            (EventKind::State, _) => format!("{} this {}", event.action, self.noun),
            (EventKind::Label, _) if adds => "added the label".to_owned(),
            (EventKind::Label, _) => "removed the label".to_owned(),
            (EventKind::Milestone, _) if adds => "set the milestone".to_owned(),
            (EventKind::Milestone, _) => "removed the milestone".to_owned(),
            (EventKind::Weight, Some(weight)) => format!("set the weight to {weight}"),
            (EventKind::Weight, None) => "removed the weight".to_owned(),
        };
        Activity {
            author: Person::of(named.user(event)),
            text: ActivityText::Event {
                text,
                label: named.label(event).cloned(),
                milestone: named.milestone(event).map(|goal| (goal.title.clone(), goal.path())),
            },
            created_at: Moment::new(event.created_at, now),
            note_id: None,
        }
    }
}
