//! Discussions of an issue or epic, and their notes.

use super::{
    CreateNote, LoadedNotes, NotePath, UpdateNote, begin_thread, changed, comment, one, removed,
    shown_one, write,
};
use crate::entity::notes::{DiscussionEntity, NoteEntity};
use crate::rest::noted::{self, Noted};
use crate::rules::comments::Comment;
use crate::store::notes::Note;
use kernel::error::Result;
use kernel::http::{
    Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Response, Routes,
};
use kernel::time::Timestamp;
use std::sync::Arc;

pub fn of<R: Noted>(r: &mut Routes, base: &str, (name, thing): (&str, &str)) {
    let at = |rest: &str| format!("{base}/{rest}");
    let named = |handler: &str| format!("{name}{handler}");
    r.get(&at("discussions"), discussions::<R>)
        .named(&named("discussions"))
        .summary(format!("Lists the discussions of {thing}"));
    if !R::BEGINS_ITSELF {
        r.post(&at("discussions"), begin::<R>)
            .named(&named("begin"))
            .summary(format!("Begins a discussion of {thing}"))
            .answers(201, "The note was made")
            .answers(202, "The note held commands alone, which were carried out");
    }
    r.get(&at("discussions/{discussion_id}"), show_discussion::<R>)
        .named(&named("show_discussion"))
        .summary(format!("Shows a discussion of {thing}"));
    r.put(&at("discussions/{discussion_id}"), resolve::<R>)
        .named(&named("resolve"))
        .summary(format!("Resolves a discussion of {thing}, or opens it again"));
    r.post(&at("discussions/{discussion_id}/notes"), answer::<R>)
        .named(&named("answer"))
        .summary(format!("Answers in a discussion of {thing}"))
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    r.get(&at("discussions/{discussion_id}/notes/{note_id}"), show_in::<R>)
        .named(&named("show_in"))
        .summary("Shows a note of a discussion");
    r.put(&at("discussions/{discussion_id}/notes/{note_id}"), update_in::<R>)
        .named(&named("update_in"))
        .summary("Changes a note of a discussion, or resolves that");
    r.delete(&at("discussions/{discussion_id}/notes/{note_id}"), destroy_in::<R>)
        .named(&named("destroy_in"))
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

async fn begin<R: Noted>(
    at: R, request: Arc<RequestContext>, Params(params): Params<CreateNote>,
) -> Result<Response> {
    begin_thread(at, request, comment(params, true), |_, _, _| Ok(())).await
}

async fn answer<R: Noted>(
    at: R, request: Arc<RequestContext>, Params(params): Params<AnswerNote>,
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

async fn show_in<R: Noted>(
    Params(within): Params<DiscussionPath>, at: R, path: Params<NotePath>,
) -> Result<Ok200<NoteEntity>> {
    shown_one(at, path.note_id, Some(within.discussion_id)).await
}

async fn update_in<R: Noted>(
    Params(within): Params<DiscussionPath>, at: R, request: Arc<RequestContext>,
    Params(params): Params<UpdateNote>,
) -> Result<Ok200<NoteEntity>> {
    changed(at, request, params, Some(within.discussion_id)).await
}

async fn destroy_in<R: Noted>(
    Params(within): Params<DiscussionPath>, at: R, path: Params<NotePath>,
) -> Result<NoContent> {
    removed(at, path.note_id, Some(within.discussion_id)).await
}

async fn discussions<R: Noted>(at: R, paging: Paging) -> Result<Paged<DiscussionEntity>> {
    noted::read(at, move |tx, spot| {
        let (page, notes) = spot.talk.discussions(tx, paging)?;
        let shown = LoadedNotes::read(tx, spot.iid, notes)?;
        Ok(page.map(|(id, _)| {
            let of = |note: &&Note| note.discussion_id == id;
            let notes: Vec<Note> = shown.notes.iter().filter(of).cloned().collect();
            shown.discussion_of(&spot.by.app, &notes)
        }))
    })
    .await
}

async fn show_discussion<R: Noted>(
    at: R, path: Params<DiscussionPath>,
) -> Result<Ok200<DiscussionEntity>> {
    noted::read(at, move |tx, spot| {
        let notes = spot.talk.discussion(tx, &path.discussion_id)?;
        Ok(Ok200(LoadedNotes::read(tx, spot.iid, notes)?.discussion(&spot.by.app)))
    })
    .await
}

async fn resolve<R: Noted>(
    at: R, Params(params): Params<ResolveDiscussion>,
) -> Result<Ok200<DiscussionEntity>> {
    noted::write(at, move |tx, spot| {
        let id = &params.within.discussion_id;
        spot.talk.resolve(tx, id, params.resolved)?;
        let notes = spot.talk.discussion(tx, id)?;
        Ok(Ok200(LoadedNotes::read(tx, spot.iid, notes)?.discussion(&spot.by.app)))
    })
    .await
}
