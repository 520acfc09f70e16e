//! `…/-/deploy_tokens`: credentials for clients of registries, bound to nobody.

use super::members::manages;
use super::{Section, Visit, ends_on, section, sections, views};
use crate::access::Purpose;
use crate::deploy_tokens::{self as rules, NewDeployToken};
use crate::store::deploy_tokens as rows;
use http::Method;
use identity::pages::page;
use identity::pages::tokens::ScopeBox;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages};
use kernel::http::{Paging, Params, Response, Routes, Text};
use kernel::time::start_of;
use store::Tx;

/// What the form offers: scopes of what is there. Rules take the others, too.
const SCOPES: &[(&str, &str)] = &[
    ("read_package_registry", "Read packages."),
    ("write_package_registry", "Read and publish packages."),
];

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "deploy_tokens", show);
    for path in sections("deploy_tokens") {
        r.page(Method::POST, &path, change).reauthenticated();
    }
}

#[derive(Clone)]
struct DeployTokens {
    visit: Visit,
    paging: Paging,
    /// User name and token made just now.
    secret: Option<(String, String)>,
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action { Create = "create", Revoke = "revoke" }
}

kernel::params! {
    /// The forms of the page.
    #[derive(Default)]
    pub struct Form {
        /// What is asked for; a new token unless given.
        pub action: Option<Action>,
        /// The token to revoke.
        pub token_id: Option<i64>,
        /// For people.
        pub name: Text,
        /// The user name that goes with it; made unless given.
        pub username: Text,
        /// Last day.
        pub expires_at: Text,
        /// What it allows.
        pub scopes: Option<Vec<String>>,
    }
}

async fn show(app: App, visit: Visit, paging: Paging) -> Result<Response> {
    form::show(&app, DeployTokens { visit, paging, secret: None }).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let paging = Paging::first(kernel::http::paging::DEFAULT_PER_PAGE);
    form::submit(&app, DeployTokens { visit, paging, secret: None }, form.0).await
}

impl FormPage for DeployTokens {
    type Form = Form;
    type View = views::DeployTokens;
    const FIELDS: &'static [&'static str] = &["name", "username", "expires_at", "scopes"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Deploy tokens")
    }

    fn view(
        &self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>,
    ) -> Result<views::DeployTokens> {
        let space = self.visit.authorize(tx, Purpose::ReadDeployTokens)?;
        let place = space.place(&self.visit.viewer);
        let (mut tokens, total) = rows::list(tx, Some(place.key()), None, &self.paging)?;
        tokens.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let form = typed.form.clone().unwrap_or_default();
        let chosen = form.scopes.clone().unwrap_or_default();
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(views::DeployTokens {
            secret: self.secret.clone(),
            can_manage: manages(&space),
            tokens,
            scopes: SCOPES
                .iter()
                .map(|(name, about)| ScopeBox::new(name, about, &chosen))
                .collect(),
            form,
            errors: typed.errors.clone(),
            now: tx.now(),
            pages: Pages::of(&self.paging, total, format!("{}/-/deploy_tokens", space.url())),
            page: head.page_below(page, Section::Settings),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, Purpose::ManageDeployTokens)?;
        let place = space.place(&self.visit.viewer);
        if form.action == Some(Action::Revoke) {
            let id = form.token_id.ok_or_else(|| Error::missing("token_id"))?;
            rules::destroy(tx, &place, id)?;
            let url = format!("{}/-/deploy_tokens", space.url());
            return Outcome::led(url, "Deploy token revoked.");
        }
        let scopes = form.scopes.clone().unwrap_or_default();
        if scopes.is_empty() {
            return Err(Error::invalid("scopes", "choose at least one"));
        }
        let new = NewDeployToken {
            name: form.name.trim().to_owned(),
            scopes,
            expires_at: ends_on(&form.expires_at)?.map(start_of),
            username: Some(form.username.trim().to_owned()),
        };
        let (token, secret) = rules::create(tx, &place, &new)?;
        let secret = Some((token.username, secret.expose().to_owned()));
        Ok(Outcome::Shown(DeployTokens { secret, ..self.clone() }))
    }
}
