//! Suggestions with what decides whether they can be applied, and as clients see them.

use super::change::Change;
use super::model::Suggestion;
use super::refusal::{Facts, Refusal, refusal};
use super::store as rows;
use crate::model::{MergeRequest, State};
use crate::store;
use crate::threads::model::{Thread, read};
use ::store::{Fragment, Tx};
use kernel::error::{Error, Result};
use planning::store::notes::Note;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

/// A suggestion of somebody who may see it.
#[derive(Debug, Clone)]
pub struct Shown {
    pub suggestion: Suggestion,
    /// The merge request that its note is about.
    pub request_id: i64,
    /// Where its lines are now, or were last.
    pub change: Change,
    /// Why it cannot be applied.
    pub refusal: Option<Refusal>,
}

/// A suggestion, as JSON.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Suggestion")]
pub struct SuggestionEntity {
    id: i64,
    /// The first of the lines that it replaces.
    from_line: u32,
    /// The last of them.
    to_line: u32,
    /// Whether it can be applied.
    appliable: bool,
    applied: bool,
    from_content: String,
    to_content: String,
}

impl Shown {
    fn of(suggestion: Suggestion, thread: &Thread, request: &MergeRequest) -> Option<Shown> {
        let position = read(&thread.position)?;
        let change = suggestion.change(&position)?;
        let refusal = refusal(&Facts {
            is_applied: suggestion.is_applied(),
            is_merged: request.state == State::Merged,
            is_closed: request.state == State::Closed,
            // With the branch, a merge request that is open is closed.
            has_branch: request.source_project_id.is_some(),
            is_outdated: suggestion.is_outdated || thread.is_outdated,
            is_behind: Some(position.shas.head) != request.head_id,
            change: &change,
        });
        Some(Shown { suggestion, request_id: request.id, change, refusal })
    }

    pub fn entity(&self) -> SuggestionEntity {
        let (one, change) = (&self.suggestion, &self.change);
        SuggestionEntity {
            id: one.id,
            from_line: change.from_line,
            to_line: change.to_line,
            appliable: self.refusal.is_none(),
            applied: one.is_applied(),
            from_content: one.from_content.clone(),
            to_content: one.to_content.clone(),
        }
    }
}

/// What these notes suggest, by their ids, each in its order; the threads are theirs.
pub fn of_notes(
    tx: &mut Tx<'_>, threads: &[Thread], notes: &[&Note],
) -> Result<HashMap<i64, Vec<Shown>>> {
    let threads: HashMap<&str, &Thread> =
        threads.iter().map(|thread| (thread.discussion_id.as_str(), thread)).collect();
    let standing = |note: &&&Note| {
        note.body.contains("suggestion") && threads.contains_key(note.discussion_id.as_str())
    };
    let notes: HashMap<i64, &Note> =
        notes.iter().filter(standing).map(|note| (note.id, *note)).collect();
    if notes.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = notes.keys().copied().collect();
    let suggestions = rows::of_notes(tx, &ids)?;
    let requests = requests(tx, &notes, &suggestions)?;
    let mut found: HashMap<i64, Vec<Shown>> = HashMap::new();
    for suggestion in suggestions {
        let note_id = suggestion.note_id;
        let Some(note) = notes.get(&note_id) else { continue };
        let thread = threads.get(note.discussion_id.as_str());
        let request = requests.get(&note.noteable_id);
        if let Some((thread, request)) = thread.zip(request) {
            found.entry(note_id).or_default().extend(Shown::of(suggestion, thread, request));
        }
    }
    Ok(found)
}

/// The merge requests that notes which suggest something are about.
fn requests(
    tx: &mut Tx<'_>, notes: &HashMap<i64, &Note>, suggestions: &[Suggestion],
) -> Result<HashMap<i64, MergeRequest>> {
    let about = suggestions.iter().filter_map(|one| notes.get(&one.note_id));
    let mut ids: Vec<i64> = about.map(|note| note.noteable_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let requests = store::by_ids(tx, &ids, Fragment::new("1 = 1"))?;
    Ok(requests.into_iter().map(|request| (request.id, request)).collect())
}

/// The same as JSON.
pub fn entities(
    tx: &mut Tx<'_>, threads: &[Thread], notes: &[&Note],
) -> Result<HashMap<i64, Vec<Value>>> {
    let found = of_notes(tx, threads, notes)?.into_iter().map(|(id, shown)| {
        let entities = shown.iter().map(|one| serde_json::to_value(one.entity()));
        let entities = entities.collect::<std::result::Result<_, _>>().map_err(Error::internal)?;
        Ok((id, entities))
    });
    found.collect()
}
