//! Objects for who fetches: `git upload-pack` over the copy of this node.

use super::Version;
use crate::cache::{self, Having};
use crate::git::Git;
use crate::hidden::HiddenRequests;
use crate::output::Output;
use bytes::Bytes;
use futures_util::Stream;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;

const FETCH: &[&str] = &["upload-pack", "--strict", "--timeout=600", "--"];
/// A fetch whose request says all, and has one answer.
const ONCE: &[&str] = &["upload-pack", "--stateless-rpc", "--strict", "--timeout=600", "--"];

/// A fetch that goes back and forth, as versions 0 and 1 do where a connection stays.
pub struct Talk {
    /// What the client says.
    pub input: ChildStdin,
    /// What git answers, refs first.
    pub output: Output,
}

/// Begins one.
pub async fn talk(
    app: &App, repository: i64, hidden: &HiddenRequests, version: Version,
) -> Result<Talk> {
    let (input, output) = start(app, repository, hidden, version, FETCH).await?;
    Ok(Talk { input, output: output.talking() })
}

/// Begins to make an archive as a client wishes, who named nothing that is hidden.
pub async fn archive(app: &App, repository: i64, hidden: &HiddenRequests) -> Result<Talk> {
    let arguments = ["upload-archive"];
    let (input, output) = start(app, repository, hidden, Version::Zero, &arguments).await?;
    Ok(Talk { input, output: output.talking() })
}

/// What git answers to a request that is there whole, as it comes.
pub async fn send(
    app: &App, repository: i64, hidden: &HiddenRequests, version: Version, request: Bytes,
) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
    let (mut input, output) = start(app, repository, hidden, version, ONCE).await?;
    tokio::spawn(async move {
        // One that has heard enough reads no further.
        let _ = input.write_all(&request).await;
    });
    Ok(output.stream())
}

async fn start(
    app: &App, repository: i64, hidden: &HiddenRequests, version: Version, arguments: &[&str],
) -> Result<(ChildStdin, Output)> {
    let seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::ObjectsAndRefs).await?;
    let mut invocation = app.kept::<Git>().at(app, copy.folder()).await?;
    invocation = match version {
        Version::Zero => invocation,
        Version::One => invocation.env("GIT_PROTOCOL", "version=1"),
        Version::Two => invocation.env("GIT_PROTOCOL", "version=2"),
    };
    // As the settings of the copy, which is for everybody, and for who asks besides.
    let prefixes = hidden.prefixes().into_iter();
    let hides = prefixes.flat_map(|one| ["-c".to_owned(), format!("transfer.hideRefs={one}")]);
    let invocation = invocation.args(hides).args(arguments.iter().copied());
    let mut running = invocation.args([copy.folder()]).start()?;
    let missing = || Error::internal("git has no input or output");
    let (input, stdout) =
        (running.stdin().ok_or_else(missing)?, running.stdout().ok_or_else(missing)?);
    // What is wrong with a request it has told the client itself.
    let output = Output::of(running, stdout, (copy, seat), |ended| {
        ended.check("git").best_effort("send objects");
        Ok(())
    });
    Ok((input, output))
}
