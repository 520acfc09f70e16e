//! Where the file of a project is sent once it is written. The address may hold what lets
//! who knows it write there, so it is kept sealed.

use http::{HeaderValue, Method, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::Call;
use kernel::secrets::Secrets;
use serde::{Deserialize, Serialize};
use std::time::Duration;

const SEALED_AS: &str = "imports.export_target";
/// How long sending may take.
const SENDING: Duration = Duration::from_secs(6 * 3600);

kernel::choices! {
    /// How it is sent.
    pub enum SendMethod as "ProjectExportSendMethod" { Put = "PUT", Post = "POST" }
}

/// An address, and how it is sent there.
#[derive(Clone, Serialize, Deserialize)]
pub struct Target {
    url: String,
    method: String,
}

impl Target {
    /// An address that may be called, as far as can be told without a call.
    ///
    /// # Errors
    ///
    /// 400 for others.
    pub async fn checked(app: &App, url: &str, method: SendMethod) -> Result<Target> {
        if let Err(fault) = app.outbound().await?.check(url).await
            && !fault.may_pass()
        {
            return Err(Error::BadRequest(format!("upload[url] is blocked: {fault}")));
        }
        Ok(Target { url: url.to_owned(), method: method.as_str().to_owned() })
    }

    pub fn sealed(&self, secrets: &Secrets) -> String {
        let text = serde_json::json!(self).to_string();
        secrets.seal(SEALED_AS, text.as_bytes())
    }

    pub fn unsealed(secrets: &Secrets, sealed: &str) -> Result<Target> {
        serde_json::from_slice(&secrets.unseal(SEALED_AS, sealed)?).map_err(Error::internal)
    }

    /// Sends a blob there; why that did not work, and whether it may later.
    pub async fn send(&self, app: &App, key: &str) -> Result<std::result::Result<(), Unsent>> {
        let method = if self.method == "POST" {
            Method::POST
        } else {
            Method::PUT
        };
        let (size, bytes) = app.blobs().get(key, None).await?;
        let call = Call::new(method, &self.url)
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/gzip"))
            .timeout(SENDING);
        Ok(match app.outbound().await?.send(call, size, bytes).await {
            Ok(answer) if answer.status.is_success() => Ok(()),
            Ok(answer) => Err(Unsent {
                why: format!("the server answered {}", answer.status.as_u16()),
                may_pass: answer.status.is_server_error() || answer.status.as_u16() == 429,
            }),
            // What connections fail of may name the address.
            Err(fault) if fault.may_pass() => Err(Unsent {
                why: "the server could not be reached".into(),
                may_pass: true,
            }),
            Err(fault) => Err(Unsent { why: fault.to_string(), may_pass: false }),
        })
    }
}

/// Why a file was not sent.
#[derive(Debug)]
pub struct Unsent {
    pub why: String,
    /// Another attempt may work.
    pub may_pass: bool,
}
