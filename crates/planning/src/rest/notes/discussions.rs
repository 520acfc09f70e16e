//! Discussions of an issue, and their notes.

use super::{
    CreateNote, ISSUE, LoadedNotes, NotePath, UpdateNote, changed, comment, one, removed,
    shown_one, write,
};
use crate::entity::notes::{DiscussionEntity, NoteEntity, discussion};
use crate::rest::issues::IssueRequest;
use crate::rules::comments::{Comment, Talk};
use crate::rules::issues::noteable;
use crate::store::notes::{self as rows, Note};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{
    Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Response, Routes,
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
        .summary("Resolves a discussion of an issue, or opens it again");
    r.post(&at("discussions/{discussion_id}/notes"), answer)
        .summary("Answers in a discussion of an issue")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}/notes/{note_id}"), show_in)
        .summary("Shows a note of a discussion");
    r.put(&at("discussions/{discussion_id}/notes/{note_id}"), update_in)
        .summary("Changes a note of a discussion, or resolves that");
    r.delete(&at("discussions/{discussion_id}/notes/{note_id}"), destroy_in)
        .summary("Deletes a note of a discussion");
}

kernel::params! {
    pub struct DiscussionPath {
        /// Id of the discussion.
        pub discussion_id: String,
    }
}

kernel::params! {
    pub struct ResolveDiscussion {
        pub within: Flat<DiscussionPath>,
        /// Whether it is resolved.
        pub resolved: bool,
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

async fn begin(
    at: IssueRequest,
    request: Arc<RequestContext>,
    Params(params): Params<CreateNote>,
) -> Result<Response> {
    let whole = |app: &App, shown: &LoadedNotes, _| Ok(shown.discussion(app));
    write(at, request, comment(params, true), whole).await
}

async fn answer(
    at: IssueRequest,
    request: Arc<RequestContext>,
    Params(params): Params<AnswerNote>,
) -> Result<Response> {
    let comment = Comment {
        body: params.body,
        internal: false,
        created_at: params.created_at,
        discussion_id: Some(params.within.0.discussion_id),
        begins_thread: false,
    };
    write(at, request, comment, one).await
}

async fn show_in(
    Params(within): Params<DiscussionPath>,
    at: IssueRequest,
    path: Params<NotePath>,
) -> Result<Ok200<NoteEntity>> {
    shown_one(at, path.note_id, Some(within.discussion_id)).await
}

async fn update_in(
    Params(within): Params<DiscussionPath>,
    at: IssueRequest,
    request: Arc<RequestContext>,
    Params(params): Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    changed(at, request, params, Some(within.discussion_id)).await
}

async fn destroy_in(
    Params(within): Params<DiscussionPath>,
    at: IssueRequest,
    path: Params<NotePath>,
) -> Result<NoContent> {
    removed(at, path.note_id, Some(within.discussion_id)).await
}

async fn discussions(at: IssueRequest, paging: Paging) -> Result<Paged<DiscussionEntity>> {
    at.read(move |tx, by, desk, issue| {
        let (viewer, noteable, inside) = (&by.viewer, noteable(&issue), desk.is_reporter());
        let page = rows::discussions(tx, viewer, noteable, inside, paging)?;
        let ids: Vec<String> = page.items.iter().map(|(id, _)| id.clone()).collect();
        let notes = rows::of_discussions(tx, viewer, noteable, inside, ids)?;
        let shown = LoadedNotes::read(tx, issue, notes)?;
        Ok(page.map(|(id, _)| {
            let of = |note: &&Note| note.discussion_id == id;
            let notes: Vec<Note> = shown.notes.iter().filter(of).cloned().collect();
            discussion(&by.app, &notes, &shown.issue, &shown.users)
        }))
    })
    .await
}

async fn show_discussion(
    at: IssueRequest,
    path: Params<DiscussionPath>,
) -> Result<Ok200<DiscussionEntity>> {
    at.read(move |tx, by, desk, issue| {
        let talk = Talk::new(&by.viewer, &desk, &issue);
        let notes = talk.discussion(tx, &path.discussion_id)?;
        Ok(Ok200(LoadedNotes::read(tx, issue, notes)?.discussion(&by.app)))
    })
    .await
}

async fn resolve(
    at: IssueRequest,
    Params(params): Params<ResolveDiscussion>,
) -> Result<Ok200<DiscussionEntity>> {
    at.write(move |tx, by, desk, issue| {
        let talk = Talk::new(&by.viewer, &desk, &issue);
        let id = &params.within.discussion_id;
        talk.resolve(tx, id, params.resolved)?;
        let notes = talk.discussion(tx, id)?;
        Ok(Ok200(LoadedNotes::read(tx, issue, notes)?.discussion(&by.app)))
    })
    .await
}
