//! What a user says they are doing.

use crate::model::UserId;
use kernel::error::{Error, Result};
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Longest message, in characters.
const MAX_MESSAGE: usize = 100;

kernel::choices! {
    /// Whether a user can be reached.
    pub enum Availability {
        /// Says nothing.
        NotSet = "not_set",
        /// Busy.
        Busy = "busy",
    }
}

/// A user's status.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// Name of an emoji.
    pub status_emoji: Option<String>,
    /// A few words.
    pub status_message: Option<String>,
    /// Whether they can be reached.
    pub status_availability: Option<Availability>,
    /// Forgotten then.
    pub status_clear_at: Option<Timestamp>,
}

store::from_row! { Status {
    status_emoji, status_message, status_availability, status_clear_at
} }

/// The status of a user that exists; a stale one is none.
pub fn status(tx: &mut Tx<'_>, id: UserId) -> Result<Status> {
    let status: Status = tx.one(
        sql!(
            "select status_emoji, status_message, status_availability, status_clear_at
             from users where id = $1"
        ),
        (id,),
    )?;
    let stale = status.status_clear_at.is_some_and(|end| end <= tx.now());
    Ok(if stale { Status::default() } else { status })
}

/// Sets a user's own status.
pub fn set_status(tx: &mut Tx<'_>, id: UserId, status: &Status) -> Result<()> {
    let message = status.status_message.as_deref().unwrap_or("");
    if message.chars().count() > MAX_MESSAGE {
        return Err(Error::invalid(
            "message",
            "is too long (maximum is 100 characters)",
        ));
    }
    let emoji = status.status_emoji.as_deref().unwrap_or("");
    let shaped = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
    if emoji.len() > 64 || !emoji.chars().all(shaped) {
        return Err(Error::invalid("emoji", "is not a valid emoji name"));
    }
    tx.execute(
        sql!(
            "update users set status_emoji = $2, status_message = $3, status_availability = $4,
                status_clear_at = $5
             where id = $1"
        ),
        (
            id,
            status.status_emoji.as_deref(),
            status.status_message.as_deref(),
            status.status_availability,
            status.status_clear_at,
        ),
    )?;
    Ok(())
}
