//! Who must set up a second factor: on an instance that requires it, or as a
//! member of a group that does. From the first time they are asked a grace
//! period runs; once it is over, a session leads nowhere else (docs/interface/identity.md 7).
//! Tokens go on.

use super::settings::TwoFactor;
use crate::hooks;
use crate::model::{User, UserId};
use crate::standing::TwoFactorRequirement;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::Call;
use kernel::http::routes::Surface;
use kernel::time::Timestamp;
use serde_json::json;
use store::Tx;

/// Where second factors are set up.
pub const PAGE: &str = "/-/profile/two_factor_auth";

/// The hours that whoever demands a second factor of this user gives them;
/// nobody demands it when there are none.
pub fn demand(tx: &mut Tx<'_>, user: &User) -> Result<Option<i64>> {
    if !user.is_human() {
        return Ok(None);
    }
    let rules: TwoFactor = kernel::settings::read(tx)?;
    let group = hooks::two_factor_grace(tx, user.id)?;
    let instance = rules.required.then_some(rules.grace_hours);
    Ok(instance.into_iter().chain(group).min())
}

/// Whether a password alone proves nothing of this user: where only a password
/// can be sent, it is refused (docs/interface/identity.md 2.6).
pub fn refuses_password(tx: &mut Tx<'_>, user: &User) -> Result<bool> {
    Ok(super::enabled(tx, user.id)? || demand(tx, user)?.is_some())
}

/// What is known of a user's duty; see [`TwoFactorState::settle`].
#[derive(Debug, Clone, Copy)]
pub struct TwoFactorState {
    demand: Option<i64>,
    asked_at: Option<Timestamp>,
    enabled: bool,
    now: Timestamp,
}

/// Reads what a user's duty depends on.
pub fn find(tx: &mut Tx<'_>, user: &User) -> Result<TwoFactorState> {
    let (asked_at, enabled) = crate::store::two_factor::asked_at(tx, user.id)?;
    let demand = match enabled {
        true => None,
        false => demand(tx, user)?,
    };
    Ok(TwoFactorState { demand, asked_at, enabled, now: tx.now() })
}

impl TwoFactorState {
    /// The duty; the start of the grace period is noted, and forgotten when
    /// nobody demands a second factor any more.
    pub async fn settle(self, app: &App, user: UserId) -> Result<TwoFactorRequirement> {
        let TwoFactorState { demand, asked_at, enabled, now } = self;
        let Some(hours) = demand else {
            if !enabled && asked_at.is_some() {
                app.write(move |tx| forget(tx, user)).await?;
            }
            return Ok(TwoFactorRequirement::None);
        };
        let asked_at = match asked_at {
            Some(at) => at,
            None => app.write(move |tx| note(tx, user)).await?,
        };
        let until = asked_at + jiff::SignedDuration::from_hours(hours);
        // Asked just now is later than what was read: no time is none.
        Ok(match hours > 0 && now < until {
            true => TwoFactorRequirement::Grace(until),
            false => TwoFactorRequirement::Due,
        })
    }
}

fn note(tx: &mut Tx<'_>, user: UserId) -> Result<Timestamp> {
    let now = tx.now();
    crate::store::users::note_two_factor_asked(tx, user, now)
}

fn forget(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    crate::store::users::forget_two_factor_asked(tx, user)?;
    Ok(())
}

/// Refuses what a session may not do before its duty is done: everything but
/// doing it, proving who one is, and signing out.
pub(crate) fn check(call: &Call, duty: TwoFactorRequirement) -> Result<()> {
    if duty != TwoFactorRequirement::Due {
        return Ok(());
    }
    let path = call.route.path.as_str();
    match call.route.surface {
        Surface::Page if path.starts_with("/-/profile/") || path.starts_with("/users/") => Ok(()),
        Surface::Page => Err(Error::SeeOther(PAGE.into())),
        surface => {
            // The words of docs/interface/graphql.md 2, so that clients find one text.
            let text = format!(
                "Authentication error: enable 2FA in your profile settings to continue using \
                 tenon: {}",
                call.app.url(PAGE)
            );
            let body = match surface {
                Surface::Graphql => json!({"errors": [{"message": text}]}),
                _ => json!({"message": format!("401 Unauthorized - {text}")}),
            };
            Err(Error::Exact(401, body))
        }
    }
}
