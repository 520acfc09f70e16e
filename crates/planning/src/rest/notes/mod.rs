//! Notes of issues; their discussions are in [`discussions`].

mod discussions;

use super::issues::{IssueRequest, list::Sort};
use crate::entity::notes::{DiscussionEntity, NoteEntity, discussion, note};
use crate::guarded::{self, Writer};
use crate::model::Issue;
use crate::rules::comments::{Comment, Said, Talk};
use crate::rules::issues::noteable;
use crate::store::notes::{self as rows, Activity, Note, NoteOrder, shown};
use ::http::StatusCode;
use identity::caller::Caller;
use identity::entities::load_basic;
use identity::model::User;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::reply::json;
use kernel::http::{
    Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Response, Routes,
};
use kernel::time::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const ISSUE: &str = "/projects/{id}/issues/{issue_iid}";

pub(super) fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{ISSUE}/{rest}");
    r.get(&at("notes"), list).summary("Lists the notes of an issue");
    r.post(&at("notes"), create)
        .summary("Writes a note about an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("notes/{note_id}"), show).summary("Shows a note of an issue");
    r.put(&at("notes/{note_id}"), update)
        .summary("Changes a note of an issue, or resolves its thread");
    r.delete(&at("notes/{note_id}"), destroy).summary("Deletes a note of an issue");
    discussions::routes(r);
}

kernel::params! {
    pub struct ListNotes {
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
        /// Id of the note.
        pub note_id: i64,
    }
}

kernel::params! {
    pub struct UpdateNote {
        pub note: Flat<NotePath>,
        /// The text, in Markdown; one of both is given.
        pub body: Option<String>,
        /// Whether its thread is resolved.
        pub resolved: Option<bool>,
    }
}

/// Notes of an issue with who wrote them.
struct LoadedNotes {
    issue: Issue,
    notes: Vec<Note>,
    users: HashMap<i64, User>,
}

impl LoadedNotes {
    fn read(tx: &mut Tx<'_>, issue: Issue, notes: Vec<Note>) -> Result<LoadedNotes> {
        let ids: Vec<i64> = notes.iter().flat_map(Note::people).collect();
        let users = load_basic(tx, &ids)?;
        Ok(LoadedNotes { issue, notes, users })
    }

    fn one(&self, app: &App, changes: Map<String, Value>) -> Result<NoteEntity> {
        let first = self.notes.first().ok_or(Error::NotFound("Note"))?;
        Ok(note(app, first, &self.issue, &self.users, changes))
    }

    fn discussion(&self, app: &App) -> DiscussionEntity {
        discussion(app, &self.notes, &self.issue, &self.users)
    }
}

async fn list(
    at: IssueRequest,
    params: Params<ListNotes>,
    paging: Paging,
) -> Result<Paged<NoteEntity>> {
    let by = params.order_by.unwrap_or(NoteOrder::CreatedAt);
    at.read(move |tx, asker, desk, issue| {
        let condition = shown(&asker.viewer, noteable(&issue), desk.is_reporter());
        let activity = params.activity_filter.unwrap_or(Activity::All);
        let order = (by, params.sort != Some(Sort::Asc));
        let page = rows::list(tx, condition, activity, order, paging)?;
        let ids: Vec<i64> = page.items.iter().flat_map(Note::people).collect();
        let users = load_basic(tx, &ids)?;
        Ok(page.map(|one| note(&asker.app, &one, &issue, &users, Map::new())))
    })
    .await
}

/// Writes a note that the spam rules let pass; as `entity` shows it, with
/// what its commands did.
async fn write<T: Serialize>(
    IssueRequest { caller, place }: IssueRequest,
    request: Arc<RequestContext>,
    comment: Comment,
    entity: impl Fn(&App, &LoadedNotes, Map<String, Value>) -> Result<T>,
) -> Result<Response> {
    let Caller { app, viewer } = caller;
    let writer = Writer::by_api(viewer, request);
    let said = guarded::comment(&app, writer, place, comment, |tx, issue, said| match said {
        Said::Note(note, outcome) => {
            let changes = outcome.map(|outcome| outcome.changes).unwrap_or_default();
            let shown = LoadedNotes::read(tx, issue, vec![*note])?;
            Ok(Ok((shown, changes)))
        }
        Said::Commands(outcome) => Ok(Err(outcome)),
    });
    match said.await?.rest()? {
        Ok((shown, changes)) => json(StatusCode::CREATED, &entity(&app, &shown, changes)?),
        Err(outcome) => {
            let body = serde_json::json!({
                "commands_changes": outcome.changes,
                "summary": outcome.summary,
            });
            json(StatusCode::ACCEPTED, &body)
        }
    }
}

