//! What a security key was asked and has not answered yet. A question stands
//! for one session or one half-done sign-in; a newer one takes its place.
//! Whoever takes it deletes it, so each is answered once at most.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::{Json, Tx, sql};

/// Seconds a question stands.
const SECONDS: i64 = webauthn::TIMEOUT_SECONDS as i64;

/// Where a question was asked.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// By someone who is signed in.
    Session(i64),
    Step(i64),
}

/// The statements that keep and take what was asked in places of this column.
macro_rules! asked_in {
    ($column:literal) => {
        (
            sql!(concat!(
                "insert into webauthn_ceremonies (",
                $column,
                ", user_id, state, expires_at) values ($1, $2, $3, $4) on conflict (",
                $column,
                ") do update set user_id = excluded.user_id, state = excluded.state,
                    expires_at = excluded.expires_at"
            )),
            sql!(concat!(
                "delete from webauthn_ceremonies where ",
                $column,
                " = $1 and user_id = $2 returning expires_at, state"
            )),
        )
    };
}

impl Place {
    fn id(self) -> i64 {
        match self {
            Place::Session(id) | Place::Step(id) => id,
        }
    }

    fn statements(self) -> (&'static str, &'static str) {
        match self {
            Place::Session(_) => asked_in!("session_id"),
            Place::Step(_) => asked_in!("step_id"),
        }
    }
}

pub fn keep<T: Serialize>(tx: &mut Tx<'_>, place: Place, user: UserId, state: &T) -> Result<()> {
    let expires_at = tx.now() + jiff::SignedDuration::from_secs(SECONDS);
    let (keep, _) = place.statements();
    tx.run(keep, (place.id(), user, Json(state), expires_at))
}

/// Takes the state of the ceremony that stands here, if it has not expired and
/// is of this kind: a newer question of another kind took the place of ours.
pub fn take<T: DeserializeOwned>(tx: &mut Tx<'_>, place: Place, user: UserId) -> Result<Option<T>> {
    let (_, take) = place.statements();
    let found: Option<(Timestamp, Json<Value>)> = tx.optional(take, (place.id(), user))?;
    let now = tx.now();
    let stands = found.filter(|(expires_at, _)| *expires_at > now);
    Ok(stands.and_then(|(_, Json(state))| serde_json::from_value(state).ok()))
}
