//! `POST /oauth/register`: applications that register themselves (RFC 7591),
//! where an administrator allows it.

use super::applications::{self, Owner, Registration, random_hex};
use super::endpoint;
use super::limits;
use super::redirect;
use super::refusal::{Refusal, answered};
use super::settings::OAuth;
use axum::body::Body;
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::call::read_capped;
use kernel::http::{Call, FromCall, RequestContext, Response, Routes, reply};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Largest metadata document, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// Longest name a client may give itself, in characters.
const MAX_NAME: usize = 199;
/// What people see first when such a client asks for consent.
const PREFIX: &str = "[Unverified Dynamic Application]";

pub fn routes(r: &mut Routes) {
    endpoint(r, Method::POST, "/oauth/register", register).streams();
}

/// What a client says of itself; the rest is ignored (RFC 7591 section 2).
#[derive(Deserialize)]
struct Metadata {
    redirect_uris: Vec<String>,
    #[serde(default)]
    client_name: Option<String>,
}

struct Raw(Body);

impl FromCall for Raw {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(Raw(call.take_body()))
    }
}

async fn register(app: App, request: Arc<RequestContext>, body: Raw) -> Result<Response> {
    let rules: OAuth = app.settings().get(&app).await?;
    if !rules.dynamic_registration {
        return Ok(answered(Err(Refusal::RegistrationOff), &request));
    }
    kernel::read_only::check(&app).await?;
    Ok(answered(add(&app, &request, rules, body.0).await, &request))
}

async fn add(
    app: &App, request: &RequestContext, rules: OAuth, body: Body,
) -> super::refusal::Result<Response> {
    limits::spend(&limits::of(app).registrations, request, app.now())?;
    let bad = |text: &str| Refusal::InvalidClientMetadata(text.to_owned());
    let bytes = read_capped(body, MAX_BODY)
        .await
        .map_err(|_| bad("The metadata is cut off or larger than 64 KiB."))?;
    let metadata: Metadata = serde_json::from_slice(&bytes)
        .map_err(|_| bad("The body must be a JSON object with redirect_uris."))?;
    let name = metadata.client_name.unwrap_or_default();
    if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(bad("The client_name must be shorter than 200 characters."));
    }
    let redirect_uris = metadata.redirect_uris.join("\n");
    if let Some(problem) = redirect::problem(&redirect_uris, rules.allow_http_redirects) {
        return Err(Refusal::InvalidRedirectUri(format!("A redirect URI {problem}")));
    }
    let new = Registration {
        name: format!("{PREFIX} {name}").trim().to_owned(),
        redirect_uris,
        scopes: rules.dynamic_scopes,
        confidential: false,
        trusted: false,
    };
    let uid = random_hex();
    let made = app
        .write(move |tx| applications::insert(tx, Owner::Instance, &new, &uid, true))
        .await?;
    Ok(reply::json(
        StatusCode::CREATED,
        &json!({
            "client_id": made.uid,
            "client_id_issued_at": made.created_at.as_second(),
            "redirect_uris": redirect::lines(&made.redirect_uris).collect::<Vec<_>>(),
            "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"],
            "require_pkce": true,
            "client_name": made.name,
            "scope": made.scopes,
            "dynamic": true,
        }),
    )?)
}
