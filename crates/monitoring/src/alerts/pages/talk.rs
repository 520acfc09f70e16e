//! What people write about an alert, and the incident they make of it: forms
//! of its page that the spam rules look at.

use super::show::{AlertForms, AlertPage, Text};
use crate::alerts::issues;
use crate::alerts::model::Alert;
use crate::alerts::talk::thing;
use http::Method;
use identity::pages::challenge::Solved;
use identity::spam::Guarded;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use planning::guarded::{self, Writer};
use planning::rules::comments::{Comment, Said, refused_text};
use std::sync::Arc;

kernel::params! {
    pub struct NoteForm {
        /// In Markdown.
        pub body: Option<String>,
        /// The discussion it answers in.
        pub discussion_id: Option<String>,
    }
}

kernel::params! {
    pub struct NoteChange {
        pub note_id: i64,
        /// In Markdown.
        pub body: Option<String>,
        pub delete: Option<bool>,
    }
}

/// The forms below the address of an alert.
pub(super) fn routes(r: &mut Routes, one: &str) {
    let note = format!("{one}/notes/{{note_id}}");
    r.page(Method::POST, &format!("{one}/incident"), incident);
    r.page(Method::POST, &format!("{one}/notes"), write_note);
    r.page(Method::POST, &note, change_note);
}

/// The alert of a form, and the path of its page.
async fn alert(app: &App, page: &AlertPage) -> Result<(Alert, String)> {
    let page = page.clone();
    let here = app.read(move |tx| page.authorize_to_change(tx)).await?;
    let path = here.path();
    Ok((here.alert, path))
}

async fn incident(
    app: App,
    page: AlertPage,
    request: Arc<RequestContext>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (alert, path) = alert(&app, &page).await?;
    let place = (Reference::Id(alert.project_id), alert.iid);
    let by = Writer::by_form(page.visit.viewer.clone(), request, solution);
    let done = issues::create(&app, by, place).await;
    let done = done.map(|guarded| match guarded {
        Guarded::Made(made) => {
            Guarded::Made((path, format!("Incident #{} created.", made.issue.iid)))
        }
        Guarded::Refused(refused) => Guarded::Refused(refused),
    });
    page.answer(&app, done, AlertForms::default()).await
}

async fn write_note(
    app: App,
    page: AlertPage,
    request: Arc<RequestContext>,
    form: Params<NoteForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let Params(form) = form;
    let (alert, path) = alert(&app, &page).await?;
    let body = lines(form.body.as_deref());
    let comment = Comment {
        body: body.clone(),
        internal: false,
        created_at: None,
        discussion_id: form.discussion_id.clone(),
        begins_thread: false,
    };
    let by = Writer::by_form(page.visit.viewer.clone(), request, solution);
    let done = guarded::comment(&app, by, thing(&alert), comment, move |_, _, said| {
        let place = match said {
            Said::Note(note, _) => format!("{path}#note_{}", note.id),
            Said::Commands(_) => path.clone(),
        };
        Ok((place, "Note added.".to_owned()))
    });
    let done = done.await.map_err(noted);
    let discussion = form.discussion_id.unwrap_or_default();
    page.answer(&app, done, AlertForms::text(Text::New(body, discussion))).await
}

async fn change_note(
    app: App,
    page: AlertPage,
    request: Arc<RequestContext>,
    form: Params<NoteChange>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (alert, path) = alert(&app, &page).await?;
    let (about, viewer) = (thing(&alert), page.visit.viewer.clone());
    if form.delete.unwrap_or(false) {
        guarded::destroy(&app, viewer, about, form.note_id).await?;
        return flash::done(&app, &path, "Note deleted.");
    }
    let by = Writer::by_form(viewer, request, solution);
    let (which, body) = ((form.note_id, None), lines(form.body.as_deref()));
    let changed = move |id: i64| (format!("{path}#note_{id}"), "Note updated.".to_owned());
    let text = body.clone();
    let done =
        guarded::rewrite(&app, by, about, which, text, move |_, _, note| Ok(changed(note.id)));
    let done = done.await.map_err(noted);
    page.answer(&app, done, AlertForms::text(Text::Of(form.note_id, body))).await
}

/// A refusal of a note's text, said beside its field.
fn noted(error: Error) -> Error {
    match refused_text(&error) {
        Some(problem) => Error::invalid("body", problem),
        None => error,
    }
}

/// The text of a field of several lines, as it is stored.
fn lines(text: Option<&str>) -> String {
    text.unwrap_or_default().replace("\r\n", "\n")
}
