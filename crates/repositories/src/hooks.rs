//! What rooms above plug in.

use crate::rules::pushes::Pushed;
use ::store::Tx;
use kernel::error::Result;

/// Work in the transaction that moves the refs of a push.
pub type OnPush = fn(&mut Tx<'_>, &Pushed<'_>) -> Result<()>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    /// Somebody pushed, or edited a branch: some of the refs moved.
    pub pushed: Vec<OnPush>,
}

pub(crate) fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.pushed.iter().try_for_each(|hook| hook(tx, push))
}
