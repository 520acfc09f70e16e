//! Why a credential does not do: what the caller is told, and what the log is.

use super::Noted;
use crate::model::{AccessToken, PASSWORD_EXPIRED};
use crate::oauth::families::Pair;
use crate::viewer::{Credential, Viewer};
use kernel::error::{Error, Result};
use kernel::http::Call;
use kernel::http::routes::Surface;
use kernel::time::Timestamp;

const REVOKED_TEXT: &str = "Token was revoked. You have to re-authorize from the user.";
const REVOKED: Error = Error::Token { error: "invalid_token", description: REVOKED_TEXT };
const EXPIRED: Error = Error::Token {
    error: "invalid_token",
    description: "Token is expired. You can either do re-authorization or token refresh.",
};

/// A refusal, and which token of ours it is about.
pub(super) struct Refused {
    pub(super) error: Error,
    token: Option<Noted>,
}

pub(super) type Resolved = Result<Viewer, Refused>;

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused { error, token: None }
    }
}

impl Refused {
    pub(super) fn of(error: Error, token: Noted) -> Refused {
        Refused { error, token: Some(token) }
    }

    /// The refusal as the route's surface has it, with a line in the log on what
    /// was wrong: callers are told little. To GraphQL the token of somebody with
    /// an expired password is a bad one (docs/interface/graphql.md 2).
    pub(super) fn told(self, call: &Call) -> Error {
        let Refused { error, token } = self;
        let reason = match &error {
            Error::Forbidden(text) if text == PASSWORD_EXPIRED => "password_expired",
            Error::Forbidden(_) if token.is_some() => "user_may_not_act",
            Error::InsufficientScope(_) => "insufficient_scope",
            Error::Token { description, .. } if *description == REVOKED_TEXT => "revoked",
            Error::Token { .. } => "expired",
            Error::Unauthenticated if token.is_some() => "switched_off",
            Error::Unauthenticated => "unknown",
            _ => return error,
        };
        let (token_id, family_id) = match token {
            Some(Noted::Token(id)) => (Some(id), None),
            Some(Noted::Family(id)) => (None, Some(id)),
            _ => (None, None),
        };
        let wanted = call.route.scopes.join(" ");
        let request_id = &call.request.request_id;
        tracing::info!(%request_id, reason, token_id, family_id, %wanted, "refused a credential");
        match error {
            Error::Forbidden(text)
                if call.route.surface == Surface::Graphql && text == PASSWORD_EXPIRED =>
            {
                Error::Unauthenticated
            }
            other => other,
        }
    }
}

/// Whether an application's token is still good.
pub(super) fn check_pair(pair: &Pair, now: Timestamp) -> Result<()> {
    match pair.is_revoked() {
        true => Err(REVOKED),
        false if pair.expires_at <= now => Err(EXPIRED),
        false => Ok(()),
    }
}

/// Whether a token is still good; `works` says whether its kind is.
pub(super) fn check_alive(token: &AccessToken, works: bool, now: Timestamp) -> Result<()> {
    match token.is_active(now) {
        true if works => Ok(()),
        true => Err(Error::Unauthenticated),
        false if token.revoked => Err(REVOKED),
        false => Err(EXPIRED),
    }
}

/// Whether the viewer's token has one of the scopes that the route asks for.
pub(super) fn check_scopes(call: &Call, viewer: &Viewer) -> Result<(), Refused> {
    let Viewer::User(signed_in) = viewer else {
        return Ok(());
    };
    let wanted = call.route.scopes;
    if wanted.is_empty() || wanted.iter().any(|scope| signed_in.has_scope(scope)) {
        return Ok(());
    }
    Err(Refused {
        error: Error::InsufficientScope(wanted.join(" ")),
        token: match signed_in.credential {
            Credential::Token { id, .. } => Some(Noted::Token(id)),
            Credential::OAuth { family, .. } => Some(Noted::Family(family)),
            Credential::Session { .. }
            | Credential::Feed
            | Credential::Job { .. }
            | Credential::None => None,
        },
    })
}
