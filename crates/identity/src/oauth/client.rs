//! Which application makes a request, and whether it proves it (RFC 6749
//! section 2.3).

use super::applications::{self, Application};
use super::refusal::{Refusal, Result};
use super::sent::OauthParams;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header;
use kernel::http::RequestContext;
use store::Tx;

/// Seconds between two notes of a secret's use.
const NOTE_EVERY: i64 = 600;

/// What a client sent to name and prove itself.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// `client_id`.
    pub uid: String,
    /// `client_secret`; public clients have none.
    pub secret: Option<String>,
}

impl Credentials {
    /// Reads Basic or the body's parameters; a secret in both is refused.
    pub fn find(request: &RequestContext, sent: &OauthParams) -> Result<Option<Credentials>> {
        let in_body = sent.get("client_id").map(|uid| Credentials {
            uid: uid.to_owned(),
            secret: sent.get("client_secret").map(str::to_owned),
        });
        let value = request.header(header::AUTHORIZATION);
        let Some(basic) = value.map(basic).transpose()?.flatten() else {
            return match (&in_body, sent.get("client_secret")) {
                (None, Some(_)) => Err(Refusal::missing("client_id")),
                _ => Ok(in_body),
            };
        };
        if sent.get("client_secret").is_some() {
            return Err(Refusal::InvalidRequest(
                "Multiple client authentication methods were used.".into(),
            ));
        }
        if in_body.is_some_and(|body| body.uid != basic.uid) {
            return Err(Refusal::InvalidRequest(
                "The client_id differs from the one in the Authorization header.".into(),
            ));
        }
        Ok(Some(basic))
    }
}

/// What an Authorization header says, if it is Basic; both parts are
/// form-encoded (RFC 6749 section 2.3.1).
pub(super) fn basic(value: &str) -> Result<Option<Credentials>> {
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    let decoded = STANDARD
        .decode(rest.trim())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let (uid, secret) = decoded
        .as_deref()
        .and_then(|text| text.split_once(':'))
        .ok_or(Refusal::InvalidClient)?;
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8();
        decoded.map(|text| text.into_owned()).map_err(|_| Refusal::InvalidClient)
    };
    let (uid, secret) = (decode(uid)?, decode(secret)?);
    if uid.contains('\0') || secret.contains('\0') {
        return Err(Refusal::InvalidClient);
    }
    let secret = Some(secret).filter(|secret| !secret.is_empty());
    Ok(Some(Credentials { uid, secret }))
}

/// The application with these credentials. Confidential ones must prove
/// themselves in every grant; a wrong secret of a public one fails too.
pub fn authenticate(tx: &mut Tx<'_>, sent: &Credentials) -> Result<Application> {
    let application = applications::find_by_uid(tx, &sent.uid)?.ok_or(Refusal::InvalidClient)?;
    let proved = match &sent.secret {
        Some(secret) => applications::secret_fits(tx, application.id, secret)?.is_some(),
        None => !application.confidential,
    };
    if !proved {
        return Err(Refusal::InvalidClient);
    }
    Ok(application)
}

/// Like [`authenticate`], in a writing transaction: notes the secret's use.
pub fn authenticate_noting(tx: &mut Tx<'_>, sent: &Credentials) -> Result<Application> {
    let application = authenticate(tx, sent)?;
    let Some(text) = &sent.secret else {
        return Ok(application);
    };
    let now = tx.now();
    if let Some(secret) = applications::secret_fits(tx, application.id, text)?
        && secret
            .last_used_at
            .is_none_or(|last| now.duration_since(last).as_secs() >= NOTE_EVERY)
    {
        applications::touch_secret(tx, secret.id)?;
    }
    Ok(application)
}
