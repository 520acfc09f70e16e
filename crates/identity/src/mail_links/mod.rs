//! One-time links sent by mail: to choose a password, to unlock an account,
//! to confirm an address.
//!
//! The link holds a random token, the table `mail_links` its digest. A new
//! link replaces the one before; using it, or what it is for being done
//! another way, ends it.

pub mod purpose;

pub use purpose::Purpose;

use crate::model::{User, UserId, UserState};
use crate::store::mail_links::NewLink;
pub use crate::store::mail_links::{Link, forget};
use kernel::error::Result;
use kernel::secrets::{self, Secret};
use store::Tx;

/// Makes a link; its token is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>, user: UserId, purpose: Purpose, email_id: Option<i64>,
) -> Result<Secret> {
    crate::store::mail_links::forget_of(tx, user, purpose, email_id)?;
    let secret = secrets::random_token("");
    let now = tx.now();
    let new = NewLink {
        digest: secrets::digest(secret.expose()),
        user_id: user,
        purpose,
        email_id,
        expires_at: now + jiff::SignedDuration::from_hours(purpose.hours()),
        created_at: now,
    };
    crate::store::mail_links::insert(tx, &new)?;
    Ok(secret)
}

/// The living link of this token, with a user who may use it.
pub fn find(tx: &mut Tx<'_>, purpose: Purpose, token: &str) -> Result<Option<(Link, User)>> {
    let digest = secrets::digest(token);
    let Some(link) = crate::store::mail_links::living(tx, digest, purpose)? else {
        return Ok(None);
    };
    let user = crate::users::find(tx, link.user_id)?;
    Ok(user.filter(|user| may_use(user, purpose)).map(|user| (link, user)))
}

/// Whether somebody may get and use such links: who may sign in by browser,
/// and to confirm an address who waits to be let in.
pub fn may_use(user: &User, purpose: Purpose) -> bool {
    let state = match user.state {
        UserState::Active | UserState::Deactivated => true,
        UserState::BlockedPendingApproval => purpose == Purpose::Confirm,
        _ => false,
    };
    user.is_human() && state
}

/// Uses a link up; of several tries at once one gets it.
pub fn take(tx: &mut Tx<'_>, purpose: Purpose, token: &str) -> Result<Option<(Link, User)>> {
    let Some((link, user)) = find(tx, purpose, token)? else {
        return Ok(None);
    };
    let ended = crate::store::mail_links::delete(tx, link.id)?;
    Ok((ended > 0).then_some((link, user)))
}
