//! Keys of sent mails: who has one ends the mails of its thread without signing in.
//! The key itself is in the mail alone.

use crate::model::epics::EPIC;
use crate::store::notes::ISSUE;
use crate::store::subscriptions::{self, Target};
use crate::targets::TargetKinds;
use crate::tasks::{About, News};
use kernel::error::{Error, Result};
use kernel::secrets::{digest, random_bytes};
use kernel::time::Timestamp;
use spaces::activity::Where;
use store::{FromRow, Tx, sql};

/// Days for which a key is good.
const DAYS: i64 = 90;
/// Characters of a key.
pub const LENGTH: usize = 32;

/// A mail that was sent to somebody about something.
#[derive(Debug, Clone, FromRow)]
#[columns("sent_notifications")]
pub struct SentNotification {
    pub id: i64,
    pub user_id: i64,
    pub noteable_type: String,
    pub noteable_id: i64,
    /// What it told of; it may be gone.
    pub note_id: Option<i64>,
    /// What had happened, by [`crate::tasks::Event::name`].
    pub kind: String,
    pub expires_at: Timestamp,
}

impl SentNotification {
    pub fn about(&self) -> About {
        About { kind: self.noteable_type.clone(), id: self.noteable_id }
    }
}

/// Makes the key of a mail that is about to be sent. Each try has its own, so that
/// those of one that may have arrived stay good.
pub fn create(tx: &mut Tx<'_>, user_id: i64, place: Where, news: &News) -> Result<String> {
    let key = hex::encode(random_bytes::<{ LENGTH / 2 }>());
    let now = tx.now();
    let ends = now + jiff::SignedDuration::from_hours(24 * DAYS);
    tx.execute(
        sql!(
            "insert into sent_notifications (key_digest, user_id, project_id, group_id,
                noteable_type, noteable_id, note_id, kind, created_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        (
            digest(&key),
            user_id,
            place.project_id(),
            place.group_id(),
            news.about.kind.as_str(),
            news.about.id,
            news.note,
            news.event.name(),
            now,
            ends,
        ),
    )?;
    Ok(key)
}

/// The mail of a key, as long as the key is good.
pub fn find(tx: &mut Tx<'_>, key: &str) -> Result<SentNotification> {
    let now = tx.now();
    let is_key = key.len() == LENGTH && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = match is_key {
        true => tx.optional(
            sql!(
                "select ",
                SentNotification::COLUMNS,
                " from sent_notifications where key_digest = $1 and expires_at > $2"
            ),
            (digest(key), now),
        )?,
        false => None,
    };
    found.ok_or(Error::NotFound("Mail"))
}

/// Has its user told no more of the thread that a mail was about.
pub fn unsubscribe(tx: &mut Tx<'_>, sent: &SentNotification) -> Result<()> {
    let target = match sent.noteable_type.as_str() {
        ISSUE => Some(Target::Issue),
        EPIC => Some(Target::Epic),
        other => {
            let kind = tx.plugged::<TargetKinds>()?.named(other);
            kind.map(|kind| Target::Thing(kind.name))
        }
    };
    match target {
        Some(target) => subscriptions::set(tx, sent.user_id, target, sent.noteable_id, false),
        None => Ok(()),
    }
}

/// Forgets keys that are good no longer, so many at once; how many.
pub fn forget(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "delete from sent_notifications where id in
                (select id from sent_notifications where expires_at <= $1
                 order by expires_at limit $2)"
        ),
        (now, most),
    )?)
}
