//! Objects for who fetches: `git upload-pack` over the copy of this node.

use super::Version;
use crate::cache::{self, Having};
use crate::git::Git;
use crate::output::Output;
use bytes::Bytes;
use futures_util::Stream;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use tokio::io::AsyncWriteExt;

/// What git answers to a request that is there whole, as it comes.
pub async fn send(
    app: &App, repository: i64, version: Version, request: Bytes,
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
    // What is wrong with a request it has told the client itself.
    let output = Output::of(running, stdout, (copy, seat), |ended| {
        ended.check("git upload-pack").best_effort("send objects");
        Ok(())
    });
    Ok(output.stream())
}
