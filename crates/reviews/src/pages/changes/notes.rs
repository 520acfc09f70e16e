//! Answers in threads, and what else is done to notes and threads on the page.

use super::look::Look;
use super::reviewer::Reviewer;
use super::subject::file_of_thread;
use super::typed::Typed;
use crate::place::Place;
use identity::pages::challenge::Solved;
use identity::pages::refusal::outcome;
use kernel::error::{Found, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Flat, Params, Response};
use planning::guarded::{self, NoteablePath};
use planning::pages::boxes::{BoxForm, ticked};
use planning::pages::lines;
use planning::pages::notes::{Open, noted};
use planning::rules::comments::{Comment, Said, Talk};
use planning::store::notes::by_id;

kernel::params! {
    pub struct AnswerForm {
        /// The text, in Markdown.
        pub body: Text,
        /// The thread that it answers.
        pub discussion_id: String,
    }
}

kernel::params! {
    pub struct NoteForm {
        pub note_id: i64,
        /// The text, in Markdown.
        pub body: Text,
        pub delete: Option<bool>,
    }
}

kernel::params! {
    pub struct ThreadForm {
        pub discussion_id: String,
        /// Whether it is resolved.
        pub resolved: bool,
    }
}

kernel::params! {
    pub struct TickForm {
        pub note_id: i64,
        pub ticked: Flat<BoxForm>,
    }
}

pub async fn answer(
    by: Reviewer, Params(form): Params<AnswerForm>, Solved(solution): Solved,
) -> Result<Response> {
    let (id, body) = (form.discussion_id, lines(&form.body));
    let comment = Comment {
        body: body.clone(),
        internal: false,
        created_at: None,
        discussion_id: Some(id.clone()),
        begins_thread: false,
    };
    let (place, url) = by.place().await?;
    let writer = by.writer(solution);
    let done = guarded::comment(&by.app, writer, place, comment, |_, _, said| {
        Ok(match said {
            Said::Note(note, _) => Some(note.id),
            Said::Commands(_) => None,
        })
    });
    match outcome(&by.app, done.await.map_err(noted), &["body"]).await? {
        Ok(Some(note)) => flash::done(&by.app, &by.look.at_note(&url, note), "Comment added."),
        Ok(None) => flash::done(&by.app, &by.look.at_thread(&url, &id), "Done."),
        Err(refusal) => {
            let open = Open::answer(id.clone(), body, &refusal);
            let look = Look { thread: Some(id), ..by.look.clone() };
            by.again(look, Typed { open, refusal, ..Typed::default() }).await
        }
    }
}

pub async fn change(
    by: Reviewer, Params(form): Params<NoteForm>, Solved(solution): Solved,
) -> Result<Response> {
    let ((place, url), id) = (by.place().await?, form.note_id);
    if form.delete == Some(true) {
        let file = by.app.read(move |tx| {
            let note = by_id(tx, id)?.found("Note")?;
            file_of_thread(tx, &note.discussion_id)
        });
        let file = file.await?;
        guarded::destroy(&by.app, by.visit.viewer.clone(), place, id).await?;
        let to = by.look.at_file(&url, file.as_deref());
        return flash::done(&by.app, &to, "Comment deleted.");
    }
    let (writer, body) = (by.writer(solution), lines(&form.body));
    let text = body.clone();
    let done = guarded::rewrite(&by.app, writer, place, (id, None), text, |_, _, _| Ok(()));
    match outcome(&by.app, done.await.map_err(noted), &[]).await? {
        Ok(()) => flash::done(&by.app, &by.look.at_note(&url, id), "Comment updated."),
        Err(refusal) => {
            let open = Open::edit(id, body, &refusal);
            let look = Look { note: Some(id), ..by.look.clone() };
            by.again(look, Typed { open, refusal, ..Typed::default() }).await
        }
    }
}

pub async fn resolve(by: Reviewer, Params(form): Params<ThreadForm>) -> Result<Response> {
    let (id, is_resolved) = (form.discussion_id, form.resolved);
    let (place, url) = by.place().await?;
    let viewer = by.visit.viewer.clone();
    guarded::resolve(&by.app, viewer, place, id.clone(), is_resolved).await?;
    let told = match is_resolved {
        true => "Thread resolved.",
        false => "Thread reopened.",
    };
    flash::done(&by.app, &by.look.at_thread(&url, &id), told)
}

pub async fn tick(by: Reviewer, Params(form): Params<TickForm>) -> Result<Response> {
    let tick = form.ticked.tick()?;
    let (place, url) = by.place().await?;
    let (viewer, id) = (by.visit.viewer.clone(), form.note_id);
    let written = by.app.write(move |tx| {
        let (here, request) = place.authorize(tx, &viewer)?;
        let talk = Talk::new(&viewer, &here, Place::topic(&request));
        talk.tick(tx, id, |text| form.ticked.apply(text))
    });
    written.await?;
    flash::done(&by.app, &by.look.at_note(&url, id), ticked(tick))
}
