//! Refusals of the OAuth endpoints (RFC 6749 sections 4.1.2.1 and 5.2,
//! RFC 8628 section 3.5) and their one wire form.

use super::cors;
use http::{HeaderValue, StatusCode, header};
use kernel::error::Error;
use kernel::http::routes::Surface;
use kernel::http::{RequestContext, Response, refusal, reply};
use serde_json::json;

pub type Result<T, E = Refusal> = std::result::Result<T, E>;

#[derive(Debug)]
pub enum Refusal {
    /// A parameter is missing, repeated or malformed.
    InvalidRequest(String),
    /// The client is unknown or did not prove itself.
    InvalidClient,
    /// Code, refresh token, device code or credentials of a user do not work.
    InvalidGrant,
    /// The client may not use this grant.
    UnauthorizedClient(&'static str),
    /// A scope is unknown, or not the application's.
    InvalidScope,
    /// No such grant here.
    UnsupportedGrantType,
    /// Only `code` is.
    UnsupportedResponseType,
    /// Only `query` and `form_post` are.
    UnsupportedResponseMode,
    /// The bearer token does not work (RFC 6750).
    InvalidToken,
    /// The user has not decided yet.
    AuthorizationPending,
    /// The device asks too often.
    SlowDown,
    /// The device's code ran out.
    ExpiredToken,
    /// The user said no.
    AccessDenied,
    /// `prompt=none`, but nobody is signed in.
    LoginRequired,
    /// `prompt=none`, but the user must be asked.
    ConsentRequired,
    /// `prompt=none` with something that asks (OpenID Connect Core 3.1.2.6).
    AccountSelectionRequired,
    /// Dynamic registration: the metadata cannot be used (RFC 7591).
    InvalidClientMetadata(String),
    /// Dynamic registration: a redirect address cannot be used.
    InvalidRedirectUri(String),
    /// Dynamic registration: administrators have not allowed it.
    RegistrationOff,
    /// Anything that is not OAuth's own.
    Other(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Other(error)
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Refusal {
        Refusal::Other(error.into())
    }
}

/// Lets a refusal commit what was decided on the way to it (a family ended, a
/// poll noted), while failures of the database still undo everything.
pub fn settled<T>(result: Result<T>) -> kernel::error::Result<Result<T>> {
    match result {
        Err(Refusal::Other(error)) => Err(error),
        other => Ok(other),
    }
}

impl Refusal {
    /// A required parameter that was not sent.
    pub fn missing(name: &str) -> Refusal {
        Refusal::InvalidRequest(format!("Missing required parameter: {name}."))
    }

    pub fn code(&self) -> &'static str {
        match self {
            Refusal::InvalidRequest(_) => "invalid_request",
            Refusal::InvalidClient => "invalid_client",
            Refusal::InvalidGrant => "invalid_grant",
            Refusal::UnauthorizedClient(_) => "unauthorized_client",
            Refusal::InvalidScope => "invalid_scope",
            Refusal::UnsupportedGrantType => "unsupported_grant_type",
            Refusal::UnsupportedResponseType => "unsupported_response_type",
            Refusal::UnsupportedResponseMode => "unsupported_response_mode",
            Refusal::InvalidToken => "invalid_token",
            Refusal::AuthorizationPending => "authorization_pending",
            Refusal::SlowDown => "slow_down",
            Refusal::ExpiredToken => "expired_token",
            Refusal::AccessDenied | Refusal::RegistrationOff => "access_denied",
            Refusal::LoginRequired => "login_required",
            Refusal::ConsentRequired => "consent_required",
            Refusal::AccountSelectionRequired => "account_selection_required",
            Refusal::InvalidClientMetadata(_) => "invalid_client_metadata",
            Refusal::InvalidRedirectUri(_) => "invalid_redirect_uri",
            Refusal::Other(Error::Limited(_)) => "slow_down",
            Refusal::Other(Error::Unavailable(_)) => "temporarily_unavailable",
            Refusal::Other(error) if refusal::status(error).is_client_error() => "invalid_request",
            Refusal::Other(_) => "server_error",
        }
    }

    /// What to do about it, for developers.
    pub fn description(&self) -> &str {
        match self {
            Refusal::InvalidRequest(text)
            | Refusal::InvalidClientMetadata(text)
            | Refusal::InvalidRedirectUri(text) => text,
            Refusal::InvalidClient => {
                "Client authentication failed due to unknown client, no client authentication \
                 included, or unsupported authentication method."
            }
            Refusal::InvalidGrant => {
                "The provided authorization grant is invalid, expired, revoked, does not match \
                 the redirection URI used in the authorization request, or was issued to another \
                 client."
            }
            Refusal::UnauthorizedClient(text) => text,
            Refusal::InvalidScope => "The requested scope is invalid, unknown, or malformed.",
            Refusal::UnsupportedGrantType => {
                "The authorization grant type is not supported by the authorization server."
            }
            Refusal::UnsupportedResponseType => "The response type must be code.",
            Refusal::UnsupportedResponseMode => "The response mode must be query or form_post.",
            Refusal::InvalidToken => "The access token is invalid, expired or revoked.",
            Refusal::AuthorizationPending => "The user has not decided yet.",
            Refusal::SlowDown => "The requests come too fast: wait longer between them.",
            Refusal::ExpiredToken => "The device code has expired. Ask for a new one.",
            Refusal::AccessDenied => "The resource owner denied the request.",
            Refusal::LoginRequired => "Nobody is signed in.",
            Refusal::ConsentRequired => "The user must be asked for consent.",
            Refusal::AccountSelectionRequired => "The user must choose an account.",
            Refusal::RegistrationOff => {
                "Applications cannot register themselves here: ask an administrator for a client."
            }
            Refusal::Other(Error::Limited(_)) => "Too many requests: try again later.",
            Refusal::Other(error) if refusal::status(error).is_client_error() => {
                "The server does not take this request."
            }
            Refusal::Other(_) => "The server could not answer. Try again later.",
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Refusal::InvalidClient | Refusal::InvalidToken => StatusCode::UNAUTHORIZED,
            Refusal::UnauthorizedClient(_) => StatusCode::UNAUTHORIZED,
            Refusal::RegistrationOff => StatusCode::NOT_FOUND,
            Refusal::Other(error) => refusal::status(error),
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// What `WWW-Authenticate` says. A device that has to go on polling is
    /// not told to prove itself: openid-client gives up where it is. Nor is who
    /// asks for what no proof would open.
    fn challenge(&self) -> Option<HeaderValue> {
        use Refusal::{AuthorizationPending, RegistrationOff, SlowDown};
        if matches!(self, AuthorizationPending | SlowDown | RegistrationOff) {
            return None;
        }
        let challenge = format!(
            "Bearer realm=\"Service\", error=\"{}\", error_description=\"{}\"",
            self.code(),
            self.description().replace(['"', '\\'], "'")
        );
        HeaderValue::from_str(&challenge).ok()
    }

    /// The JSON answer; failures of ours are logged.
    pub fn response(self, request: &RequestContext) -> Response {
        let body = json!({"error": self.code(), "error_description": self.description()});
        let mut response = reply::json(self.status(), &body)
            .unwrap_or_else(|_| reply::empty(StatusCode::INTERNAL_SERVER_ERROR));
        if let Some(challenge) = self.challenge() {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Refusal::Other(error) = self {
            // Rendered for its log line and headers; the body stays ours.
            let rendered = refusal::render(error, Surface::Plain, request);
            if let Some(seconds) = rendered.headers().get(header::RETRY_AFTER) {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.clone());
            }
        }
        response
    }
}

/// The refusal of a request that never came to a handler: scripts of every
/// origin may read it, as what handlers answer.
pub fn unread(error: Error, request: &RequestContext) -> Response {
    let refusal = match error {
        Error::BadRequest(text) => Refusal::InvalidRequest(text),
        Error::Parameters(texts) => Refusal::InvalidRequest(texts.join(", ")),
        other => Refusal::Other(other),
    };
    answered_to_all(Err(refusal), request)
}

/// Answers with secrets in them are kept nowhere (RFC 6749 section 5.1).
pub fn no_store(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-cache"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
}

/// The response of an endpoint whose refusals are OAuth's; it is kept nowhere.
pub fn answered(result: Result<Response>, request: &RequestContext) -> Response {
    let mut response = result.unwrap_or_else(|refusal| refusal.response(request));
    no_store(&mut response);
    response
}

/// The same where scripts of every origin may read it.
pub fn answered_to_all(result: Result<Response>, request: &RequestContext) -> Response {
    let mut response = answered(result, request);
    cors::allow(&mut response);
    response
}
