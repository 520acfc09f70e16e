//! What the room's jobs are told: rules enqueue these, the jobs of each area
//! run them.

use jiff::Timestamp;
use kernel::error::{Error, Result};
use kernel::jobs::enqueue_at;
use serde::{Deserialize, Serialize};
use store::Tx;

/// Seconds within which calls for later are one.
const GRID: i64 = 5;

/// Makes an incident of an alert, unless it has one or is over.
#[derive(Debug, Serialize, Deserialize)]
pub struct RaiseIncident {
    pub alert: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct CloseIncident {
    pub alert: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    Began,
    Ended,
}

/// Has everyone told who owns or maintains the project of an alert.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellOwners {
    pub alert: i64,
    pub news: News,
}

/// Tells one of those who own or maintain the project of an alert.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellOwner {
    pub alert: i64,
    pub news: News,
    pub user: i64,
}

/// Looks for alerts and integrations of which something has come due.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Watch {}

/// Removes alerts that were resolved longer ago than administrators want them
/// kept, and counts that no chart shows any more.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ForgetAlerts {}

/// Removes events that are older than administrators want them kept, and
/// errors that were not seen since; ignored ones stay, so that they stay
/// ignored.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ForgetEvents {}

/// Pages whoever rules that have come due say.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Escalate {
    /// The second it was called for; 0 for none in particular.
    pub second: i64,
}

/// Has due rules looked for at a time, or now if that has passed.
pub fn wake(tx: &mut Tx<'_>, due_at: Timestamp) -> Result<()> {
    let now = tx.now();
    let second = match due_at <= now {
        true => now.as_second(),
        // Not earlier than it is due.
        false => {
            let part = i64::from(due_at.subsec_nanosecond() > 0);
            (due_at.as_second() + part + GRID - 1) / GRID * GRID
        }
    };
    let at = Timestamp::from_second(second).map_err(Error::internal)?;
    enqueue_at(tx, &Escalate { second }, at)
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Tell {
    pub page: i64,
}
