//! `…/-/settings/mirrors`: what a project follows, and what follows it.

mod form;
mod shown;

use askama::Template;
use form::{Fields, Form, Task};
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self as pages, FormPage, Outcome, Typed};
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Response, Routes};
use kernel::ids::Reference;
use kernel::secrets::Secrets;
use kernel::time::Timestamp;
use repositories::mirrors::address::{FETCHED_BY, PUSHED_BY};
use repositories::mirrors::check_address;
use repositories::mirrors::pull::{self, PullMirror};
use repositories::mirrors::push::{self, RemoteMirror};
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::{PROJECT, Section, SpaceHead, Visit};
use spaces::rules::{ProjectChange, update_project};
use store::Tx;

const PAGE: &str = "settings/mirrors";

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{PAGE}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

#[derive(Clone)]
struct Mirrors {
    visit: Visit,
    secrets: Secrets,
}

impl Mirrors {
    fn of(app: &App, visit: Visit) -> Mirrors {
        Mirrors { visit, secrets: app.secrets().clone() }
    }
}

async fn show(app: App, visit: Visit) -> Result<Response> {
    pages::show(&app, Mirrors::of(&app, visit)).await
}

async fn change(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    let (page, form) = (Mirrors::of(&app, visit), sent.0);
    // Whether an address may be called is found out beside any transaction.
    match check(&app, &page.visit, &form).await {
        Ok(()) => pages::submit(&app, page, form).await,
        Err(error) => pages::refused(&app, page, form, error).await,
    }
}

/// Refuses an address, for those alone who may set one.
async fn check(app: &App, visit: &Visit, form: &Form) -> Result<()> {
    let asked = visit.clone();
    app.read(move |tx| asked.authorize(tx, Purpose::Update).map(drop)).await?;
    let schemes = match form.action {
        Task::SavePull => FETCHED_BY,
        Task::AddPush | Task::ChangePush => PUSHED_BY,
        _ => return Ok(()),
    };
    check_address(app, Some(&form.address()?), schemes).await
}

impl FormPage for Mirrors {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["url", "mirror_branch_regex", "host_keys"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Mirrors")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let head = space.head(tx, &self.visit.viewer)?;
        let project = space.project()?;
        let pull = pull::of_project(tx, project.id)?;
        let user = match pull.as_ref().and_then(|mirror| mirror.user_id) {
            Some(id) => identity::users::find(tx, id)?,
            None => None,
        };
        Ok(View {
            page: head.page_below(page, Section::Settings),
            head,
            is_on: pull::switch::is_on_for(tx, project)?,
            is_allowed: project.pull_mirror_enabled,
            acts_as: user.map(|user| user.name).unwrap_or_default(),
            pull,
            push: push::of_project(tx, project.id)?,
            typed: typed.form.clone(),
            errors: typed.errors.clone(),
            now: tx.now(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let text = self.changed(tx, space.project()?, form)?;
        Outcome::led(format!("{}/-/{PAGE}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::Parameters(texts) => Error::Unprocessable(texts.join("; ")),
            other => other,
        }
    }
}

impl Mirrors {
    /// Does what a form asks for; the text for who did.
    fn changed(&self, tx: &mut Tx<'_>, project: &Project, form: &Form) -> Result<String> {
        let (viewer, id) = (&self.visit.viewer, form.mirror_id.unwrap_or_default());
        Ok(match form.action {
            Task::SavePull => {
                let saved = pull::rules::set(tx, &self.secrets, viewer, project, &form.of_pull()?)?;
                match saved.enabled {
                    true => format!("The project follows {}.", saved.server.shown_url),
                    false => "The mirror is saved; the project does not follow it.".into(),
                }
            }
            Task::StartPull => {
                pull::rules::start(tx, project)?;
                "The project follows soon.".into()
            }
            Task::RemovePull => {
                pull::rules::destroy(tx, viewer, project)?;
                "The project follows nothing any more. What came stays.".into()
            }
            Task::Allow => {
                let pull_mirror_enabled = Some(form.pull_mirrors.unwrap_or(false));
                let change = ProjectChange { pull_mirror_enabled, ..ProjectChange::default() };
                update_project(tx, viewer, &Reference::Id(project.id), &change)?;
                "Settings saved.".into()
            }
            Task::AddPush => {
                let input = form.of_push(true)?;
                let made = push::rules::create(tx, &self.secrets, viewer, project, &input)?;
                format!("{} is a mirror.", made.server.shown_url)
            }
            Task::ChangePush => {
                let input = form.of_push(form.enabled.unwrap_or(false))?;
                let saved = push::rules::update(tx, &self.secrets, viewer, project, id, &input)?;
                format!("The mirror {} is saved.", saved.server.shown_url)
            }
            Task::StartPush => {
                push::rules::sync(tx, project, id)?;
                "The mirror follows soon.".into()
            }
            Task::RemovePush => {
                push::rules::destroy(tx, viewer, project, id)?;
                "The mirror is removed. What it holds stays there.".into()
            }
        })
    }
}

#[derive(Template)]
#[template(path = "mirrors.html")]
struct View {
    page: Page,
    head: SpaceHead,
    /// Projects here may follow others, and this one does not say otherwise.
    is_on: bool,
    is_allowed: bool,
    pull: Option<PullMirror>,
    /// Who it acts as.
    acts_as: String,
    push: Vec<RemoteMirror>,
    typed: Option<Form>,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn url(&self) -> String {
        format!("{}/-/{PAGE}", self.head.url)
    }

    /// What was typed into the form for this, and refused.
    fn typed(&self, action: Task, id: Option<i64>) -> Option<&Form> {
        let is_it = |form: &&Form| form.action == action && form.mirror_id == id;
        self.typed.as_ref().filter(is_it)
    }

    fn wrong(&self, form: Option<&Form>) -> Errors {
        form.map(|_| self.errors.clone()).unwrap_or_default()
    }

    fn pull_fields(&self) -> Fields {
        match (self.typed(Task::SavePull, None), &self.pull) {
            (Some(form), _) => form.fields(),
            (None, Some(mirror)) => shown::fields_of_pull(mirror),
            (None, None) => Fields { enabled: true, ..Fields::default() },
        }
    }

    fn wrong_pull(&self) -> Errors {
        self.wrong(self.typed(Task::SavePull, None))
    }

    fn new_fields(&self) -> Fields {
        self.typed(Task::AddPush, None).map(Form::fields).unwrap_or_default()
    }

    fn wrong_new(&self) -> Errors {
        self.wrong(self.typed(Task::AddPush, None))
    }

    fn push_fields(&self, mirror: &RemoteMirror) -> Fields {
        match self.typed(Task::ChangePush, Some(mirror.id)) {
            Some(form) => form.fields(),
            None => shown::fields_of_push(mirror),
        }
    }

    fn wrong_push(&self, mirror: &RemoteMirror) -> Errors {
        self.wrong(self.typed(Task::ChangePush, Some(mirror.id)))
    }

    /// Whether the form of a mirror was refused.
    fn is_open(&self, mirror: &RemoteMirror) -> bool {
        self.typed(Task::ChangePush, Some(mirror.id)).is_some()
    }
}
