//! `…/-/deploy_keys`: keys that open one project to machines.

use super::{beside_fields, ends_on, views};
use crate::rules::{KeyInput, deploy as rules};
use crate::store::deploy as rows;
use ::store::Tx;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages};
use kernel::http::paging::DEFAULT_PER_PAGE;
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Section, Visit};

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/deploy_keys");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change).reauthenticated();
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Create = "create",
        Switch = "switch",
        Remove = "remove",
    }
}

kernel::params! {
    /// The forms of the page.
    #[derive(Default)]
    pub struct Form {
        /// What is asked for; a new key unless given.
        pub action: Option<Action>,
        /// The key that is meant.
        pub key_id: Option<i64>,
        /// For people.
        pub title: Text,
        pub key: Text,
        /// Last day.
        pub expires_at: Text,
        /// Whether it may push, too.
        pub can_push: Option<bool>,
    }
}

impl Form {
    pub(super) fn pushes(&self) -> bool {
        self.can_push.unwrap_or(false)
    }
}

#[derive(Clone)]
struct DeployKeys {
    visit: Visit,
    paging: Paging,
}

async fn show(app: App, visit: Visit, paging: Paging) -> Result<Response> {
    form::show(&app, DeployKeys { visit, paging }).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let paging = Paging::first(DEFAULT_PER_PAGE);
    form::submit(&app, DeployKeys { visit, paging }, form.0).await
}

impl FormPage for DeployKeys {
    type Form = Form;
    type View = views::DeployKeys;
    const FIELDS: &'static [&'static str] = &["title", "key", "expires_at", "can_push"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Deploy keys")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::DeployKeys> {
        let space = self.visit.authorize(tx, Purpose::ManageDeployTokens)?;
        let (mut keys, total) = rows::of_project(tx, space.project()?.id, &self.paging)?;
        keys.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(views::DeployKeys {
            keys,
            form: typed.form.clone().unwrap_or_default(),
            errors: typed.errors.clone(),
            now: tx.now(),
            pages: Pages::of(&self.paging, total, format!("{}/-/deploy_keys", space.url())),
            page: head.page_below(page, Section::Settings),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, Purpose::ManageDeployTokens)?;
        let (viewer, project) = (&self.visit.viewer, space.project()?);
        let url = format!("{}/-/deploy_keys", space.url());
        let id = || form.key_id.ok_or_else(|| Error::missing("key_id"));
        match form.action.unwrap_or(Action::Create) {
            Action::Create => {
                let input = KeyInput {
                    title: form.title.to_string(),
                    key: form.key.to_string(),
                    expires_at: ends_on(&form.expires_at)?,
                };
                rules::create(tx, viewer, project, &input, form.pushes())?;
                Outcome::led(url, "Deploy key added.")
            }
            Action::Switch => {
                rules::update(tx, viewer, project, id()?, None, Some(form.pushes()))?;
                Outcome::led(url, "Deploy key changed.")
            }
            Action::Remove => {
                rules::destroy(tx, viewer, project, id()?)?;
                Outcome::led(url, "Deploy key removed.")
            }
        }
    }

    fn refusal(error: Error) -> Error {
        beside_fields(error)
    }
}
