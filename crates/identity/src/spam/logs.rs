//! What was taken for spam, for administrators to look at.

use super::{Actor, Subject, Verdict};
use kernel::error::Result;
use kernel::http::paging::COUNT_LIMIT;
use kernel::time::Timestamp;
use sha2::{Digest, Sha256};
use store::{Tx, sql};

/// Characters kept of titles, agents and reasons.
const SHORT: usize = 255;
/// Characters kept of texts.
const LONG: usize = 4_096;
/// Seconds in which what was refused may be repeated with a solution.
const REPEATABLE: i64 = 3_600;
/// Days a row is kept.
const KEPT_DAYS: i64 = 90;

/// One row.
#[derive(Debug, Clone)]
pub struct SpamLog {
    /// Id.
    pub id: i64,
    /// Who; nobody before sign-up.
    pub user_id: Option<i64>,
    /// Their login.
    pub username: Option<String>,
    /// Their state.
    pub state: Option<String>,
    /// What they did.
    pub action: String,
    /// To what.
    pub target_type: String,
    /// Its title, cut.
    pub title: String,
    /// Its text, cut.
    pub description: String,
    /// From where.
    pub ip_address: Option<String>,
    /// With which program.
    pub user_agent: Option<String>,
    /// Through the API.
    pub via_api: bool,
    /// What was decided.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// A challenge was solved for it.
    pub captcha_verified: bool,
    /// When.
    pub created_at: Timestamp,
}

store::from_row! { SpamLog {
    id, user_id, username, state, action, target_type, title, description, ip_address, user_agent,
    via_api, verdict, reason, captcha_verified, created_at
} }

/// Who it is, in one text.
fn actor(subject: &Subject) -> String {
    match &subject.actor {
        Actor::User(user) => format!("user:{}", user.id),
        Actor::Stranger { form } => format!("form:{}", hex::encode(Sha256::digest(form))),
    }
}

/// A digest of the whole content: another one is judged anew.
fn fingerprint(subject: &Subject) -> Vec<u8> {
    let mut digest = Sha256::new();
    for part in [subject.target_type, &subject.title, &subject.text] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().to_vec()
}

fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|c| *c != '\0').take(most).collect()
}

/// Writes one row; its id.
pub fn write(
    tx: &mut Tx<'_>,
    subject: &Subject,
    verdict: Verdict,
    reason: &str,
    captcha_verified: bool,
) -> Result<i64> {
    let now = tx.now();
    let user = match &subject.actor {
        Actor::User(user) => Some(user.id),
        Actor::Stranger { .. } => None,
    };
    let row: (Option<i64>, String, &str, &str, String, String, Vec<u8>) = (
        user,
        actor(subject),
        subject.action,
        subject.target_type,
        cut(&subject.title, SHORT),
        cut(&subject.text, LONG),
        fingerprint(subject),
    );
    let (user, actor, action, target_type, title, description, fingerprint) = row;
    Ok(tx.one(
        sql!(
            "insert into spam_logs (user_id, actor, action, target_type, title, description,
                fingerprint, ip_address, user_agent, via_api, verdict, reason, captcha_verified,
                created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning id"
        ),
        (
            user,
            actor,
            action,
            target_type,
            title,
            description,
            fingerprint,
            cut(&subject.ip, SHORT),
            cut(&subject.agent, SHORT),
            subject.via_api,
            verdict,
            cut(reason, SHORT),
            captcha_verified,
            now,
        ),
    )?)
}

/// Uses the id of a refusal up for the very thing that was refused, by whom it
/// was refused to. Of several tries at once one succeeds.
pub fn redeem(tx: &mut Tx<'_>, id: i64, subject: &Subject) -> Result<bool> {
    let now = tx.now();
    let since = now - jiff::SignedDuration::from_secs(REPEATABLE);
    let used = tx.execute(
        sql!(
            "update spam_logs set used_at = $2, captcha_verified = true
             where id = $1 and used_at is null and verdict = 'challenge' and actor = $3
                and action = $4 and fingerprint = $5 and created_at > $6"
        ),
        (
            id,
            now,
            actor(subject),
            subject.action,
            fingerprint(subject),
            since,
        ),
    )?;
    Ok(used > 0)
}

/// Rows from the newest.
pub fn page(tx: &mut Tx<'_>, limit: i64, offset: i64) -> Result<Vec<SpamLog>> {
    Ok(tx.all(
        sql!(
            "select l.id, l.user_id, u.username, u.state, l.action, l.target_type, l.title,
                l.description, l.ip_address, l.user_agent, l.via_api, l.verdict, l.reason,
                l.captcha_verified, l.created_at
             from spam_logs l left join users u on u.id = l.user_id and u.kind <> 'leaving'
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
    Ok(tx.optional(
        sql!("select user_id, title from spam_logs where id = $1"),
        (id,),
    )?)
}

/// Deletes one row.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from spam_logs where id = $1"), (id,))?;
    Ok(())
}

/// Deletes what is old.
pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let before = tx.now() - jiff::SignedDuration::from_hours(24 * KEPT_DAYS);
    Ok(tx.execute(
        sql!("delete from spam_logs where created_at < $1"),
        (before,),
    )?)
}
