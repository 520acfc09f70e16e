//! `…/-/settings/runners` of projects and groups, `/admin/runners`: the runners there are,
//! and what starts the program of a new one.

use super::access::{self, kind};
use super::model::{AccessLevel, ContactStatus, Runner, RunnerType};
use super::rules::{self, Made, RunnerOptions};
use super::store::lists;
use crate::place::{Place, Whose};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::viewer::Admin;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Tab;
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Flat, Paging, Params, Patch, Response, Routes, Text};
use kernel::secrets::Secret;
use spaces::pages::{Space, Visit, section};

const SECTION: &str = "settings/runners";
const OF_INSTANCE: &str = "/admin/runners";
/// Of the instance, and of a space.
const AT: (&str, &str) = (OF_INSTANCE, SECTION);
const TITLE: &str = "Runners";
/// Seconds of a minute: people type minutes.
const MINUTE: i64 = 60;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, SECTION, show);
    section(r, Method::POST, SECTION, change);
    r.page(Method::GET, OF_INSTANCE, show_instance);
    r.page(Method::POST, OF_INSTANCE, change_instance);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Create = "create",
        Save = "save",
        Pause = "pause",
        Resume = "resume",
        Reset = "reset",
        Delete = "delete",
    }
}

impl Action {
    /// Whether it sends a runner as it is typed.
    fn is_of_fields(self) -> bool {
        matches!(self, Action::Create | Action::Save)
    }
}

kernel::params! {
    pub struct Asked {
        /// The runner whose form is shown.
        pub edit: Option<i64>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        /// The runner that is meant.
        pub runner_id: Option<i64>,
        pub fields: Flat<Fields>,
    }
}

kernel::params! {
    /// A runner as it is typed.
    #[derive(Default)]
    pub struct Fields {
        pub description: Text,
        pub tags: Text,
        /// Minutes.
        pub maximum_timeout: Option<i64>,
        pub maintenance_note: Text,
        pub run_untagged: Option<bool>,
        pub protected: Option<bool>,
        pub locked: Option<bool>,
    }
}

impl Fields {
    /// Of a new runner, before anything is typed.
    fn fresh() -> Fields {
        Fields { run_untagged: Some(true), ..Fields::default() }
    }

    fn of(runner: &Runner) -> Fields {
        Fields {
            description: runner.description.clone().unwrap_or_default().into(),
            tags: runner.tags.typed().into(),
            maximum_timeout: runner.maximum_timeout.map(|seconds| seconds / MINUTE),
            maintenance_note: runner.maintenance_note.clone().unwrap_or_default().into(),
            run_untagged: Some(runner.run_untagged),
            protected: Some(runner.access_level == AccessLevel::RefProtected),
            locked: Some(runner.locked),
        }
    }

    fn options(&self) -> RunnerOptions {
        let seconds = self.maximum_timeout.map(|minutes| minutes.saturating_mul(MINUTE));
        RunnerOptions {
            description: Some(self.description.trim().to_owned()),
            maintenance_note: Some(self.maintenance_note.replace("\r\n", "\n")),
            tag_list: Some(vec![self.tags.to_string()]),
            run_untagged: Some(self.run_untagged.unwrap_or(false)),
            locked: Some(self.locked.unwrap_or(false)),
            access_level: Some(match self.protected {
                Some(true) => AccessLevel::RefProtected,
                _ => AccessLevel::NotProtected,
            }),
            maximum_timeout: seconds.map_or(Patch::Null, Patch::Value),
            ..RunnerOptions::default()
        }
    }
}

#[derive(Clone)]
struct RunnersPage {
    base_url: String,
    whose: Whose,
    paging: Paging,
    edited: Option<i64>,
    /// The token of a runner that was made just now, which is shown this once.
    token: Option<Secret>,
}

async fn show(app: App, visit: Visit, asked: Params<Asked>, paging: Paging) -> Result<Response> {
    form::show(&app, RunnersPage::new(&app, Whose::Space(visit), paging, asked.edit)).await
}

async fn change(app: App, visit: Visit, form: Params<Form>, paging: Paging) -> Result<Response> {
    sent(&app, Whose::Space(visit), form.0, paging).await
}

async fn show_instance(
    app: App, admin: Admin, asked: Params<Asked>, paging: Paging,
) -> Result<Response> {
    form::show(&app, RunnersPage::new(&app, Whose::Instance(admin), paging, asked.edit)).await
}

async fn change_instance(
    app: App, admin: Admin, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    sent(&app, Whose::Instance(admin), form.0, paging).await
}

async fn sent(app: &App, whose: Whose, form: Form, paging: Paging) -> Result<Response> {
    let edited = form.runner_id.filter(|_| form.action == Action::Save);
    form::submit(app, RunnersPage::new(app, whose, paging, edited), form).await
}

impl RunnersPage {
    fn new(app: &App, whose: Whose, paging: Paging, edited: Option<i64>) -> RunnersPage {
        let base_url = app.base_url().to_owned();
        RunnersPage { base_url, whose, paging, edited, token: None }
    }

