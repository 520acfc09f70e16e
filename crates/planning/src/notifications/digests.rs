//! News that wait for the mail of a day or a week.

use super::recipients::Recipient;
use crate::tasks::{News, Waiting};
use kernel::error::Result;
use kernel::time::Timestamp;
use spaces::activity::Where;
use store::{FromRow, Json, Tx, sql};

/// News of somebody that wait.
#[derive(Debug, Clone, FromRow)]
#[columns("digest_news")]
pub struct DigestItem {
    pub id: i64,
    pub news: Json<Waiting>,
    pub created_at: Timestamp,
}

/// Lets news wait for somebody's mail.
pub fn add(
    tx: &mut Tx<'_>, to: &Recipient, place: Where, news: &News, due_at: Timestamp,
) -> Result<()> {
    let now = tx.now();
    let waiting = Waiting { news: news.clone(), reason: to.reason };
    tx.execute(
        sql!(
            "insert into digest_news (user_id, project_id, group_id, news, due_at, created_at)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        (to.user, place.project_id(), place.group_id(), Json(waiting), due_at, now),
    )?;
    Ok(())
}

/// Those for whom something has waited long enough, behind a user.
pub fn due(tx: &mut Tx<'_>, after: i64, most: i64) -> Result<Vec<i64>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select distinct user_id from digest_news where due_at <= $1 and user_id > $2
             order by user_id limit $3"
        ),
        (now, after, most),
    )?)
}

/// Takes what waits for the mail of somebody now, the oldest first. Whoever comes next
/// finds it again in an hour, if it is still there then: the mail was never sent.
pub fn claim(tx: &mut Tx<'_>, user: i64, most: i64) -> Result<Vec<DigestItem>> {
    let now = tx.now();
    let again = now + jiff::SignedDuration::from_hours(1);
    let mut items: Vec<DigestItem> = tx.all(
        sql!(
            "update digest_news set due_at = $3 where id in
                (select id from digest_news where user_id = $1 and due_at <= $2
                 order by id limit $4)
             returning ",
            DigestItem::COLUMNS
        ),
        (user, now, again, most),
    )?;
    items.sort_unstable_by_key(|item| item.id);
    Ok(items)
}

/// Forgets what a mail has told.
pub fn forget(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    tx.execute(sql!("delete from digest_news where id in_list($1)"), (ids,))?;
    Ok(())
}
