//! `…/-/environments`: all environments of a project, by their folders.

use super::{Here, below, short, state_tone, tiers};
use crate::environments::entity::Shown;
use crate::environments::model::{Deployment, Environment, State, Tier};
use crate::environments::rules::{self, EnvironmentInput};
use crate::environments::store::deployments;
use crate::environments::store::environments::{self as rows, EnvironmentFilter};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Paging, Params, Patch, Response, Routes, Text};
use kernel::time::Timestamp;
use spaces::pages::{Address, Section};
use std::collections::HashMap;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below(""), show);
    r.page(Method::POST, &below(""), change);
}

kernel::choices! {
    /// Which environments are shown.
    #[derive(Default)]
    pub enum Scope as "EnvironmentScope" {
        #[default]
        Active = "active",
        Stopped = "stopped",
    }
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action as "EnvironmentsAction" {
        Create = "create",
        Stop = "stop",
    }
}

kernel::params! {
    pub struct Asked {
        /// Which are shown.
        pub scope: Option<Scope>,
        /// A part of their names.
        pub search: Text,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub environment_id: Option<i64>,
        pub name: Text,
        pub external_url: Text,
        pub tier: Text,
    }
}

#[derive(Clone)]
struct ListPage {
    viewer: Viewer,
    address: Address,
    paging: Paging,
    scope: Scope,
    search: String,
}

async fn show(
    app: App, viewer: Viewer, address: Address, asked: Params<Asked>, paging: Paging,
) -> Result<Response> {
    let Params(asked) = asked;
    let (scope, search) = (asked.scope.unwrap_or_default(), asked.search.trim().to_owned());
    form::show(&app, ListPage { viewer, address, paging, scope, search }).await
}

async fn change(
    app: App, viewer: SignedInViewer, address: Address, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    let page = ListPage {
        viewer: viewer.viewer(),
        address,
        paging,
        scope: Scope::Active,
        search: String::new(),
    };
    form::submit(&app, page, form.0).await
}

impl Scope {
    fn states(self) -> Vec<State> {
        match self {
            Scope::Active => vec![State::Available, State::Stopping],
            Scope::Stopped => vec![State::Stopped],
        }
    }
}

