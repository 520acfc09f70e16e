//! Comments on commits: notes in a form of their own, which clients had before there were
//! discussions.

use super::{CommitAt, ONE};
use crate::commits::model::CommitLine;
use crate::commits::rules::{self, CommitPlace};
use crate::commits::store as rows;
use crate::commits::talk::thing;
use crate::positions::{Position, Sent, place_shown};
use ::store::Tx;
use code::access::SCOPES;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Paged, Paging, Params, RequestContext, Routes};
use kernel::time::wire;
use planning::guarded::{self, Writer};
use planning::rules::comments::{Comment, Said, Talk, refused_text};
use planning::store::notes::{self as notes, Activity, Note, NoteOrder};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get(&format!("{ONE}/comments"), list)
        .scopes(SCOPES)
        .summary("Lists the comments on a commit");
    r.post(&format!("{ONE}/comments"), create).summary("Comments on a commit");
}

/// A comment on a commit, or on a line of it.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitCommentEntity {
    note: String,
    #[serde(flatten)]
    line: CommitLine,
    author: Option<UserBasic>,
    created_at: String,
}

impl CommitCommentEntity {
    fn of(
        app: &App, note: &Note, line: CommitLine, people: &HashMap<i64, User>,
    ) -> CommitCommentEntity {
        let author = note.author_id.and_then(|id| people.get(&id));
        CommitCommentEntity {
            note: note.body.clone(),
            author: author.map(|user| basic(app, user)),
            created_at: wire::text(note.created_at),
            line,
        }
    }
}

/// What people wrote, the oldest first.
async fn list(at: CommitAt, paging: Paging) -> Result<Paged<CommitCommentEntity>> {
    let CommitAt { caller, place, .. } = at;
    caller
        .read(move |tx, by| {
            let (here, commit) = place.find(tx, &by.viewer)?;
            let written = Talk::new(&by.viewer, &here, &thing(commit.id)).shown(tx);
            let order = (NoteOrder::CreatedAt, false);
            let page = notes::list(tx, written, Activity::Comments, order, paging)?;
            let lines = lines_of(tx, &page.items)?;
            let people: Vec<i64> = page.items.iter().filter_map(|note| note.author_id).collect();
            let people = load_basic(tx, &people)?;
            Ok(page.map(|note| {
                let line = lines.get(&note.discussion_id).cloned().unwrap_or_default();
                CommitCommentEntity::of(&by.app, &note, line, &people)
            }))
        })
        .await
}

/// The lines that notes are on, by their discussions.
fn lines_of(tx: &mut Tx<'_>, notes: &[Note]) -> Result<HashMap<String, CommitLine>> {
    let ids: Vec<String> = notes.iter().map(|note| note.discussion_id.clone()).collect();
    let threads = rows::threads(tx, &ids)?;
    Ok(threads.into_iter().map(|thread| (thread.discussion_id, thread.line)).collect())
}

kernel::choices! {
    /// Which side of a difference a line is on.
    enum LineType {
        New = "new",
        Old = "old",
    }
}

kernel::params! {
    /// A comment to be.
    struct CreateComment {
        /// What it says.
        pub note: String,
        /// The file it is about.
        pub path: Option<String>,
        /// The line of that file.
        pub line: Option<i64>,
        /// Which side the line is on: `new` unless given.
        pub line_type: Option<LineType>,
    }
}

async fn create(
    at: CommitAt, request: Arc<RequestContext>, Params(asked): Params<CreateComment>,
) -> Result<Created<CommitCommentEntity>> {
    let (app, viewer) = (at.caller.app.clone(), at.caller.viewer.clone());
    let position = place(&app, &at, &asked).await?;
    let place = rules::discuss(&app, &viewer, at.project_id, &at.commit).await?;
    let writer = Writer::by_api(viewer, request);
    write(&app, writer, place, asked.note, position).await.map(Created)
}

/// Where a comment stands; nowhere where the line is none that the difference shows.
async fn place(app: &App, at: &CommitAt, asked: &CreateComment) -> Result<Option<Position>> {
    let (Some(path), Some(line)) = (asked.path.as_deref(), asked.line) else {
        return Ok(None);
    };
    let sent = Sent {
        path: Some(path.to_owned()),
        line: Some(line),
        side: asked.line_type.map(|side| side.to_string()),
        ..Sent::default()
    };
    place_shown(app, &at.repository, &sent, rules::sides(&at.commit)?).await
}

async fn write(
    app: &App, writer: Writer, place: CommitPlace, note: String, position: Option<Position>,
) -> Result<CommitCommentEntity> {
    let comment = Comment {
        body: note,
        internal: false,
        created_at: None,
        discussion_id: None,
        begins_thread: position.is_some(),
    };
    let handle = app.clone();
    let written = guarded::comment(app, writer, place, comment, move |tx, commit, said| {
        // Commands in it are text.
        let Said::Note(note, _) = said else {
            return Err(blank());
        };
        if let Some(position) = &position {
            rules::stand(tx, &commit, &note, position)?;
        }
        let line = position.as_ref().map(CommitLine::from).unwrap_or_default();
        let people: Vec<i64> = note.author_id.into_iter().collect();
        let people = load_basic(tx, &people)?;
        Ok(CommitCommentEntity::of(&handle, &note, line, &people))
    });
    written.await.map_err(named)?.rest()
}

fn blank() -> Error {
    Error::invalid("note", "can't be blank")
}

/// What is wrong with the text, as one of its field.
fn named(error: Error) -> Error {
    match refused_text(&error) {
        Some(problem) => Error::invalid("note", problem),
        None => error,
    }
}
