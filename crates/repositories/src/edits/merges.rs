//! What the room of merge requests makes of commits and keeps in repositories: merges of
//! files, commits, branches that move to them, and refs of our own that no client moves.

pub use super::conflicted::{Conflicted, ConflictedFile, Side};
pub use super::elsewhere::{Elsewhere, land as land_from};
pub use super::landing::{Ended, land, turn};
pub use super::merge_tree::{Conflict, ConflictKind, Conflicts, Merged, Merger};
pub use super::pack::NewObjects;
pub use super::written::{People, commit as add_commit, person};

use crate::cache::{self, Having};
use crate::formats::object_id::ObjectId;
use crate::git::Git;
use crate::held;
use crate::lacked::{KNOWN, lacked, pack};
use crate::lfs;
use crate::model::Repository;
use crate::protection::Way;
use crate::receive::limits::PushLimits;
use crate::receive::objects as received;
use crate::rules::moves::{self, Change, Outcome, RefMove};
use crate::store::{self, refs};
use bytes::Bytes;
use futures_util::Stream;
use kernel::app::App;
use kernel::error::{Error, Found, Result};

/// How often it is tried where the repository loses objects meanwhile.
const ATTEMPTS: usize = 3;

/// Moves refs of our own, all or none, to what is there or is made here; whether they were
/// where they were thought to be. Nobody is told of it, and nobody's rights are asked for.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn keep(
    app: &App, repository: i64, moves: &[RefMove], objects: &NewObjects,
) -> Result<bool> {
    for _ in 0..ATTEMPTS {
        let pack = objects.clone().into_pack();
        if let Some(moved) = take(app, repository, moves, pack).await? {
            return Ok(moved);
        }
    }
    Err(Error::Unavailable("The repository changes too often now. Try again.".into()))
}

/// Brings what a commit leads to from another repository of a network of forks, and moves
/// refs of our own to it, as [`keep`] does. Its large files come along.
///
/// # Errors
///
/// Those of [`keep`].
pub async fn bring(
    app: &App, from: &Repository, to: &Repository, moves: &[RefMove],
) -> Result<bool> {
    if let (Some(source), Some(target)) = (from.project_id, to.project_id) {
        app.write(move |tx| lfs::copy_all(tx, source, target)).await?;
    }
    for _ in 0..ATTEMPTS {
        if let Some(moved) = bring_once(app, from, to, moves).await? {
            return Ok(moved);
        }
    }
    Err(Error::Unavailable("The repository changes too often now. Try again.".into()))
}

async fn bring_once(
    app: &App, from: &Repository, to: &Repository, moves: &[RefMove],
) -> Result<Option<bool>> {
    let wanted = wanted(app, from, to, moves).await?;
    let copy = cache::copy(app, from.id, Having::Objects).await?;
    let git = app.kept::<Git>().at(app, copy.folder()).await?;
    let (pack, running) = pack(git, &wanted).await?;
    let moved = take(app, to.id, moves, pack).await?;
    running.end().await?.check("git pack-objects")?;
    Ok(moved)
}

/// Where the refs shall lead, without what both have.
async fn wanted(
    app: &App, from: &Repository, to: &Repository, moves: &[RefMove],
) -> Result<String> {
    let id = to.id;
    let known = app.read(move |tx| refs::tips(tx, id, KNOWN)).await?;
    let new: Vec<ObjectId> = moves.iter().filter_map(|one| one.new.present()).collect();
    lacked(app, from, known, &new).await
}

/// Takes the objects of a pack and moves refs to them; none if the repository lost objects
/// meanwhile, or came to lie elsewhere.
async fn take(
    app: &App, id: i64, moves: &[RefMove], pack: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Option<bool>> {
    let seat = app.kept::<Git>().seat().await?;
    let received = received::receive(app, id, PushLimits::NONE, Bytes::new(), pack).await?;
    let quarantine = received.map_err(Error::internal)?;
    drop(seat);
    let repository = app.read(move |tx| store::by_id(tx, id)?.found("Repository")).await?;
    let change = Change {
        repository: id,
        moves: moves.to_vec(),
        packs: quarantine.store(app, &repository).await?.into_iter().collect(),
        epoch: quarantine.epoch().unwrap_or(repository.epoch),
        atomic: true,
        heads: Vec::new(),
        push: None,
    };
    match app.write(move |tx| moves::move_refs(tx, &change)).await? {
        Outcome::Done(results) => Ok(Some(results.iter().all(std::result::Result::is_ok))),
        Outcome::Stale => Ok(None),
        Outcome::ReadOnly | Outcome::Elsewhere => {
            held::wait(app, id, Way::Merge).await?;
            Ok(None)
        }
        Outcome::TooLarge(_) => Err(Error::internal("refs of our own have no limit")),
    }
}