    /// The runner that a form names.
    fn named(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Runner> {
        let id = form.runner_id.ok_or_else(|| Error::missing("runner_id"))?;
        access::managing(tx, &self.whose.viewer(), id)
    }

    fn telling(&self, made: Made) -> Outcome<Self> {
        Outcome::Shown(RunnersPage { token: Some(made.token), edited: None, ..self.clone() })
    }
}

impl FormPage for RunnersPage {
    type Form = Form;
    type View = RunnersView;
    const FIELDS: &'static [&'static str] =
        &["description", "tags", "maximum_timeout", "maintenance_note"];

    fn page(&self, app: &App) -> Page {
        self.whose.page(app, (TITLE, TITLE))
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<RunnersView> {
        let (place, viewer) = (self.whose.place(tx)?, self.whose.viewer());
        let condition = match place.space() {
            None => lists::all(),
            Some(Space::Project(project, _)) => lists::of_project(project),
            Some(Space::Group(group, _)) => lists::of_group(group),
        };
        let (mut rows, total) =
            lists::page(tx, &condition, &lists::Filter::default(), &self.paging)?;
        rows.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let edited = match self.edited {
            Some(id) => Some(access::managing(tx, &viewer, id)?),
            None => None,
        };
        let again = typed.form.as_ref().filter(|form| form.action.is_of_fields());
        let stored = edited.as_ref().map_or_else(Fields::fresh, Fields::of);
        let (page, tabs) = place.head(tx, &viewer, page, TITLE)?;
        let url = place.url(AT);
        Ok(RunnersView {
            page,
            tabs,
            now: tx.now(),
            rows: rows.into_iter().map(|runner| Row::new(&place, runner)).collect(),
            form: again.map_or(stored, |form| form.fields.0.clone()),
            edited,
            command: self.token.as_ref().map(|token| command(&self.base_url, token)),
            token: self.token.clone(),
            errors: typed.errors.clone(),
            pages: Pages::of(&self.paging, total, &url),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (place, viewer) = (self.whose.place(tx)?, self.whose.viewer());
        let pausing = |paused| RunnerOptions { paused: Some(paused), ..RunnerOptions::default() };
        let text = match form.action {
            Action::Create => {
                let made = rules::create(tx, &viewer, &place, &form.fields.options())?;
                return Ok(self.telling(made));
            }
            Action::Reset => {
                let before = self.named(tx, form)?;
                return Ok(self.telling(rules::reset_token(tx, &viewer, before)?));
            }
            Action::Save => {
                let before = self.named(tx, form)?;
                rules::update(tx, &viewer, before, &form.fields.options())?;
                "Runner saved."
            }
            Action::Pause | Action::Resume => {
                let before = self.named(tx, form)?;
                let paused = form.action == Action::Pause;
                rules::update(tx, &viewer, before, &pausing(paused))?;
                if paused {
                    "Runner paused."
                } else {
                    "Runner takes jobs again."
                }
            }
            Action::Delete => {
                let gone = self.named(tx, form)?;
                rules::destroy(tx, &viewer, &gone)?;
                "Runner deleted."
            }
        };
        Outcome::led(place.url(AT), text)
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "tags_list", "tags")
    }
}

/// What is pasted into a shell to start the program of a runner.
fn command(base_url: &str, token: &Secret) -> String {
    format!("gitlab-runner register --url {base_url} --token {}", token.expose())
}

/// A runner in the table.
#[derive(Debug)]
pub struct Row {
    runner: Runner,
    /// It is of this very place, so it can be changed here.
    is_own: bool,
}

impl Row {
    fn new(place: &Place, runner: Runner) -> Row {
        let is_own = match place {
            Place::Instance => true,
            _ => runner.runner_type == kind(place) && runner.group_id == place.group_id(),
        };
        Row { runner, is_own }
    }

    fn kind(&self) -> &'static str {
        match self.runner.runner_type {
            RunnerType::Instance => "instance",
            RunnerType::Group => "group",
            RunnerType::Project => "project",
        }
    }

    fn status(&self, now: &Timestamp) -> &'static str {
        match self.runner.contact(*now) {
            _ if self.runner.paused => "paused",
            ContactStatus::Online => "online",
            ContactStatus::Offline => "offline",
            ContactStatus::Stale => "stale",
            ContactStatus::NotConnected => "never connected",
        }
    }

    fn name(&self) -> String {
        match self.runner.description.as_deref() {
            None | Some("") => format!("Runner {}", self.runner.id),
            Some(text) => text.to_owned(),
        }
    }
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "runners.html")]
pub struct RunnersView {
    page: Page,
    /// None on the page of the instance.
    tabs: Vec<Tab>,
    url: String,
    now: Timestamp,
    rows: Vec<Row>,
    edited: Option<Runner>,
    form: Fields,
    token: Option<Secret>,
    command: Option<String>,
    errors: Errors,
    pages: Pages,
}

impl RunnersView {
    fn is_ticked(&self, sent: &Option<bool>) -> bool {
        sent.unwrap_or(false)
    }

    fn minutes(&self) -> String {
        self.form.maximum_timeout.map(|minutes| minutes.to_string()).unwrap_or_default()
    }

    fn turn(&self, row: &Row) -> &'static str {
        let action = if row.runner.paused {
            Action::Resume
        } else {
            Action::Pause
        };
        action.as_str()
    }

    fn form_title(&self) -> &'static str {
        match self.edited {
            Some(_) => "Change runner",
            None => "New runner",
        }
    }

    fn edit_url(&self, runner: &Runner) -> String {
        format!("{}?edit={}#runner", self.url, runner.id)
    }
}
