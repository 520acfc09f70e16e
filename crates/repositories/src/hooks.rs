//! What rooms above plug in.

use crate::rules::pushes::Pushed;
use ::store::Tx;
use kernel::error::Result;

/// Work in the transaction that moves the refs of a push.
pub type OnPush = fn(&mut Tx<'_>, &Pushed<'_>) -> Result<()>;

/// Whether a deploy key may push to a project.
pub type DeployKeyPushes = fn(&mut Tx<'_>, i64, i64) -> Result<bool>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    /// Somebody pushed, or edited a branch: some of the refs moved.
    pub pushed: Vec<OnPush>,
    /// Of a project and a deploy key.
    pub deploy_key_pushes: Option<DeployKeyPushes>,
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
