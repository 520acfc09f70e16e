//! What was said about an issue and what became of it, one page of it.

use super::Reader;
use crate::entity::events::Named;
use crate::model::EventKind;
use crate::pages::notes::{Activity, ActivityText, Entry, NotePage, Person, Story};
use crate::rules::issues::noteable;
use crate::store::issues::events::Event;
use crate::store::issues::timeline::{self, Entry as Row};
use crate::store::notes::shown;
use kernel::error::{Found, Result};
use kernel::html::Moment;
use kernel::http::Paging;
use kernel::time::Timestamp;
use store::{Fragment, Tx};

impl Reader<'_> {
    fn notes(&self) -> Fragment {
        shown(self.viewer, noteable(self.issue), self.desk.is_reporter())
    }

    /// One page, oldest first, and how many entries there are.
    pub fn story(
        &self,
        tx: &mut Tx<'_>,
        around: &NotePage<'_>,
        paging: &Paging,
    ) -> Result<(Story, i64)> {
        let issue = self.issue.id;
        let total = timeline::count(tx, issue, self.notes())?;
        let rows = timeline::page(tx, issue, self.notes(), paging.per_page, paging.offset())?;
        let (mut said, mut events) = (Vec::new(), Vec::new());
        for row in &rows {
            match row {
                Row::Said(discussion) => said.push(discussion.clone()),
                Row::Became(event) => events.push(event.clone()),
            }
        }
        let mut said = around.show(tx, said)?.into_iter();
        let named = Named::read(tx, &events)?;
        let now = tx.now();
        let entry = |row: &Row| match row {
            Row::Said(_) => said.next(),
            Row::Became(event) => Some(Entry::Activity(Box::new(told(event, &named, now)))),
        };
        Ok((Story::new(rows.iter().filter_map(entry).collect()), total))
    }

    /// One page of one discussion, and how many notes it has.
    pub fn thread(
        &self,
        tx: &mut Tx<'_>,
        around: &NotePage<'_>,
        id: &str,
        paging: &Paging,
    ) -> Result<(Story, i64)> {
        let (limit, offset) = (paging.per_page, paging.offset());
        let said = timeline::discussion(tx, self.notes(), id, limit, offset)?;
        let total = said.total;
        (total > 0).then_some(()).found("Thread")?;
        Ok((Story::new(around.show(tx, vec![said])?), total))
    }
}

fn told(event: &Event, named: &Named, now: Timestamp) -> Activity {
    let adds = event.action == "add";
    let text = match (event.kind, event.weight) {
        (EventKind::State, _) => format!("{} this issue", event.action),
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
