//! The one path of a file into the registry, for every format: may they,
//! stream the bytes to the blob store, then all rows in one transaction.
//!
//! A format parses the address and takes the steps one by one: [`admit`],
//! [`receive_bytes`] (or [`crate::upload_form`] for forms), [`inspect`] where it
//! looks into the bytes, [`keep`], and [`publish`] or [`publish_then`].

use crate::access::RegistryAccess;
use crate::client::Client;
use crate::limits::largest_file;
use crate::model::{Package, PackageFile, PackageType};
use crate::rules::publish::{self, Destination};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::StatusCode;
use kernel::app::App;
use kernel::blobs::{Received, Stored};
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Answer, RequestContext, Response, reply};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::plan_limits::PlanLimits;
use std::fs::File;
use std::sync::LazyLock;
use store::Tx;
use tokio::sync::Semaphore;

/// The answer to a successful upload of most formats.
pub struct Uploaded;

impl Answer for Uploaded {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        let body = serde_json::json!({"message": "201 Created"});
        reply::json(StatusCode::CREATED, &body)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.status(201, "Published");
    }
}

/// What a multipart envelope may add to the length of its file, in bytes.
const ENVELOPE: u64 = 64 * 1024;

/// Refuses what can be refused before any byte is read.
pub async fn admit(client: &Client, project: &Reference, to: &Destination) -> Result<()> {
    let to = to.clone();
    let check = move |tx: &mut Tx<'_>, entered: RegistryAccess| publish::check(tx, &entered, &to);
    client.enter(project, Purpose::PublishPackage, check).await
}

/// Refuses who may not publish at all, for formats whose form tells only
/// while it arrives what is published.
pub async fn admit_publisher(client: &Client, project: &Reference) -> Result<RegistryAccess> {
    let entered = |_: &mut Tx<'_>, entered| Ok(entered);
    client.enter(project, Purpose::PublishPackage, entered).await
}

/// Receives the bytes within the format's limit, if they are those the client
/// declares.
pub async fn receive_bytes(
    client: &Client, package_type: PackageType,
    body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Received> {
    let limit = limit(&client.app, package_type).await?;
    check_announced(&client.request, limit)?;
    let received = receive_part(&client.app, limit, body).await?;
    check_declared(&client.request, received.stored())?;
    Ok(received)
}

/// Most bytes of one file of the format.
pub async fn limit(app: &App, package_type: PackageType) -> Result<Option<u64>> {
    let limits: PlanLimits = app.settings().get(app).await?;
    Ok(largest_file(&limits, package_type))
}

/// Receives bytes within a limit, refused in the registry's words.
pub async fn receive_part(
    app: &App, limit: Option<u64>, body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Received> {
    match app.blobs().receive(body, limit).await {
        Err(Error::TooLarge) => Err(too_large()),
        other => other,
    }
}

/// A body that is kept in memory; one of more than `most` bytes is refused.
pub async fn small_body(
    mut body: impl Stream<Item = Result<Bytes>> + Unpin + Send, most: usize,
    refusal: impl FnOnce() -> Error,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
        if bytes.len() > most {
            return Err(refusal());
        }
    }
    Ok(bytes)
}

/// Archives looked into at once: each takes a core and some memory.
static INSPECTING: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    Semaphore::new(cores.max(2))
});

/// Lets `read` look into received bytes, on a thread that may block.
pub async fn inspect<T: Send + 'static>(
    received: &Received, read: impl FnOnce(File) -> Result<T> + Send + 'static,
) -> Result<T> {
    let _turn = INSPECTING.acquire().await.map_err(Error::internal)?;
    let file = received.open()?;
    tokio::task::spawn_blocking(move || read(file)).await.map_err(Error::internal)?
}

/// Stores received bytes; an orphan until a row names them.
pub async fn keep(app: &App, received: Received) -> Result<Stored> {
    app.blobs().keep(received).await
}

/// Writes the rows of stored bytes: blob, package, file, counter, audit.
pub async fn publish(
    client: &Client, project: &Reference, to: Destination, stored: Stored,
) -> Result<(Package, PackageFile)> {
    publish_then(client, project, to, stored, |_, _, package, file| {
        Ok((package.clone(), file.clone()))
    })
    .await
}

/// Like [`publish`], with more to do in the same transaction: what `then`
/// refuses leaves no row.
pub async fn publish_then<T: Send + 'static>(
    client: &Client, project: &Reference, to: Destination, stored: Stored,
    then: impl Fn(&mut Tx<'_>, &RegistryAccess, &Package, &PackageFile) -> Result<T> + Send + 'static,
) -> Result<T> {
    let published = client.change(project, Purpose::PublishPackage, move |tx, entered, client| {
        let (package, file) = publish::add_file(tx, &client.viewer, entered, &to, &stored)?;
        then(tx, entered, &package, &file)
    });
    published.await
}

/// Refuses a body that is announced to be larger than the limit.
pub(crate) fn check_announced(request: &RequestContext, limit: Option<u64>) -> Result<()> {
    let kind = request.header(http::header::CONTENT_TYPE).unwrap_or_default();
    let is_multipart = kind.to_ascii_lowercase().starts_with("multipart/");
    check_length(request, limit, |limit| match is_multipart {
        true => limit.saturating_add(ENVELOPE),
        false => limit,
    })
}

/// Refuses a body that is announced to be larger than what is `allowed` for a
/// file of at most `limit` bytes.
pub(crate) fn check_length(
    request: &RequestContext, limit: Option<u64>, allowed: impl FnOnce(u64) -> u64,
) -> Result<()> {
    let announced = request
        .header(http::header::CONTENT_LENGTH)
        .and_then(|length| length.trim().parse::<u64>().ok());
    match (announced, limit.map(allowed)) {
        (Some(announced), Some(allowed)) if announced > allowed => Err(too_large()),
        _ => Ok(()),
    }
}

/// Digests a client may declare of its file, in hex: a header as downloads
/// carry it, and what it is compared with.
const DECLARED: [(&str, Digest); 4] = [
    ("X-Checksum-SHA512", |stored| &stored.sha512),
    ("X-Checksum-SHA256", |stored| &stored.sha256),
    ("X-Checksum-SHA1", |stored| &stored.sha1),
    ("X-Checksum-MD5", |stored| &stored.md5),
];

type Digest = fn(&Stored) -> &str;

/// Refuses bytes that are not those the client declares.
pub(crate) fn check_declared(request: &RequestContext, stored: &Stored) -> Result<()> {
    for (name, digest) in DECLARED {
        let declared = request.header(name).map(str::trim);
        if declared.is_some_and(|declared| !declared.eq_ignore_ascii_case(digest(stored))) {
            return Err(Error::BadRequest(format!(
                "{name} is not the digest of the bytes received"
            )));
        }
    }
    Ok(())
}

pub(crate) fn too_large() -> Error {
    Error::BadRequest("File is too large".into())
}
