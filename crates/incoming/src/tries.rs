//! Mails of a mailbox that could not be taken: each is tried a few times, with growing
//! pauses in which those behind it are read, and then set aside, so that no mail ever
//! blocks a mailbox. A try is counted before it is made: a mail that ends the server
//! counts, too.

use ::store::{FromRow, Tx, sql};
use jiff::SignedDuration;
use kernel::audit::{self, Author};
use kernel::error::Result;
use kernel::time::Timestamp;
use serde_json::json;
use std::collections::HashSet;

/// Times that a mail is tried: for about three hours.
const MOST: i64 = 10;
/// Seconds before the second try; each pause is twice as long as the one before it,
/// up to an hour.
const PAUSE: i64 = 30;
const LONGEST_PAUSE: i64 = 3_600;
/// Mails of a mailbox that wait at the same time.
const WAITING: i64 = 10_000;
/// Characters that are kept of what went wrong.
const ERROR: usize = 500;
/// Days for which it is told that a mail was set aside.
const DAYS: i64 = 30;
/// Mails that pages tell of.
const SHOWN: i64 = 20;

/// Whether a mail is to be tried.
#[derive(Debug, PartialEq, Eq)]
pub enum Try {
    /// For the last time, maybe.
    Now { is_last: bool },
    /// It was tried often enough, and never came to an end; what went wrong.
    Never(String),
}

/// A mail that a person has to look at.
#[derive(Debug, Clone, FromRow)]
pub struct SetAside {
    pub uid: i64,
    pub error: Option<String>,
    pub set_aside_at: Option<Timestamp>,
}

/// Mails whose next try is still to come.
pub fn waiting(tx: &mut Tx<'_>, mailbox: &str) -> Result<HashSet<u32>> {
    let now = tx.now();
    let uids: Vec<i64> = tx.all(
        sql!(
            "select uid from incoming_tries
             where mailbox = $1 and next_at > $2 and set_aside_at is null
             order by uid limit $3"
        ),
        (mailbox, now, WAITING),
    )?;
    Ok(uids.into_iter().filter_map(|uid| u32::try_from(uid).ok()).collect())
}

/// Counts a try that is about to be made. A mail that somebody marked as unread after
/// it was set aside begins anew.
pub fn begin(tx: &mut Tx<'_>, mailbox: &str, uid: u32) -> Result<Try> {
    let now = tx.now();
    let known: Option<(i64, Option<String>)> = tx.optional(
        sql!(
            "select tries, error from incoming_tries
             where mailbox = $1 and uid = $2 and set_aside_at is null"
        ),
        (mailbox, i64::from(uid)),
    )?;
    let (before, error) = known.unwrap_or_default();
    if before >= MOST {
        let never = || "the server did not come to an end with it".to_owned();
        return Ok(Try::Never(error.unwrap_or_else(never)));
    }
    let tries = before + 1;
    tx.execute(
        sql!(
            "insert into incoming_tries (mailbox, uid, tries, next_at, created_at)
             values ($1, $2, $3, $4, $5)
             on conflict (mailbox, uid) do update set tries = excluded.tries,
                next_at = excluded.next_at, set_aside_at = null"
        ),
        (mailbox, i64::from(uid), tries, now + pause(tries), now),
    )?;
    Ok(Try::Now { is_last: tries == MOST })
}

fn pause(tries: i64) -> SignedDuration {
    let doubled = PAUSE << (tries - 1).clamp(0, 10);
    SignedDuration::from_secs(doubled.min(LONGEST_PAUSE))
}

/// The mail was taken.
pub fn done(tx: &mut Tx<'_>, mailbox: &str, uid: u32) -> Result<()> {
    tx.execute(
        sql!("delete from incoming_tries where mailbox = $1 and uid = $2"),
        (mailbox, i64::from(uid)),
    )?;
    Ok(())
}

/// Notes why a mail was not taken.
pub fn failed(tx: &mut Tx<'_>, mailbox: &str, uid: u32, why: &str) -> Result<()> {
    let why: String = why.chars().take(ERROR).collect();
    tx.execute(
        sql!("update incoming_tries set error = $3 where mailbox = $1 and uid = $2"),
        (mailbox, i64::from(uid), why),
    )?;
    Ok(())
}

/// The mail is tried no more; administrators are told.
pub fn set_aside(tx: &mut Tx<'_>, mailbox: &str, uid: u32, why: &str) -> Result<()> {
    failed(tx, mailbox, uid, why)?;
    let now = tx.now();
    tx.execute(
        sql!("update incoming_tries set set_aside_at = $3 where mailbox = $1 and uid = $2"),
        (mailbox, i64::from(uid), now),
    )?;
    let name = format!("mail {uid} of the mailbox");
    let why: String = why.chars().take(ERROR).collect();
    audit::record(
        tx,
        Author::default(),
        "incoming_mail.set_aside",
        ("IncomingMail", i64::from(uid), &name),
        json!({ "reason": why }),
    )
}

/// The mails that were set aside of late, the newest first.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<SetAside>> {
    let since = tx.now() - SignedDuration::from_hours(24 * DAYS);
    Ok(tx.all(
        sql!(
            "select uid, error, set_aside_at from incoming_tries
             where set_aside_at > $1 order by set_aside_at desc, id desc limit $2"
        ),
        (since, SHOWN),
    )?)
}

/// Forgets those that nobody tries or is told of any more, so many at once; how many.
pub fn forget(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let before = tx.now() - SignedDuration::from_hours(24 * DAYS);
    Ok(tx.execute(
        sql!(
            "delete from incoming_tries where id in
                (select id from incoming_tries where created_at < $1
                 order by created_at limit $2)"
        ),
        (before, most),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour() {
        let pauses: Vec<i64> = (1..=MOST).map(|tries| pause(tries).as_secs()).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
    }
}
