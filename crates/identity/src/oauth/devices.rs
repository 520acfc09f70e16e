//! Signing in on a device without a browser (RFC 8628).

use super::applications::{Application, random_hex};
use super::families::{self, GrantType, Issued, NewFamily};
use super::refusal::{Refusal, Result};
use super::{digest, scopes};
use crate::model::UserId;
use jiff::SignedDuration;
use kernel::secrets::{self, Secret};
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Seconds the codes work.
pub const SECONDS: i64 = 300;
/// Seconds between two polls, at first.
pub const INTERVAL: i64 = 5;
/// Seconds between two polls at most, however impatient the device.
const MAX_INTERVAL: i64 = 60;
/// Hours an expired grant is remembered, so that the device is told so.
const REMEMBERED_HOURS: i64 = 24;
/// Consonants: no words, nothing that looks like a digit (RFC 8628 section 6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters of a user code.
const LENGTH: usize = 8;

kernel::choices! {
    /// Where a device grant stands.
    pub enum State {
        /// The user has not decided.
        Pending = "pending",
        /// The user said yes; the device has not asked since.
        Approved = "approved",
        /// The user said no.
        Denied = "denied",
        /// The device has its tokens.
        Done = "done",
    }
}

/// One device grant.
#[derive(Debug, Clone)]
pub struct Device {
    /// Id.
    pub id: i64,
    /// What asks.
    pub application_id: i64,
    /// Who decided.
    pub user_id: Option<UserId>,
    /// Space-separated.
    pub scopes: String,
    /// Where it stands.
    pub state: State,
    /// Least seconds between two polls.
    pub poll_seconds: i64,
    /// Last poll.
    pub polled_at: Option<Timestamp>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
    /// The device's address.
    pub ip_address: Option<String>,
    /// The device's program.
    pub user_agent: Option<String>,
    /// The codes end then.
    pub expires_at: Timestamp,
}

store::from_row! { Device {
    id, application_id, user_id, scopes, state, poll_seconds, polled_at, authenticated_at,
    ip_address, user_agent, expires_at
} }

/// What a device is told at the start.
#[derive(Debug)]
pub struct Started {
    /// For the device alone.
    pub device_code: Secret,
    /// For the user, as `XXXX-XXXX`.
    pub user_code: String,
}

/// Begins a grant.
pub fn start(
    tx: &mut Tx<'_>,
    application: &Application,
    scopes: &[String],
    ip: &str,
    agent: &str,
) -> Result<Started> {
    let device_code = random_hex();
    let user_code = random_user_code();
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into device_grants (application_id, digest, user_code, scopes, state,
                poll_seconds, ip_address, user_agent, expires_at, created_at)
             values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9)"
        ),
        (
            application.id,
            digest(&device_code),
            user_code.as_str(),
            scopes.join(" "),
            INTERVAL,
            ip,
            agent,
            now + SignedDuration::from_secs(SECONDS),
            now,
        ),
    )?;
    Ok(Started {
        device_code: Secret::new(device_code),
        user_code: shown(&user_code),
    })
}

fn random_user_code() -> String {
    let mut code = String::new();
    while code.len() < LENGTH {
        // 240 is the largest multiple of 20 in a byte.
        let byte = secrets::random_bytes::<1>()[0];
        if byte < 240 {
            code.push(LETTERS[usize::from(byte % 20)] as char);
        }
    }
    code
}

/// A user code as people read it.
pub fn shown(code: &str) -> String {
    format!("{}-{}", &code[..LENGTH / 2], &code[LENGTH / 2..])
}

/// A user code as typed, brought to the form it is stored in.
pub fn normalized(typed: &str) -> Option<String> {
    let code: String = typed
        .chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let shaped = code.len() == LENGTH && code.bytes().all(|byte| LETTERS.contains(&byte));
    shaped.then_some(code)
}

/// The undecided grant of a user code, expired or not.
pub fn by_user_code(tx: &mut Tx<'_>, typed: &str) -> kernel::error::Result<Option<Device>> {
    let Some(code) = normalized(typed) else {
        return Ok(None);
    };
    Ok(tx.optional(
        sql!("select * from device_grants where user_code = $1 and state = 'pending'"),
        (code,),
    )?)
}

