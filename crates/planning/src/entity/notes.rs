//! Notes, discussions and reactions as JSON.

use crate::store::awards::Award;
use crate::store::notes::{COMMIT, Note};
use crate::targets::Placement;
use identity::entities::{UserBasic, basic};
use identity::model::User;
use kernel::app::App;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoteEntity {
    pub id: i64,
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    pub body: String,
    pub attachment: Option<String>,
    pub author: Option<UserBasic>,
    pub created_at: String,
    pub updated_at: String,
    pub system: bool,
    /// Nothing of commits.
    pub noteable_id: Option<i64>,
    pub noteable_type: String,
    pub project_id: Option<i64>,
    /// Where in code it stands, if it does.
    #[serde(flatten)]
    pub place: Option<PlaceEntity>,
    pub resolvable: bool,
    #[serde(flatten)]
    pub resolution: Option<Resolution>,
    /// Changes that it suggests; of notes in code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Value>>,
    pub confidential: bool,
    pub internal: bool,
    /// Number of the issue; of epics it is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noteable_iid: Option<i64>,
    pub commands_changes: Map<String, Value>,
}

/// Where in code a note stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlaceEntity {
    /// The commit that it was written about, if it was about one.
    pub commit_id: Option<String>,
    /// The file and the line, and between which commits.
    pub position: Value,
}

/// The type of notes that stand in code.
const DIFF_NOTE: &str = "DiffNote";

impl NoteEntity {
    /// The same note, which stands here.
    pub fn placed(self, placement: Option<&Placement>) -> NoteEntity {
        let Some(placement) = placement else {
            return self;
        };
        NoteEntity {
            note_type: Some(DIFF_NOTE.to_owned()),
            place: Some(PlaceEntity {
                commit_id: placement.commit_id.clone(),
                position: placement.position.clone(),
            }),
            suggestions: Some(placement.suggestions.clone()),
            ..self
        }
    }
}

/// How far a note is that can be resolved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Resolution {
    pub resolved: bool,
    /// Who resolved its thread.
    pub resolved_by: Option<UserBasic>,
    pub resolved_at: Option<String>,
}

/// Notes that answer one another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DiscussionEntity {
    /// 40 hexadecimal digits.
    pub id: String,
    /// It is one note alone, which nobody may answer in place.
    pub individual_note: bool,
    pub resolvable: bool,
    /// None of its notes is open; absent where it cannot be resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// The notes, oldest first.
    pub notes: Vec<NoteEntity>,
}

/// A reaction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AwardEntity {
    pub id: i64,
    pub name: String,
    pub user: Option<UserBasic>,
    pub created_at: String,
    pub updated_at: String,
    pub awardable_id: i64,
    pub awardable_type: String,
}

pub fn note(
    app: &App, note: &Note, noteable_iid: Option<i64>, users: &HashMap<i64, User>,
    changes: Map<String, Value>,
) -> NoteEntity {
    let person = |id: Option<i64>| id.and_then(|id| users.get(&id)).map(|user| basic(app, user));
    NoteEntity {
        id: note.id,
        note_type: note.in_thread.then(|| "DiscussionNote".to_owned()),
        body: note.body.clone(),
        attachment: None,
        author: person(note.author_id),
        created_at: wire::text(note.created_at),
        updated_at: wire::text(note.updated_at),
        system: note.is_system,
        noteable_id: Some(note.noteable_id).filter(|_| note.noteable_type != COMMIT),
        noteable_type: note.noteable_type.clone(),
        project_id: note.project_id,
        place: None,
        resolvable: note.is_resolvable(),
        resolution: note.is_resolvable().then(|| Resolution {
            resolved: note.is_resolved(),
            resolved_by: person(note.resolved_by_id),
            resolved_at: note.resolved_at.map(wire::text),
        }),
        suggestions: None,
        confidential: note.internal,
        internal: note.internal,
        noteable_iid,
        commands_changes: changes,
    }
}

/// A discussion of these notes, which all belong to it, with where they stand.
pub fn discussion(
    app: &App, notes: &[Note], noteable_iid: Option<i64>, users: &HashMap<i64, User>,
    placed: &HashMap<i64, Placement>,
) -> DiscussionEntity {
    let first = notes.first();
    let mut resolvable = notes.iter().filter(|one| one.is_resolvable()).peekable();
    let is_resolvable = resolvable.peek().is_some();
    let is_resolved = resolvable.all(Note::is_resolved);
    DiscussionEntity {
        id: first.map(|note| note.discussion_id.clone()).unwrap_or_default(),
        individual_note: !notes.iter().any(|note| note.in_thread),
        resolvable: is_resolvable,
        resolved: is_resolvable.then_some(is_resolved),
        notes: notes
            .iter()
            .map(|one| note(app, one, noteable_iid, users, Map::new()).placed(placed.get(&one.id)))
            .collect(),
    }
}

pub fn award(app: &App, award: &Award, users: &HashMap<i64, User>) -> AwardEntity {
    AwardEntity {
        id: award.id,
        name: award.name.clone(),
        user: users.get(&award.user_id).map(|user| basic(app, user)),
        created_at: wire::text(award.created_at),
        updated_at: wire::text(award.updated_at),
        awardable_id: award.awardable_id,
        awardable_type: award.awardable_type.clone(),
    }
}
