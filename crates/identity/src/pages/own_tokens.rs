//! `/-/user_settings/tokens`: one's own access tokens.

use super::OwnThing;
use super::tokens::{ShownSecret, TokenForm, TokenRow};
use super::views::Tokens;
use crate::feed_tokens;
use crate::model::{AccessToken, TokenKind};
use crate::pages::navigation::own_settings;
use crate::settings::TokenRules;
use crate::tasks;
use crate::tokens::{self, Filter, NewToken, Ready, SortBy};
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Paging, Params, RequestContext, Response, Routes, reply};
use kernel::secrets::Secret;
use kernel::time::Date;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/-/user_settings/tokens";
const ENDED: &str = "This token has ended and cannot be rotated.";
/// Where guides of clients send people to make a token for them.
const KNOWN_ELSEWHERE: [&str; 2] =
    ["/-/user_settings/personal_access_tokens", "/-/profile/personal_access_tokens"];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    for path in KNOWN_ELSEWHERE {
        r.page(Method::GET, path, lead_here);
    }
    r.page(Method::POST, PATH, create).reauthenticated();
    r.page(Method::POST, "/-/user_settings/feed_token/reset", reset_feed_token);
    r.page(Method::POST, "/-/user_settings/tokens/{id}/revoke", revoke);
    r.page(Method::POST, "/-/user_settings/tokens/{id}/rotate", rotate)
        .reauthenticated();
}

/// To the page, with what the form is to hold.
async fn lead_here(request: Arc<RequestContext>) -> Result<Response> {
    let query = request.uri.query().map(|query| format!("?{query}"));
    reply::redirect(&format!("{PATH}{}", query.unwrap_or_default()))
}

kernel::params! {
    /// What the form of a new token holds at first: a client's wish.
    pub struct Wish {
        pub name: Option<String>,
        pub description: Option<String>,
        pub expires_at: Option<String>,
        /// Names of scopes, separated by commas.
        pub scopes: Option<String>,
    }
}

/// One's own tokens.
#[derive(Clone)]
struct OwnTokens {
    viewer: SignedInViewer,
    rules: TokenRules,
    feed_token: Secret,
    /// What the form holds at first.
    opened: TokenForm,
    /// A secret made just now.
    secret: Option<ShownSecret>,
}

impl OwnTokens {
    async fn of(app: &App, viewer: SignedInViewer) -> Result<OwnTokens> {
        Ok(OwnTokens {
            feed_token: feed_tokens::token(app, &viewer.0.user),
            viewer,
            rules: app.settings().get(app).await?,
            opened: TokenForm::default(),
            secret: None,
        })
    }

    fn find(&self, tx: &mut Tx<'_>, id: i64) -> Result<AccessToken> {
        let user = self.viewer.0.user.id;
        let token = tokens::find(tx, id)?;
        token
            .filter(|token| token.user_id == user && token.kind == TokenKind::Personal)
            .found("Personal Access Token")
    }

    fn new_token(&self, form: &CreateForm) -> NewToken {
        NewToken {
            name: form.name.clone().unwrap_or_default(),
            description: form.description.clone().filter(|text| !text.is_empty()),
            scopes: form.scopes.clone().unwrap_or_default(),
            expires_at: form.expires_at,
            ..NewToken::of(TokenKind::Personal, &self.viewer.0.user)
        }
    }

    fn made(
        &self, tx: &mut Tx<'_>, action: &'static str, (token, secret): (AccessToken, Secret),
    ) -> Result<Outcome<Self>> {
        tokens::record(tx, &self.viewer.author(), action, &token)?;
        tasks::notify(tx, &self.viewer.0.user, tasks::Change::Token)?;
        let secret = ShownSecret { name: token.name, token: secret.expose().to_owned() };
        Ok(Outcome::Shown(OwnTokens {
            opened: TokenForm::default(),
            secret: Some(secret),
            ..self.clone()
        }))
    }
}

async fn show(app: App, viewer: SignedInViewer, wish: Params<Wish>) -> Result<Response> {
    let wish = wish.0;
    let scopes = wish.scopes.unwrap_or_default();
    let opened = TokenForm {
        name: wish.name.unwrap_or_default(),
        description: wish.description.unwrap_or_default(),
        expires_at: wish.expires_at.unwrap_or_default(),
        chosen: scopes.split(',').map(|scope| scope.trim().to_owned()).collect(),
        ..TokenForm::default()
    };
    let page = OwnTokens::of(&app, viewer).await?;
    form::show(&app, OwnTokens { opened, ..page }).await
}

