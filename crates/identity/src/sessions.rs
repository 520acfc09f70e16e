//! Browser sessions: a random cookie, its digest in the database.

use crate::model::{User, UserId};
use crate::settings::Sessions;
use crate::sign_in::Attempt;
use crate::store::sessions::NewSession;
pub(crate) use crate::store::sessions::set_admin_until;
pub use crate::store::sessions::{Session, began, list, prove, revoke, revoke_others};
use http::HeaderValue;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::{self, Secret};
use store::Tx;

pub const COOKIE: &str = "_service_session";
/// Longest user agent kept, in characters.
const MAX_AGENT: usize = 255;

/// One of our cookies as a browser is told of it; with a lifetime in seconds
/// if it outlives the browser.
pub fn cookie(app: &App, name: &str, value: &str, max_age: Option<i64>) -> Result<HeaderValue> {
    let secure = if app.is_https() { "; Secure" } else { "" };
    let age = max_age.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}");
    HeaderValue::from_str(&cookie).map_err(Error::internal)
}

/// Begins a session; its cookie's value is returned here and never again.
pub fn create(tx: &mut Tx<'_>, user: UserId, attempt: &Attempt) -> Result<Secret> {
    let rules: Sessions = kernel::settings::read(tx)?;
    let remembered = attempt.remember && rules.remember_me;
    let (secret, now) = (secrets::random_token(""), tx.now());
    let new = NewSession {
        digest: secrets::digest(secret.expose()),
        user_id: user,
        ip_address: &attempt.ip,
        user_agent: attempt.agent.chars().take(MAX_AGENT).collect(),
        remembered,
        last_used_at: now,
        expires_at: now + rules.lifetime(remembered),
        created_at: now,
    };
    crate::store::sessions::insert(tx, &new)?;
    Ok(secret)
}

impl Session {
    /// With what it is, as people call it.
    pub fn browser(&self) -> String {
        crate::agents::name(self.user_agent.as_deref().unwrap_or_default())
    }
}

/// The living session of this cookie with its user.
pub fn holder(tx: &mut Tx<'_>, cookie: &str) -> Result<Option<(Session, User)>> {
    let Some(session) = crate::store::sessions::living(tx, secrets::digest(cookie))? else {
        return Ok(None);
    };
    let user = crate::users::find(tx, session.user_id)?;
    Ok(user.map(|user| (session, user)))
}

/// Notes a use and puts the end off.
pub fn touch(tx: &mut Tx<'_>, session: &Session, ip: &str) -> Result<()> {
    let rules: Sessions = kernel::settings::read(tx)?;
    let end = tx.now() + rules.lifetime(session.remembered);
    crate::store::sessions::touch(tx, session.id, end, ip)?;
    crate::users::note_activity(tx, session.user_id)
}
