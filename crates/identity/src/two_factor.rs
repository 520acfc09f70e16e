//! Second factors at sign-in: codes of an app and recovery codes (contract
//! «Sign-in page, two-factor»).
//!
//! Tables: `totp`, `recovery_codes`, `sign_in_steps`. After the password,
//! [`step`] waits for the second factor; [`use_code`] takes a code there and
//! wherever else users prove to be themselves.

pub mod recovery;
pub mod step;
pub mod totp;

use crate::model::{User, UserId};
use crate::users::Author;
use kernel::app::App;
use kernel::error::Result;
use store::{Fragment, Tx};

/// SQL condition on `users`: has set up a second factor, of whatever kind.
pub const HAS_ONE: &str = "(exists (select 1 from totp where totp.user_id = users.id)
    or exists (select 1 from webauthn_keys where webauthn_keys.user_id = users.id))";

/// Whether sign-in asks this user for a second factor.
pub fn enabled(tx: &mut Tx<'_>, user: UserId) -> Result<bool> {
    let mut sql = Fragment::new("select 1 from users where ");
    sql.raw(HAS_ONE).push(" and users.id = ", user);
    let found: Vec<i64> = tx.query(sql)?;
    Ok(!found.is_empty())
}

/// Takes a code of the user's app, or uses up a recovery code; false when it
/// is neither, or was taken before.
pub fn use_code(app: &App, tx: &mut Tx<'_>, by: &Author, user: &User, typed: &str) -> Result<bool> {
    match totp::digits(typed) {
        Some(code) => totp::take(app, tx, user.id, &code),
        None => recovery::take(tx, by, user, typed),
    }
}

// Security keys, over the two tables `webauthn_keys` and `webauthn_ceremonies`.
pub mod ceremonies;
pub mod keys;
