//! `…/-/access_tokens`: tokens with which programs work here.

use super::members::roles;
use super::{Section, Visit, ends_on, section, sections, views};
use crate::access::{self, MAINTAINER, Purpose};
use crate::members::MembersOf;
use crate::tokens::{self as rules, NewSpaceToken};
use http::Method;
use identity::model::AccessToken;
use identity::pages::page;
use identity::pages::tokens::{ShownSecret, TokenForm, TokenRow};
use identity::settings::TokenRules;
use identity::tokens::{self, Filter, SortBy};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Paging, Params, Response, Routes, Start, Text};
use kernel::secrets::Secret;
use store::Tx;

/// Most tokens the page shows.
const MAX_SHOWN: i64 = 200;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "access_tokens", show);
    for path in sections("access_tokens") {
        r.page(Method::POST, &path, change).reauthenticated();
    }
}

#[derive(Clone)]
struct Tokens {
    visit: Visit,
    rules: TokenRules,
    /// A secret made just now.
    secret: Option<ShownSecret>,
}

impl Tokens {
    async fn of(app: &App, visit: Visit) -> Result<Tokens> {
        Ok(Tokens { visit, rules: app.settings().get(app).await?, secret: None })
    }

    fn made(&self, token: AccessToken, secret: &Secret) -> Outcome<Self> {
        Outcome::Shown(Tokens {
            secret: Some(ShownSecret { name: token.name, token: secret.expose().to_owned() }),
            ..self.clone()
        })
    }
}

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, Tokens::of(&app, visit).await?).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    form::submit(&app, Tokens::of(&app, visit).await?, form.0).await
}

impl FormPage for Tokens {
    type Form = Form;
    type View = views::SpaceTokens;
    const FIELDS: &'static [&'static str] =
        &["name", "description", "access_level", "expires_at", "scopes"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Access tokens")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::SpaceTokens> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let found = list(tx, &space.place(&self.visit.viewer))?;
        let now = tx.now();
        let (active, inactive): (Vec<_>, Vec<_>) =
            found.iter().partition(|token| token.is_active(now));
        let row = |token: &&AccessToken| TokenRow {
            role: access::role_name(token.access_level.unwrap_or_default()).to_owned(),
            ..TokenRow::new(token, now)
        };
        let mut form = typed.form.as_ref().map(Form::typed).unwrap_or_default();
        let kind = self.visit.address.kind;
        form.offer(rules::token_kind(kind), false, &self.rules);
        let level = typed.form.as_ref().and_then(|form| form.access_level);
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(views::SpaceTokens {
            secret: self.secret.clone(),
            active: active.iter().map(row).collect(),
            inactive: inactive.iter().map(row).collect(),
            form,
            errors: typed.errors.clone(),
            roles: roles(space.level()),
            level: level.unwrap_or(MAINTAINER).to_string(),
            page: head.page_below(page, Section::Settings),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, Purpose::Update)?;
        let viewer = &self.visit.viewer;
        let place = space.place(viewer);
        let one = |tx: &mut Tx<'_>| {
            let id = form.token_id.ok_or_else(|| Error::missing("token_id"))?;
            rules::find(tx, &place, id).map_err(|error| match error {
                Error::Unauthenticated => {
                    Error::forbidden("This token has a higher role than you.")
                }
                other => other,
            })
        };
        match form.action.unwrap_or(Action::Create) {
            Action::Create => {
                let new = NewSpaceToken {
                    name: form.name.to_string(),
                    description: form.description.clone().filter(|text| !text.is_empty()),
                    scopes: form.scopes.clone().unwrap_or_default(),
                    access_level: form.access_level,
                    expires_at: ends_on(&form.expires_at)?,
                };
                let (token, secret) = rules::create(tx, &place, &new)?;
                Ok(self.made(token, &secret))
            }
            Action::Rotate => {
                let token = one(tx)?;
                Ok(match rules::rotate(tx, viewer, &token, None)? {
                    Some((token, secret)) => self.made(token, &secret),
                    // One that was rotated before has ended its family, which stays.
                    None => Outcome::Refused(ENDED.into()),
                })
            }
            Action::Revoke => {
                let token = one(tx)?;
                rules::revoke(tx, viewer, &token)?;
                let url = format!("{}/-/access_tokens", space.url());
                Outcome::led(url, "Token revoked.")
            }
        }
    }
}

const ENDED: &str = "This token has ended and cannot be rotated.";

fn list(tx: &mut Tx<'_>, place: &MembersOf<'_>) -> Result<Vec<AccessToken>> {
    let filter = Filter { source: Some(rules::source_of(place)), ..Filter::default() };
    let paging = Paging { per_page: MAX_SHOWN, start: Start::Page(1) };
    tokens::page(tx, &filter, SortBy::CreatedDesc, &paging)
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action { Create = "create", Rotate = "rotate", Revoke = "revoke" }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for; a new token unless given.
        pub action: Option<Action>,
        /// The token to rotate or revoke.
        pub token_id: Option<i64>,
        /// For people.
        pub name: Text,
        /// For people.
        pub description: Option<String>,
        /// Role of its bot.
        pub access_level: Option<i64>,
        /// Last day.
        pub expires_at: Text,
        /// What it allows.
        pub scopes: Option<Vec<String>>,
    }
}

impl Form {
    fn typed(&self) -> TokenForm {
        TokenForm {
            name: self.name.to_string(),
            description: self.description.clone().unwrap_or_default(),
            expires_at: self.expires_at.to_string(),
            chosen: self.scopes.clone().unwrap_or_default(),
            ..TokenForm::default()
        }
    }
}
