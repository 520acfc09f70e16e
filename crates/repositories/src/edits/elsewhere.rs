//! Commits that begin in another repository of a network of forks: what they lead to
//! comes along with them, in one pack, as a push.

use super::landing::{Ended, command};
use super::pack::NewObjects;
use crate::access::Pushing;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::lacked::{KNOWN, lacked, pack};
use crate::lfs;
use crate::model::Repository;
use crate::receive::limits::PushLimits;
use crate::receive::{self, objects as received};
use crate::store::refs;
use bytes::Bytes;
use kernel::app::App;
use kernel::error::Result;

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
    let git = made.git(app).await?;
    let wanted = wanted(app, to, from, new).await?;
    let (source, target) = (from.project_id, to.clone());
    if let Some(project) = target.project_id() {
        app.write(move |tx| lfs::copy_all(tx, source, project)).await?;
    }
    let (pack, running) = pack(git, &wanted).await?;
    let commands = vec![command(name, old, new)];
    let landed = receive::take(app, to, commands, Some(pack)).await?;
    running.end().await?.check("git pack-objects")?;
    Ok(Ended::of(landed))
}

/// The new commit, without what both have.
async fn wanted(app: &App, to: &Pushing, from: &Elsewhere, new: ObjectId) -> Result<String> {
    let id = to.repository_id;
    let known = app.read(move |tx| refs::tips(tx, id, KNOWN)).await?;
    lacked(app, &from.repository, known, &[new]).await
}
