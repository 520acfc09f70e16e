//! `…/-/access_tokens`: tokens with which programs work here.

use super::members::roles;
use super::{Address, Space, section, sections, views};
use crate::access::{self, MAINTAINER, Purpose};
use crate::model::SourceKind;
use crate::tokens::{self as rules, NewSpaceToken};
use http::{Method, StatusCode};
use identity::model::{AccessToken, TokenKind};
use identity::pages::page;
use identity::pages::tokens::{ShownSecret, TokenForm, TokenRow};
use identity::settings::TokenRules;
use identity::tokens::{self, Filter, SortBy};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Html, flash};
use kernel::http::{Asked, Paging, Params, Response, Routes, Start};
use kernel::time::Date;
use std::sync::Arc;
use store::Tx;

/// Most tokens the page shows.
const MAX_SHOWN: i64 = 200;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "access_tokens", show);
    for path in sections("access_tokens") {
        r.page(Method::POST, &path, change).fresh();
    }
}

async fn show(app: App, viewer: SignedInViewer, asked: Arc<Asked>) -> Result<Response> {
    let address = Address::of(&asked)?;
    render(app, viewer.viewer(), address, Shown::default()).await
}

/// What the page shows beside the list: a new secret, or a refused form.
#[derive(Default)]
struct Shown {
    secret: Option<ShownSecret>,
    form: TokenForm,
    level: String,
    errors: Errors,
    flash: Option<Flash>,
}

async fn render(app: App, viewer: Viewer, address: Address, shown: Shown) -> Result<Response> {
    let status = match shown.flash {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let token_rules: TokenRules = app.settings().get(&app).await?;
    let mut whole = page(&app, &viewer, "Access tokens");
    whole.flash = shown.flash.clone().or(whole.flash);
    let view = app
        .read(move |tx| {
            let space = address.enter(tx, &viewer, Purpose::Update)?;
            let found = list(tx, &space)?;
            let now = tx.now();
            let (active, inactive): (Vec<_>, Vec<_>) =
                found.iter().partition(|token| token.is_active(now));
            let row = |token: &&AccessToken| TokenRow {
                role: access::role_name(token.access_level.unwrap_or_default()).to_owned(),
                ..TokenRow::new(token, now)
            };
            let mut form = shown.form.clone();
            let kind = match address.kind {
                SourceKind::Project => TokenKind::Project,
                SourceKind::Group => TokenKind::Group,
            };
            form.offer(kind, false, &token_rules);
            Ok(views::SpaceTokens {
                secret: shown.secret.clone(),
                active: active.iter().map(row).collect(),
                inactive: inactive.iter().map(row).collect(),
                form,
                errors: shown.errors.clone(),
                roles: roles(space.level()),
                level: match shown.level.as_str() {
                    "" => MAINTAINER.to_string(),
                    level => level.to_owned(),
                },
                page: space.crumbs(whole, true),
                head: space.head(tx, &viewer)?,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

fn list(tx: &mut Tx<'_>, space: &Space) -> Result<Vec<AccessToken>> {
    let filter = Filter {
        source: Some(rules::source_of(&space.place())),
        ..Filter::default()
    };
    let paging = Paging {
        per_page: MAX_SHOWN,
        start: Start::Page(1),
    };
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
        pub name: Option<String>,
        /// For people.
        pub description: Option<String>,
        /// Role of its bot.
        pub access_level: Option<i64>,
        /// Last day.
        pub expires_at: Option<String>,
        /// What it allows.
        pub scopes: Option<Vec<String>>,
    }
}

impl Form {
    fn ends_on(&self) -> Result<Option<Date>> {
        match self.expires_at.as_deref().unwrap_or_default() {
            "" => Ok(None),
            text => match text.parse() {
                Ok(day) => Ok(Some(day)),
                Err(_) => Err(Error::invalid("expires_at", "is not a date")),
            },
        }
    }

    fn typed(&self) -> TokenForm {
        TokenForm {
            name: self.name.clone().unwrap_or_default(),
            description: self.description.clone().unwrap_or_default(),
            expires_at: self.expires_at.clone().unwrap_or_default(),
            chosen: self.scopes.clone().unwrap_or_default(),
            ..TokenForm::default()
        }
    }
}

/// What came of a form.
enum Done {
    /// A secret to show once.
    Made(ShownSecret),
    /// Nothing more to see: the page's address.
    Revoked(String),
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, wanted, place) = (viewer.clone(), form.clone(), address.clone());
    let done = app
        .write(move |tx| apply(tx, &asker, &place, &wanted))
        .await;
    match done {
        Ok(Done::Made(secret)) => {
            let shown = Shown {
                secret: Some(secret),
                ..Shown::default()
            };
            render(app, viewer, address, shown).await
        }
        Ok(Done::Revoked(url)) => flash::done(&app, &url, "The token is revoked."),
        Err(error) => {
            let (errors, flash) = flash::in_form(error)?;
            let shown = Shown {
                form: form.typed(),
                level: form.access_level.map(|n| n.to_string()).unwrap_or_default(),
                errors,
                flash,
                secret: None,
            };
            render(app, viewer, address, shown).await
        }
    }
}

fn apply(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, form: &Form) -> Result<Done> {
    let space = address.enter(tx, viewer, Purpose::Update)?;
    let place = space.place();
    let one = |tx: &mut Tx<'_>| {
        let id = form.token_id.ok_or_else(|| Error::missing("token_id"))?;
        rules::find(tx, &place, id).map_err(|error| match error {
            Error::Unauthenticated => Error::forbidden("This token has a higher role than you."),
            other => other,
        })
    };
    match form.action.unwrap_or(Action::Create) {
        Action::Create => {
            let new = NewSpaceToken {
                name: form.name.clone().unwrap_or_default(),
                description: form.description.clone().filter(|text| !text.is_empty()),
                scopes: form.scopes.clone().unwrap_or_default(),
                access_level: form.access_level.unwrap_or(MAINTAINER),
                expires_at: form.ends_on()?,
            };
            let (token, secret) = rules::create(tx, viewer, &place, &new)?;
            Ok(Done::Made(ShownSecret {
                name: token.name,
                token: secret.expose().to_owned(),
            }))
        }
        Action::Rotate => {
            let token = one(tx)?;
            let made = rules::rotate(tx, viewer, &token, None)?;
            let ended = || Error::Conflict("This token has ended and cannot be rotated.".into());
            let (token, secret) = made.ok_or_else(ended)?;
            Ok(Done::Made(ShownSecret {
                name: token.name,
                token: secret.expose().to_owned(),
            }))
        }
        Action::Revoke => {
            let token = one(tx)?;
            rules::revoke(tx, viewer, &token)?;
            Ok(Done::Revoked(format!("{}/-/access_tokens", space.url())))
        }
    }
}
