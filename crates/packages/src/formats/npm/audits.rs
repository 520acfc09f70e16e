//! Audits: this registry knows no advisories. Clients are sent on to the
//! registry that packages are forwarded to, or told that there are none.

use super::NPM;
use crate::client::Client;
use crate::forwarding;
use futures_util::StreamExt;
use http::StatusCode;
use kernel::error::{Error, Result};
use kernel::http::{Response, Upload, reply};
use serde_json::{Value, json};

/// Longest description of a tree, in bytes as sent.
const MAX_TREE: usize = 32 * 1024 * 1024;

/// Advisories for a list of packages, as npm asks first.
pub async fn bulk(client: &Client, body: Upload) -> Result<Response> {
    let path = "-/npm/v1/security/advisories/bulk";
    reported(client, body, path, &json!([])).await
}

/// A report on a tree, as pnpm asks, and npm where the first is not answered.
pub async fn quick(client: &Client, body: Upload) -> Result<Response> {
    let path = "-/npm/v1/security/audits/quick";
    reported(client, body, path, &empty_report()).await
}

/// The same in full, as yarn 1 asks.
pub async fn full(client: &Client, body: Upload) -> Result<Response> {
    let path = "-/npm/v1/security/audits";
    reported(client, body, path, &empty_report()).await
}

/// A report that found nothing; clients read all its members.
fn empty_report() -> Value {
    json!({
        "actions": [],
        "advisories": {},
        "muted": [],
        "metadata": {
            "vulnerabilities": {"info": 0, "low": 0, "moderate": 0, "high": 0, "critical": 0},
            "dependencies": 0,
            "devDependencies": 0,
            "optionalDependencies": 0,
            "totalDependencies": 0,
        },
    })
}

async fn reported(client: &Client, body: Upload, path: &str, nothing: &Value) -> Result<Response> {
    client.admit().await?;
    read_past(body).await?;
    match forwarding::address(&client.app, NPM).await? {
        Some(address) => {
            let to = format!("{address}/{path}");
            forwarding::redirect(StatusCode::TEMPORARY_REDIRECT, &to)
        }
        None => reply::json(StatusCode::OK, nothing),
    }
}

/// A client that still writes does not see the answer.
async fn read_past(mut body: Upload) -> Result<()> {
    let mut read = 0;
    while let Some(more) = body.next().await {
        read += more?.len();
        if read > MAX_TREE {
            return Err(Error::TooLarge);
        }
    }
    Ok(())
}