impl FormPage for ListPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["name", "external_url", "tier"];

    fn page(&self, app: &App) -> Page {
        identity::pages::page(app, &self.viewer, "Environments")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let here = Here::find(tx, &self.viewer, &self.address)?;
        let filter = EnvironmentFilter {
            search: Some(self.search.clone()).filter(|text| !text.is_empty()),
            states: self.scope.states(),
            ..EnvironmentFilter::default()
        };
        let (mut found, total) = rows::page(tx, here.project.id, &filter, &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let rights = here.rights(tx, &self.viewer, &found.iter().collect::<Vec<_>>())?;
        let last = deployments::last_of(tx, found.iter().map(|one| one.id).collect())?;
        let last =
            Shown::read(tx, &self.viewer, here.project.clone(), last.into_values().collect())?;
        let mut last: HashMap<i64, Last> = last
            .deployments
            .iter()
            .map(|one| (one.environment_id, Last::of(&last, one)))
            .collect();
        let row = |environment: Environment| Row {
            can_stop: rights.may(&environment) && environment.state != State::Stopped,
            is_protected: rights.is_protected(&environment),
            last: last.remove(&environment.id),
            environment,
        };
        let url = here.url();
        let counts: HashMap<State, i64> = rows::tally(tx, here.project.id)?.into_iter().collect();
        let form = typed.form.clone().filter(|form| form.action == Action::Create);
        Ok(View {
            tabs: tabs(&url, self.scope, &counts),
            folders: in_folders(found.into_iter().map(row).collect()),
            pages: Pages::of(&self.paging, total, self.listed(&url)),
            can_create: here.can_run,
            is_adding: form.is_some(),
            form,
            errors: typed.errors.clone(),
            now: tx.now(),
            search: self.search.clone(),
            scope: self.scope,
            project_url: here.head.url.clone(),
            page: here.head.page(page, Section::Environments),
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let here = Here::to_change(tx, &self.viewer, &self.address)?;
        let url = here.url();
        match form.action {
            Action::Create => {
                let input = form.input()?;
                let name = form.name.trim();
                rules::create(tx, &self.viewer, &here.project, name, &input)?;
                Outcome::led(url, format!("{name} is there."))
            }
            Action::Stop => {
                let id = form.environment_id.ok_or_else(|| Error::missing("environment_id"))?;
                let one = rows::one(tx, here.project.id, id)?.found("Environment")?;
                let after = rules::stop(tx, &self.viewer, &here.project, &one, false)?;
                Outcome::led(url, stopped_text(&after))
            }
        }
    }
}

/// What is said where somebody stopped an environment.
pub(super) fn stopped_text(after: &Environment) -> String {
    match after.state {
        State::Stopping => format!("The job that stops {} was started.", after.name),
        _ => format!("{} is stopped.", after.name),
    }
}

impl ListPage {
    /// Where further pages of the list are.
    fn listed(&self, url: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(format!("{url}?"));
        query.append_pair("scope", self.scope.as_str());
        if !self.search.is_empty() {
            query.append_pair("search", &self.search);
        }
        query.finish()
    }
}

impl Form {
    fn input(&self) -> Result<EnvironmentInput> {
        let tier = match self.tier.trim() {
            "" => None,
            word => match Tier::from_text(word) {
                Some(tier) => Some(tier),
                None => return Err(Error::invalid("tier", "is not included in the list")),
            },
        };
        Ok(EnvironmentInput {
            external_url: Patch::Value(self.external_url.trim().to_owned()),
            tier,
            description: Patch::Absent,
        })
    }
}

fn tabs(url: &str, scope: Scope, counts: &HashMap<State, i64>) -> Vec<Tab> {
    let tab = |label: &str, of: Scope| {
        let states = of.states();
        let count: i64 = states.iter().filter_map(|state| counts.get(state)).sum();
        Tab::new(label, format!("{url}?scope={of}"), of == scope).count(count.unsigned_abs())
    };
    vec![tab("Active", Scope::Active), tab("Stopped", Scope::Stopped)]
}

/// What is in an environment.
pub struct Last {
    deployment: Deployment,
    by: Option<(String, String)>,
}

impl Last {
    fn of(shown: &Shown, one: &Deployment) -> Last {
        let user = one.user_id.and_then(|id| shown.people.get(&id));
        Last {
            deployment: one.clone(),
            by: user.map(|user| (user.name.clone(), format!("/{}", user.username))),
        }
    }

    fn short(&self) -> &str {
        short(&self.deployment.sha)
    }
}

pub struct Row {
    environment: Environment,
    last: Option<Last>,
    can_stop: bool,
    is_protected: bool,
}

impl Row {
    fn tone(&self) -> &'static str {
        state_tone(self.environment.state)
    }
}

/// Environments whose names begin alike.
pub struct Folder {
    name: Option<String>,
    rows: Vec<Row>,
}

/// Rows stand by their names, so those of a folder stand together.
fn in_folders(rows: Vec<Row>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for row in rows {
        let name = row.environment.folder().map(str::to_owned);
        match folders.last_mut() {
            Some(folder) if folder.name == name => folder.rows.push(row),
            _ => folders.push(Folder { name, rows: vec![row] }),
        }
    }
    folders
}

#[derive(Template)]
#[template(path = "environments.html")]
pub struct View {
    page: Page,
    url: String,
    project_url: String,
    tabs: Vec<Tab>,
    scope: Scope,
    search: String,
    folders: Vec<Folder>,
    pages: Pages,
    can_create: bool,
    is_adding: bool,
    form: Option<Form>,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn tiers(&self) -> Vec<Choice> {
        tiers(true)
    }

    fn typed(&self, which: fn(&Form) -> &Text) -> String {
        self.form.as_ref().map(|form| which(form).to_string()).unwrap_or_default()
    }

    fn typed_name(&self) -> String {
        self.typed(|form| &form.name)
    }

    fn typed_url(&self) -> String {
        self.typed(|form| &form.external_url)
    }

    fn typed_tier(&self) -> String {
        self.typed(|form| &form.tier)
    }
}
