//! What a token is, and its end: `/oauth/token/info`, `/oauth/introspect`
//! (RFC 7662), `/oauth/revoke` (RFC 7009).

use super::client::{self, Credentials};
use super::endpoint;
use super::families::{self, Pair};
use super::refusal::{Refusal, Result, answered, answered_to_all, settled};
use super::sent::{OauthParams, SentBody, SentQuery};
use super::{cors, limits};
use crate::access;
use crate::model::User;
use http::{Method, StatusCode, header};
use kernel::app::App;
use kernel::error::Error;
use kernel::http::{RequestContext, Response, Routes, reply};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    endpoint(r, Method::GET, "/oauth/token/info", info);
    endpoint(r, Method::OPTIONS, "/oauth/token/info", cors::for_get);
    endpoint(r, Method::POST, "/oauth/introspect", introspect).streams();
    endpoint(r, Method::POST, "/oauth/revoke", revoke).streams();
    endpoint(r, Method::OPTIONS, "/oauth/revoke", cors::for_post);
}

pub(super) fn bearer(request: &RequestContext) -> Option<&str> {
    let value = request.header(header::AUTHORIZATION)?;
    let (scheme, token) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn info(
    app: App, request: Arc<RequestContext>, query: SentQuery,
) -> kernel::error::Result<Response> {
    let answer = show_info(&app, &request, query.0).await;
    Ok(answered_to_all(answer, &request))
}

async fn show_info(
    app: &App, request: &RequestContext, query: Result<OauthParams>,
) -> Result<Response> {
    let query = query?;
    let refused = || {
        Refusal::InvalidRequest("The access token is missing, unknown, expired or revoked.".into())
    };
    let token = bearer(request)
        .or_else(|| query.get("access_token"))
        .ok_or_else(refused)?
        .to_owned();
    let (pair, active) = app
        .read(move |tx| {
            let pair = families::by_access(tx, &token)?;
            let active = owner_is_active(tx, pair.as_ref())?;
            Ok((pair, active))
        })
        .await?;
    let now = app.now();
    let pair = pair.filter(|pair| active && pair.is_alive(now)).ok_or_else(refused)?;
    let left = pair.expires_at.as_second() - now.as_second();
    let info = json!({
        "resource_owner_id": pair.user_id,
        "scope": pair.scopes(),
        "expires_in": left,
        "application": {"uid": pair.application_uid},
        "created_at": pair.created_at.as_second(),
        // Deprecated names of two of them.
        "scopes": pair.scopes(),
        "expires_in_seconds": left,
    });
    Ok(reply::json(StatusCode::OK, &info)?)
}

/// A token whose user may not act opens nothing.
fn owner_is_active(tx: &mut Tx<'_>, pair: Option<&Pair>) -> kernel::error::Result<bool> {
    let Some(pair) = pair else {
        return Ok(false);
    };
    Ok(access::active_user(tx, pair.user_id)?.is_some())
}

async fn introspect(
    app: App, request: Arc<RequestContext>, body: SentBody,
) -> kernel::error::Result<Response> {
    Ok(answered(examine(&app, &request, body.0).await, &request))
}

async fn examine(
    app: &App, request: &RequestContext, sent: Result<OauthParams>,
) -> Result<Response> {
    let sent = sent?;
    limits::check(&limits::of(app).failed_grants, request, app.now())?;
    let by_bearer = bearer(request).map(str::to_owned);
    let credentials = match by_bearer {
        Some(_) => None,
        None => Credentials::find(request, &sent)?,
    };
    if by_bearer.is_none() && credentials.is_none() {
        return Err(Refusal::InvalidRequest(
            "Introspection needs a client's credentials or a bearer token.".into(),
        ));
    }
    let token = sent.required("token")?.to_owned();
    let found = app
        .read(move |tx| settled(look_up(tx, by_bearer.as_deref(), credentials.as_ref(), &token)))
        .await?;
    if matches!(found, Err(Refusal::InvalidClient | Refusal::InvalidToken)) {
        limits::count(&limits::of(app).failed_grants, request, app.now());
    }
    let body = match found? {
        Some(found) => serde_json::to_value(found).map_err(Error::internal)?,
        None => json!({"active": false}),
    };
    Ok(reply::json(StatusCode::OK, &body)?)
}

/// What is told of a living token (RFC 7662 section 2.2).
#[derive(Serialize)]
struct Active {
    active: bool,
    scope: String,
    client_id: Option<String>,
    /// Only of access tokens: nothing is asked with the other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    /// None of a refresh token that does not end.
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    iat: i64,
    sub: String,
    username: String,
}

impl Active {
    fn of(pair: Pair, user: User, is_access: bool) -> Active {
        let end = match is_access {
            true => Some(pair.expires_at),
            false => pair.refresh_expires_at,
        };
        Active {
            active: true,
            scope: pair.scopes,
            client_id: pair.application_uid,
            token_type: is_access.then_some("Bearer"),
            exp: end.map(|end| end.as_second()),
            iat: pair.created_at.as_second(),
            sub: pair.user_id.to_string(),
            username: user.username,
        }
    }
}

/// The living token of the application that asks: an access or a refresh
/// token, whichever it is.
fn look_up(
    tx: &mut Tx<'_>, by_bearer: Option<&str>, credentials: Option<&Credentials>, token: &str,
) -> Result<Option<Active>> {
    let now = tx.now();
    let application = match (by_bearer, credentials) {
        (Some(bearer), _) => {
            let own = families::by_access(tx, bearer)?.filter(|pair| pair.is_alive(now));
            let own = own.filter(|_| bearer != token).ok_or(Refusal::InvalidToken)?;
            own.application_id.ok_or(Refusal::InvalidToken)?
        }
        (None, Some(credentials)) => client::authenticate(tx, credentials)?.id,
        (None, None) => return Err(Refusal::InvalidClient),
    };
    let found = match families::by_access(tx, token)? {
        Some(pair) => Some((pair, true)),
        None => families::by_refresh(tx, token)?.map(|pair| (pair, false)),
    };
    let living = found.filter(|(pair, is_access)| match is_access {
        true => pair.is_alive(now),
        false => pair.can_refresh(now),
    });
    let own = living.filter(|(pair, _)| pair.application_id == Some(application));
    let Some((pair, is_access)) = own else {
        return Ok(None);
    };
    let user = access::active_user(tx, pair.user_id)?;
    Ok(user.map(|user| Active::of(pair, user, is_access)))
}

async fn revoke(
    app: App, request: Arc<RequestContext>, body: SentBody,
) -> kernel::error::Result<Response> {
    let answer = match end(&app, &request, body.0).await {
        Err(Refusal::InvalidClient | Refusal::UnauthorizedClient(_)) => {
            limits::count(&limits::of(&app).failed_grants, &request, app.now());
            let mut response = Refusal::UnauthorizedClient(NOT_YOURS).response(&request);
            *response.status_mut() = StatusCode::FORBIDDEN;
            Ok(response)
        }
        other => other,
    };
    Ok(answered_to_all(answer, &request))
}

const NOT_YOURS: &str = "You are not authorized to revoke this token";

async fn end(app: &App, request: &RequestContext, sent: Result<OauthParams>) -> Result<Response> {
    let sent = sent?;
    limits::check(&limits::of(app).failed_grants, request, app.now())?;
    let credentials = Credentials::find(request, &sent)?.ok_or(Refusal::InvalidClient)?;
    let token = sent.get("token").unwrap_or_default().to_owned();
    app.write(move |tx| settled(end_in(tx, &credentials, &token))).await??;
    Ok(reply::json(StatusCode::OK, &json!({}))?)
}

/// Ends the pair of a token, whichever of the two it is; `token_type_hint`
/// could only make the search slower and is not read.
fn end_in(tx: &mut Tx<'_>, credentials: &Credentials, token: &str) -> Result<()> {
    let application = client::authenticate_noting(tx, credentials)?;
    let found = match families::by_access(tx, token)? {
        Some(pair) => Some(pair),
        None => families::by_refresh(tx, token)?,
    };
    let Some(pair) = found else {
        return Ok(());
    };
    if pair.application_id != Some(application.id) {
        return Err(Refusal::UnauthorizedClient(NOT_YOURS));
    }
    // A pair that was replaced is dead already; its family lives on.
    if !pair.is_revoked() {
        families::revoke(tx, pair.family)?;
        families::note(tx, &pair, "oauth.revoke")?;
    }
    Ok(())
}
