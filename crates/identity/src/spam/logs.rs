//! What was taken for spam, for administrators to look at.

use super::{Actor, Subject, Verdict};
use crate::store::spam_logs::NewLog;
pub use crate::store::spam_logs::{SpamLog, delete, find, page, total};
use kernel::error::Result;
use sha2::{Digest, Sha256};
use store::Tx;

/// Characters kept of titles, agents and reasons.
const SHORT: usize = 255;
/// Characters kept of texts.
const LONG: usize = 4_096;
/// Seconds in which what was refused may be repeated with a solution.
const REPEATABLE: i64 = 3_600;
/// Days a row is kept.
const KEPT_DAYS: i64 = 90;

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
    tx: &mut Tx<'_>, subject: &Subject, verdict: Verdict, reason: &str, captcha_verified: bool,
) -> Result<i64> {
    let user = match &subject.actor {
        Actor::User(user) => Some(user.id),
        Actor::Stranger { .. } => None,
    };
    let new = NewLog {
        user_id: user,
        actor: actor(subject),
        action: subject.action,
        target_type: subject.target_type,
        title: cut(&subject.title, SHORT),
        description: cut(&subject.text, LONG),
        fingerprint: fingerprint(subject),
        ip_address: cut(&subject.ip, SHORT),
        user_agent: cut(&subject.agent, SHORT),
        via_api: subject.via_api,
        verdict,
        reason: cut(reason, SHORT),
        captcha_verified,
        created_at: tx.now(),
    };
    crate::store::spam_logs::insert(tx, &new)
}

/// Uses the id of a refusal up for the very thing that was refused, by whom it
/// was refused to. Of several tries at once one succeeds.
pub fn redeem(tx: &mut Tx<'_>, id: i64, subject: &Subject) -> Result<bool> {
    let now = tx.now();
    let since = now - jiff::SignedDuration::from_secs(REPEATABLE);
    let used = crate::store::spam_logs::redeem(
        tx,
        id,
        &actor(subject),
        subject.action,
        fingerprint(subject),
        since,
    )?;
    Ok(used > 0)
}

pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let before = tx.now() - jiff::SignedDuration::from_hours(24 * KEPT_DAYS);
    crate::store::spam_logs::delete_before(tx, before)
}
