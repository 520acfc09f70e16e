//! ID tokens (OpenID Connect Core 1.0 section 2): signed statements about a
//! sign-in, for one application.

use super::families::Issued;
use super::keys;
use crate::hooks;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use serde_json::{Map, Value, json};
use store::Tx;

/// Seconds an ID token may be believed.
const SECONDS: i64 = 120;

/// The ID token of a grant, for the application with this `client_id`.
pub async fn sign(app: &App, issued: &Issued, audience: &str) -> Result<String> {
    let (user, with_email) = (issued.user_id, has(&issued.scopes, "email"));
    let mut claims = app.read(move |tx| about(tx, user, with_email)).await?;
    let now = issued.created_at.as_second();
    claims.insert("iss".into(), json!(app.base_url()));
    claims.insert("aud".into(), json!(audience));
    claims.insert("iat".into(), json!(now));
    claims.insert("exp".into(), json!(now + SECONDS));
    if let Some(at) = issued.authenticated_at {
        claims.insert("auth_time".into(), json!(at.as_second()));
    }
    if let Some(nonce) = &issued.nonce {
        claims.insert("nonce".into(), json!(nonce));
    }
    let key = keys::signing(app).await?;
    tokio::task::spawn_blocking(move || encode(&key, &claims))
        .await
        .map_err(Error::internal)?
}

/// Signs claims with the key that signs ID tokens, once for each of these sets.
pub async fn signed(app: &App, all: Vec<Map<String, Value>>) -> Result<Vec<String>> {
    let key = keys::signing(app).await?;
    let sign = move || all.iter().map(|claims| encode(&key, claims)).collect();
    tokio::task::spawn_blocking(sign).await.map_err(Error::internal)?
}

/// JSON Web Signature in its compact form (RFC 7515 section 3.1).
fn encode(key: &keys::SigningKey, claims: &Map<String, Value>) -> Result<String> {
    let header = json!({"typ": "JWT", "alg": "RS256", "kid": key.kid});
    let claims = serde_json::to_vec(claims).map_err(Error::internal)?;
    let signed = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims)
    );
    let signature = key.sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

pub(super) fn has(scopes: &[String], scope: &str) -> bool {
    scopes.iter().any(|one| one == scope)
}

fn about(tx: &mut Tx<'_>, id: i64, with_email: bool) -> Result<Map<String, Value>> {
    let mut claims = common(tx, id, with_email)?;
    let direct: Vec<String> = hooks::groups_of(tx, id)?
        .into_iter()
        .filter(|group| group.direct)
        .map(|group| group.path)
        .collect();
    if !direct.is_empty() {
        claims.insert("groups_direct".into(), json!(direct));
    }
    Ok(claims)
}

/// The claims that ID token and userinfo share. Without the scope `email`
/// only the public address is told.
pub(super) fn common(tx: &mut Tx<'_>, id: i64, with_email: bool) -> Result<Map<String, Value>> {
    let user = crate::users::find(tx, id)?.found("User")?;
    let mut claims = Map::new();
    claims.insert("sub".into(), json!(id.to_string()));
    let public = crate::users::profile(tx, id)?.texts.public_email.0;
    let email = match with_email {
        true => Some(user.email.clone()),
        false => public.filter(|text| !text.is_empty()),
    };
    if let Some(email) = email {
        let verified = user.confirmed_at.is_some() && email.eq_ignore_ascii_case(&user.email);
        claims.insert("email".into(), json!(email));
        claims.insert("email_verified".into(), json!(verified));
    }
    Ok(claims)
}
