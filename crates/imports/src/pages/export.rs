//! `…/-/export`: the project as a file.

use super::account::reason;
use crate::archive::exports::model::{ExportStatus, Exports};
use crate::archive::exports::{rules, sending};
use crate::archive::settings::{Deed, count};
use askama::Template;
use http::Method;
use identity::Caller;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Badge;
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, RequestContext, Response, Routes, Text};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Section, Space, SpaceHead, Visit};
use std::sync::Arc;
use store::Tx;

const PAGE: &str = "export";

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{PAGE}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, create);
    r.page(Method::GET, &format!("{path}/download"), download);
}

kernel::params! {
    pub struct Form {
        /// Of the project that is made of the file.
        pub description: Text,
    }
}

#[derive(Clone)]
struct ExportPage {
    app: App,
    visit: Visit,
}

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, ExportPage { app: app.clone(), visit }).await
}

async fn create(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    let user_id = visit.viewer.signed_in()?.user.id;
    let page = ExportPage { app: app.clone(), visit };
    let asked = page.clone();
    // Only what could be done is counted.
    app.read(move |tx| asked.space(tx).map(drop)).await?;
    match count(&app, user_id, Deed::Export).await {
        Ok(()) => form::submit(&app, page, sent.0).await,
        Err(error) => {
            let error = Error::Unprocessable(reason(error)?);
            form::refused(&app, page, sent.0, error).await
        }
    }
}

async fn download(app: App, visit: Visit, request: Arc<RequestContext>) -> Result<Response> {
    let user_id = visit.viewer.signed_in()?.user.id;
    let found = app.read(move |tx| {
        let space = visit.authorize(tx, Purpose::Update)?;
        rules::of_project(tx, space.project()?.id)?.finished.found("Export")
    });
    let export = found.await?;
    count(&app, user_id, Deed::Download(export.project_id)).await?;
    sending::sent(&app, &request, &export).await
}

impl ExportPage {
    fn space(&self, tx: &mut Tx<'_>) -> Result<Space> {
        self.visit.authorize(tx, Purpose::Update)
    }
}

impl FormPage for ExportPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["description"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Export")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let space = self.space(tx)?;
        let head = space.head(tx, &self.visit.viewer)?;
        let exports = rules::of_project(tx, space.project()?.id)?;
        let typed_text = typed.form.as_ref().map(|form| form.description.to_string());
        Ok(View {
            page: head.page_below(page, Section::Settings),
            url: format!("{}/-/{PAGE}", head.url),
            file: FileShown::of(&exports),
            error: exports.problem().unwrap_or_default().to_owned(),
            state: exports.status(),
            description: typed_text.unwrap_or_default(),
            errors: typed.errors.clone(),
            now: tx.now(),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.space(tx)?;
        let by = Caller { app: self.app.clone(), viewer: self.visit.viewer.clone() };
        let description = form.description.trim();
        rules::create(tx, &by, space.project()?, Some(description), None)?;
        Outcome::led(format!("{}/-/{PAGE}", space.url()), "The file is being written.")
    }
}

/// The file that is there.
#[derive(Debug)]
struct FileShown {
    size: u64,
    at: Timestamp,
    expires_at: Timestamp,
}

impl FileShown {
    fn of(exports: &Exports) -> Option<FileShown> {
        let export = exports.finished.as_ref()?;
        Some(FileShown {
            size: export.file()?.size,
            at: export.finished_at?,
            expires_at: export.expires_at,
        })
    }
}

#[derive(Template)]
#[template(path = "export.html")]
struct View {
    page: Page,
    head: SpaceHead,
    url: String,
    state: ExportStatus,
    file: Option<FileShown>,
    error: String,
    description: String,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn is_moving(&self) -> bool {
        use ExportStatus::{Queued, RegenerationInProgress, Started};
        matches!(self.state, Queued | Started | RegenerationInProgress)
    }

    fn badge(&self) -> Badge {
        match self.state {
            ExportStatus::None => ui::badge("none", "plain"),
            ExportStatus::Queued => ui::state("queued"),
            ExportStatus::Started | ExportStatus::RegenerationInProgress => ui::state("running"),
            ExportStatus::Finished => ui::state("finished"),
        }
    }
}
