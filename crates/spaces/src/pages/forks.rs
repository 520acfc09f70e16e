//! `…/-/forks`: what was forked from a project, and forking it.

use super::create::{Form, homes};
use super::stars::Search;
use super::views::{self, NewFork};
use super::{Address, PROJECT, Section, Space, Visit, filtered, project_list, visibilities};
use crate::access::{self, Purpose};
use crate::model::Visibility;
use crate::rules::{self, ForkInput};
use crate::store::filters;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Html, Page};
use kernel::http::{Paging, Params, Response, Routes};
use store::Tx;

const BY_PATH: &str = "projects.full_path_folded, projects.id";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/forks"), list);
    r.page(Method::GET, &format!("{PROJECT}/-/forks/new"), new);
    r.page(Method::POST, &format!("{PROJECT}/-/forks"), create);
}

async fn list(
    app: App, viewer: Viewer, address: Address, asked: Params<Search>, paging: Paging,
) -> Result<Response> {
    let shown = page(&app, &viewer, "Forks");
    let search = asked.0.search.to_string();
    let view = app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::Read)?;
        let source = space.project()?;
        let mut condition = access::visible_projects(tx, &viewer, Purpose::Read);
        condition.raw(" and ").append(filters::forks_of(source.id));
        filters::search_projects(&mut condition, &search);
        let url = filtered(&format!("{}/-/forks", space.url()), &[("search", &search)]);
        let mut projects = project_list(tx, &condition, BY_PATH, &paging, url)?;
        projects.with_namespace = true;
        let head = space.head(tx, &viewer)?;
        let page = head.page(shown.clone(), Section::Overview);
        Ok(views::Forks {
            can_fork: rules::may_fork(tx, &viewer, source)?,
            page: page.crumb(&head.name, &head.url),
            search: search.clone(),
            projects,
            head,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// The form of a new fork.
#[derive(Clone)]
struct New(Visit);

async fn new(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, New(visit)).await
}

async fn create(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    match rules::count_fork(&app, &visit.viewer) {
        Ok(()) => form::submit(&app, New(visit), form.0).await,
        Err(refusal) => form::refused(&app, New(visit), form.0, refusal).await,
    }
}

impl New {
    /// The project, for who may fork it.
    fn source(&self, tx: &mut Tx<'_>) -> Result<Space> {
        let space = self.0.authorize(tx, Purpose::DownloadCode)?;
        match rules::may_fork(tx, &self.0.viewer, space.project()?)? {
            true => Ok(space),
            false => Err(Error::forbidden("")),
        }
    }
}

impl FormPage for New {
    type Form = Form;
    type View = NewFork;
    const FIELDS: &'static [&'static str] =
        &["namespace_id", "name", "path", "description", "visibility"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "New fork")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<NewFork> {
        let space = self.source(tx)?;
        let source = space.project()?;
        let form = typed.form.clone().unwrap_or_else(|| Form {
            name: source.name.clone().into(),
            path: source.path.clone().into(),
            description: source.description.clone().unwrap_or_default().into(),
            visibility: source.visibility().to_string().into(),
            ..Form::default()
        });
        let (homes, home, _) = homes(tx, &self.0.viewer, form.namespace_id)?;
        let head = space.head(tx, &self.0.viewer)?;
        let page = head.page(page, Section::Overview).crumb(&head.name, &head.url);
        Ok(NewFork {
            page: page.crumb("Forks", format!("{}/-/forks", head.url)),
            home: home.map(|one| one.id.to_string()).unwrap_or_default(),
            visibilities: visibilities(source.visibility),
            errors: typed.errors.clone(),
            form,
            homes,
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.source(tx)?;
        let input = ForkInput {
            namespace_id: form.namespace_id,
            name: Some(form.name.trim().to_owned()),
            path: Some(form.path()),
            description: Some(form.description()),
            visibility: Visibility::from_text(&form.visibility),
            ..ForkInput::default()
        };
        let made = rules::fork_project(tx, &self.0.viewer, space.project()?, &input)?;
        Outcome::led(format!("/{}", made.full_path), format!("{} is forked.", made.name))
    }
}
