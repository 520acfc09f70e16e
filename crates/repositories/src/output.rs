//! What the program git answers, as it comes: for what is too large to be held.

use crate::cache::{self, Having, LocalCopy};
use crate::git::{Git, PATIENCE};
use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, stream};
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Response, reply};
use kernel::programs::{Ended, Invocation, Running};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio::sync::OwnedSemaphorePermit;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// A git that runs while a client takes what it answers. Dropped, it ends.
pub struct Output {
    running: Running,
    stdout: ChildStdout,
    after: fn(Ended) -> Result<()>,
    /// Pieces are given on as they come, however small: somebody waits to answer.
    is_talk: bool,
    _copy: LocalCopy,
    _seat: OwnedSemaphorePermit,
}

/// Starts git over the objects of a repository; `say` adds fixed arguments, and ids.
pub async fn start(
    app: &App, repository: i64, say: impl FnOnce(Invocation) -> Invocation,
) -> Result<Output> {
    let seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::Objects).await?;
    let invocation = say(app.kept::<Git>().at(app, copy.folder()).await?);
    let mut running = invocation.start()?;
    drop(running.stdin());
    let stdout = running.stdout().ok_or_else(|| Error::internal("git has no output"))?;
    Ok(Output::of(running, stdout, (copy, seat), |ended| ended.check("git")))
}

/// All that git answers, of at most so many bytes; an error if it fails.
pub async fn ask(
    app: &App, repository: i64, most: usize, say: impl FnOnce(Invocation) -> Invocation,
) -> Result<Vec<u8>> {
    let _seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::ObjectsAndRefs).await?;
    let invocation = say(app.kept::<Git>().at(app, copy.folder()).await?);
    let answered = invocation.ask(Vec::new(), most, PATIENCE).await?;
    answered.ended.check("git")?;
    Ok(answered.output)
}

impl Output {
    /// What runs, with what it needs until its end, and what is done then.
    pub(crate) fn of(
        running: Running, stdout: ChildStdout, (copy, seat): (LocalCopy, OwnedSemaphorePermit),
        after: fn(Ended) -> Result<()>,
    ) -> Output {
        Output {
            running,
            stdout,
            after,
            is_talk: false,
            _copy: copy,
            _seat: seat,
        }
    }

    /// An answer of what it writes, which nobody keeps for others.
    pub fn text(self) -> Response {
        let mut response = reply::text(StatusCode::OK, Body::from_stream(self.stream()));
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        response
    }

    /// The same of one that looks for something: that there is nothing is no failure.
    pub fn searching(self) -> Output {
        let after = |ended: Ended| match !ended.succeeded && ended.said.is_empty() {
            true => Ok(()),
            false => ended.check("git"),
        };
        Output { after, ..self }
    }

    /// The same of one that waits for answers to what it says.
    pub(crate) fn talking(self) -> Output {
        Output { is_talk: true, ..self }
    }

    /// The bytes as they come. Where git fails the stream does, so that nobody takes a
    /// part for the whole.
    pub fn stream(self) -> impl Stream<Item = Result<Bytes>> + Send + use<> {
        stream::try_unfold(self, next)
    }
}

async fn next(mut output: Output) -> Result<Option<(Bytes, Output)>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut stdout = (&mut output.stdout).take(CHUNK as u64);
    while chunk.len() < CHUNK && stdout.read_buf(&mut chunk).await? > 0 {
        if output.is_talk {
            break;
        }
    }
    if !chunk.is_empty() {
        return Ok(Some((chunk.into(), output)));
    }
    (output.after)(output.running.end().await?)?;
    Ok(None)
}