fn one(app: &App, shown: &LoadedNotes, changes: Map<String, Value>) -> Result<NoteEntity> {
    shown.one(app, changes)
}

fn comment(params: CreateNote, begins_thread: bool) -> Comment {
    Comment {
        body: params.body,
        internal: params.internal.or(params.confidential).unwrap_or(false),
        created_at: params.created_at,
        discussion_id: None,
        begins_thread,
    }
}

async fn create(
    at: IssueRequest,
    request: Arc<RequestContext>,
    Params(params): Params<CreateNote>,
) -> Result<Response> {
    write(at, request, comment(params, false), one).await
}

async fn shown_one(
    at: IssueRequest,
    note_id: i64,
    within: Option<String>,
) -> Result<Ok200<NoteEntity>> {
    at.read(move |tx, by, desk, issue| {
        let talk = Talk::new(&by.viewer, &desk, &issue);
        let note = talk.find_within(tx, note_id, within.as_deref())?;
        let shown = LoadedNotes::read(tx, issue, vec![note])?;
        shown.one(&by.app, Map::new()).map(Ok200)
    })
    .await
}

/// Gives a note another text, or resolves the thread it stands in.
async fn changed(
    at: IssueRequest,
    request: Arc<RequestContext>,
    params: UpdateNote,
    within: Option<String>,
) -> Result<Ok200<NoteEntity>> {
    let note_id = params.note.note_id;
    match (params.body, params.resolved) {
        (Some(body), None) => rewritten(at, request, (note_id, within), body).await,
        (None, Some(is_resolved)) => resolved(at, note_id, within, is_resolved).await,
        (Some(_), Some(_)) => misused(at, "body, resolved are mutually exclusive").await,
        (None, None) => {
            let text = "body, resolved are missing, exactly one parameter must be provided";
            misused(at, text).await
        }
    }
}

/// Refuses parameters, once it is known that the caller may write there.
async fn misused(at: IssueRequest, text: &'static str) -> Result<Ok200<NoteEntity>> {
    at.write(move |_, _, _, _| Err(Error::Parameters(vec![text.to_owned()]))).await
}

async fn resolved(
    at: IssueRequest,
    note_id: i64,
    within: Option<String>,
    is_resolved: bool,
) -> Result<Ok200<NoteEntity>> {
    at.write(move |tx, by, desk, issue| {
        let talk = Talk::new(&by.viewer, &desk, &issue);
        let note = talk.find_within(tx, note_id, within.as_deref())?;
        talk.resolve(tx, &note.discussion_id, is_resolved)?;
        let note = talk.find(tx, note_id)?;
        let shown = LoadedNotes::read(tx, issue, vec![note])?;
        shown.one(&by.app, Map::new()).map(Ok200)
    })
    .await
}

async fn rewritten(
    IssueRequest { caller, place }: IssueRequest,
    request: Arc<RequestContext>,
    which: (i64, Option<String>),
    body: String,
) -> Result<Ok200<NoteEntity>> {
    let Caller { app, viewer } = caller;
    let writer = Writer::by_api(viewer, request);
    let shown = guarded::rewrite(&app, writer, place, which, body, |tx, issue, note| {
        LoadedNotes::read(tx, issue, vec![note])
    });
    Ok(Ok200(shown.await?.rest()?.one(&app, Map::new())?))
}

async fn removed(at: IssueRequest, note_id: i64, within: Option<String>) -> Result<NoContent> {
    at.write(move |tx, by, desk, issue| {
        let talk = Talk::new(&by.viewer, &desk, &issue);
        talk.find_within(tx, note_id, within.as_deref())?;
        talk.destroy(tx, note_id)?;
        Ok(NoContent)
    })
    .await
}

async fn show(at: IssueRequest, path: Params<NotePath>) -> Result<Ok200<NoteEntity>> {
    shown_one(at, path.note_id, None).await
}

async fn update(
    at: IssueRequest,
    request: Arc<RequestContext>,
    Params(params): Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    changed(at, request, params, None).await
}

async fn destroy(at: IssueRequest, path: Params<NotePath>) -> Result<NoContent> {
    removed(at, path.note_id, None).await
}
