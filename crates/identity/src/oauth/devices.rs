//! Signing in on a device without a browser (RFC 8628).

use super::applications::{Application, random_hex};
use super::digest;
use super::families::{self, GrantType, Issued, NewFamily};
use super::refusal::{Refusal, Result};
use crate::model::UserId;
use crate::store::devices::NewDevice;
pub use crate::store::devices::{Device, State};
use jiff::SignedDuration;
use kernel::secrets::{self, Secret};
use kernel::time::Timestamp;
use store::Tx;

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

/// What a device is told at the start.
#[derive(Debug)]
pub struct Started {
    pub device_code: Secret,
    /// For the user, as `XXXX-XXXX`.
    pub user_code: String,
}

pub fn start(
    tx: &mut Tx<'_>, application: &Application, scopes: &[String], ip: &str, agent: &str,
) -> Result<Started> {
    let device_code = random_hex();
    let user_code = random_user_code();
    let new = NewDevice {
        application_id: application.id,
        digest: digest(&device_code),
        user_code: &user_code,
        scopes: scopes.join(" "),
        state: State::Pending,
        poll_seconds: INTERVAL,
        ip_address: ip,
        user_agent: agent,
        expires_at: tx.now() + SignedDuration::from_secs(SECONDS),
        created_at: tx.now(),
    };
    crate::store::devices::insert(tx, &new)?;
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
    crate::store::devices::undecided(tx, &code)
}

/// Records the user's decision and erases the user code; false when somebody
/// decided already or the time is over.
pub fn decide(
    tx: &mut Tx<'_>, device: i64, user: UserId, approved: bool, authenticated_at: Timestamp,
) -> kernel::error::Result<bool> {
    let now = tx.now();
    let state = if approved { State::Approved } else { State::Denied };
    let changed = crate::store::devices::decide(tx, device, state, user, authenticated_at, now)?;
    Ok(changed > 0)
}

/// One poll of a device: its tokens once, and before that why not yet.
pub fn poll(tx: &mut Tx<'_>, application: &Application, device_code: &str) -> Result<Issued> {
    let device: Device =
        crate::store::devices::by_digest(tx, digest(device_code))?.ok_or(Refusal::InvalidGrant)?;
    if device.application_id != application.id {
        return Err(Refusal::InvalidGrant);
    }
    let now = tx.now();
    match device.state {
        State::Done => Err(Refusal::InvalidGrant),
        State::Denied => {
            crate::store::devices::delete(tx, device.id)?;
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
    crate::store::devices::note_poll(tx, device.id, now, seconds)?;
    Err(if too_soon {
        Refusal::SlowDown
    } else {
        Refusal::AuthorizationPending
    })
}

fn issue(tx: &mut Tx<'_>, device: &Device) -> Result<Issued> {
    let user_id = device.user_id.ok_or(Refusal::InvalidGrant)?;
    families::active_user(tx, user_id)?;
    let won = crate::store::devices::use_up(tx, device.id)?;
    if won == 0 {
        return Err(Refusal::InvalidGrant);
    }
    let created_at = tx.now();
    let (_, issued) = families::begin(
        tx,
        &NewFamily {
            application_id: Some(device.application_id),
            user_id,
            grant_type: GrantType::DeviceCode,
            scopes: device.scopes.clone(),
            redirect_uri: None,
            nonce: None,
            authenticated_at: device.authenticated_at,
            ip_address: device.ip_address.clone(),
            user_agent: device.user_agent.clone(),
            created_at,
        },
    )?;
    Ok(issued)
}

/// Deletes grants that ended a day ago.
pub fn sweep(tx: &mut Tx<'_>) -> kernel::error::Result<u64> {
    let old = tx.now() - SignedDuration::from_hours(REMEMBERED_HOURS);
    crate::store::devices::delete_before(tx, old)
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
        for bad in ["", "BCDF-GHJ", "BCDF-GHJA", "BCDF-GHJK-L", "BCDF_GHJK", "ÄBCDFGHJ"] {
            assert_eq!(normalized(bad), None, "{bad}");
        }
    }
}
