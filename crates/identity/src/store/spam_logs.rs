//! `spam_logs`: what was taken for spam.

use crate::model::UserState;
use crate::spam::Verdict;
use kernel::error::Result;
use kernel::http::paging::COUNT_LIMIT;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
#[columns("l")]
pub struct SpamLog {
    pub id: i64,
    pub user_id: Option<i64>,
    /// Login of who it was.
    #[column("u.username")]
    pub username: Option<String>,
    #[column("u.state")]
    pub state: Option<UserState>,
    pub action: String,
    pub target_type: String,
    pub title: String,
    pub description: String,
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub via_api: bool,
    pub verdict: Verdict,
    pub reason: String,
    /// A challenge was solved for it.
    pub captcha_verified: bool,
    pub created_at: Timestamp,
}

impl SpamLog {
    /// Whether who it was can be shut out.
    pub fn may_block(&self) -> bool {
        self.state == Some(UserState::Active)
    }
}

/// Rows from the newest.
pub fn page(tx: &mut Tx<'_>, limit: i64, offset: i64) -> Result<Vec<SpamLog>> {
    Ok(tx.all(
        sql!(
            "select ",
            SpamLog::COLUMNS,
            " from spam_logs l left join users u on u.id = l.user_id and u.kind <> 'leaving'
             order by l.id desc limit $1 offset $2"
        ),
        (limit, offset),
    )?)
}

/// How many there are, counted up to what lists count.
pub fn total(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from (select 1 from spam_logs limit $1) as counted"),
        (COUNT_LIMIT + 1,),
    )?)
}

/// Whom a row is about, and what of; nothing when there is no such row.
pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<(Option<i64>, String)>> {
    Ok(tx.optional(sql!("select user_id, title from spam_logs where id = $1"), (id,))?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from spam_logs where id = $1"), (id,))
}

pub fn delete_before(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(sql!("delete from spam_logs where created_at < $1"), (before,))?)
}

/// Uses the id of a refusal up; none when it is not that or was used.
pub fn redeem(
    tx: &mut Tx<'_>, id: i64, actor: &str, action: &str, fingerprint: Vec<u8>, since: Timestamp,
) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "update spam_logs set used_at = $2, captcha_verified = true
             where id = $1 and used_at is null and verdict = 'challenge' and actor = $3
                and action = $4 and fingerprint = $5 and created_at > $6"
        ),
        (id, now, actor, action, fingerprint, since),
    )?)
}

/// A row to be stored, cut to what is kept.
#[derive(IntoRow)]
#[table("spam_logs")]
pub struct NewLog<'l> {
    pub user_id: Option<i64>,
    pub actor: String,
    pub action: &'l str,
    pub target_type: &'l str,
    pub title: String,
    pub description: String,
    pub fingerprint: Vec<u8>,
    pub ip_address: String,
    pub user_agent: String,
    pub via_api: bool,
    pub verdict: Verdict,
    pub reason: String,
    pub captcha_verified: bool,
    pub created_at: Timestamp,
}

/// Stores one row; its id.
pub fn insert(tx: &mut Tx<'_>, new: &NewLog<'_>) -> Result<i64> {
    Ok(tx.one(sql!(NewLog::INSERT, " returning id"), new.values())?)
}
