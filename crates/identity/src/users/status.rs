//! What a user says they are doing.

use crate::model::UserId;
use kernel::error::{Error, Found, Result};
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::{FromRow, Tx};

/// Longest message, in characters.
const MAX_MESSAGE: usize = 100;
/// The emoji of a status that names none.
const DEFAULT_EMOJI: &str = "speech_balloon";

kernel::choices! {
    pub enum Availability {
        NotSet = "not_set",
        Busy = "busy",
    }
}

kernel::choices! {
    /// How long a status holds.
    pub enum ClearAfter {
        HalfHour = "30_minutes",
        ThreeHours = "3_hours",
        EightHours = "8_hours",
        Day = "1_day",
        ThreeDays = "3_days",
        Week = "7_days",
        Month = "30_days",
    }
}

impl ClearAfter {
    /// When that is.
    pub fn end(self, now: Timestamp) -> Timestamp {
        let hours = match self {
            ClearAfter::HalfHour => return now + jiff::SignedDuration::from_mins(30),
            ClearAfter::ThreeHours => 3,
            ClearAfter::EightHours => 8,
            ClearAfter::Day => 24,
            ClearAfter::ThreeDays => 72,
            ClearAfter::Week => 168,
            ClearAfter::Month => 720,
        };
        now + jiff::SignedDuration::from_hours(hours)
    }
}

#[derive(Debug, Clone, Default, FromRow)]
pub struct Status {
    pub status_emoji: Option<String>,
    pub status_message: Option<String>,
    pub status_availability: Option<Availability>,
    pub status_clear_at: Option<Timestamp>,
}

impl Status {
    /// Whether the user says nothing.
    pub fn is_empty(&self) -> bool {
        let silent = self.status_availability.is_none_or(|it| it == Availability::NotSet);
        self.status_emoji.is_none() && self.status_message.is_none() && silent
    }

    /// The emoji, or that of a status that names none.
    pub fn emoji(&self) -> String {
        self.status_emoji.clone().unwrap_or_else(|| DEFAULT_EMOJI.into())
    }

    pub fn message_html(&self) -> String {
        let message = self.status_message.as_deref().unwrap_or_default();
        message
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
    }
}

/// The status of a user that exists; a stale one is none.
pub fn status(tx: &mut Tx<'_>, id: UserId) -> Result<Status> {
    statuses(tx, &[id])?.remove(&id).found("User")
}

/// The same for several users, in one statement.
pub fn statuses(tx: &mut Tx<'_>, ids: &[UserId]) -> Result<HashMap<UserId, Status>> {
    let (now, rows) = (tx.now(), crate::store::users::statuses(tx, ids)?);
    let fresh = |status: Status| match status.status_clear_at {
        Some(end) if end <= now => Status::default(),
        _ => status,
    };
    Ok(rows.into_iter().map(|(id, status)| (id, fresh(status))).collect())
}

pub fn set_status(tx: &mut Tx<'_>, id: UserId, status: &Status) -> Result<()> {
    let message = status.status_message.as_deref().unwrap_or("");
    if message.chars().count() > MAX_MESSAGE {
        return Err(Error::invalid("message", "is too long (maximum is 100 characters)"));
    }
    let emoji = status.status_emoji.as_deref().unwrap_or("");
    let shaped = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
    if emoji.len() > 64 || !emoji.chars().all(shaped) {
        return Err(Error::invalid("emoji", "is not a valid emoji name"));
    }
    crate::store::users::set_status(tx, id, status)
}
