//! `…/-/import`: how far the import of a project is, what it could not bring, and what can
//! be done about that.

use super::PROGRESS;
use super::shown::{CountRow, Shown, kind_label};
use crate::run::{self, Credentials, Import, rules};
use crate::store::failures::{self, FailedRelation};
use crate::writers::Prepared;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Response, Routes, Text};
use kernel::time::Timestamp;
use spaces::access::{OWNER, Purpose, may};
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;
use spaces::pages::{PROJECT, Section, Space, SpaceHead, Visit};
use std::sync::Arc;

/// Failures that are shown.
const MOST: i64 = 100;

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{PROGRESS}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Cancel = "cancel",
        Retry = "retry",
        RetryOne = "retry_one",
        CutOver = "cut_over",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        /// What could not be brought.
        pub failed_id: Option<i64>,
        /// What proves upstream who asks.
        pub username: Text,
        pub secret: Text,
    }
}

impl Form {
    fn credentials(&self, import: &Import) -> Result<Option<Credentials>> {
        if !import.source.needs_credentials() {
            return Ok(None);
        }
        let username = Some(self.username.trim()).filter(|name| !name.is_empty());
        match self.secret.trim() {
            "" => Err(Error::invalid("secret", "can't be blank")),
            secret => Ok(Some(Credentials {
                username: username.map(str::to_owned),
                secret: secret.to_owned(),
            })),
        }
    }
}

/// What could not be brought.
#[derive(Debug)]
struct FailureRow {
    id: i64,
    label: &'static str,
    key: String,
    reason: String,
    at: Timestamp,
    /// It can be tried again without asking upstream.
    is_readable: bool,
}

impl FailureRow {
    fn of(failed: FailedRelation) -> FailureRow {
        FailureRow {
            id: failed.id,
            label: kind_label(failed.kind),
            key: failed.key,
            reason: failed.message,
            at: failed.created_at,
            is_readable: failed.object.is_some(),
        }
    }
}

#[derive(Clone)]
struct ImportPage {
    app: App,
    visit: Visit,
    /// What git says of what is tried again alone.
    prepared: Arc<Prepared>,
}

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, ImportPage::of(&app, visit)).await
}

async fn change(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    let mut page = ImportPage::of(&app, visit);
    if let (Action::RetryOne, Some(id)) = (sent.action, sent.failed_id) {
        page.prepared = Arc::new(page.prepare(id).await?);
    }
    form::submit(&app, page, sent.0).await
}

impl ImportPage {
    fn of(app: &App, visit: Visit) -> ImportPage {
        ImportPage { app: app.clone(), visit, prepared: Arc::default() }
    }

    async fn prepare(&self, id: i64) -> Result<Prepared> {
        let page = self.clone();
        let import = self.app.read(move |tx| {
            let space = page.space(tx)?;
            rules::find(tx, space.project()?)?.found(rules::THING)
        });
        match run::prepare_one(&self.app, &import.await?, id).await {
            // The form says it.
            Err(Error::NotFound(_) | Error::BadRequest(_)) => Ok(Prepared::default()),
            prepared => prepared,
        }
    }

    fn space(&self, tx: &mut Tx<'_>) -> Result<Space> {
        self.visit.authorize(tx, Purpose::Update)
    }

    /// Refuses who may not give the import up.
    fn check_cancel(&self, tx: &mut Tx<'_>, project: &Project) -> Result<()> {
        match may(tx, &self.visit.viewer, project, Purpose::Destroy)? {
            true => Ok(()),
            false => Err(Error::forbidden("")),
        }
    }

    /// Does what a form asks for; the text for who did.
    fn changed(&self, tx: &mut Tx<'_>, space: &Space, form: &Form) -> Result<&'static str> {
        let project = space.project()?;
        let by = (&self.visit.viewer, project);
        let import = rules::find(tx, project)?.found(rules::THING)?;
        Ok(match form.action {
            Action::Cancel => {
                self.check_cancel(tx, project)?;
                rules::cancel(tx, by.0, by.1, import)?;
                "The import is canceled. What came stays."
            }
            Action::Retry => {
                let credentials = form.credentials(&import)?;
                rules::retry(tx, &self.app, by, import, credentials.as_ref())?;
                "It goes on where it stood."
            }
            Action::RetryOne => {
                let id = form.failed_id.ok_or_else(|| Error::missing("failed_id"))?;
                run::retry_one(tx, by, import, id, &self.prepared)?;
                "That came."
            }
            Action::CutOver => {
                rules::cut_over(tx, &self.app, by, import)?;
                "What is new there comes once more, and then no more."
            }
        })
    }
}

impl FormPage for ImportPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["username", "secret"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Import")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let space = self.space(tx)?;
        let head = space.head(tx, &self.visit.viewer)?;
        let project = space.project()?;
        let import = rules::find(tx, project)?;
        let mut failed = match &import {
            Some(import) => failures::list(tx, import.id, MOST + 1)?,
            None => Vec::new(),
        };
        let most = usize::try_from(MOST).unwrap_or(usize::MAX);
        let has_more = failed.len() > most;
        failed.truncate(most);
        let shown = import.map(|of| Shown { of });
        let is_moving = shown.as_ref().is_some_and(Shown::is_moving);
        Ok(View {
            page: head.page_below(page, Section::Settings),
            url: format!("{}/-/{PROGRESS}", head.url),
            people_url: people_url(project, space.level()),
            may_cancel: is_moving && may(tx, &self.visit.viewer, project, Purpose::Destroy)?,
            counts: shown.as_ref().map(Shown::counts).unwrap_or_default(),
            failures: failed.into_iter().map(FailureRow::of).collect(),
            by_git: by_git(project),
            error: project.import_error.clone().unwrap_or_default(),
            is_refused: typed.form.as_ref().is_some_and(|form| form.action == Action::Retry),
            username: typed.form.as_ref().map(|form| form.username.to_string()).unwrap_or_default(),
            errors: typed.errors.clone(),
            now: tx.now(),
            has_more,
            shown,
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.space(tx)?;
        let text = self.changed(tx, &space, form)?;
        Outcome::led(format!("{}/-/{PROGRESS}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::Exact(_, body) => {
                let text = body.get("message").and_then(|text| text.as_str());
                Error::Unprocessable(text.unwrap_or("This cannot be done now").to_owned())
            }
            other => other,
        }
    }
}

/// How far code is that came by its address alone; nothing of what was begun here.
fn by_git(project: &Project) -> String {
    match imports::shown(project) {
        ImportStatus::None => String::new(),
        _ if project.is_fork() => String::new(),
        status => status.to_string(),
    }
}

/// Where it says who is who, for who may say it.
fn people_url(project: &Project, level: i64) -> Option<String> {
    let top = project.namespace_full_path.split('/').next()?;
    let is_there = project.namespace_kind == "group" && level >= OWNER;
    is_there.then(|| format!("/groups/{top}/-/{}", super::people::PAGE))
}

#[derive(Template)]
#[template(path = "import.html")]
struct View {
    page: Page,
    head: SpaceHead,
    url: String,
    people_url: Option<String>,
    shown: Option<Shown>,
    may_cancel: bool,
    counts: Vec<CountRow>,
    failures: Vec<FailureRow>,
    has_more: bool,
    /// How far an import of code alone is, and why that failed.
    by_git: String,
    error: String,
    is_refused: bool,
    username: String,
    errors: Errors,
    now: Timestamp,
}
