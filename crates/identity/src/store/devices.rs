//! `device_grants`.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

kernel::choices! {
    pub enum State {
        Pending = "pending",
        /// The user said yes; the device has not asked since.
        Approved = "approved",
        Denied = "denied",
        Done = "done",
    }
}

#[derive(IntoRow)]
#[table("device_grants")]
pub struct NewDevice<'d> {
    pub application_id: i64,
    pub digest: Vec<u8>,
    pub user_code: &'d str,
    /// Space-separated.
    pub scopes: String,
    pub state: State,
    pub poll_seconds: i64,
    pub ip_address: &'d str,
    pub user_agent: &'d str,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewDevice<'_>) -> Result<()> {
    tx.run(sql!(NewDevice::INSERT), new.values())
}

/// The grant of a user code that nobody decided.
pub fn undecided(tx: &mut Tx<'_>, code: &str) -> Result<Option<Device>> {
    Ok(tx.optional(
        sql!("select * from device_grants where user_code = $1 and state = 'pending'"),
        (code,),
    )?)
}

/// Stores a decision; none when there is one, or the time is over.
pub fn decide(
    tx: &mut Tx<'_>, device: i64, state: State, user: UserId, authenticated_at: Timestamp,
    now: Timestamp,
) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "update device_grants set state = $2, user_id = $3, authenticated_at = $4,
                user_code = null
             where id = $1 and state = 'pending' and expires_at > $5"
        ),
        (device, state, user, authenticated_at, now),
    )?)
}

pub fn by_digest(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Device>> {
    Ok(tx.optional(sql!("select * from device_grants where digest = $1"), (digest,))?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from device_grants where id = $1"), (id,))
}

/// Notes a poll, and how long to wait for the next.
pub fn note_poll(tx: &mut Tx<'_>, id: i64, now: Timestamp, seconds: i64) -> Result<()> {
    tx.run(
        sql!("update device_grants set polled_at = $2, poll_seconds = $3 where id = $1"),
        (id, now, seconds),
    )
}

/// Uses a grant up; none when it was used.
pub fn use_up(tx: &mut Tx<'_>, id: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!("update device_grants set state = 'done' where id = $1 and state = 'approved'"),
        (id,),
    )?)
}

pub fn delete_before(tx: &mut Tx<'_>, old: Timestamp) -> Result<u64> {
    Ok(tx.execute(sql!("delete from device_grants where expires_at < $1"), (old,))?)
}

#[derive(Debug, Clone, FromRow)]
pub struct Device {
    pub id: i64,
    pub application_id: i64,
    pub user_id: Option<UserId>,
    /// Space-separated.
    pub scopes: String,
    pub state: State,
    /// Least seconds between two polls.
    pub poll_seconds: i64,
    pub polled_at: Option<Timestamp>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub expires_at: Timestamp,
}
