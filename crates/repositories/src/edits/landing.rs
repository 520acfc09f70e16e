//! The last step of a change: one after the other for each holder on this node, by the
//! way that pushes go.

use super::pack::NewObjects;
use crate::access::Pushing;
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::Holder;
use crate::receive::{self, Landed};
use crate::rules::moves;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

/// A ref stands in the way of a new one.
pub const CONFLICT: &str = "Branch name conflicts with existing branch hierarchy.";
/// How long a change waits for others of its holder.
const WAIT: Duration = Duration::from_secs(60);
/// How many holders are written to at once at most.
const TURNS: usize = 256;

/// Who writes where. Without it many writers of one branch would mostly find that it
/// moved meanwhile.
struct Turns(Vec<Arc<Mutex<()>>>);

impl Default for Turns {
    fn default() -> Turns {
        Turns((0..TURNS).map(|_| Arc::default()).collect())
    }
}

/// Waits until nobody else here writes to the repository of a holder.
pub async fn turn(app: &App, holder: Holder) -> Result<OwnedMutexGuard<()>> {
    let turns = app.kept::<Turns>();
    let id = holder.snippet_id().or(holder.project_id()).or(holder.group_id());
    let id = id.unwrap_or_default();
    let at = usize::try_from(id).unwrap_or_default() % TURNS;
    let busy = |_| Error::Unavailable("Too many write to this now. Try again later.".into());
    timeout(WAIT, turns.0[at].clone().lock_owned()).await.map_err(busy)
}

/// How a change ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// The ref is elsewhere by now.
    Moved,
    /// Nothing changed, for this reason.
    Refused(String),
}

impl Ended {
    /// How a push of one ref ended.
    pub fn of(landed: Landed) -> Ended {
        match landed {
            Landed::BadObjects(text) | Landed::Refused(text) => Ended::Refused(text),
            Landed::Refs(refs) => match refs.into_iter().next() {
                Some(Err(text)) if text == moves::MOVED => Ended::Moved,
                Some(Err(text)) if text == moves::IN_THE_WAY => Ended::Refused(CONFLICT.into()),
                Some(Err(text)) => Ended::Refused(text),
                _ => Ended::Done,
            },
        }
    }
}

/// One ref that shall change.
pub fn command(name: RefName, old: ObjectId, new: ObjectId) -> Command {
    Command { sent_name: name.to_string(), name: Some(name), old, new }
}

/// Moves a ref to what was made, which these objects are needed for; without any it
/// goes, or leads to what is there.
pub async fn land(
    app: &App, to: &Pushing, name: RefName, old: ObjectId, new: ObjectId,
    objects: Option<NewObjects>,
) -> Result<Ended> {
    let commands = vec![command(name, old, new)];
    let pack = objects.map(NewObjects::into_pack);
    receive::take(app, to, commands, pack).await.map(Ended::of)
}
