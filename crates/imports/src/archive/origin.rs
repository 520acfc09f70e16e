//! Where a file is fetched that is not here. Its address may hold what lets who knows it read
//! there, so it is kept sealed, and never told.

use super::s3::Signed;
use super::settings::FileLimits;
use super::store::FileRow;
use crate::run::Trouble;
use futures_util::TryStreamExt;
use http::header;
use kernel::app::App;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::outbound::{Call, Fault, Opened};
use kernel::secrets::Secrets;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

const SEALED_AS: &str = "imports.file_origin";
/// How long looking may take, and fetching.
const LOOKING: Duration = Duration::from_secs(60);
const FETCHING: Duration = Duration::from_secs(6 * 3600);
/// What servers call such files.
const KINDS: &[&str] = &["application/gzip", "application/x-gzip", "application/x-tar"];
const BINARY: &[&str] = &["application/octet-stream", "binary/octet-stream"];

/// An address, or a place in a bucket.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    Url { url: String },
    Bucket(Signed),
}

impl Origin {
    /// A file at an https address.
    ///
    /// # Errors
    ///
    /// 400 for others.
    pub fn at(url: &str) -> Result<Origin> {
        let parsed = Url::parse(url).map_err(|_| refused("url is blocked: URI is invalid"))?;
        if parsed.scheme() != "https" {
            return Err(refused("url is blocked: Only allowed schemes are https"));
        }
        Ok(Origin::Url { url: parsed.into() })
    }

    pub fn sealed(&self, secrets: &Secrets) -> String {
        secrets.seal(SEALED_AS, serde_json::json!(self).to_string().as_bytes())
    }

    fn unsealed(secrets: &Secrets, sealed: &str) -> Result<Origin> {
        serde_json::from_slice(&secrets.unseal(SEALED_AS, sealed)?).map_err(Error::internal)
    }

    /// How it is told apart from others where imports are shown.
    pub fn shown(&self) -> String {
        match self {
            Origin::Url { url } => {
                let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
                host.unwrap_or_default()
            }
            Origin::Bucket(place) => place.shown(),
        }
    }

    /// What other names the contents may have than [`KINDS`]: who puts a file into a bucket
    /// seldom says what it is.
    fn takes(&self, kind: &str) -> bool {
        let is_bucket = matches!(self, Origin::Bucket(_));
        KINDS.contains(&kind) || (is_bucket && BINARY.contains(&kind))
    }

    /// Looks whether there is a file that may be taken; nothing of it is read.
    ///
    /// # Errors
    ///
    /// 400 with the reason.
    pub async fn look(&self, app: &App) -> Result<()> {
        let limits: FileLimits = app.settings().get(app).await?;
        let opened = match self.open(app, LOOKING, u64::MAX).await? {
            Ok(opened) => opened,
            Err(fault) => return Err(refused(&format!("url is blocked: {fault}"))),
        };
        let status = opened.status.as_u16();
        if !opened.status.is_success() {
            return Err(refused(&format!("The server answered {status} for the file.")));
        }
        let text = |name| opened.headers.get(name).and_then(|value| value.to_str().ok());
        let kind = text(header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
        let kind = kind.unwrap_or_default().trim().to_ascii_lowercase();
        if !self.takes(&kind) {
            let allowed = KINDS.join(", ");
            return Err(refused(&format!(
                "Content type '{kind}' not allowed. (Allowed: {allowed})"
            )));
        }
        let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        match (length.filter(|length| *length > 0), limits.fetched()) {
            (None, _) => Err(refused("Missing 'ContentLength' header")),
            (Some(length), Some(most)) if length > most => {
                let text = format!("Content length is too big (should be at most {most} bytes)");
                Err(refused(&text))
            }
            _ => Ok(()),
        }
    }

    async fn open(
        &self, app: &App, timeout: Duration, most: u64,
    ) -> Result<std::result::Result<Opened, Fault>> {
        let url = match self {
            Origin::Url { url } => url.clone(),
            Origin::Bucket(place) => place.url(app.now()),
        };
        let call = Call::get(url).timeout(timeout).max_answer(most);
        Ok(app.outbound().await?.open(call).await)
    }
}

fn refused(text: &str) -> Error {
    Error::BadRequest(text.to_owned())
}

/// Fetches the file of an import.
pub async fn fetch(app: &App, row: &FileRow) -> Result<Stored, Trouble> {
    let gone = || Trouble::Refused("The file is not stored any more.".into());
    let sealed = row.sealed_origin.as_deref().ok_or_else(gone)?;
    let origin = Origin::unsealed(app.secrets(), sealed)?;
    let limits: FileLimits = app.settings().get(app).await?;
    let most = limits.fetched();
    let opened = match origin.open(app, FETCHING, most.unwrap_or(u64::MAX)).await? {
        Ok(opened) => opened,
        Err(fault) => return Err(of_fault(&fault)),
    };
    let status = opened.status;
    if status.is_server_error() || status.as_u16() == 429 {
        return Err(Trouble::Away(format!("The server answered {}.", status.as_u16())));
    }
    if !status.is_success() {
        let text =
            format!("The file could not be fetched: the server answered {}.", status.as_u16());
        return Err(Trouble::Refused(text));
    }
    match app.blobs().put(opened.body.map_err(Error::from), most).await {
        Ok(stored) => Ok(stored),
        Err(Error::TooLarge) => Err(Trouble::Refused("The file is too large.".into())),
        Err(Error::Unavailable(text)) => Err(Trouble::Away(text)),
        Err(Error::BadRequest(text)) => Err(Trouble::Refused(text)),
        Err(error) => Err(error.into()),
    }
}

/// What connections fail of may name the address.
fn of_fault(fault: &Fault) -> Trouble {
    match fault {
        Fault::Timeout | Fault::Connection(_) | Fault::Unknown(_) => {
            Trouble::Away("The server of the file could not be reached.".into())
        }
        fault => Trouble::Refused(format!("The file could not be fetched: {fault}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_fetched_over_https_alone() {
        assert!(Origin::at("https://files.example/a.tar.gz").is_ok());
        for url in ["http://files.example/a.tar.gz", "ftp://x/a", "file:///etc/passwd", "x", ""] {
            assert!(matches!(Origin::at(url), Err(Error::BadRequest(_))), "{url}");
        }
    }

    #[test]
    fn what_is_shown_of_an_origin_lets_nobody_in() {
        let origin = Origin::at("https://jane:secret@files.example/a?token=secret").expect("good");
        assert_eq!(origin.shown(), "files.example");
    }

    #[test]
    fn kinds_of_files_are_few() {
        let origin = Origin::at("https://files.example/a.tar.gz").expect("good");
        assert!(origin.takes("application/gzip"));
        assert!(!origin.takes("application/octet-stream") && !origin.takes("text/html"));
    }
}
