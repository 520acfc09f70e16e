//! Comments among what was found, each with what it is about.

use super::{Row, Search};
use crate::kinds::Kind;
use kernel::error::Result;
use kernel::search::Hit;
use kernel::time::Timestamp;
use planning::notifications::seen::summaries;
use planning::targets::NoteableSummary;
use spaces::activity::Where;
use store::Tx;

impl Search {
    /// The rows of comments, whose hits name what they are about by kind and id.
    pub(super) fn comments(
        &self, tx: &mut Tx<'_>, hits: &[&Hit], now: Timestamp,
    ) -> Result<Vec<Row>> {
        let told = summaries(tx, hits.iter().copied().filter_map(about))?;
        let row = |hit: &&Hit| {
            let (kind, id) = about(hit)?;
            let told = told.get(&(kind.to_owned(), id))?;
            Some(self.comment(hit, told, now))
        };
        Ok(hits.iter().filter_map(row).collect())
    }

    fn comment(&self, hit: &Hit, about: &NoteableSummary, now: Timestamp) -> Row {
        let hit = Hit {
            title: about.title.clone(),
            place: about.path.clone(),
            ..hit.clone()
        };
        Row {
            place: about.place_path.clone(),
            place_url: match about.place {
                Where::Project(_) => format!("/{}", about.place_path),
                Where::Group(_) => format!("/groups/{}", about.place_path),
            },
            reference: about.reference.clone(),
            word: String::new(),
            ..self.row(Kind::Notes, &hit, now)
        }
    }
}

/// The kind and the id of what a comment is about.
fn about(hit: &Hit) -> Option<(&str, i64)> {
    Some((hit.word.as_deref()?, hit.number?))
}
