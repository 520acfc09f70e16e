//! What rooms above plug in.

use crate::access::{Address, Service};
use crate::model::{Holder, Repository, RepositoryKind};
use crate::place::Content;
use crate::protection::Way;
use crate::receive::Quarantine;
use crate::rules::moves::RefMove;
use crate::rules::push::PushRefused;
use crate::rules::pushes::Pushed;
use ::store::Tx;
use futures_util::future::BoxFuture;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use serde_json::Value;

/// Work in the transaction that moves the refs of a push.
pub type OnPush = fn(&mut Tx<'_>, &Pushed<'_>) -> Result<()>;

/// Whether a deploy key may push to a project.
pub type DeployKeyPushes = fn(&mut Tx<'_>, i64, i64) -> Result<bool>;

/// A push to the repository of a room above, before any ref moves.
#[derive(Clone, Copy)]
pub struct Arriving<'a> {
    pub app: &'a App,
    pub content: &'a Content,
    pub repository: &'a Repository,
    /// The new objects, beside those that are there.
    pub quarantine: &'a Quarantine,
    pub moves: &'a [RefMove],
    pub way: Way,
}

/// The same as its refs move.
pub struct Arrived<'a> {
    pub viewer: &'a Viewer,
    pub holder: Holder,
    pub repository_id: i64,
    /// What was noted of it before.
    pub noted: &'a Value,
}

/// What comes of looking at a push: a refusal, or what is noted for [`Contents::arrived`].
pub type Judged = Result<std::result::Result<Value, PushRefused>>;

/// What a room above keeps in repositories of one kind.
#[derive(Clone, Copy)]
pub struct Contents {
    pub kind: RepositoryKind,
    /// What git's user is told of what is not there, or hidden.
    pub not_found: &'static str,
    /// What stands at an address, or stood there before its holder moved; whoever asks.
    pub find: fn(&mut Tx<'_>, &Address) -> Result<Option<Content>>,
    /// Refuses who may not do this with it: not found, or forbidden in words.
    pub authorize: fn(&mut Tx<'_>, &Viewer, &Content, Service) -> Result<()>,
    /// Looks at what is pushed.
    pub judge: for<'a> fn(Arriving<'a>) -> BoxFuture<'a, Judged>,
    /// Work in the transaction that moves the refs.
    pub arrived: fn(&mut Tx<'_>, &Arrived<'_>) -> Result<()>,
}

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    /// Somebody pushed, or edited a branch: some of the refs moved.
    pub pushed: Vec<OnPush>,
    /// Of a project and a deploy key.
    pub deploy_key_pushes: Option<DeployKeyPushes>,
    /// What other repositories there are than those of code.
    pub contents: Vec<Contents>,
}

/// The room that keeps repositories of this kind.
pub(crate) fn contents<'t>(tx: &Tx<'t>, kind: RepositoryKind) -> Result<&'t Contents> {
    let hooks: &Hooks = tx.plugged()?;
    let room = hooks.contents.iter().find(|one| one.kind == kind);
    room.ok_or(Error::NotFound("Repository"))
}

pub(crate) fn may_deploy_key_push(tx: &mut Tx<'_>, project_id: i64, key_id: i64) -> Result<bool> {
    match tx.plugged::<Hooks>()?.deploy_key_pushes {
        Some(pushes) => pushes(tx, project_id, key_id),
        None => Ok(false),
    }
}

pub(crate) fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.pushed.iter().try_for_each(|hook| hook(tx, push))
}

pub(crate) fn arrived(tx: &mut Tx<'_>, push: &Arrived<'_>) -> Result<()> {
    let room = contents(tx, push.holder.kind())?;
    (room.arrived)(tx, push)
}
