//! Signing in: limits, lock-out and the session that follows.

use crate::author::Author;
use crate::mail_links::Purpose;
use crate::model::{User, UserState};
use crate::settings::SignIn;
use crate::store::users::forgive;
use crate::tasks::SendLink;
use crate::users;
use crate::{attempts, password, sessions, sign_in_locations, sign_up, two_factor};
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::enqueue_at;
use kernel::limits::counted_as;
use kernel::secrets::Secret;
use store::Tx;

/// Seconds over which sign-ins from one address are counted.
const WINDOW: i64 = 60;

/// A try to sign in.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub login: String,
    pub password: Secret,
    pub remember: bool,
    pub ip: String,
    pub agent: String,
    /// The session cookie the browser came with; that session ends.
    pub before: Option<String>,
    /// Where to go afterwards: a path of this origin.
    pub return_to: String,
}

/// How a try ended.
#[derive(Debug)]
pub enum Outcome {
    /// Signed in: the cookie of a new session.
    In(Secret),
    /// The password was right and a second factor is awaited: the cookie of
    /// the step between.
    Step(Secret),
    /// The password was right but must be changed first.
    Expired(Box<User>),
    /// The password was right but the account may not act.
    Refused(&'static str),
    /// Unknown user, wrong password or locked account: all the same.
    Wrong,
}

/// Tries to sign in. An unknown user costs one password hash like a known one.
pub async fn sign_in(app: &App, attempt: Attempt) -> Result<Outcome> {
    let ip = attempt.ip.clone();
    app.write(move |tx| count(tx, &ip)).await?;
    let login = attempt.login.clone();
    let found = app.read(move |tx| find(tx, &login)).await?;
    let hash = found.as_ref().and_then(|(_, hash)| hash.clone());
    let fits = password::verify(attempt.password.expose().to_owned(), hash).await?;
    let Some((user, _)) = found else {
        return Ok(Outcome::Wrong);
    };
    match fits {
        false => app.write(move |tx| failed(tx, user.id, &attempt.ip)).await,
        true => app.write(move |tx| fitted(tx, user.id, &attempt)).await,
    }
}

/// Checks a password outside the sign-in page, with the same limits and
/// lock-out. Nothing for whom passwords do not work there: unknown, not
/// active, locked, unconfirmed, with a password nobody chose or one that must
/// be changed. Of who has a second factor, or must have one, the password is
/// not looked at: nothing may be learnt about it here.
pub async fn check_password(
    app: &App, login: &str, password: &Secret, ip: &str,
) -> Result<Option<User>> {
    let (address, name) = (ip.to_owned(), login.to_owned());
    app.write(move |tx| count(tx, &address)).await?;
    let found = app.read(move |tx| find_alone(tx, &name)).await?;
    let hash = found.as_ref().and_then(|(_, hash)| hash.clone());
    let fits = password::verify(password.expose().to_owned(), hash).await?;
    let Some((user, _)) = found else {
        return Ok(None);
    };
    let (id, address) = (user.id, ip.to_owned());
    match fits {
        false => app.write(move |tx| failed(tx, id, &address)).await.map(|_| None),
        true => app.write(move |tx| usable(tx, id)).await,
    }
}

/// Whether this is the password of a user who is signed in, with the limits
/// and the lock-out of sign-in.
pub async fn is_password(app: &App, id: i64, password: &Secret, ip: &str) -> Result<bool> {
    let address = ip.to_owned();
    let hash: Option<String> = app
        .write(move |tx| {
            count(tx, &address)?;
            crate::store::users::password_hash(tx, id)
        })
        .await?;
    let fits = password::verify(password.expose().to_owned(), hash).await?;
    let address = ip.to_owned();
    app.write(move |tx| {
        let now = tx.now();
        let open = users::find(tx, id)?.is_some_and(|user| !user.is_locked(now));
        match fits && open {
            true => forgive(tx, id)?,
            false => drop(failed(tx, id, &address)?),
        }
        Ok(fits && open)
    })
    .await
}

/// The user of a right password, if it works outside the sign-in page.
fn usable(tx: &mut Tx<'_>, id: i64) -> Result<Option<User>> {
    let user = standing(tx, id)?;
    if user.is_some() {
        forgive(tx, id)?;
    }
    Ok(user)
}

/// A user whose password works outside the sign-in page.
pub(crate) fn standing(tx: &mut Tx<'_>, id: i64) -> Result<Option<User>> {
    let now = tx.now();
    let automatic = crate::store::users::is_automatic(tx, id)?;
    Ok(users::find(tx, id)?.filter(|user| {
        automatic == Some(false)
            && user.refusal().is_none()
            && user.confirmed_at.is_some()
            && !user.is_locked(now)
    }))
}

/// Counts a sign-in from an address, whatever becomes of it.
pub fn count(tx: &mut Tx<'_>, ip: &str) -> Result<()> {
    let rules: SignIn = kernel::settings::read(tx)?;
    attempts::count(tx, &format!("sign_in:{}", counted_as(ip)), rules.per_minute, WINDOW)
}

/// A user whose password does by itself, without a second factor.
pub(crate) fn find_alone(tx: &mut Tx<'_>, login: &str) -> Result<Option<(User, Option<String>)>> {
    let found = find(tx, login)?;
    let refused = match &found {
        Some((user, _)) => two_factor::requirement::refuses_password(tx, user)?,
        None => false,
    };
    Ok(found.filter(|_| !refused))
}

fn find(tx: &mut Tx<'_>, login: &str) -> Result<Option<(User, Option<String>)>> {
    let user = match users::find_by_username(tx, login)? {
        Some(user) => Some(user),
        None => users::find_by_email(tx, login)?,
    };
    let Some(user) = user.filter(User::is_human) else {
        return Ok(None);
    };
    let hash: Option<String> = crate::store::users::password_hash(tx, user.id)?;
    Ok(Some((user, hash)))
}

/// Counts a wrong password or second factor, and locks the account when there were too many.
pub(crate) fn failed(tx: &mut Tx<'_>, id: i64, ip: &str) -> Result<Outcome> {
    let rules: SignIn = kernel::settings::read(tx)?;
    let now = tx.now();
    let until = now + jiff::SignedDuration::from_mins(rules.unlock_minutes);
    let count: Option<i64> = crate::store::users::count_failure(tx, id, now)?;
    if count.is_some_and(|count| count >= rules.max_attempts) {
        crate::store::users::lock(tx, id, until)?;
        let by = Author::at(None, ip);
        if let Some(user) = users::find(tx, id)? {
            users::record(tx, &by, "user.lock", &user, serde_json::json!({}))?;
            enqueue_at(tx, &SendLink::new(id, Purpose::Unlock), now)?;
        }
    }
    Ok(Outcome::Wrong)
}

fn fitted(tx: &mut Tx<'_>, id: i64, attempt: &Attempt) -> Result<Outcome> {
    let waits = match users::find(tx, id)? {
        Some(user) if !user.is_locked(tx.now()) && two_factor::enabled(tx, id)? => Some(user),
        _ => None,
    };
    match waits {
        Some(user) => two_factor::step::begin(tx, &user, attempt).map(Outcome::Step),
        None => admit(tx, id, attempt),
    }
}

/// The end of a sign-in whose factors were all right.
pub(crate) fn admit(tx: &mut Tx<'_>, id: i64, attempt: &Attempt) -> Result<Outcome> {
    let Some(mut user) = users::find(tx, id)? else {
        return Ok(Outcome::Wrong);
    };
    if user.is_locked(tx.now()) {
        return Ok(Outcome::Wrong);
    }
    if user.state == UserState::Deactivated {
        users::set_state(tx, id, UserState::Active)?;
        user.state = UserState::Active;
    }
    if let Some(reason) = user.state.refusal() {
        return Ok(Outcome::Refused(reason));
    }
    if let Some(reason) = sign_up::refusal(tx, &user)? {
        return Ok(Outcome::Refused(reason));
    }
    if user.password_expired {
        return Ok(Outcome::Expired(Box::new(user)));
    }
    begin(tx, &user, attempt).map(Outcome::In)
}

/// Begins a session for a user who has proved to be themselves.
pub fn begin(tx: &mut Tx<'_>, user: &User, attempt: &Attempt) -> Result<Secret> {
    if let Some(before) = &attempt.before
        && let Some((session, owner)) = sessions::holder(tx, before)?
    {
        sessions::revoke(tx, owner.id, session.id)?;
    }
    let now = tx.now();
    let count: i64 = crate::store::users::note_sign_in(tx, user.id, now, &attempt.ip)?;
    users::note_activity(tx, user.id)?;
    sign_in_locations::note(tx, user, &attempt.ip, &attempt.agent, count == 1)?;
    let cookie = sessions::create(tx, user.id, attempt)?;
    let by = Author::at(user.id, &attempt.ip);
    users::record(tx, &by, "user.sign_in", user, serde_json::json!({}))?;
    Ok(cookie)
}

/// Ends a lock-out before its time.
pub fn unlock(tx: &mut Tx<'_>, by: &Author, user: &User) -> Result<()> {
    crate::store::users::unlock(tx, user.id)?;
    users::record(tx, by, "user.unlock", user, serde_json::json!({}))
}
