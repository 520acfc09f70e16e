//! OpenID Connect: discovery, keys, WebFinger and userinfo.

use super::endpoint;
use super::families;
use super::id_token::{common, has};
use super::inspect::bearer;
use super::refusal::{Refusal, Result, answered_to_all};
use super::settings::OAuth;
use super::{cors, keys, token};
use crate::{access, hooks, scopes};
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::Error;
use kernel::http::{Call, FromCall, RequestContext, Response, Routes, reply};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Relation of WebFinger links to an issuer (OpenID Connect Discovery 1.0
/// section 2).
const ISSUER_RELATION: &str = "http://openid.net/specs/connect/1.0/issuer";
/// Longest resource echoed by WebFinger, in characters.
const MAX_RESOURCE: usize = 1_000;

pub fn routes(r: &mut Routes) {
    for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
        endpoint(r, Method::GET, path, discovery);
        endpoint(r, Method::OPTIONS, path, cors::for_documents);
    }
    for path in ["/oauth/discovery/keys", "/-/jwks"] {
        endpoint(r, Method::GET, path, key_set);
        endpoint(r, Method::OPTIONS, path, cors::for_documents);
    }
    let path = "/.well-known/webfinger";
    endpoint(r, Method::GET, path, webfinger);
    endpoint(r, Method::OPTIONS, path, cors::for_documents);
    let path = "/.well-known/oauth-protected-resource";
    endpoint(r, Method::GET, path, protected_resource);
    endpoint(r, Method::OPTIONS, path, cors::for_documents);
    let path = "/oauth/userinfo";
    endpoint(r, Method::GET, path, userinfo);
    endpoint(r, Method::POST, path, userinfo);
    endpoint(r, Method::OPTIONS, path, cors::for_get_and_post);
}

fn document(value: &Value) -> kernel::error::Result<Response> {
    let mut response = reply::json(StatusCode::OK, value)?;
    cors::allow(&mut response);
    Ok(response)
}

/// RFC 8414 and OpenID Connect Discovery 1.0: one document for both.
async fn discovery(app: App) -> kernel::error::Result<Response> {
    let rules: OAuth = app.settings().get(&app).await?;
    let mut known = json!({
        "issuer": app.base_url(),
        "authorization_endpoint": app.url("/oauth/authorize"),
        "token_endpoint": app.url("/oauth/token"),
        "revocation_endpoint": app.url("/oauth/revoke"),
        "introspection_endpoint": app.url("/oauth/introspect"),
        "userinfo_endpoint": app.url("/oauth/userinfo"),
        "jwks_uri": app.url("/oauth/discovery/keys"),
        "device_authorization_endpoint": app.url("/oauth/authorize_device"),
        "scopes_supported": scopes::all().collect::<Vec<_>>(),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "grant_types_supported": token::GRANTS,
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "claim_types_supported": ["normal"],
        "claims_supported": ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "name",
            "nickname", "preferred_username", "email", "email_verified", "website", "profile",
            "picture", "groups", "groups_direct", claim(&app, "owner"), claim(&app, "maintainer"),
            claim(&app, "developer")],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    });
    if rules.dynamic_registration {
        known["registration_endpoint"] = json!(app.url("/oauth/register"));
    }
    document(&known)
}

fn claim(app: &App, role: &str) -> String {
    app.url(&format!("/claims/groups/{role}"))
}

/// RFC 9728: which server gives tokens for this API.
async fn protected_resource(app: App) -> kernel::error::Result<Response> {
    document(&json!({
        "resource": app.base_url(),
        "authorization_servers": [app.base_url()],
        "scopes_supported": scopes::all().collect::<Vec<_>>(),
        "bearer_methods_supported": ["header", "body", "query"],
    }))
}

async fn key_set(app: App) -> kernel::error::Result<Response> {
    let keys: Vec<Value> = keys::published(&app)
        .await?
        .into_iter()
        .map(|key| {
            json!({"kty": "RSA", "kid": key.kid, "e": key.public_e, "n": key.public_n,
                "use": "sig", "alg": "RS256"})
        })
        .collect();
    let mut response = document(&json!({"keys": keys}))?;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    Ok(response)
}

