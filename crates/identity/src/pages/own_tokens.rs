//! `/-/user_settings/tokens`: one's own access tokens.

use super::tokens::{ShownSecret, TokenForm, TokenRow};
use super::views::Tokens;
use crate::model::{AccessToken, TokenKind};
use crate::settings::TokenRules;
use crate::tasks;
use crate::tokens::{self, Filter, NewToken, Ready, SortBy};
use crate::viewer::SignedInViewer;
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Errors, Html, flash};
use kernel::http::{Paging, Params, RequestContext, Response, Routes, Start, reply};
use kernel::secrets::Secret;
use kernel::time::Date;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/-/user_settings/tokens";
/// Where guides of clients send people to make a token for them.
const KNOWN_ELSEWHERE: [&str; 2] = [
    "/-/user_settings/personal_access_tokens",
    "/-/profile/personal_access_tokens",
];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    for path in KNOWN_ELSEWHERE {
        r.page(Method::GET, path, lead_here);
    }
    r.page(Method::POST, PATH, create).reauthenticated();
    r.page(Method::POST, "/-/user_settings/tokens/{id}/revoke", revoke);
    r.page(Method::POST, "/-/user_settings/tokens/{id}/rotate", rotate)
        .reauthenticated();
}

/// To the page, with what the form is to hold.
async fn lead_here(asked: Arc<RequestContext>) -> Result<Response> {
    let query = asked.uri.query().map(|query| format!("?{query}"));
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

async fn show(app: App, viewer: SignedInViewer, wish: Params<Wish>) -> Result<Response> {
    let Wish {
        name,
        description,
        expires_at,
        scopes,
    } = wish.0;
    let form = TokenForm {
        name: name.unwrap_or_default(),
        description: description.unwrap_or_default(),
        expires_at: expires_at.unwrap_or_default(),
        chosen: scopes
            .unwrap_or_default()
            .split(',')
            .map(|scope| scope.trim().to_owned())
            .collect(),
        ..TokenForm::default()
    };
    render(&app, &viewer, None, form, Vec::new()).await
}

async fn render(
    app: &App,
    viewer: &SignedInViewer,
    secret: Option<ShownSecret>,
    mut form: TokenForm,
    errors: Vec<(String, Vec<String>)>,
) -> Result<Response> {
    let filter = Filter {
        kind: Some(TokenKind::Personal),
        user_id: Some(viewer.0.user.id),
        ..Filter::default()
    };
    let paging = Paging {
        per_page: 200,
        start: Start::Page(1),
    };
    let rows = app
        .read(move |tx| tokens::page(tx, &filter, SortBy::CreatedDesc, &paging))
        .await?;
    let now = app.now();
    let (active, inactive): (Vec<_>, Vec<_>) = rows.iter().partition(|token| token.is_active(now));
    let rules: TokenRules = app.settings().get(app).await?;
    form.offer(TokenKind::Personal, viewer.0.user.is_admin, &rules);
    let failed = !errors.is_empty();
    let view = Tokens {
        page: super::page(app, &viewer.viewer(), "Access tokens"),
        secret,
        active: active
            .into_iter()
            .map(|token| TokenRow::new(token, now))
            .collect(),
        inactive: inactive
            .into_iter()
            .map(|token| TokenRow::new(token, now))
            .collect(),
        form,
        errors: Errors(errors),
    };
    let status = if failed {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok(Html::new(&view)?.status(status).response())
}

kernel::params! {
    pub struct CreateForm {
        pub name: Option<String>,
        pub description: Option<String>,
        pub expires_at: Option<Date>,
        pub scopes: Option<Vec<String>>,
    }
}

async fn create(app: App, viewer: SignedInViewer, form: Params<CreateForm>) -> Result<Response> {
    let form = form.0;
    let chosen = form.scopes.unwrap_or_default();
    let new = NewToken {
        kind: TokenKind::Personal,
        user_id: viewer.0.user.id,
        admin: viewer.0.user.is_admin,
        source: None,
        access_level: None,
        name: form.name.unwrap_or_default(),
        description: form.description.filter(|text| !text.is_empty()),
        scopes: chosen.clone(),
        expires_at: form.expires_at,
    };
    let typed = TokenForm {
        name: new.name.clone(),
        description: new.description.clone().unwrap_or_default(),
        expires_at: form
            .expires_at
            .map(|day| day.to_string())
            .unwrap_or_default(),
        chosen,
        ..TokenForm::default()
    };
    let (by, user) = (viewer.author(), viewer.0.user.clone());
    let made = app
        .write(move |tx| {
            let (token, secret) = tokens::create(tx, &new)?;
            tokens::record(tx, &by, "access_token.create", &token)?;
            tasks::notify(tx, &user, tasks::Change::Token)?;
            Ok((token, secret))
        })
        .await;
    match made {
        Ok((token, secret)) => shown(&app, &viewer, &token, &secret).await,
        Err(Error::Invalid(problems)) => render(&app, &viewer, None, typed, problems).await,
        Err(error) => Err(error),
    }
}

async fn shown(
    app: &App,
    viewer: &SignedInViewer,
    token: &AccessToken,
    secret: &Secret,
) -> Result<Response> {
    let secret = ShownSecret {
        name: token.name.clone(),
        token: secret.expose().to_owned(),
    };
    render(app, viewer, Some(secret), TokenForm::default(), Vec::new()).await
}

kernel::params! {
    pub struct OwnToken {
        pub id: i64,
    }
}

fn own(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<AccessToken> {
    let token = tokens::find(tx, id)?;
    token
        .filter(|token| token.user_id == user && token.kind == TokenKind::Personal)
        .found("Personal Access Token")
}

async fn revoke(app: App, viewer: SignedInViewer, path: Params<OwnToken>) -> Result<Response> {
    let (id, user) = (path.id, viewer.0.user.id);
    let by = viewer.author();
    app.write(move |tx| {
        let token = own(tx, user, id)?;
        tokens::revoke(tx, token.id)?;
        tokens::record(tx, &by, "access_token.revoke", &token)
    })
    .await?;
    flash::done(&app, PATH, "The token is revoked.")
}

async fn rotate(app: App, viewer: SignedInViewer, path: Params<OwnToken>) -> Result<Response> {
    let (id, user) = (path.id, viewer.0.user.clone());
    let by = viewer.author();
    let made = app
        .write(move |tx| {
            let token = own(tx, user.id, id)?;
            if tokens::ready_to_rotate(tx, &token)? != Ready::Yes {
                return Ok(None);
            }
            let (new, secret) = tokens::rotate(tx, &token, None)?;
            tokens::record(tx, &by, "access_token.rotate", &new)?;
            tasks::notify(tx, &user, tasks::Change::Token)?;
            Ok(Some((new, secret)))
        })
        .await?;
    match made {
        Some((token, secret)) => shown(&app, &viewer, &token, &secret).await,
        None => Err(Error::Conflict(
            "This token has ended and cannot be rotated.".into(),
        )),
    }
}
