//! Bringing a bare repository in: its objects go the way of a push's, its refs are
//! taken as they are.

use super::of_path;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::{Git, PATIENCE};
use crate::receive::limits::PushLimits;
use crate::receive::objects;
use crate::rules::moves::{self, Change, Outcome, RefMove};
use crate::store;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use kernel::app::App;
use kernel::error::{Error, Result};
use std::path::Path;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Most of what git tells of refs: a million of them.
const REFS: usize = 128 * 1024 * 1024;
/// Bytes read at once.
const PIECE: usize = 256 * 1024;

/// Brings the repository in this folder into the project at this path, which must not
/// have a ref yet; how many refs came. `progress` is told how many bytes came.
///
/// # Errors
///
/// `NotFound` without such a project; `BadRequest` if the folder is no repository, its
/// objects are no good, or the project has refs.
pub async fn import(
    app: &App, from: &Path, path: &str, progress: impl Fn(u64) + Send,
) -> Result<usize> {
    let from = from.canonicalize().map_err(|error| refused(&error.to_string()))?;
    let path = path.to_owned();
    let repository = app.write(move |tx| {
        let found = of_path(tx, &path)?;
        found.check_writable()?;
        let repository = found.made(tx)?;
        match store::refs::all(tx, repository.id)?.is_empty() {
            true => Ok(repository),
            false => Err(refused("the project has a repository with refs already")),
        }
    });
    let repository = repository.await?;
    let moves = refs_in(app, &from).await?;
    if moves.is_empty() {
        return Err(refused("there are no refs in it"));
    }
    let head = head_of(app, &from).await?;
    let seat = app.kept::<Git>().seat().await?;
    let packing = app.kept::<Git>().at(app, &from).await?.args([
        "pack-objects",
        "--all",
        "--stdout",
        "--quiet",
        "--delta-base-offset",
    ]);
    let mut running = packing.start()?;
    drop(running.stdin());
    let pack = running.stdout().ok_or_else(|| refused("git answers nothing"))?;
    let pieces = Box::pin(pieces(pack, progress));
    let received =
        objects::receive(app, repository.id, PushLimits::NONE, Bytes::new(), pieces).await?;
    running.end().await?.check("git pack-objects")?;
    let quarantine = received.map_err(|text| refused(&text))?;
    drop(seat);
    let count = moves.len();
    let change = Change {
        repository: repository.id,
        moves,
        packs: quarantine.store(app, &repository).await?.into_iter().collect(),
        epoch: quarantine.epoch().unwrap_or(repository.epoch),
        atomic: true,
        heads: head.into_iter().collect(),
        push: None,
    };
    match app.write(move |tx| moves::move_refs(tx, &change)).await? {
        Outcome::Done(results) if results.iter().all(std::result::Result::is_ok) => Ok(count),
        _ => Err(refused("something was pushed to the project meanwhile")),
    }
}

fn refused(text: &str) -> Error {
    Error::BadRequest(text.to_owned())
}

/// What a program answers, as it comes.
pub(crate) fn pieces(
    from: impl AsyncRead + Unpin + Send, progress: impl Fn(u64) + Send,
) -> impl Stream<Item = Result<Bytes>> + Send {
    let begun = (from, progress, 0);
    let read = stream::unfold(begun, |(mut from, progress, mut came)| async move {
        let mut piece = vec![0; PIECE];
        match from.read(&mut piece).await {
            Ok(0) => None,
            Ok(length) => {
                piece.truncate(length);
                came += length as u64;
                progress(came);
                Some((Ok(Bytes::from(piece)), (from, progress, came)))
            }
            Err(error) => Some((Err(Error::internal(error)), (from, progress, came))),
        }
    });
    read.fuse()
}

async fn ask(app: &App, from: &Path, args: &[&str], most: usize) -> Result<Option<String>> {
    let asked = app.kept::<Git>().at(app, from).await?.args(args);
    let answered = asked.ask(Vec::new(), most, PATIENCE).await?;
    let text = String::from_utf8_lossy(&answered.output).into_owned();
    Ok(answered.ended.succeeded.then_some(text))
}

/// All refs that may be kept here.
async fn refs_in(app: &App, from: &Path) -> Result<Vec<RefMove>> {
    let format = "--format=%(objectname) %(*objectname) %(refname)";
    let told = ask(app, from, &["for-each-ref", format], REFS).await?;
    let told = told.ok_or_else(|| refused(&format!("{} is no repository", from.display())))?;
    let read = |line: &str| {
        let (id, rest) = line.split_once(' ')?;
        let (peeled, name) = rest.split_once(' ')?;
        Some(RefMove {
            name: name.parse().ok()?,
            old: ObjectId::ZERO,
            new: id.parse().ok()?,
            peeled: peeled.parse().ok(),
        })
    };
    Ok(told.lines().filter_map(read).filter(|one| one.name.is_writable()).collect())
}

async fn head_of(app: &App, from: &Path) -> Result<Option<RefName>> {
    let told = ask(app, from, &["symbolic-ref", "--quiet", "HEAD"], 4096).await?;
    Ok(told.and_then(|name| name.trim().parse().ok()))
}
