//! Objects for who fetches: `git upload-pack` over the copy of this node.

use super::Version;
use crate::cache::{self, Having};
use crate::git::Git;
use bytes::Bytes;
use futures_util::{Stream, stream};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::programs::Running;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdout;
use tokio::sync::OwnedSemaphorePermit;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// What runs while a client takes objects.
struct Sending {
    running: Running,
    stdout: ChildStdout,
    _copy: cache::LocalCopy,
    _seat: OwnedSemaphorePermit,
}

/// What git answers to a request that is there whole, as it comes.
pub async fn send(
    app: &App,
    repository: i64,
    version: Version,
    request: Bytes,
) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
    let seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::ObjectsAndRefs).await?;
    let mut invocation = app.kept::<Git>().at(app, copy.folder()).await?;
    invocation = match version {
        Version::Zero => invocation,
        Version::One => invocation.env("GIT_PROTOCOL", "version=1"),
        Version::Two => invocation.env("GIT_PROTOCOL", "version=2"),
    };
    let arguments = ["upload-pack", "--stateless-rpc", "--strict", "--timeout=600", "--"];
    let mut running = invocation.args(arguments).args([copy.folder()]).start()?;
    let missing = || Error::internal("git has no input or output");
    let (mut stdin, stdout) =
        (running.stdin().ok_or_else(missing)?, running.stdout().ok_or_else(missing)?);
    tokio::spawn(async move {
        // One that has heard enough reads no further.
        let _ = stdin.write_all(&request).await;
    });
    let sending = Sending { running, stdout, _copy: copy, _seat: seat };
    Ok(stream::try_unfold(sending, next))
}

async fn next(mut sending: Sending) -> Result<Option<(Bytes, Sending)>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut stdout = (&mut sending.stdout).take(CHUNK as u64);
    while chunk.len() < CHUNK && stdout.read_buf(&mut chunk).await? > 0 {}
    if !chunk.is_empty() {
        return Ok(Some((chunk.into(), sending)));
    }
    // What is wrong with a request it has told the client itself.
    let ended = sending.running.end().await?;
    ended.check("git upload-pack").best_effort("send objects");
    Ok(None)
}
