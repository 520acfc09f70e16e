//! What a repository lacks of another one of its network of forks, as a pack.

use crate::formats::object_id::ObjectId;
use crate::model::Repository;
use crate::objects::{self, Objects};
use crate::on_disk::pieces;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::programs::{Invocation, Running};
use tokio::io::AsyncWriteExt;

/// Branches whose objects are not sent again.
pub const KNOWN: i64 = 50;

/// What git is asked for: the new commits, without those of the known ones that are there,
/// too.
pub async fn lacked(
    app: &App, from: &Repository, known: Vec<ObjectId>, new: &[ObjectId],
) -> Result<String> {
    let work = move |objects: &Objects| objects.commits(&known);
    let shared = objects::read(app, from, work).await?;
    let mut wanted: String = new.iter().map(|id| format!("{id}\n")).collect();
    for commit in shared {
        wanted.push_str(&format!("^{}\n", commit.id));
    }
    Ok(wanted)
}

/// Has git pack that: the pack as it comes, and git, which is to be asked in the end
/// whether it is whole.
pub async fn pack(
    git: Invocation, wanted: &str,
) -> Result<(BoxStream<'static, Result<Bytes>>, Running)> {
    let packing =
        git.args(["pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset"]);
    let mut running = packing.start()?;
    if let Some(mut stdin) = running.stdin() {
        stdin.write_all(wanted.as_bytes()).await?;
        stdin.shutdown().await?;
    }
    let pack = running.stdout().ok_or_else(|| Error::internal("git answers nothing"))?;
    Ok((pieces(pack, |_| {}).boxed(), running))
}
