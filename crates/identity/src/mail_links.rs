//! One-time links sent by mail: to choose a password, to unlock an account,
//! to confirm an address.
//!
//! The link holds a random token, the table `mail_links` its digest. A new
//! link replaces the one before; using it, or what it is for being done
//! another way, ends it.

use crate::model::{User, UserId, UserState};
use kernel::error::Result;
use kernel::secrets::{self, Secret};
use store::{Tx, sql};

kernel::choices! {
    /// What a link is for.
    pub enum Purpose {
        /// To choose a password.
        Password = "password",
        /// To end a lock-out.
        Unlock = "unlock",
        /// To confirm an address.
        Confirm = "confirm",
    }
}

impl Purpose {
    /// Hours a link works (contract «Credentials and lifetimes»).
    pub fn hours(self) -> i64 {
        match self {
            Purpose::Password => 48,
            Purpose::Unlock | Purpose::Confirm => 24,
        }
    }

    /// The page it leads to, up to the token.
    pub fn page(self) -> &'static str {
        match self {
            Purpose::Password => "/users/password/edit?reset_password_token=",
            Purpose::Unlock => "/users/unlock?unlock_token=",
            Purpose::Confirm => "/users/confirmation?confirmation_token=",
        }
    }
}

/// What a link stands for.
#[derive(Debug, Clone)]
pub struct Link {
    /// Id.
    pub id: i64,
    /// Whose.
    pub user_id: UserId,
    /// The further address to confirm; `None` is the primary one.
    pub email_id: Option<i64>,
}

store::from_row! { Link { id, user_id, email_id } }

/// Makes a link; its token is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>,
    user: UserId,
    purpose: Purpose,
    email_id: Option<i64>,
) -> Result<Secret> {
    tx.execute(
        sql!(
            "delete from mail_links where user_id = $1 and purpose = $2
                and coalesce(email_id, 0) = $3"
        ),
        (user, purpose, email_id.unwrap_or(0)),
    )?;
    let secret = secrets::random_token("");
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into mail_links (digest, user_id, purpose, email_id, expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        (
            secrets::digest(secret.expose()),
            user,
            purpose,
            email_id,
            now + jiff::SignedDuration::from_hours(purpose.hours()),
            now,
        ),
    )?;
    Ok(secret)
}

/// The living link of this token, with a user who may use it.
pub fn find(tx: &mut Tx<'_>, purpose: Purpose, token: &str) -> Result<Option<(Link, User)>> {
    let now = tx.now();
    let link: Option<Link> = tx.optional(
        sql!(
            "select id, user_id, email_id from mail_links
             where digest = $1 and purpose = $2 and expires_at > $3"
        ),
        (secrets::digest(token), purpose, now),
    )?;
    let Some(link) = link else {
        return Ok(None);
    };
    let user = crate::users::find(tx, link.user_id)?;
    Ok(user
        .filter(|user| may_use(user, purpose))
        .map(|user| (link, user)))
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
    let ended = tx.execute(sql!("delete from mail_links where id = $1"), (link.id,))?;
    Ok((ended > 0).then_some((link, user)))
}

/// Ends a user's links of one purpose.
pub fn forget(tx: &mut Tx<'_>, user: UserId, purpose: Purpose) -> Result<()> {
    tx.execute(
        sql!("delete from mail_links where user_id = $1 and purpose = $2"),
        (user, purpose),
    )?;
    Ok(())
}

/// Deletes links that ended.
pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!("delete from mail_links where expires_at <= $1"),
        (now,),
    )?)
}
