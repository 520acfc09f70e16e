//! Commits that begin in another repository of a network of forks: what they lead to
//! comes along with them, in one pack, as a push.

use super::landing::{Ended, command};
use super::pack::NewObjects;
use crate::access::Pushing;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::lfs;
use crate::model::Repository;
use crate::objects::{self, Objects};
use crate::on_disk::pieces;
use crate::receive::limits::PushLimits;
use crate::receive::{self, objects as received};
use crate::store::refs;
use bytes::Bytes;
use kernel::app::App;
use kernel::error::{Error, Result};
use tokio::io::AsyncWriteExt;

/// Branches whose commits are not sent again.
const KNOWN: i64 = 50;

/// Another repository that a new branch begins in, whose code who asks may read.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    pub project_id: i64,
    pub repository: Repository,
}

/// Moves a branch to a commit that was made of commits elsewhere.
pub async fn land(
    app: &App, to: &Pushing, from: &Elsewhere, (name, old, new): (RefName, ObjectId, ObjectId),
    objects: NewObjects,
) -> Result<Ended> {
    let limits: PushLimits = app.settings().get(app).await?;
    let id = from.repository.id;
    let made = received::receive(app, id, limits, Bytes::new(), objects.into_pack()).await?;
    let made = match made {
        Ok(made) => made,
        Err(text) => return Ok(Ended::Refused(text)),
    };
    let packing = made.git(app).await?.args([
        "pack-objects",
        "--revs",
        "--stdout",
        "--quiet",
        "--delta-base-offset",
    ]);
    let wanted = wanted(app, to, from, new).await?;
    let (source, target) = (from.project_id, to.clone());
    if let Some(project) = target.project_id() {
        app.write(move |tx| lfs::copy_all(tx, source, project)).await?;
    }
    let mut running = packing.start()?;
    if let Some(mut stdin) = running.stdin() {
        stdin.write_all(wanted.as_bytes()).await?;
        stdin.shutdown().await?;
    }
    let pack = running.stdout().ok_or_else(|| Error::internal("git answers nothing"))?;
    let pack = Box::pin(pieces(pack, |_| {}));
    let commands = vec![command(name, old, new)];
    let landed = receive::take(app, to, commands, Some(pack)).await?;
    running.end().await?.check("git pack-objects")?;
    Ok(Ended::of(landed))
}

/// The new commit, without what both have.
async fn wanted(app: &App, to: &Pushing, from: &Elsewhere, new: ObjectId) -> Result<String> {
    let id = to.repository_id;
    let known = app.read(move |tx| refs::tips(tx, id, KNOWN)).await?;
    let work = move |objects: &Objects| objects.commits(&known);
    let shared = objects::read(app, &from.repository, work).await?;
    let mut wanted = format!("{new}\n");
    for commit in shared {
        wanted.push_str(&format!("^{}\n", commit.id));
    }
    Ok(wanted)
}
