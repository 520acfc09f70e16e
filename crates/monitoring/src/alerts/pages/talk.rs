//! What people write about an alert, and the incident they make of it: forms
//! of its page that the spam rules look at.

use super::show::{AlertForms, AlertPage, TypedNote};
use crate::alerts::issues;
use crate::alerts::model::Alert;
use crate::alerts::talk::thing;
use http::Method;
use identity::pages::challenge::Solved;
use identity::spam::Guarded;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::flash;
use kernel::http::{Flat, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use planning::guarded::{self, NoteablePath, Writer};
use planning::pages::boxes::{BoxForm, ticked};
use planning::pages::notes::{at, noted};
use planning::rules::comments::{Comment, Said, Talk};
use planning::store::issues::timeline::Timeline;
use planning::store::notes::Noteable;
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

kernel::params! {
    pub struct NoteBox {
        pub note_id: i64,
        pub ticked: Flat<BoxForm>,
    }
}

/// The forms below the address of an alert.
pub(super) fn routes(r: &mut Routes, one: &str) {
    let note = format!("{one}/notes/{{note_id}}");
    r.page(Method::POST, &format!("{one}/incident"), incident);
    r.page(Method::POST, &format!("{one}/notes"), write_note);
    r.page(Method::POST, &note, change_note);
    r.page(Method::POST, &format!("{note}/tasks"), tick);
}

/// The alert of a form, and the path of its page.
async fn alert(app: &App, page: &AlertPage) -> Result<(Alert, String)> {
    let page = page.clone();
    let here = app.read(move |tx| page.authorize_to_change(tx)).await?;
    let path = here.path();
    Ok((here.alert, path))
}

async fn incident(
    app: App, page: AlertPage, request: Arc<RequestContext>, Solved(solution): Solved,
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
    app: App, page: AlertPage, request: Arc<RequestContext>, form: Params<NoteForm>,
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
    let viewer = page.visit.viewer.clone();
    let by = Writer::by_form(viewer.clone(), request, solution);
    let per_page = page.paging.per_page.max(1);
    let done = guarded::comment(&app, by, thing(&alert), comment, move |tx, about, said| {
        let place = match said {
            Said::Note(note, _) => {
                let project_id = Some(alert.project_id);
                let noteable = Noteable { kind: about.kind, id: about.id, project_id };
                // Who sees alerts at all sees internal notes about them.
                let timeline = Timeline::new(tx, &viewer, noteable, true);
                let later = timeline.later(tx, &note)?;
                at(&path, later / per_page + 1, note.id)
            }
            Said::Commands(_) => path.clone(),
        };
        Ok((place, "Comment added.".to_owned()))
    });
    let done = done.await.map_err(noted);
    let typed = match form.discussion_id {
        Some(discussion) => TypedNote::Answer(discussion, body),
        None => TypedNote::New(body),
    };
    page.answer(&app, done, AlertForms::note(typed)).await
}

async fn change_note(
    app: App, page: AlertPage, request: Arc<RequestContext>, form: Params<NoteChange>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (alert, path) = alert(&app, &page).await?;
    let (about, viewer) = (thing(&alert), page.visit.viewer.clone());
    if form.delete.unwrap_or(false) {
        guarded::destroy(&app, viewer, about, form.note_id).await?;
        return flash::done(&app, &path, "Comment deleted.");
    }
    let by = Writer::by_form(viewer, request, solution);
    let (which, body) = ((form.note_id, None), lines(form.body.as_deref()));
    let list_page = page.paging.offset() / page.paging.per_page.max(1) + 1;
    let changed = move |id: i64| (at(&path, list_page, id), "Comment updated.".to_owned());
    let text = body.clone();
    let done =
        guarded::rewrite(&app, by, about, which, text, move |_, _, note| Ok(changed(note.id)));
    let done = done.await.map_err(noted);
    page.answer(&app, done, AlertForms::note(TypedNote::Edit(form.note_id, body)))
        .await
}

/// Ticks a box in a note.
async fn tick(app: App, page: AlertPage, form: Params<NoteBox>) -> Result<Response> {
    let Params(form) = form;
    let (tick, list_page) = (form.ticked.tick()?, form.ticked.page.unwrap_or(1));
    let note_id = form.note_id;
    let path = app
        .write(move |tx| {
            let here = page.authorize_to_change(tx)?;
            let viewer = &page.visit.viewer;
            let (desk, about) = thing(&here.alert).authorize(tx, viewer)?;
            Talk::new(viewer, &desk, &about)
                .tick(tx, form.note_id, |text| form.ticked.apply(text))?;
            Ok(here.path())
        })
        .await?;
    flash::done(&app, &at(&path, list_page, note_id), ticked(tick))
}

/// The text of a field of several lines, as it is stored.
fn lines(text: Option<&str>) -> String {
    text.unwrap_or_default().replace("\r\n", "\n")
}
