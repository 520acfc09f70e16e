//! What was said about an alert and happened to it, as its page shows it.

use super::show::Text;
use super::views::NoteRow;
use crate::alerts::model::Alert;
use crate::alerts::store::history;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::http::Paging;
use kernel::time::Timestamp;
use planning::access::ProjectAccess;
use planning::rules::comments::may_change;
use planning::rules::references::Links;
use planning::store::notes::Note;
use std::collections::HashMap;
use store::Tx;

/// Somebody before an alert they see.
pub(super) struct Reader<'r> {
    pub viewer: &'r Viewer,
    pub desk: &'r ProjectAccess,
    pub alert: &'r Alert,
}

impl Reader<'_> {
    pub fn writes(&self) -> bool {
        !self.desk.project.archived
    }

    pub fn notes(
        &self,
        tx: &mut Tx<'_>,
        paging: &Paging,
        typed: Option<&Text>,
    ) -> Result<Vec<NoteRow>> {
        let (limit, offset) = (paging.per_page, paging.offset());
        let found = history::notes(tx, self.alert.id, limit, offset)?;
        let mut authors: Vec<i64> = found.iter().filter_map(|note| note.author_id).collect();
        authors.sort_unstable();
        authors.dedup();
        let people = load_basic(tx, &authors)?;
        let texts = found.iter().map(|note| note.body.as_str());
        let links = Links::find(tx, self.viewer, "", Some(&self.desk.project), texts)?;
        let now = tx.now();
        let row = |note| self.note(note, &people, &links, now, typed);
        Ok(found.into_iter().map(row).collect())
    }

    fn note(
        &self,
        note: Note,
        people: &HashMap<i64, User>,
        links: &Links,
        now: Timestamp,
        typed: Option<&Text>,
    ) -> NoteRow {
        let typed = typed.and_then(|text| text.of_note(note.id));
        let author = note.author_id.and_then(|id| people.get(&id));
        NoteRow {
            id: note.id,
            author: match author.filter(|_| !note.is_system) {
                Some(user) => user.username.clone(),
                None => String::new(),
            },
            name: author.map_or_else(|| "Somebody".to_owned(), |user| user.name.clone()),
            may_change: self.writes() && may_change(self.viewer, self.desk, &note),
            is_system: note.is_system,
            is_internal: note.internal,
            is_edited: note.updated_at > note.created_at,
            in_thread: note.in_thread,
            html: links.render(&note.body),
            is_rewritten: typed.is_some(),
            body: typed.map_or(note.body, str::to_owned),
            discussion_id: note.discussion_id,
            created_at: Moment::new(note.created_at, now),
        }
    }
}
