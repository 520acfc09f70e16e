//! Browser sessions: a random cookie, its digest in the database.

use crate::model::{User, UserId};
use crate::settings::Sessions;
use http::HeaderValue;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::{self, Secret};
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Name of the session's cookie.
pub const COOKIE: &str = "_service_session";
/// Longest user agent kept, in characters.
const MAX_AGENT: usize = 255;

/// One session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Id.
    pub id: i64,
    /// Whose.
    pub user_id: UserId,
    /// Where it was last used from.
    pub ip_address: Option<String>,
    /// The browser.
    pub user_agent: Option<String>,
    /// Outlives the browser.
    pub remembered: bool,
    /// Last use, exact to ten minutes.
    pub last_used_at: Timestamp,
    /// Ends then unless used before.
    pub expires_at: Timestamp,
    /// Signed in then.
    pub created_at: Timestamp,
    /// Last proved then that it is still the same person; sign-in counts.
    pub proved_at: Timestamp,
    /// Has an administrator's rights until then, where these are asked for.
    pub admin_until: Option<Timestamp>,
}

store::from_row! { Session {
    id, user_id, ip_address, user_agent, remembered, last_used_at, expires_at, created_at,
    proved_at, admin_until
} }

/// One of our cookies as a browser is told of it; with a lifetime in seconds
/// if it outlives the browser.
pub fn cookie(app: &App, name: &str, value: &str, max_age: Option<i64>) -> Result<HeaderValue> {
    let secure = if app.is_https() { "; Secure" } else { "" };
    let age = max_age
        .map(|seconds| format!("; Max-Age={seconds}"))
        .unwrap_or_default();
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}");
    HeaderValue::from_str(&cookie).map_err(Error::internal)
}

/// Begins a session; its cookie's value is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>,
    user: UserId,
    remembered: bool,
    ip: &str,
    agent: &str,
) -> Result<(i64, Secret)> {
    let rules: Sessions = kernel::settings::read(tx)?;
    let remembered = remembered && rules.remember_me;
    let secret = secrets::random_token("");
    let now = tx.now();
    let agent: String = agent.chars().take(MAX_AGENT).collect();
    let id = tx.one(
        sql!(
            "insert into sessions (digest, user_id, ip_address, user_agent, remembered,
                last_used_at, expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $6) returning id"
        ),
        (
            secrets::digest(secret.expose()),
            user,
            ip,
            agent,
            remembered,
            now,
            now + rules.lifetime(remembered),
        ),
    )?;
    Ok((id, secret))
}

/// The living session of this cookie with its user.
pub fn holder(tx: &mut Tx<'_>, cookie: &str) -> Result<Option<(Session, User)>> {
    let now = tx.now();
    let session: Option<Session> = tx.optional(
        sql!(
            "select id, user_id, ip_address, user_agent, remembered, last_used_at, expires_at,
                created_at, coalesce(proved_at, created_at) as proved_at, admin_until
             from sessions where digest = $1 and expires_at > $2"
        ),
        (secrets::digest(cookie), now),
    )?;
    let Some(session) = session else {
        return Ok(None);
    };
    let user = crate::users::find(tx, session.user_id)?;
    Ok(user.map(|user| (session, user)))
}

/// When a living session's user signed in.
pub fn began(tx: &mut Tx<'_>, id: i64) -> Result<Option<Timestamp>> {
    Ok(tx.optional(sql!("select created_at from sessions where id = $1"), (id,))?)
}

/// Notes that it is still the same person.
pub fn prove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update sessions set proved_at = $2 where id = $1"),
        (id, now),
    )?;
    Ok(())
}

/// Gives the session an administrator's rights until then, or none.
pub(crate) fn set_admin_until(tx: &mut Tx<'_>, id: i64, until: Option<Timestamp>) -> Result<()> {
    tx.execute(
        sql!("update sessions set admin_until = $2 where id = $1"),
        (id, until),
    )?;
    Ok(())
}

/// Notes a use and puts the end off.
pub fn touch(tx: &mut Tx<'_>, session: &Session, ip: &str) -> Result<()> {
    let rules: Sessions = kernel::settings::read(tx)?;
    let now = tx.now();
    tx.execute(
        sql!(
            "update sessions set last_used_at = $2, expires_at = $3, ip_address = $4 where id = $1"
        ),
        (
            session.id,
            now,
            now + rules.lifetime(session.remembered),
            ip,
        ),
    )?;
    crate::users::note_activity(tx, session.user_id)
}

/// A user's living sessions, the last used first.
pub fn list(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Session>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select id, user_id, ip_address, user_agent, remembered, last_used_at, expires_at,
                created_at, coalesce(proved_at, created_at) as proved_at, admin_until
             from sessions where user_id = $1 and expires_at > $2
             order by last_used_at desc, id desc limit 100"
        ),
        (user, now),
    )?)
}

/// Ends one of a user's sessions; false when there is none.
pub fn revoke(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<bool> {
    let ended = tx.execute(
        sql!("delete from sessions where id = $1 and user_id = $2"),
        (id, user),
    )?;
    Ok(ended > 0)
}

/// Ends all of a user's sessions but one.
pub fn revoke_others(tx: &mut Tx<'_>, user: UserId, kept: Option<i64>) -> Result<u64> {
    Ok(tx.execute(
        sql!("delete from sessions where user_id = $1 and id <> $2"),
        (user, kept.unwrap_or(0)),
    )?)
}

/// Deletes sessions that ended.
pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(sql!("delete from sessions where expires_at <= $1"), (now,))?)
}