kernel::params! {
    pub struct CreateForm {
        pub name: Option<String>,
        pub description: Option<String>,
        pub expires_at: Option<Date>,
        pub scopes: Option<Vec<String>>,
    }
}

impl CreateForm {
    fn typed(&self) -> TokenForm {
        let day = self.expires_at.map(|day| day.to_string());
        TokenForm {
            name: self.name.clone().unwrap_or_default(),
            description: self.description.clone().unwrap_or_default(),
            expires_at: day.unwrap_or_default(),
            chosen: self.scopes.clone().unwrap_or_default(),
            ..TokenForm::default()
        }
    }
}

/// What the forms of the page ask for.
#[derive(Clone)]
enum Sent {
    Create(CreateForm),
    Revoke(i64),
    Rotate(i64),
    ResetFeedToken,
}

async fn create(app: App, viewer: SignedInViewer, sent: Params<CreateForm>) -> Result<Response> {
    let page = OwnTokens::of(&app, viewer).await?;
    form::submit(&app, page, Sent::Create(sent.0)).await
}

async fn revoke(app: App, viewer: SignedInViewer, path: Params<OwnThing>) -> Result<Response> {
    let page = OwnTokens::of(&app, viewer).await?;
    form::submit(&app, page, Sent::Revoke(path.id)).await
}

async fn rotate(app: App, viewer: SignedInViewer, path: Params<OwnThing>) -> Result<Response> {
    let page = OwnTokens::of(&app, viewer).await?;
    form::submit(&app, page, Sent::Rotate(path.id)).await
}

async fn reset_feed_token(app: App, viewer: SignedInViewer) -> Result<Response> {
    let page = OwnTokens::of(&app, viewer).await?;
    form::submit(&app, page, Sent::ResetFeedToken).await
}

impl FormPage for OwnTokens {
    type Form = Sent;
    type View = Tokens;
    const FIELDS: &'static [&'static str] = &["name", "description", "expires_at", "scopes"];

    fn page(&self, app: &App) -> Page {
        let page = super::page(app, &self.viewer.viewer(), "Access tokens");
        own_settings(page, "Access tokens")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Sent>) -> Result<Tokens> {
        let user = &self.viewer.0.user;
        let filter = Filter {
            kind: Some(TokenKind::Personal),
            user_id: Some(user.id),
            ..Filter::default()
        };
        let now = tx.now();
        let rows = tokens::page(tx, &filter, SortBy::CreatedDesc, &Paging::first(200))?;
        let (active, inactive): (Vec<_>, Vec<_>) =
            rows.iter().partition(|token| token.is_active(now));
        let row = |token: &&AccessToken| TokenRow::new(token, now);
        let mut form = match &typed.form {
            Some(Sent::Create(form)) => form.typed(),
            _ => self.opened.clone(),
        };
        form.offer(TokenKind::Personal, user.is_admin, &self.rules);
        Ok(Tokens {
            page,
            secret: self.secret.clone(),
            active: active.iter().map(row).collect(),
            inactive: inactive.iter().map(row).collect(),
            form,
            errors: typed.errors.clone(),
            feed_token: self.feed_token.expose().to_owned(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Outcome<Self>> {
        match sent {
            Sent::Create(form) => {
                let made = tokens::create(tx, &self.new_token(form))?;
                self.made(tx, "access_token.create", made)
            }
            Sent::Rotate(id) => {
                let token = self.find(tx, *id)?;
                match tokens::ready_to_rotate(tx, &token)? {
                    Ready::Yes => {
                        let made = tokens::rotate(tx, &token, None)?;
                        self.made(tx, "access_token.rotate", made)
                    }
                    Ready::Expired | Ready::Reused => Ok(Outcome::Refused(ENDED.into())),
                }
            }
            Sent::Revoke(id) => {
                let token = self.find(tx, *id)?;
                tokens::revoke(tx, token.id)?;
                tokens::record(tx, &self.viewer.author(), "access_token.revoke", &token)?;
                Outcome::led(PATH, "Token revoked.")
            }
            Sent::ResetFeedToken => {
                feed_tokens::reset(tx, &self.viewer.author(), &self.viewer.0.user)?;
                Outcome::led(PATH, "Feed token reset.")
            }
        }
    }
}
