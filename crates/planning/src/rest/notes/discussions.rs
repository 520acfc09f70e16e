//! Discussions of an issue, and their notes.

use super::{
    CreateNote, ISSUE, LoadedNotes, NotePath, comment, removed, rewritten, shown_one, write,
};
use crate::entity::notes::{DiscussionEntity, NoteEntity, discussion};
use crate::guarded::Writer;
use crate::rest::issues::IssuePath;
use crate::rules::comments::{Comment, Talk};
use crate::rules::issues::noteable;
use crate::rules::issues::places::{found, found_to_write};
use crate::store::notes::{self as rows, Note};
use ::http::StatusCode;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::reply::json;
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Response, Routes,
};
use kernel::time::Timestamp;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    let at = |rest: &str| format!("{ISSUE}/{rest}");
    r.get(&at("discussions"), discussions)
        .summary("Lists the discussions of an issue");
    r.post(&at("discussions"), begin)
        .summary("Begins a discussion of an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}"), show_discussion)
        .summary("Shows a discussion of an issue");
    r.put(&at("discussions/{discussion_id}"), resolve)
        .summary("Refuses to resolve a discussion of an issue");
    r.post(&at("discussions/{discussion_id}/notes"), answer)
        .summary("Answers in a discussion of an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}/notes/{note_id}"), show_in)
        .summary("Shows a note of a discussion");
    r.put(
        &at("discussions/{discussion_id}/notes/{note_id}"),
        update_in,
    )
    .summary("Changes a note of a discussion");
    r.delete(
        &at("discussions/{discussion_id}/notes/{note_id}"),
        destroy_in,
    )
    .summary("Deletes a note of a discussion");
}

kernel::params! {
    pub struct DiscussionPath {
        pub at: Flat<IssuePath>,
        /// Id of the discussion.
        pub discussion_id: String,
    }
}

kernel::params! {
    pub struct AnswerNote {
        pub within: Flat<DiscussionPath>,
        /// The text, in Markdown.
        pub body: String,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
    }
}

kernel::params! {
    pub struct NoteInPath {
        /// Id of the discussion.
        pub discussion_id: String,
        pub note: Flat<NotePath>,
    }
}

kernel::params! {
    pub struct UpdateNoteIn {
        pub at: Flat<NoteInPath>,
        /// The text, in Markdown.
        pub body: String,
    }
}

async fn begin(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    params: Params<CreateNote>,
) -> Result<Response> {
    let comment = comment(&params, true);
    let place = params.0.at.0.place();
    match write(&app, Writer::by_api(viewer, asked), place, comment).await? {
        Ok((shown, _)) => {
            let whole = discussion(&app, &shown.notes, &shown.issue, &shown.users);
            json(StatusCode::CREATED, &whole)
        }
        Err(response) => Ok(response),
    }
}

async fn answer(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    Params(params): Params<AnswerNote>,
) -> Result<Response> {
    let DiscussionPath { at, discussion_id } = params.within.0;
    let comment = Comment {
        body: params.body,
        internal: false,
        created_at: params.created_at,
        discussion_id: Some(discussion_id),
        begins_thread: false,
    };
    let place = at.0.place();
    match write(&app, Writer::by_api(viewer, asked), place, comment).await? {
        Ok((shown, changes)) => json(StatusCode::CREATED, &shown.one(&app, changes)?),
        Err(response) => Ok(response),
    }
}

async fn show_in(
    app: App,
    viewer: Viewer,
    Params(path): Params<NoteInPath>,
) -> Result<Ok200<NoteEntity>> {
    shown_one(app, viewer, path.note.0, Some(path.discussion_id)).await
}

async fn update_in(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    Params(params): Params<UpdateNoteIn>,
) -> Result<Ok200<NoteEntity>> {
    let (writer, at) = (Writer::by_api(viewer, asked), params.at.0);
    rewritten(app, writer, at.note.0, Some(at.discussion_id), params.body).await
}

async fn destroy_in(
    app: App,
    viewer: Viewer,
    Params(path): Params<NoteInPath>,
) -> Result<NoContent> {
    removed(app, viewer, path.note.0, Some(path.discussion_id)).await
}

async fn discussions(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
    paging: Paging,
) -> Result<Paged<DiscussionEntity>> {
    let (page, shown) = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            let noteable = noteable(&issue);
            let page = rows::discussions(tx, &viewer, noteable, desk.is_reporter(), paging)?;
            let ids: Vec<String> = page.items.iter().map(|(id, _)| id.clone()).collect();
            let notes = rows::of_discussions(tx, &viewer, noteable, desk.is_reporter(), ids)?;
            Ok((page, LoadedNotes::read(tx, issue, notes)?))
        })
        .await?;
    Ok(page.map(|(id, _)| {
        let of = |note: &&Note| note.discussion_id == id;
        let notes: Vec<Note> = shown.notes.iter().filter(of).cloned().collect();
        discussion(&app, &notes, &shown.issue, &shown.users)
    }))
}

async fn show_discussion(
    app: App,
    viewer: Viewer,
    path: Params<DiscussionPath>,
) -> Result<Ok200<DiscussionEntity>> {
    let shown = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.at.id, path.at.issue_iid)?;
            let notes = Talk::new(&viewer, &desk, &issue).discussion(tx, &path.discussion_id)?;
            LoadedNotes::read(tx, issue, notes)
        })
        .await?;
    let whole = discussion(&app, &shown.notes, &shown.issue, &shown.users);
    Ok(Ok200(whole))
}

/// Discussions of issues are never resolved.
async fn resolve(
    app: App,
    viewer: Viewer,
    path: Params<DiscussionPath>,
) -> Result<Created<DiscussionEntity>> {
    app.read(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.at.id, path.at.issue_iid)?;
        Talk::new(&viewer, &desk, &issue).discussion(tx, &path.discussion_id)?;
        Err(Error::BadRequest("Note is not resolvable".into()))
    })
    .await
}
