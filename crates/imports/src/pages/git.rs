//! `/projects/import/git`: a project begins with a repository elsewhere.

use super::{SOURCES, below_sources};
use crate::settings;
use askama::Template;
use http::Method;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Patch, Response, Routes, Text};
use kernel::secrets::Secrets;
use repositories::mirrors::address::{FETCHED_BY, joined};
use repositories::mirrors::check_address;
use spaces::mirror_settings::MirrorSettingsChange;
use spaces::rules::{self, ProjectChange};
use spaces::store::places;
use store::Tx;

const PATH: &str = "/projects/import/git";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, create);
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        /// Where it is.
        pub url: Text,
        /// What proves there who asks.
        pub user: Text,
        pub password: Text,
        /// Of the project.
        pub name: Text,
        pub namespace_id: Option<i64>,
    }
}

impl Form {
    /// The address with what proves who asks.
    fn address(&self) -> Result<String> {
        match self.url.trim() {
            "" => Err(Error::invalid("url", "can't be blank")),
            typed => joined(typed, self.user.trim(), self.password.trim()),
        }
    }

    fn place(&self) -> String {
        self.namespace_id.map(|id| id.to_string()).unwrap_or_default()
    }
}

#[derive(Clone)]
struct GitPage {
    viewer: Viewer,
    secrets: Secrets,
}

impl GitPage {
    fn of(app: &App, viewer: &SignedInViewer) -> GitPage {
        GitPage { viewer: viewer.viewer(), secrets: app.secrets().clone() }
    }
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    app.read(need).await?;
    form::show(&app, GitPage::of(&app, &viewer)).await
}

async fn create(app: App, viewer: SignedInViewer, sent: Params<Form>) -> Result<Response> {
    app.read(need).await?;
    let page = GitPage::of(&app, &viewer);
    // Whether an address may be called is found out beside any transaction.
    match check(&app, &sent).await {
        Ok(()) => form::submit(&app, page, sent.0).await,
        Err(error) => form::refused(&app, page, sent.0, error).await,
    }
}

/// Refuses where it is switched off.
fn need(tx: &mut Tx<'_>) -> Result<()> {
    match settings::has_git(tx)? {
        true => Ok(()),
        false => Err(Error::forbidden("git import source is disabled")),
    }
}

async fn check(app: &App, form: &Form) -> Result<()> {
    check_address(app, Some(&form.address()?), FETCHED_BY).await
}

impl FormPage for GitPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["url", "name", "namespace_id"];

    fn page(&self, app: &App) -> Page {
        below_sources(app, &self.viewer, "Import a repository")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let places = places::for_projects(tx, &self.viewer)?;
        let choice = |one: &spaces::Namespace| Choice {
            value: one.id.to_string(),
            label: one.full_path.clone(),
        };
        Ok(View {
            page,
            url: PATH,
            sources_url: SOURCES,
            form: typed.form.clone().unwrap_or_default(),
            places: places.iter().map(choice).collect(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let change = ProjectChange {
            name: Some(form.name.trim().to_owned()),
            ..ProjectChange::default()
        };
        let made = rules::create_own_project(tx, &self.viewer, form.namespace_id, &change)?;
        let follows = MirrorSettingsChange {
            import_url: Patch::Value(form.address()?),
            ..MirrorSettingsChange::default()
        };
        let made = rules::change_mirror(tx, &self.secrets, &self.viewer, made, &follows)?;
        Outcome::led(format!("/{}", made.full_path), format!("{} is being brought.", made.name))
    }

    fn refusal(error: Error) -> Error {
        let error = form::rename(error, "path", "name");
        match form::rename(error, "import_url", "url") {
            Error::NotFound(_) => Error::invalid("namespace_id", "is not found"),
            other => other,
        }
    }
}

#[derive(Template)]
#[template(path = "import_git.html")]
pub struct View {
    page: Page,
    url: &'static str,
    sources_url: &'static str,
    form: Form,
    places: Vec<Choice>,
    errors: Errors,
}
