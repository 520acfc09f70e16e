//! What was said about an alert and happened to it, as its page shows it.

use super::show::Text;
use super::views::NoteRow;
use crate::alerts::model::Alert;
use crate::alerts::store::history;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Paging;
use planning::access::ProjectAccess;
use planning::rules::comments::may_change;
use planning::rules::references::{Links, Shown};
use planning::store::notes::Note;
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
        let row = |note: Note| NoteRow {
            author: note.author_id.and_then(|id| people.get(&id)).cloned(),
            html: links.shown(&note.body, Shown { id: &format!("n{}-", note.id), tasks: "" }),
            may_change: self.writes() && may_change(self.viewer, self.desk, &note),
            typed: typed.and_then(|text| text.of_note(note.id)).map(str::to_owned),
            note,
        };
        Ok(found.into_iter().map(row).collect())
    }
}
