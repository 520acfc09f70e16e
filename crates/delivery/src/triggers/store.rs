//! `ci_triggers`.

use super::model::Trigger;
use ::store::{Fragment, Tx, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::http::Paging;

const SELECT: &str = concat!("select ", Trigger::COLUMNS, " from ci_triggers ");

/// A page of those of a project, and how many there are.
pub fn page(tx: &mut Tx<'_>, project_id: i64, paging: &Paging) -> Result<(Vec<Trigger>, i64)> {
    let mut of = Fragment::new("ci_triggers.project_id = ");
    of.bind(project_id);
    let total = spaces::store::count(tx, "ci_triggers", &of)?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(" order by ci_triggers.id");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from ci_triggers where project_id = $1"), (project_id,))?)
}

pub fn of_project(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Trigger>> {
    Ok(tx.optional(
        sql!(SELECT, "where ci_triggers.id = $1 and ci_triggers.project_id = $2"),
        (id, project_id),
    )?)
}

/// The trigger of a token.
pub fn of_token(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Trigger>> {
    Ok(tx.optional(sql!(SELECT, "where ci_triggers.token_digest = $1"), (digest,))?)
}

pub fn insert(tx: &mut Tx<'_>, new: &Trigger, digest: Vec<u8>) -> Result<Trigger> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into ci_triggers (project_id, owner_id, description, token_digest,
                short_token, expires_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7) returning ",
            Trigger::COLUMNS
        ),
        (
            new.project_id,
            new.owner_id,
            &new.description,
            digest,
            &new.short_token,
            new.expires_at,
            now,
        ),
    )?)
}

pub fn describe(tx: &mut Tx<'_>, id: i64, description: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update ci_triggers set description = $2, updated_at = $3 where id = $1"),
        (id, description, now),
    )
}

pub fn touch(tx: &mut Tx<'_>, id: i64, at: Timestamp) -> Result<()> {
    tx.run(sql!("update ci_triggers set last_used = $2 where id = $1"), (id, at))
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from ci_triggers where id = $1"), (id,))
}