/// The `resource` of a WebFinger query (RFC 7033 section 4.1).
struct Resource(Option<String>);

impl FromCall for Resource {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        Ok(Resource(call.query("resource").map(str::to_owned)))
    }
}

async fn webfinger(app: App, resource: Resource) -> kernel::error::Result<Response> {
    let fits = |text: &String| {
        (1..=MAX_RESOURCE).contains(&text.chars().count()) && !text.chars().any(char::is_control)
    };
    let Some(subject) = resource.0.filter(fits) else {
        return Err(Error::missing("resource"));
    };
    let mut response = document(&json!({
        "subject": subject,
        "links": [{"rel": ISSUER_RELATION, "href": app.base_url()}],
    }))?;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/jrd+json"));
    Ok(response)
}

async fn userinfo(
    app: App, request: Arc<RequestContext>, sent: AccessToken,
) -> kernel::error::Result<Response> {
    let answer = match show_user(&app, sent.0).await {
        Ok(Some(claims)) => Ok(reply::json(StatusCode::OK, &claims)?),
        Ok(None) => Ok(reply::empty(StatusCode::FORBIDDEN)),
        Err(refusal) => Err(refusal),
    };
    Ok(answered_to_all(answer, &request))
}

/// A bearer token by any of the ways of RFC 6750 section 2.
struct AccessToken(Option<String>);

impl FromCall for AccessToken {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        if let Some(token) = bearer(&call.request) {
            return Ok(AccessToken(Some(token.to_owned())));
        }
        Ok(AccessToken(call.text("access_token").await?))
    }
}

/// The claims, or nothing when the token lacks the scope `openid`.
async fn show_user(app: &App, sent: Option<String>) -> Result<Option<Map<String, Value>>> {
    let token = sent.ok_or(Refusal::InvalidToken)?;
    let now = app.now();
    let base = app.base_url().to_owned();
    let found = app
        .read(move |tx| {
            let pair = families::by_access(tx, &token)?.filter(|pair| pair.is_alive(now));
            let Some(pair) = pair else {
                return Ok(None);
            };
            if access::active_user(tx, pair.user_id)?.is_none() {
                return Ok(None);
            }
            let scopes = pair.scopes();
            if !has(&scopes, "openid") {
                return Ok(Some(None));
            }
            claims(tx, &base, pair.user_id, has(&scopes, "email")).map(|claims| Some(Some(claims)))
        })
        .await?;
    found.ok_or(Refusal::InvalidToken)
}

fn claims(
    tx: &mut store::Tx<'_>, base: &str, id: i64, with_email: bool,
) -> kernel::error::Result<Map<String, Value>> {
    let user = crate::users::find(tx, id)?.ok_or(Error::NotFound("User"))?;
    let profile = crate::users::profile(tx, id)?;
    let mut claims = common(tx, id, with_email)?;
    let mut add = |name: String, value: Value| {
        let empty = value.as_str().is_some_and(str::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
            || value.is_null();
        if !empty {
            claims.insert(name, value);
        }
    };
    add("name".into(), json!(user.name));
    add("nickname".into(), json!(user.username));
    add("preferred_username".into(), json!(user.username));
    add("website".into(), json!(profile.texts.website_url.0));
    add("profile".into(), json!(format!("{base}/{}", user.username)));
    let picture = user.avatar_key.as_ref();
    let picture = picture.map(|key| format!("{base}{}/{id}/{key}", crate::users::AVATARS));
    add("picture".into(), json!(picture));
    let groups = hooks::groups_of(tx, id)?;
    let paths = |fits: &dyn Fn(i64) -> bool| -> Vec<&str> {
        let fitting = groups.iter().filter(|group| fits(group.level));
        fitting.map(|group| group.path.as_str()).collect()
    };
    add("groups".into(), json!(paths(&|level| level >= 0)));
    for (role, exactly) in [("owner", 50), ("maintainer", 40), ("developer", 30)] {
        let name = format!("{base}/claims/groups/{role}");
        add(name, json!(paths(&|level| level == exactly)));
    }
    Ok(claims)
}
