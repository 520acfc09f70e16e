//! A file on its way in: streamed to the blob store, never whole in memory.

use super::limits::UploadLimits;
use super::{jpeg, model};
use bytes::Bytes;
use futures_util::Stream;
use http::header;
use kernel::app::App;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::http::{Parts, RequestContext};

/// What a form may have beside its file, in bytes.
const ENVELOPE: u64 = 64 * 1024;
/// Most parts before the file.
const MAX_PARTS: usize = 100;

/// A file that is stored and has no row yet.
pub struct Sent {
    /// As it is kept.
    pub name: String,
    pub stored: Stored,
}

/// Receives the `file` of a form. Called once it is known that its sender may.
pub async fn receive(app: &App, request: &RequestContext, mut parts: Parts) -> Result<Sent> {
    let limits: UploadLimits = app.settings().get(app).await?;
    let limit = limits.bytes();
    let announced =
        request.header(header::CONTENT_LENGTH).and_then(|text| text.trim().parse().ok());
    if announced.is_some_and(|length: u64| length > limit.saturating_add(ENVELOPE)) {
        return Err(Error::TooLarge);
    }
    for _ in 0..MAX_PARTS {
        let Some(part) = parts.next().await? else {
            break;
        };
        if part.name() != "file" {
            part.beginning(0, ENVELOPE as usize).await?;
            continue;
        }
        let sent = part
            .file_name()
            .ok_or_else(|| Error::Parameters(vec!["file is invalid".into()]))?;
        let name = model::safe_name(sent);
        return store(app, name, part.bytes(), limit).await;
    }
    Err(Error::missing("file"))
}

/// Keeps a file that came by mail, within the same limit.
pub async fn receive_bytes(app: &App, name: &str, bytes: Vec<u8>) -> Result<Sent> {
    let limits: UploadLimits = app.settings().get(app).await?;
    let bytes = futures_util::stream::iter([Ok(Bytes::from(bytes))]);
    store(app, model::safe_name(name), bytes, limits.bytes()).await
}

/// Keeps a file that comes from elsewhere, within the same limit.
pub async fn receive_stream<S>(app: &App, name: &str, bytes: S) -> Result<Sent>
where
    S: Stream<Item = Result<Bytes>> + Send + Unpin + 'static,
{
    let limits: UploadLimits = app.settings().get(app).await?;
    store(app, model::safe_name(name), bytes, limits.bytes()).await
}

async fn store<S>(app: &App, name: String, bytes: S, limit: u64) -> Result<Sent>
where
    S: Stream<Item = Result<Bytes>> + Send + Unpin + 'static,
{
    let received = app.blobs().receive(jpeg::without_place(bytes), Some(limit)).await?;
    if received.stored().size == 0 {
        return Err(Error::Parameters(vec!["file is empty".into()]));
    }
    Ok(Sent { name, stored: app.blobs().keep(received).await? })
}
