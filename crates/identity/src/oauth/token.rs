//! `POST /oauth/token`: all grants (RFC 6749 section 3.2).

use super::client::{self, Credentials};
use super::codes::{self, Exchange};
use super::endpoint;
use super::families::{self, ACCESS_SECONDS, GrantType, Issued, NewFamily, Refresh};
use super::refusal::{Refusal, Result, answered_to_all, settled};
use super::sent::{OauthParams, SentBody};
use super::settings::OAuth;
use super::{cors, devices, id_token, limits, scopes};
use crate::sign_in;
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::http::{RequestContext, Response, Routes, reply};
use kernel::secrets::Secret;
use serde::Serialize;
use std::sync::Arc;

const DEVICE: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// Every grant there is, as discovery lists them.
pub const GRANTS: &[&str] = &["authorization_code", "refresh_token", "password", DEVICE];

pub fn routes(r: &mut Routes) {
    endpoint(r, Method::POST, "/oauth/token", token).streams();
    endpoint(r, Method::OPTIONS, "/oauth/token", cors::for_post);
}

/// The answer, keys in wire order (docs/interface/identity.md 2.3).
#[derive(Serialize)]
struct Token<'t> {
    access_token: &'t str,
    token_type: &'static str,
    expires_in: i64,
    refresh_token: &'t str,
    scope: String,
    created_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<String>,
}

async fn token(
    app: App, request: Arc<RequestContext>, body: SentBody,
) -> kernel::error::Result<Response> {
    let answer = grant(&app, &request, body.0).await;
    Ok(answered_to_all(answer, &request))
}

async fn grant(app: &App, request: &RequestContext, sent: Result<OauthParams>) -> Result<Response> {
    let sent = &sent?;
    let grant_type = sent.required("grant_type")?;
    limits::check(&limits::of(app).failed_grants, request, app.now())?;
    let credentials = Credentials::find(request, sent)?;
    let granted = match grant_type {
        "authorization_code" => by_code(app, sent, credentials.clone()).await,
        "refresh_token" => by_refresh(app, sent, credentials.clone()).await,
        "password" => by_password(app, request, sent, credentials.clone()).await,
        DEVICE => by_device(app, sent, credentials.clone()).await,
        _ => Err(Refusal::UnsupportedGrantType),
    };
    if matches!(granted, Err(Refusal::InvalidGrant | Refusal::InvalidClient)) {
        limits::count(&limits::of(app).failed_grants, request, app.now());
    }
    let audience = credentials.map(|credentials| credentials.uid);
    respond(app, granted?, audience).await
}

async fn by_code(app: &App, sent: &OauthParams, client: Option<Credentials>) -> Result<Issued> {
    let exchange = Exchange {
        code: sent.required("code")?.to_owned(),
        redirect_uri: sent.required("redirect_uri")?.to_owned(),
        verifier: sent.get("code_verifier").map(str::to_owned),
    };
    let client = client.ok_or(Refusal::InvalidClient)?;
    app.write(move |tx| {
        settled(
            client::authenticate_noting(tx, &client)
                .and_then(|application| codes::exchange(tx, &application, &exchange)),
        )
    })
    .await?
}

async fn by_refresh(app: &App, sent: &OauthParams, client: Option<Credentials>) -> Result<Issued> {
    let refresh = Refresh {
        token: sent.required("refresh_token")?.to_owned(),
        scope: sent.get("scope").map(str::to_owned),
        redirect_uri: sent.get("redirect_uri").map(str::to_owned),
    };
    app.write(move |tx| {
        let application = match &client {
            Some(client) => client::authenticate_noting(tx, client).map(Some),
            None => Ok(None),
        };
        settled(application.and_then(|one| families::refresh(tx, one.as_ref(), &refresh)))
    })
    .await?
}

async fn by_device(app: &App, sent: &OauthParams, client: Option<Credentials>) -> Result<Issued> {
    let code = sent.required("device_code")?.to_owned();
    let client = client.ok_or(Refusal::InvalidClient)?;
    app.write(move |tx| {
        settled(
            client::authenticate_noting(tx, &client)
                .and_then(|application| devices::poll(tx, &application, &code)),
        )
    })
    .await?
}

/// The password grant (RFC 6749 section 4.3), for what cannot do better.
async fn by_password(
    app: &App, request: &RequestContext, sent: &OauthParams, client: Option<Credentials>,
) -> Result<Issued> {
    let login = sent.required("username")?.to_owned();
    let password = Secret::new(sent.required("password")?);
    let rules: OAuth = app.settings().get(app).await?;
    if !rules.password_grant {
        return Err(Refusal::UnauthorizedClient("The password grant is switched off."));
    }
    let application = match client {
        Some(client) => {
            Some(app.read(move |tx| settled(client::authenticate(tx, &client))).await??)
        }
        None if rules.password_grant_needs_client => return Err(Refusal::InvalidClient),
        None => None,
    };
    if application.as_ref().is_some_and(|one| !one.password_grant) {
        return Err(Refusal::UnauthorizedClient(
            "The password grant is switched off for this application.",
        ));
    }
    if !rules.password_for_git {
        return Err(Refusal::InvalidGrant);
    }
    let allowed = match &application {
        Some(application) => application.scopes(),
        None => vec!["api".to_owned()],
    };
    let scopes = scopes::chosen(sent.get("scope"), &allowed)?;
    let ip = request.peer.to_string();
    let user = sign_in::check_password(app, &login, &password, &ip)
        .await?
        .ok_or(Refusal::InvalidGrant)?;
    if !user.is_admin && crate::scopes::are_powers(&scopes) {
        return Err(Refusal::InvalidScope);
    }
    let agent = request.header(header::USER_AGENT).map(|text| text.chars().take(255).collect());
    let new = NewFamily {
        application_id: application.map(|one| one.id),
        user_id: user.id,
        grant_type: GrantType::Password,
        scopes: scopes.join(" "),
        redirect_uri: None,
        nonce: None,
        authenticated_at: Some(app.now()),
        ip_address: Some(ip),
        user_agent: agent,
        created_at: app.now(),
    };
    let begun = app.write(move |tx| {
        let now = tx.now();
        let new = NewFamily { authenticated_at: Some(now), created_at: now, ..new.clone() };
        settled(families::begin(tx, &new))
    });
    let (_, issued) = begun.await??;
    Ok(issued)
}

async fn respond(app: &App, issued: Issued, audience: Option<String>) -> Result<Response> {
    let wants_id = issued.scopes.iter().any(|scope| scope == "openid");
    let id_token = match audience.filter(|_| wants_id) {
        Some(audience) => Some(id_token::sign(app, &issued, &audience).await?),
        None => None,
    };
    let token = Token {
        access_token: issued.access.expose(),
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: issued.refresh.expose(),
        scope: issued.scopes.join(" "),
        created_at: issued.created_at.as_second(),
        id_token,
    };
    let mut response = reply::json(StatusCode::OK, &token)?;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    Ok(response)
}
