//! Comments that were found, as REST shows them.

use identity::entities::load_basic;
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use planning::entity::notes::{NoteEntity, note};
use planning::store::issues::of_condition;
use planning::store::notes::{COMMIT, ISSUE, MERGE_REQUEST, Note};
use planning::targets::{self, Placement};
use serde_json::Map;
use std::collections::HashMap;
use store::{Fragment, Tx};

/// What comments need beside their rows, read for all at once. Who finds a comment sees
/// what it is about.
pub struct Around {
    /// Numbers of issues, by their ids.
    issues: HashMap<i64, i64>,
    /// The same of merge requests.
    requests: HashMap<i64, i64>,
    users: HashMap<i64, User>,
    /// Where in code they stand.
    placed: HashMap<i64, Placement>,
}

impl Around {
    pub fn read(tx: &mut Tx<'_>, notes: &[Note]) -> Result<Around> {
        let about = |kind: &str| -> Vec<i64> {
            let of_kind = notes.iter().filter(|note| note.noteable_type == kind);
            of_kind.map(|note| note.noteable_id).collect()
        };
        let mut of_issues = Fragment::default();
        of_issues.in_list("issues.id", about(ISSUE));
        let issues = of_condition(tx, of_issues)?;
        let requests = reviews::activity::by_ids(tx, &about(MERGE_REQUEST))?;
        let people: Vec<i64> = notes.iter().flat_map(Note::people).collect();
        Ok(Around {
            issues: issues.into_iter().map(|issue| (issue.id, issue.iid)).collect(),
            requests: requests.into_iter().map(|(id, request)| (id, request.iid)).collect(),
            users: load_basic(tx, &people)?,
            placed: placed(tx, notes)?,
        })
    }

    pub fn entity(&self, app: &App, one: &Note) -> NoteEntity {
        let iid = match one.noteable_type.as_str() {
            ISSUE => self.issues.get(&one.noteable_id),
            MERGE_REQUEST => self.requests.get(&one.noteable_id),
            _ => None,
        };
        note(app, one, iid.copied(), &self.users, Map::new()).placed(self.placed.get(&one.id))
    }
}

/// Where in code those of these notes stand that do, by their ids.
fn placed(tx: &mut Tx<'_>, notes: &[Note]) -> Result<HashMap<i64, Placement>> {
    let mut placed = HashMap::new();
    for kind in [MERGE_REQUEST, COMMIT] {
        let of_kind = notes.iter().filter(|note| note.noteable_type == kind);
        placed.extend(targets::placed(tx, &of_kind.cloned().collect::<Vec<Note>>())?);
    }
    Ok(placed)
}
