//! The SQL of this room, by resource. Rules say what it is for.

pub mod applications;
pub mod attempts;
pub mod avatars;
pub mod ceremonies;
pub mod codes;
pub mod devices;
pub mod emails;
pub mod families;
pub mod follows;
pub mod mail_links;
pub mod recovery_codes;
pub mod security_keys;
pub mod sessions;
pub mod sign_in_locations;
pub mod signing_keys;
pub mod spam_logs;
pub mod steps;
pub mod token_list;
pub mod tokens;
pub mod totp;
pub mod two_factor;
pub mod user_list;
pub mod users;

use ::store::{Tx, sql};
use kernel::error::Result;

/// Deletes what has ended by itself.
pub fn sweep(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now();
    for ended in [
        sql!("delete from sessions where expires_at <= $1"),
        sql!("delete from mail_links where expires_at <= $1"),
        sql!("delete from sign_in_steps where expires_at <= $1"),
        sql!("delete from webauthn_ceremonies where expires_at <= $1"),
    ] {
        tx.execute(ended, (now,))?;
    }
    Ok(())
}
