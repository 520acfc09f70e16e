//! Between the password and the second factor: a sign-in that is half done,
//! known by a cookie of its own, for a few minutes and five tries.
//!
//! Every kind of second factor does the same in one transaction: [`find`]
//! the step, check, then [`pass`] or [`fail`]. So the tries are exact also
//! when many are made at once.

use crate::author::Author;
use crate::model::User;
use crate::sign_in::{self, Attempt, Outcome};
use crate::store::steps::NewStep;
pub use crate::store::steps::{Step, forget};
use crate::users;
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::{self, Secret};
use store::Tx;

pub const COOKIE: &str = "_service_step";
/// Seconds a step waits for its second factor.
pub const SECONDS: i64 = 300;
/// Wrong tries that end a step (docs/interface/identity.md 7).
pub const TRIES: i64 = 5;

/// Begins a step for a user whose password was right; its cookie's value is
/// returned here and never again.
pub fn begin(tx: &mut Tx<'_>, user: &User, attempt: &Attempt) -> Result<Secret> {
    let secret = secrets::random_token("");
    let now = tx.now();
    let new = NewStep {
        digest: secrets::digest(secret.expose()),
        user_id: user.id,
        remember: attempt.remember,
        return_to: &attempt.return_to,
        expires_at: now + jiff::SignedDuration::from_secs(SECONDS),
        created_at: now,
    };
    crate::store::steps::insert(tx, &new)?;
    Ok(secret)
}

/// The living step of this cookie, with its user.
pub fn find(tx: &mut Tx<'_>, cookie: &str) -> Result<Option<(Step, User)>> {
    let Some(step) = crate::store::steps::living(tx, secrets::digest(cookie), TRIES)? else {
        return Ok(None);
    };
    let user = users::find(tx, step.user_id)?;
    Ok(user.map(|user| (step, user)))
}

/// Ends a step whose second factor was right and goes on with the sign-in.
/// `visit` says from where: address, browser, the session before.
pub fn pass(tx: &mut Tx<'_>, step: &Step, visit: Attempt) -> Result<Outcome> {
    let ended = crate::store::steps::delete(tx, step.id)?;
    if ended == 0 {
        return Ok(Outcome::Wrong);
    }
    let attempt = Attempt {
        remember: step.remember,
        return_to: step.return_to.clone(),
        ..visit
    };
    sign_in::admit(tx, step.user_id, &attempt)
}

/// Counts a wrong try, for the step and for the account's lock-out. When none
/// is left the step has ended.
pub fn fail(tx: &mut Tx<'_>, step: &Step, ip: &str, why: String) -> Result<Tried> {
    let tries: Option<i64> = crate::store::steps::count_try(tx, step.id)?;
    sign_in::failed(tx, step.user_id, ip)?;
    Ok(match TRIES - tries.unwrap_or(TRIES) {
        0 => Tried::Ended,
        left => Tried::Wrong(left, why),
    })
}

/// What became of a code.
#[derive(Debug)]
pub enum Tried {
    /// It was right: the sign-in went on, or failed for another reason.
    Right(Step, Outcome),
    /// It was wrong; so many more tries, and a sentence on why.
    Wrong(i64, String),
    /// There is no such step any more.
    Ended,
}

/// Tries a code of the user's app or a recovery code.
pub fn by_code(
    app: &App, tx: &mut Tx<'_>, cookie: &str, code: &str, visit: &Attempt,
) -> Result<Tried> {
    let Some((step, user)) = find(tx, cookie)? else {
        return Ok(Tried::Ended);
    };
    let by = Author::at(user.id, &visit.ip);
    // A locked account takes no code, so that none is used up for nothing.
    let right = !user.is_locked(tx.now()) && super::use_code(app, tx, &by, &user, code)?;
    if right {
        let outcome = pass(tx, &step, visit.clone())?;
        return Ok(Tried::Right(step, outcome));
    }
    let why = "That is not right, or was used before.";
    fail(tx, &step, &visit.ip, why.into())
}
