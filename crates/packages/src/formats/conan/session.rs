//! How a client gets to know the remote and makes itself known: it exchanges
//! its credential for a pass, which it sends from then on.

use super::Client;
use http::{HeaderName, HeaderValue, StatusCode};
use identity::registry_session;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{Response, reply};

/// How long a pass is good, in seconds (docs/interface/packages.md 2.7).
const PASS_SECONDS: i64 = 60 * 60;

/// Says that revisions are understood. Clients ask before they have
/// credentials, and refuse a remote that does not say so.
pub fn ping() -> Result<Response> {
    let mut response = reply::json(StatusCode::OK, &"")?;
    response.headers_mut().insert(
        HeaderName::from_static("x-conan-server-capabilities"),
        HeaderValue::from_static("revisions"),
    );
    Ok(response)
}

/// A pass for everything below this prefix.
pub async fn authenticate(client: &Client) -> Result<Response> {
    signed_in(client).await?;
    let pass = registry_session::issue(&client.app, &client.viewer, client.base(), PASS_SECONDS)?;
    Ok(reply::text(StatusCode::OK, pass))
}

/// Tells whether the credentials are good here.
pub async fn check(client: &Client) -> Result<Response> {
    signed_in(client).await?;
    Ok(reply::text(StatusCode::OK, "ok"))
}

/// Refuses nobody in particular, and who may not ask at this prefix at all.
async fn signed_in(client: &Client) -> Result<()> {
    match client.viewer {
        Viewer::Anonymous => Err(Error::Unauthenticated),
        _ => client.admit().await,
    }
}
