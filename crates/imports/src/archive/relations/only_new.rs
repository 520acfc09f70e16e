//! What of a page a project does not have yet.

use super::super::format::List;
use super::super::store;
use crate::ledger;
use crate::model::{Kind, Object, On};
use crate::run::{Import, Page, Trouble};
use kernel::app::App;
use kernel::error::Result;
use std::collections::HashSet;

/// Leaves out what has a number that the project has already, and what is said of that.
pub async fn only_new(
    app: &App, import: &Import, list: List, mut page: Page,
) -> Result<Page, Trouble> {
    let (id, project) = (import.id, import.project_id);
    let read = app.read(move |tx| {
        let own: Vec<i64> = page.objects.iter().filter_map(number).collect();
        let mut taken: HashSet<i64> =
            store::numbers_taken(tx, project, list, own)?.into_iter().collect();
        let mut came = HashSet::new();
        for kind in [Kind::Issue, Kind::PullRequest, Kind::Milestone] {
            let keys: Vec<String> = page
                .objects
                .iter()
                .filter_map(|object| about(object).filter(|(of, _)| *of == kind))
                .map(|(_, number)| number.to_string())
                .collect();
            let known = ledger::known(tx, id, kind, &keys)?;
            came.extend(known.into_keys().filter_map(|key| Some((kind, key.parse::<i64>().ok()?))));
        }
        // What came by this very import is no other's.
        taken.retain(|number| !came.iter().any(|(_, own)| own == number));
        page.objects.retain(|object| match (number(object), about(object)) {
            (Some(number), _) => !taken.contains(&number),
            (None, Some(about)) => came.contains(&about),
            (None, None) => true,
        });
        Ok(page)
    });
    Ok(read.await?)
}

/// The number of what has one of its own.
fn number(object: &Object) -> Option<i64> {
    about(object).map(|(_, number)| number).filter(|_| {
        matches!(object, Object::Issue(_) | Object::MergeRequest(_) | Object::Milestone(_))
    })
}

/// What it is, or is about, that has a number.
fn about(object: &Object) -> Option<(Kind, i64)> {
    let on = |on: On| match on {
        On::Issue(number) => (Kind::Issue, number),
        On::MergeRequest(number) => (Kind::PullRequest, number),
    };
    Some(match object {
        Object::Issue(issue) => (Kind::Issue, issue.number),
        Object::MergeRequest(request) => (Kind::PullRequest, request.number),
        Object::Milestone(milestone) => (Kind::Milestone, milestone.number),
        Object::Note(note) => on(note.on),
        Object::Event(event) => on(event.on),
        Object::CodeNote(note) => (Kind::PullRequest, note.number),
        _ => return None,
    })
}
