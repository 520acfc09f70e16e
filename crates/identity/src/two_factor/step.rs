//! Between the password and the second factor: a sign-in that is half done,
//! known by a cookie of its own, for a few minutes and five tries.
//!
//! Every kind of second factor does the same in one transaction: [`find`]
//! the step, check, then [`pass`] or [`fail`]. So the tries are exact also
//! when many are made at once.

use crate::model::{User, UserId};
use crate::sign_in::{self, Attempt, Outcome};
use crate::users::{self, Author};
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::{self, Secret};
use store::{Tx, sql};

/// Name of the cookie that holds a step's token.
pub const COOKIE: &str = "_service_step";
/// Seconds a step waits for its second factor.
pub const SECONDS: i64 = 300;
/// Wrong tries that end a step (contract «Sign-in page»).
pub const TRIES: i64 = 5;

/// A sign-in that waits for its second factor.
#[derive(Debug, Clone)]
pub struct Step {
    /// Id.
    pub id: i64,
    /// Who knew the password.
    pub user_id: UserId,
    /// Outlive the browser.
    pub remember: bool,
    /// Where to go afterwards: a path of this origin.
    pub return_to: String,
    /// Wrong tries so far.
    pub tries: i64,
}

store::from_row! { Step { id, user_id, remember, return_to, tries } }

/// Begins a step for a user whose password was right; its cookie's value is
/// returned here and never again.
pub fn begin(tx: &mut Tx<'_>, user: &User, attempt: &Attempt) -> Result<Secret> {
    let secret = secrets::random_token("");
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into sign_in_steps (digest, user_id, remember, return_to, expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        (
            secrets::digest(secret.expose()),
            user.id,
            attempt.remember,
            attempt.return_to.as_str(),
            now + jiff::SignedDuration::from_secs(SECONDS),
            now,
        ),
    )?;
    Ok(secret)
}

/// The living step of this cookie, with its user.
pub fn find(tx: &mut Tx<'_>, cookie: &str) -> Result<Option<(Step, User)>> {
    let now = tx.now();
    let step: Option<Step> = tx.optional(
        sql!(
            "select id, user_id, remember, return_to, tries from sign_in_steps
             where digest = $1 and expires_at > $2 and tries < $3"
        ),
        (secrets::digest(cookie), now, TRIES),
    )?;
    let Some(step) = step else {
        return Ok(None);
    };
    let user = users::find(tx, step.user_id)?;
    Ok(user.map(|user| (step, user)))
}

/// Ends a step whose second factor was right and goes on with the sign-in.
/// `visit` says from where: address, browser, the session before.
pub fn pass(tx: &mut Tx<'_>, step: &Step, visit: Attempt) -> Result<Outcome> {
    let ended = tx.execute(sql!("delete from sign_in_steps where id = $1"), (step.id,))?;
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

/// Counts a wrong try, for the step and for the account's lock-out; how many
/// are left. At none the step has ended.
pub fn fail(tx: &mut Tx<'_>, step: &Step, ip: &str) -> Result<i64> {
    let tries: Option<i64> = tx.optional(
        sql!("update sign_in_steps set tries = tries + 1 where id = $1 returning tries"),
        (step.id,),
    )?;
    sign_in::failed(tx, step.user_id, ip)?;
    Ok(TRIES - tries.unwrap_or(TRIES))
}

/// What became of a code.
#[derive(Debug)]
pub enum Tried {
    /// It was right: the sign-in went on, or failed for another reason.
    Right(Step, Outcome),
    /// It was wrong; so many more tries.
    Wrong(i64),
    /// There is no such step any more.
    Ended,
}

/// Tries a code of the user's app or a recovery code.
pub fn by_code(
    app: &App,
    tx: &mut Tx<'_>,
    cookie: &str,
    code: &str,
    visit: &Attempt,
) -> Result<Tried> {
    let Some((step, user)) = find(tx, cookie)? else {
        return Ok(Tried::Ended);
    };
    let by = Author {
        id: Some(user.id),
        ip: Some(visit.ip.clone()),
    };
    // A locked account takes no code, so that none is used up for nothing.
    let right = !user.is_locked(tx.now()) && super::use_code(app, tx, &by, &user, code)?;
    if right {
        let outcome = pass(tx, &step, visit.clone())?;
        return Ok(Tried::Right(step, outcome));
    }
    match fail(tx, &step, &visit.ip)? {
        0 => Ok(Tried::Ended),
        left => Ok(Tried::Wrong(left)),
    }
}

/// Ends all steps of a user: the password they began with is another one, or
/// no factor is left to wait for.
pub fn forget(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.execute(
        sql!("delete from sign_in_steps where user_id = $1"),
        (user,),
    )?;
    Ok(())
}

/// Deletes steps that ended.
pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!("delete from sign_in_steps where expires_at <= $1"),
        (now,),
    )?)
}
