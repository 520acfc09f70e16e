//! Notes of issues and epics; their discussions are in [`discussions`].

pub(super) mod discussions;

use super::epics::EpicRequest;
use super::issues::IssueRequest;
use super::noted::{self, Noted};
use crate::entity::notes::{DiscussionEntity, NoteEntity, discussion, note};
use crate::guarded::{self, NoteablePath, Writer};
use crate::rules::comments::{Comment, Said};
use crate::store::notes::{self as rows, Activity, Note, NoteOrder};
use crate::targets::{self, Placement};
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
use spaces::model::Sort;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    of::<IssueRequest>(r, "/projects/{id}/issues/{issue_iid}", ("", "an issue"));
    for (base, name) in super::epics::BASES {
        let one = format!("{base}/{{epic_iid}}");
        of::<EpicRequest>(r, &one, (&format!("{name}_"), "an epic"));
    }
}

/// The notes and discussions of one kind of thing, at this path; names of the
/// operations begin with the first word.
pub(super) fn of<R: Noted>(r: &mut Routes, base: &str, (name, thing): (&str, &str)) {
    let at = |rest: &str| format!("{base}/{rest}");
    let named = |handler: &str| format!("{name}{handler}");
    r.get(&at("notes"), list::<R>)
        .named(&named("list"))
        .summary(format!("Lists the notes of {thing}"));
    r.post(&at("notes"), create::<R>)
        .named(&named("create"))
        .summary(format!("Writes a note about {thing}"))
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("notes/{note_id}"), show::<R>)
        .named(&named("show"))
        .summary(format!("Shows a note of {thing}"));
    r.put(&at("notes/{note_id}"), update::<R>)
        .named(&named("update"))
        .summary(format!("Changes a note of {thing}, or resolves its thread"));
    r.delete(&at("notes/{note_id}"), destroy::<R>)
        .named(&named("destroy"))
        .summary(format!("Deletes a note of {thing}"));
    discussions::of::<R>(r, base, (name, thing));
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

/// Notes of something with who wrote them, and the number of that.
struct LoadedNotes {
    iid: Option<i64>,
    notes: Vec<Note>,
    users: HashMap<i64, User>,
    placed: HashMap<i64, Placement>,
}

impl LoadedNotes {
    fn read(tx: &mut Tx<'_>, iid: Option<i64>, notes: Vec<Note>) -> Result<LoadedNotes> {
        let ids: Vec<i64> = notes.iter().flat_map(Note::people).collect();
        let users = load_basic(tx, &ids)?;
        let placed = targets::placed(tx, &notes)?;
        Ok(LoadedNotes { iid, notes, users, placed })
    }

    fn one(&self, app: &App, changes: Map<String, Value>) -> Result<NoteEntity> {
        let first = self.notes.first().ok_or(Error::NotFound("Note"))?;
        Ok(self.entity(app, first, changes))
    }

    fn entity(&self, app: &App, one: &Note, changes: Map<String, Value>) -> NoteEntity {
        note(app, one, self.iid, &self.users, changes).placed(self.placed.get(&one.id))
    }

    fn discussion(&self, app: &App) -> DiscussionEntity {
        self.discussion_of(app, &self.notes)
    }

    /// The discussion that these of them are.
    fn discussion_of(&self, app: &App, notes: &[Note]) -> DiscussionEntity {
        discussion(app, notes, self.iid, &self.users, &self.placed)
    }
}

async fn list<R: Noted>(
    at: R, params: Params<ListNotes>, paging: Paging,
) -> Result<Paged<NoteEntity>> {
    let by = params.order_by.unwrap_or(NoteOrder::CreatedAt);
    noted::read(at, move |tx, spot| {
        let condition = spot.talk.shown(tx);
        let activity = params.activity_filter.unwrap_or(Activity::All);
        let order = (by, params.sort != Some(Sort::Asc));
        let page = rows::list(tx, condition, activity, order, paging)?;
        let shown = LoadedNotes::read(tx, spot.iid, page.items.clone())?;
        Ok(page.map(|one| shown.entity(&spot.by.app, &one, Map::new())))
    })
    .await
}

