//! What people write about an alert, and the incident they make of it: forms
//! of its page that the spam rules look at.

use super::project_of;
use super::show::{AlertForms, FIELDS, OneAlert, Text, render};
use crate::alerts::issues;
use crate::alerts::model::Alert;
use crate::alerts::store::alerts as rows;
use crate::alerts::talk::thing;
use http::Method;
use identity::pages::challenge::Solved;
use identity::pages::refusal::outcome;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::{Paging, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use planning::guarded::{self, Writer};
use planning::rules::comments::{Comment, Said, refused_text};
use spaces::access::Purpose;
use spaces::pages::Address;
use std::sync::Arc;

kernel::params! {
    /// An alert and a new note.
    pub struct NoteForm {
        /// Number of the alert.
        pub alert_iid: i64,
        /// The text, in Markdown.
        pub body: Option<String>,
        /// The discussion it answers in.
        pub discussion_id: Option<String>,
    }
}

kernel::params! {
    /// A note and its new text.
    pub struct NoteChange {
        /// Number of the alert.
        pub alert_iid: i64,
        /// The note.
        pub note_id: i64,
        /// The text, in Markdown.
        pub body: Option<String>,
        /// Delete it.
        pub delete: Option<bool>,
    }
}

/// The forms below the address of an alert.
pub(super) fn routes(r: &mut Routes, one: &str) {
    r.page(Method::POST, &format!("{one}/incident"), incident);
    r.page(Method::POST, &format!("{one}/notes"), write_note);
    r.page(
        Method::POST,
        &format!("{one}/notes/{{note_id}}"),
        change_note,
    );
}

/// The alert of a form, and the path of its page.
async fn alert(app: &App, viewer: &Viewer, address: &Address, iid: i64) -> Result<(Alert, String)> {
    let (viewer, address) = (viewer.clone(), address.clone());
    app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::ManageAlerts)?;
        let project = project_of(&space)?;
        let alert = rows::find(tx, project.id, iid)?.found("Alert")?;
        let path = alert.path(&project.full_path);
        Ok((alert, path))
    })
    .await
}

async fn incident(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<OneAlert>,
    Solved(solution): Solved,
    paging: Paging,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (alert, path) = alert(&app, &viewer, &address, form.alert_iid).await?;
    let place = (Reference::Id(alert.project_id), alert.iid);
    let by = Writer::by_form(viewer.clone(), asked, solution);
    match outcome(&app, issues::create(&app, by, place).await, FIELDS).await? {
        Ok(made) => {
            let said = format!("Incident #{} is made.", made.issue.iid);
            flash::done(&app, &path, said)
        }
        Err(refusal) => {
            let typed = AlertForms {
                refusal,
                ..AlertForms::default()
            };
            render(&app, viewer, address, alert.iid, paging, typed).await
        }
    }
}

async fn write_note(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<NoteForm>,
    Solved(solution): Solved,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (alert, path) = alert(&app, &viewer, &address, form.alert_iid).await?;
    let body = lines(form.body.as_deref());
    let comment = Comment {
        body: body.clone(),
        internal: false,
        created_at: None,
        discussion_id: form.discussion_id.clone(),
        begins_thread: false,
    };
    let by = Writer::by_form(viewer.clone(), asked, solution);
    let said = guarded::comment(&app, by, thing(&alert), comment, |_, _, said| {
        Ok(match said {
            Said::Note(note, _) => Some(note.id),
            Said::Commands(_) => None,
        })
    });
    match outcome(&app, said.await.map_err(noted), FIELDS).await? {
        Ok(id) => {
            let place = id.map_or(path.clone(), |id| format!("{path}#note_{id}"));
            flash::done(&app, &place, "The note is written.")
        }
        Err(refusal) => {
            let discussion = form.discussion_id.unwrap_or_default();
            let typed = AlertForms {
                text: Some(Text::New(body, discussion)),
                refusal,
                ..AlertForms::default()
            };
            render(&app, viewer, address, alert.iid, paging, typed).await
        }
    }
}

async fn change_note(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<NoteChange>,
    Solved(solution): Solved,
    paging: Paging,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (alert, path) = alert(&app, &viewer, &address, form.alert_iid).await?;
    let about = thing(&alert);
    if form.delete.unwrap_or(false) {
        guarded::destroy(&app, viewer, about, form.note_id).await?;
        return flash::done(&app, &path, "The note is deleted.");
    }
    let by = Writer::by_form(viewer.clone(), asked, solution);
    let (which, body) = ((form.note_id, None), lines(form.body.as_deref()));
    let text = body.clone();
    let done = guarded::rewrite(&app, by, about, which, text, |_, _, note| Ok(note.id)).await;
    match outcome(&app, done.map_err(noted), &[]).await? {
        Ok(id) => flash::done(&app, &format!("{path}#note_{id}"), "The note is changed."),
        Err(refusal) => {
            let typed = AlertForms {
                text: Some(Text::Of(form.note_id, body)),
                refusal,
                ..AlertForms::default()
            };
            render(&app, viewer, address, alert.iid, paging, typed).await
        }
    }
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
