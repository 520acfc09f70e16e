//! Second factors at sign-in: codes of an app, security keys and recovery
//! codes (docs/interface/identity.md 7).
//!
//! Tables: `totp`, `recovery_codes`, `sign_in_steps`, and for security keys
//! `webauthn_keys` and `webauthn_ceremonies`. After the password,
//! [`step`] waits for the second factor; [`use_code`] takes a code there and
//! wherever else users prove to be themselves. [`duty`] says who must have
//! one. Whoever adds a kind of factor extends [`HAS_ONE`] and [`remove_all`],
//! and calls [`added`] and [`removed`].

pub mod keys;
pub mod recovery;
pub mod requirement;
pub mod settings;
pub mod step;
pub mod totp;

use crate::access;
use crate::author::Author;
use crate::model::{User, UserId};
pub use crate::store::two_factor::{HAS_ONE, among, enabled};
use crate::tasks::{self, Change};
use crate::users;
use crate::viewer::SignedIn;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use serde_json::json;
use store::Tx;

/// A factor of this kind was added. With the first one come the recovery
/// codes, which are shown once, and a mail.
pub fn added(
    tx: &mut Tx<'_>, by: &Author, user: &User, factor: &'static str,
) -> Result<Option<Vec<String>>> {
    let details = json!({"factor": factor});
    users::record(tx, by, "user.two_factor_enable", user, details)?;
    if recovery::has_any(tx, user.id)? {
        return Ok(None);
    }
    tasks::notify(tx, user, Change::TwoFactorOn)?;
    recovery::make(tx, user.id).map(Some)
}

/// A factor of this kind was removed. With the last one go the recovery codes
/// and every sign-in that waits for a code, and a mail is sent.
pub fn removed(tx: &mut Tx<'_>, by: &Author, user: &User, factor: &'static str) -> Result<()> {
    let details = json!({"factor": factor});
    users::record(tx, by, "user.two_factor_disable", user, details)?;
    if enabled(tx, user.id)? {
        return Ok(());
    }
    recovery::remove(tx, user.id)?;
    step::forget(tx, user.id)?;
    tasks::notify(tx, user, Change::TwoFactorOff)
}

/// Removes every factor of a user; false when there was none.
pub fn remove_all(tx: &mut Tx<'_>, by: &Author, user: &User) -> Result<bool> {
    if !enabled(tx, user.id)? {
        return Ok(false);
    }
    totp::remove(tx, user.id)?;
    keys::remove_all(tx, user.id)?;
    removed(tx, by, user, "all")?;
    Ok(true)
}

/// An administrator removes every factor of a user who lost theirs; never
/// their own or another administrator's (docs/interface/identity.md 5).
pub fn end_for(tx: &mut Tx<'_>, admin: &SignedIn, id: UserId) -> Result<User> {
    let user = users::find(tx, id)?.found("User")?;
    if !access::may_end_two_factor(admin, &user) {
        return Err(Error::forbidden(""));
    }
    match remove_all(tx, &Author::from(admin), &user)? {
        true => Ok(user),
        false => Err(Error::BadRequest(
            "Two-factor authentication is not enabled for this user".into(),
        )),
    }
}

/// Makes new recovery codes in place of the old, and tells the user.
pub fn renew_codes(tx: &mut Tx<'_>, by: &Author, user: &User) -> Result<Vec<String>> {
    let codes = recovery::make(tx, user.id)?;
    users::record(tx, by, "user.recovery_codes_make", user, json!({}))?;
    tasks::notify(tx, user, Change::RecoveryCodes)?;
    Ok(codes)
}

/// Takes a code of the user's app, or uses up a recovery code; false when it
/// is neither, or was taken before.
pub fn use_code(app: &App, tx: &mut Tx<'_>, by: &Author, user: &User, typed: &str) -> Result<bool> {
    match totp::digits(typed) {
        Some(code) => totp::take(app, tx, user.id, &code),
        None => recovery::take(tx, by, user, typed),
    }
}
