//! What administrators do to accounts: the rules that REST and pages share.

use super::change::{Change, NewUser, create, update};
use super::emails::unconfirm;
use crate::author::Author;
use crate::mail_links::Purpose;
use crate::model::{User, UserId};
use crate::tasks::SendLink;
use crate::viewer::SignedIn;
use kernel::error::{Error, Found, Result};
use store::Tx;

/// Makes a user, who gets a link by mail: to choose a password where they are
/// to, or to confirm the address. Who chooses a password by mail has confirmed
/// the address by it.
pub fn make(tx: &mut Tx<'_>, by: &Author, new: &NewUser, chooses_password: bool) -> Result<User> {
    let user = create(tx, by, new)?;
    match (chooses_password, new.confirmed) {
        (true, _) => send_link(tx, user.id, Purpose::Password)?,
        (false, false) => send_link(tx, user.id, Purpose::Confirm)?,
        (false, true) => {}
    }
    Ok(user)
}

/// Changes a user. A new address has to be confirmed first, unless it counts as
/// confirmed.
pub fn alter(
    tx: &mut Tx<'_>, admin: &SignedIn, id: UserId, change: &Change, counts_as_confirmed: bool,
) -> Result<User> {
    if change.admin == Some(false) {
        if admin.user.id == id {
            return Err(Error::forbidden("You cannot take your own administration away"));
        }
        keep_an_administrator(tx, id)?;
    }
    let before = super::find(tx, id)?.found("User")?;
    let user = update(tx, &Author::from(admin), id, change)?;
    if counts_as_confirmed || before.email == user.email {
        return Ok(user);
    }
    send_link(tx, id, Purpose::Confirm)?;
    unconfirm(tx, &user)
}

/// Sends a user a link to choose a new password, if they may sign in by one.
pub fn send_password_link(tx: &mut Tx<'_>, by: &Author, user: &User) -> Result<()> {
    if !crate::mail_links::may_use(user, Purpose::Password) {
        return Err(Error::forbidden("This account cannot sign in, so no link was sent"));
    }
    send_link(tx, user.id, Purpose::Password)?;
    super::record(tx, by, "user.password_link", user, serde_json::json!({}))
}

fn send_link(tx: &mut Tx<'_>, user: UserId, purpose: Purpose) -> Result<()> {
    let now = tx.now();
    kernel::jobs::enqueue_at(tx, &SendLink::new(user, purpose), now)
}

/// Refuses to take rights or account of this user while no other administrator
/// could act: two may have been about to do it to each other.
pub(super) fn keep_an_administrator(tx: &mut Tx<'_>, id: UserId) -> Result<()> {
    match crate::store::users::has_other_administrator(tx, id)? {
        true => Ok(()),
        false => Err(Error::forbidden("The last administrator cannot be spared")),
    }
}
