//! Pushes: what git sends after it was told the refs. It asks for changes of refs and
//! sends the objects they need; [`objects`] looks at these apart from the repository,
//! and [`land`] makes them part of it. Nothing is kept of a push that is refused.

mod land;
pub mod limits;
pub(crate) mod objects;
mod report;
mod told;

use crate::access::Pushing;
use crate::formats::commands::{BadPush, Command, PushReader, PushRequest};
use crate::formats::packet;
use crate::git::Git;
use crate::held;
use crate::hooks;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use kernel::app::App;
use kernel::error::{Error, Result};
pub use land::Landed;
use limits::PushLimits;
pub use objects::Quarantine;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::Sender;

/// A push that has come whole.
pub struct Received {
    request: PushRequest,
    /// Its objects, or why they are no good.
    objects: Result<Quarantine, String>,
    _seat: Option<OwnedSemaphorePermit>,
}

impl Received {
    /// Whether nothing is asked for, as by a client that tries whether it may.
    pub fn is_empty(&self) -> bool {
        self.request.commands.is_empty()
    }

    /// Its objects, if they are good.
    pub(crate) fn objects(&self) -> Option<&Quarantine> {
        self.objects.as_ref().ok()
    }
}

/// Refuses pushes to an instance that nothing changes in.
pub async fn check_writable(app: &App) -> Result<()> {
    let text = "You can't push code to a read-only Service instance.";
    kernel::read_only::check(app).await.map_err(|_| Error::Exact(403, text.into()))
}

/// Reads a push to its end. While the repository is read-only it waits before anything is
/// read: who waits then has no seat of git and nothing on disk.
///
/// # Errors
///
/// `Forbidden` if the repository stays read-only for too long.
pub async fn receive(
    app: &App, to: &Pushing, mut body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Received> {
    held::wait(app, to.repository_id, to.way).await?;
    let limits: PushLimits = app.settings().get(app).await?;
    let mut buffer = BytesMut::new();
    let request = read_request(&mut body, &mut buffer).await?;
    if !request.has_objects() {
        return Ok(Received { request, objects: Ok(Quarantine::empty()), _seat: None });
    }
    let seat = app.kept::<Git>().seat().await?;
    let objects = objects::receive(app, to.repository_id, limits, buffer.freeze(), body).await?;
    Ok(Received { request, objects, _seat: Some(seat) })
}

/// Takes a change that was made here, with the pack of its objects unless refs only go:
/// the same is asked of it as of a push.
pub async fn take(
    app: &App, to: &Pushing, commands: Vec<Command>,
    pack: Option<impl Stream<Item = Result<Bytes>> + Unpin + Send>,
) -> Result<Landed> {
    let received = match pack {
        None => {
            let request = asked_for(to, commands);
            Received { request, objects: Ok(Quarantine::empty()), _seat: None }
        }
        Some(pack) => gather(app, to, commands, pack).await?,
    };
    land::land(app, to, &received).await
}

fn asked_for(to: &Pushing, commands: Vec<Command>) -> PushRequest {
    PushRequest {
        commands,
        options: to.options.clone(),
        ..PushRequest::default()
    }
}

/// The first part of [`take`], for who has something to do before the refs move: the pack
/// is here, and good or not.
pub(crate) async fn gather(
    app: &App, to: &Pushing, commands: Vec<Command>,
    pack: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Received> {
    let limits: PushLimits = app.settings().get(app).await?;
    let seat = app.kept::<Git>().seat().await?;
    let objects = objects::receive(app, to.repository_id, limits, Bytes::new(), pack).await?;
    Ok(Received { request: asked_for(to, commands), objects, _seat: Some(seat) })
}

/// The second part of [`take`].
pub(crate) async fn settle(app: &App, to: &Pushing, received: &Received) -> Result<Landed> {
    land::land(app, to, received).await
}

async fn read_request(
    body: &mut (impl Stream<Item = Result<Bytes>> + Unpin), buffer: &mut BytesMut,
) -> Result<PushRequest> {
    let mut reader = PushReader::default();
    let wrong = |text: &str| Error::BadRequest(text.to_owned());
    loop {
        while let Some(packet) =
            packet::take(buffer).map_err(|_| wrong("the push is not made of packets"))?
        {
            let taken = reader.take(&packet).map_err(|BadPush(text)| wrong(text))?;
            if let Some(request) = taken {
                return Ok(request);
            }
        }
        match body.next().await {
            Some(bytes) => buffer.extend_from_slice(&bytes?),
            None => return Err(wrong("the push was cut off")),
        }
    }
}

/// Makes a push part of its repository, and tells the client what became of it.
pub async fn finish(app: &App, to: &Pushing, received: Received, answer: Sender<Bytes>) {
    let report = report::Report::new(&received.request, answer);
    let outcome = report.while_waiting(landed(app, to, &received)).await;
    report.tell(&received.request, outcome).await;
}

/// What became of a push, and what rooms above tell of it. What they fail to do changes
/// nothing of the push.
async fn landed(app: &App, to: &Pushing, received: &Received) -> Result<(Landed, Vec<String>)> {
    let landed = land::land(app, to, received).await?;
    let said = match &landed {
        Landed::Refs(refs) => hooks::answer(app, to, &received.request, refs).await,
        Landed::BadObjects(_) | Landed::Refused(_) => Ok(Vec::new()),
    };
    let said = said.unwrap_or_else(|error| {
        tracing::error!(%error, "a push cannot be answered");
        Vec::new()
    });
    Ok((landed, said))
}
