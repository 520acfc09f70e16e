//! What is done later: the payloads of jobs that rules enqueue. How they run is
//! in `jobs`.

use crate::mail_links::purpose::Purpose;
use crate::model::{User, UserId};
use kernel::error::Result;
use serde::{Deserialize, Serialize};
use store::Tx;

/// Sends a one-time link. The token is made when the mail is, so that no job
/// holds a secret.
#[derive(Debug, Serialize, Deserialize)]
pub struct SendLink {
    pub user: i64,
    /// What for: [`Purpose`] as text.
    pub purpose: String,
    /// The further address to confirm.
    pub email: Option<i64>,
}

impl SendLink {
    /// A link for the primary address.
    pub fn new(user: i64, purpose: Purpose) -> SendLink {
        SendLink { user, purpose: purpose.as_str().to_owned(), email: None }
    }
}

kernel::choices! {
    pub enum Change {
        Password = "password",
        Email = "email",
        Addresses = "addresses",
        Token = "token",
        ApplicationSecret = "application_secret",
        TwoFactorOn = "two_factor_on",
        TwoFactorOff = "two_factor_off",
        RecoveryCodes = "recovery_codes",
        RecoveryCodeUsed = "recovery_code_used",
        KeyAdded = "key_added",
        KeyRemoved = "key_removed",
        KeyCopied = "key_copied",
        SshKeyAdded = "ssh_key_added",
        GpgKeyAdded = "gpg_key_added",
    }
}

/// Tells a user that their account changed, so that a thief shows.
#[derive(Debug, Serialize, Deserialize)]
pub struct Notify {
    pub user: i64,
    /// What changed: [`Change`] as text.
    pub change: String,
    /// Where to: for a changed address, the one before.
    pub to: String,
}

pub fn notify(tx: &mut Tx<'_>, user: &User, change: Change) -> Result<()> {
    let now = tx.now();
    let job = Notify {
        user: user.id,
        change: change.as_str().to_owned(),
        to: user.email.clone(),
    };
    kernel::jobs::enqueue_at(tx, &job, now)
}

/// Tells an address that somebody tried to sign up with it, though it has an
/// account.
#[derive(Debug, Serialize, Deserialize)]
pub struct AddressInUse {
    pub to: String,
}

/// Tells one administrator that somebody waits to be let in.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingUser {
    pub user: i64,
    pub administrator: i64,
}

/// Tells who waited what an administrator decided. Who was turned away is
/// gone by then, so the job holds what the mail needs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Decided {
    pub to: String,
    pub name: String,
    pub approved: bool,
}

impl Decided {
    /// About a user, before a refusal deletes them.
    pub fn of(user: &User, approved: bool) -> Decided {
        Decided { to: user.email.clone(), name: user.name.clone(), approved }
    }
}

/// Tells a user that somebody signed in from a place they have not been to.
/// The session may have ended by then, so the job holds what the mail says.
#[derive(Debug, Serialize, Deserialize)]
pub struct NewPlace {
    pub user: i64,
    /// When, in microseconds since 1970.
    pub at: i64,
    pub ip: String,
    /// With which browser, as people call it.
    pub browser: String,
}

/// Hands over what a user made, then forgets the user.
#[derive(Debug, Serialize, Deserialize)]
pub struct DestroyUser {
    pub user: UserId,
    /// Who gets what they made; nobody when it is to lose its author.
    pub heir: Option<UserId>,
}

/// Tells a user that a refresh token of theirs was used twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellReuse {
    pub family: i64,
}