/// Begins a thread as the route of discussions does, and writes what stands beside its
/// first note in the same transaction.
///
/// # Errors
///
/// Those of the route.
pub async fn begin_thread<R: Noted>(
    at: R, request: Arc<RequestContext>, comment: Comment,
    beside: impl Fn(&mut Tx<'_>, &Found<R>, &Note) -> Result<()> + Send + Sync + 'static,
) -> Result<Response> {
    let whole = |app: &App, shown: &LoadedNotes, _| Ok(shown.discussion(app));
    write_with(at, request, comment, beside, whole).await
}

/// What a request is about.
type Found<R> = <<R as Noted>::Path as NoteablePath>::Found;

/// Writes a note that the spam rules let pass; as `entity` shows it, with
/// what its commands did.
async fn write<R: Noted, T: Serialize>(
    at: R, request: Arc<RequestContext>, comment: Comment,
    entity: impl Fn(&App, &LoadedNotes, Map<String, Value>) -> Result<T>,
) -> Result<Response> {
    write_with(at, request, comment, |_, _, _| Ok(()), entity).await
}

async fn write_with<R: Noted, T: Serialize>(
    at: R, request: Arc<RequestContext>, comment: Comment,
    beside: impl Fn(&mut Tx<'_>, &Found<R>, &Note) -> Result<()> + Send + Sync + 'static,
    entity: impl Fn(&App, &LoadedNotes, Map<String, Value>) -> Result<T>,
) -> Result<Response> {
    let (Caller { app, viewer }, place) = at.parts();
    let writer = Writer::by_api(viewer, request);
    let said = guarded::comment(&app, writer, place, comment, move |tx, found, said| match said {
        Said::Note(note, outcome) => {
            beside(tx, &found, &note)?;
            let changes = outcome.map(|outcome| outcome.changes).unwrap_or_default();
            let shown = LoadedNotes::read(tx, R::iid(&found), vec![*note])?;
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

async fn create<R: Noted>(
    at: R, request: Arc<RequestContext>, Params(params): Params<CreateNote>,
) -> Result<Response> {
    write(at, request, comment(params, false), one).await
}

async fn shown_one<R: Noted>(
    at: R, note_id: i64, within: Option<String>,
) -> Result<Ok200<NoteEntity>> {
    noted::read(at, move |tx, spot| {
        let note = spot.talk.find_within(tx, note_id, within.as_deref())?;
        let shown = LoadedNotes::read(tx, spot.iid, vec![note])?;
        shown.one(&spot.by.app, Map::new()).map(Ok200)
    })
    .await
}

/// Gives a note another text, or resolves the thread it stands in.
async fn changed<R: Noted>(
    at: R, request: Arc<RequestContext>, params: UpdateNote, within: Option<String>,
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
async fn misused<R: Noted>(at: R, text: &'static str) -> Result<Ok200<NoteEntity>> {
    noted::write(at, move |_, _| Err(Error::Parameters(vec![text.to_owned()]))).await
}

async fn resolved<R: Noted>(
    at: R, note_id: i64, within: Option<String>, is_resolved: bool,
) -> Result<Ok200<NoteEntity>> {
    noted::write(at, move |tx, spot| {
        let note = spot.talk.find_within(tx, note_id, within.as_deref())?;
        spot.talk.resolve_note(tx, &note, is_resolved)?;
        let note = spot.talk.find(tx, note_id)?;
        let shown = LoadedNotes::read(tx, spot.iid, vec![note])?;
        shown.one(&spot.by.app, Map::new()).map(Ok200)
    })
    .await
}

async fn rewritten<R: Noted>(
    at: R, request: Arc<RequestContext>, which: (i64, Option<String>), body: String,
) -> Result<Ok200<NoteEntity>> {
    let (Caller { app, viewer }, place) = at.parts();
    let writer = Writer::by_api(viewer, request);
    let shown = guarded::rewrite(&app, writer, place, which, body, |tx, found, note| {
        LoadedNotes::read(tx, R::iid(&found), vec![note])
    });
    Ok(Ok200(shown.await?.rest()?.one(&app, Map::new())?))
}

async fn removed<R: Noted>(at: R, note_id: i64, within: Option<String>) -> Result<NoContent> {
    noted::write(at, move |tx, spot| {
        spot.talk.find_within(tx, note_id, within.as_deref())?;
        spot.talk.destroy(tx, note_id)?;
        Ok(NoContent)
    })
    .await
}

async fn show<R: Noted>(at: R, path: Params<NotePath>) -> Result<Ok200<NoteEntity>> {
    shown_one(at, path.note_id, None).await
}

async fn update<R: Noted>(
    at: R, request: Arc<RequestContext>, Params(params): Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    changed(at, request, params, None).await
}

async fn destroy<R: Noted>(at: R, path: Params<NotePath>) -> Result<NoContent> {
    removed(at, path.note_id, None).await
}
