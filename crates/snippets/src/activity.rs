//! What people do with snippets, as lists of activity show it to who sees them.

use crate::access::is_visible;
use crate::model::Snippet;
use crate::store;
use ::store::{Fragment, Tx, sql};
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::store::notes::Note;
use spaces::activity::{self, Action, Target, Where};
use std::collections::HashMap;

/// The kinds of targets. Comments have a kind of their own: who sees all notes of a
/// project may not see its snippets.
pub const SNIPPET: &str = "Snippet";
pub const SNIPPET_NOTE: &str = "SnippetNote";

/// Writes down that somebody did something with a snippet.
pub(crate) fn record(
    tx: &mut Tx<'_>, author: Option<i64>, action: Action, snippet: &Snippet,
) -> Result<()> {
    write(tx, author, action, snippet, Target::new(SNIPPET, snippet.id))
}

/// The same of a comment on one.
pub(crate) fn said(tx: &mut Tx<'_>, snippet: &Snippet, note: &Note) -> Result<()> {
    let target = Target::new(SNIPPET_NOTE, note.id);
    write(tx, note.author_id, Action::Commented, snippet, target)
}

fn write(
    tx: &mut Tx<'_>, author: Option<i64>, action: Action, snippet: &Snippet, target: Target<'_>,
) -> Result<()> {
    match snippet.project_id {
        Some(id) => activity::record(tx, author, action, Where::Project(id), target),
        None => activity::record_own(tx, author, action, target),
    }
}

/// Forgets a comment that is about to go.
pub(crate) fn unsaid(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    tx.execute(
        sql!("delete from activity_events where target_type = 'SnippetNote' and target_id = $1"),
        (note.id,),
    )?;
    Ok(())
}

/// Snippets by their ids, of those that are there.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Snippet>> {
    let found = store::by_ids(tx, ids, Fragment::new("true"))?;
    Ok(found.into_iter().map(|snippet| (snippet.id, snippet)).collect())
}

/// Condition on `activity_events`: it is about a snippet that the viewer sees.
pub fn of_snippets(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    is_visible(tx, viewer, "activity_events.target_id")
}

/// The same of comments on snippets.
pub fn of_notes(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new(
        "exists (select 1 from notes where notes.id = activity_events.target_id
            and notes.noteable_type = 'Snippet' and ",
    );
    seen.append(is_visible(tx, viewer, "notes.noteable_id")).raw(")");
    seen
}