/// Records the user's decision and erases the user code; false when somebody
/// decided already or the time is over.
pub fn decide(
    tx: &mut Tx<'_>,
    device: i64,
    user: UserId,
    approved: bool,
    authenticated_at: Timestamp,
) -> kernel::error::Result<bool> {
    let now = tx.now();
    let state = if approved {
        State::Approved
    } else {
        State::Denied
    };
    let changed = tx.execute(
        sql!(
            "update device_grants set state = $2, user_id = $3, authenticated_at = $4,
                user_code = null
             where id = $1 and state = 'pending' and expires_at > $5"
        ),
        (device, state, user, authenticated_at, now),
    )?;
    Ok(changed > 0)
}

/// One poll of a device: its tokens once, and before that why not yet.
pub fn poll(tx: &mut Tx<'_>, application: &Application, device_code: &str) -> Result<Issued> {
    let device: Device = tx
        .optional(
            sql!("select * from device_grants where digest = $1"),
            (digest(device_code),),
        )?
        .ok_or(Refusal::InvalidGrant)?;
    if device.application_id != application.id {
        return Err(Refusal::InvalidGrant);
    }
    let now = tx.now();
    match device.state {
        State::Done => Err(Refusal::InvalidGrant),
        State::Denied => {
            tx.execute(
                sql!("delete from device_grants where id = $1"),
                (device.id,),
            )?;
            Err(Refusal::AccessDenied)
        }
        _ if device.expires_at <= now => Err(Refusal::ExpiredToken),
        State::Pending => wait(tx, &device),
        State::Approved => issue(tx, &device),
    }
}

fn wait(tx: &mut Tx<'_>, device: &Device) -> Result<Issued> {
    let now = tx.now();
    let too_soon = device
        .polled_at
        .is_some_and(|last| now.duration_since(last).as_secs() < device.poll_seconds);
    let seconds = match too_soon {
        true => (device.poll_seconds + INTERVAL).min(MAX_INTERVAL),
        false => device.poll_seconds,
    };
    tx.execute(
        sql!("update device_grants set polled_at = $2, poll_seconds = $3 where id = $1"),
        (device.id, now, seconds),
    )?;
    Err(if too_soon {
        Refusal::SlowDown
    } else {
        Refusal::AuthorizationPending
    })
}

fn issue(tx: &mut Tx<'_>, device: &Device) -> Result<Issued> {
    let user_id = device.user_id.ok_or(Refusal::InvalidGrant)?;
    families::active_user(tx, user_id)?;
    let won = tx.execute(
        sql!("update device_grants set state = 'done' where id = $1 and state = 'approved'"),
        (device.id,),
    )?;
    if won == 0 {
        return Err(Refusal::InvalidGrant);
    }
    let (_, issued) = families::begin(
        tx,
        &NewFamily {
            application_id: Some(device.application_id),
            user_id,
            grant_type: GrantType::DeviceCode,
            scopes: scopes::split(&device.scopes),
            redirect_uri: None,
            nonce: None,
            authenticated_at: device.authenticated_at,
            ip_address: device.ip_address.clone(),
            user_agent: device.user_agent.clone(),
        },
    )?;
    Ok(issued)
}

/// Deletes grants that ended a day ago.
pub fn sweep(tx: &mut Tx<'_>) -> kernel::error::Result<u64> {
    let old = tx.now() - SignedDuration::from_hours(REMEMBERED_HOURS);
    Ok(tx.execute(
        sql!("delete from device_grants where expires_at < $1"),
        (old,),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_typed_as_people_type() {
        let code = random_user_code();
        assert_eq!(normalized(&shown(&code)).as_deref(), Some(code.as_str()));
        assert_eq!(normalized(" bcdf ghjk ").as_deref(), Some("BCDFGHJK"));
        assert_eq!(normalized("bcdf-ghjk").as_deref(), Some("BCDFGHJK"));
        for bad in [
            "",
            "BCDF-GHJ",
            "BCDF-GHJA",
            "BCDF-GHJK-L",
            "BCDF_GHJK",
            "ÄBCDFGHJ",
        ] {
            assert_eq!(normalized(bad), None, "{bad}");
        }
    }
}
