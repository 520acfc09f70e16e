//! Notes of issues; their discussions are in [`discussions`].

mod discussions;

use super::issues::{IssuePath, list::Sort};
use crate::entity::notes::{NoteEntity, note};
use crate::guarded::{self, Writer};
use crate::model::Issue;
use crate::rules::comments::{Comment, Said, Talk};
use crate::rules::issues::noteable;
use crate::rules::issues::places::{found, found_to_write};
use crate::store::notes::{self as rows, Activity, Note, NoteOrder, shown};
use ::http::StatusCode;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::reply::json;
use kernel::http::{
    Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Response, Routes,
};
use kernel::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const ISSUE: &str = "/projects/{id}/issues/{issue_iid}";

pub(super) fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{ISSUE}/{rest}");
    r.get(&at("notes"), list)
        .summary("Lists the notes of an issue");
    r.post(&at("notes"), create)
        .summary("Writes a note about an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("notes/{note_id}"), show)
        .summary("Shows a note of an issue");
    r.put(&at("notes/{note_id}"), update)
        .summary("Changes a note of an issue");
    r.delete(&at("notes/{note_id}"), destroy)
        .summary("Deletes a note of an issue");
    discussions::routes(r);
}

kernel::params! {
    pub struct ListNotes {
        pub at: Flat<IssuePath>,
        /// What to sort by.
        pub order_by: Option<NoteOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Of people, of the program, or both.
        pub activity_filter: Option<Activity>,
    }
}

kernel::params! {
    pub struct CreateNote {
        pub at: Flat<IssuePath>,
        /// The text, in Markdown.
        pub body: String,
        /// For reporters only.
        pub internal: Option<bool>,
        /// The same by its older name.
        pub confidential: Option<bool>,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
    }
}

kernel::params! {
    pub struct NotePath {
        pub at: Flat<IssuePath>,
        /// Id of the note.
        pub note_id: i64,
    }
}

kernel::params! {
    pub struct UpdateNote {
        pub at: Flat<NotePath>,
        /// The text, in Markdown.
        pub body: String,
    }
}

/// Notes with who wrote them, rendered after the transaction.
struct LoadedNotes {
    issue: Issue,
    notes: Vec<Note>,
    users: HashMap<i64, User>,
}

impl LoadedNotes {
    fn read(tx: &mut Tx<'_>, issue: Issue, notes: Vec<Note>) -> Result<LoadedNotes> {
        let ids: Vec<i64> = notes.iter().filter_map(|note| note.author_id).collect();
        let users = load_basic(tx, &ids)?;
        Ok(LoadedNotes {
            issue,
            notes,
            users,
        })
    }

    fn one(&self, app: &App, changes: Map<String, Value>) -> Result<NoteEntity> {
        let first = self.notes.first().ok_or(Error::NotFound("Note"))?;
        Ok(note(app, first, &self.issue, &self.users, changes))
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListNotes>,
    paging: Paging,
) -> Result<Paged<NoteEntity>> {
    let by = params.order_by.unwrap_or(NoteOrder::CreatedAt);
    let (page, issue, users) = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &params.at.id, params.at.issue_iid)?;
            let condition = shown(&viewer, noteable(&issue), desk.is_reporter());
            let activity = params.activity_filter.unwrap_or(Activity::All);
            let order = (by, params.sort != Some(Sort::Asc));
            let page = rows::list(tx, condition, activity, order, paging)?;
            let ids = page.items.iter().filter_map(|note| note.author_id);
            let ids: Vec<i64> = ids.collect();
            let users = load_basic(tx, &ids)?;
            Ok((page, issue, users))
        })
        .await?;
    Ok(page.map(|one| note(&app, &one, &issue, &users, Map::new())))
}

/// Writes a note that the spam rules let pass.
async fn write(
    app: &App,
    writer: Writer,
    place: guarded::Place,
    comment: Comment,
) -> Result<std::result::Result<(LoadedNotes, Map<String, Value>), Response>> {
    let said = guarded::comment(app, writer, place, comment, |tx, issue, said| match said {
        Said::Note(note, outcome) => {
            let changes = outcome.map(|outcome| outcome.changes).unwrap_or_default();
            let shown = LoadedNotes::read(tx, issue, vec![*note])?;
            Ok(Ok((shown, changes)))
        }
        Said::Commands(outcome) => Ok(Err(outcome)),
    });
    match said.await?.rest()? {
        Ok(made) => Ok(Ok(made)),
        Err(outcome) => {
            let body = serde_json::json!({
                "commands_changes": outcome.changes,
                "summary": outcome.summary,
            });
            json(StatusCode::ACCEPTED, &body).map(Err)
        }
    }
}

fn comment(params: &CreateNote, begins_thread: bool) -> Comment {
    Comment {
        body: params.body.clone(),
        internal: params.internal.or(params.confidential).unwrap_or(false),
        created_at: params.created_at,
        discussion_id: None,
        begins_thread,
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    params: Params<CreateNote>,
) -> Result<Response> {
    let comment = comment(&params, false);
    let place = params.0.at.0.place();
    match write(&app, Writer::by_api(viewer, asked), place, comment).await? {
        Ok((shown, changes)) => json(StatusCode::CREATED, &shown.one(&app, changes)?),
        Err(response) => Ok(response),
    }
}

async fn shown_one(
    app: App,
    viewer: Viewer,
    path: NotePath,
    within: Option<String>,
) -> Result<Ok200<NoteEntity>> {
    let shown = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.at.id, path.at.issue_iid)?;
            let talk = Talk::new(&viewer, &desk, &issue);
            let note = talk.find_within(tx, path.note_id, within.as_deref())?;
            LoadedNotes::read(tx, issue, vec![note])
        })
        .await?;
    Ok(Ok200(shown.one(&app, Map::new())?))
}

async fn rewritten(
    app: App,
    writer: Writer,
    path: NotePath,
    within: Option<String>,
    body: String,
) -> Result<Ok200<NoteEntity>> {
    let place = path.at.0.place();
    let which = (path.note_id, within);
    let shown = guarded::rewrite(&app, writer, place, which, body, |tx, issue, note| {
        LoadedNotes::read(tx, issue, vec![note])
    });
    Ok(Ok200(shown.await?.rest()?.one(&app, Map::new())?))
}

async fn removed(
    app: App,
    viewer: Viewer,
    path: NotePath,
    within: Option<String>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.at.id, path.at.issue_iid)?;
        let talk = Talk::new(&viewer, &desk, &issue);
        talk.find_within(tx, path.note_id, within.as_deref())?;
        talk.destroy(tx, path.note_id)?;
        Ok(NoContent)
    })
    .await
}

async fn show(app: App, viewer: Viewer, path: Params<NotePath>) -> Result<Ok200<NoteEntity>> {
    shown_one(app, viewer, path.0, None).await
}

async fn update(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    Params(params): Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    let writer = Writer::by_api(viewer, asked);
    rewritten(app, writer, params.at.0, None, params.body).await
}

async fn destroy(app: App, viewer: Viewer, path: Params<NotePath>) -> Result<NoContent> {
    removed(app, viewer, path.0, None).await
}
