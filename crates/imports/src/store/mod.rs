//! `imports` and `import_failures`; of `import_records` see [`crate::ledger`].

pub mod failures;
pub mod memberships;

use crate::run::{Import, NewImport};
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{IntoValue, Json, Tx, sql};

const SELECT: &str = ::store::concat!("select ", Import::COLUMNS, " from imports ");

/// What an import is for, and who asks for it.
pub struct Asked<'a> {
    pub project_id: i64,
    /// The part that is brought; all without one.
    pub relation: Option<&'a str>,
    pub user_id: i64,
    pub sealed_credentials: Option<String>,
}

/// Adds one that waits for its turn, unless there is one of its whole project; its id.
pub fn insert(tx: &mut Tx<'_>, asked: &Asked<'_>, new: &NewImport) -> Result<Option<i64>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into imports (project_id, relation, source, host, user_id, origin, origin_id, base_url,
                upstream, sealed_credentials, options, user_map, status, is_live, round,
                round_started_at, stats, failures, attempts, progressed_at, correlation_id,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'scheduled', $13, 0, $14,
                $15, 0, 0, $14, $16, $14, $14)
             on conflict do nothing returning id"
        ),
        vec![
            asked.project_id.into_value(),
            asked.relation.into_value(),
            new.source.into_value(),
            new.host.as_str().into_value(),
            asked.user_id.into_value(),
            new.origin.as_str().into_value(),
            new.origin_id.into_value(),
            new.base_url.as_str().into_value(),
            Json(&new.upstream).into_value(),
            asked.sealed_credentials.as_deref().into_value(),
            Json(&new.options).into_value(),
            Json(&new.user_map).into_value(),
            new.is_live.into_value(),
            now.into_value(),
            Json(crate::run::Stats::default()).into_value(),
            new.correlation_id.as_deref().into_value(),
        ],
    )?)
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<Import>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// The import of a project, if it came by one.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Import>> {
    Ok(tx.optional(sql!(SELECT, "where project_id = $1 and relation is null"), (project_id,))?)
}

/// The last import of a part into a project.
pub fn last_part(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Import>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where project_id = $1 and relation is not null order by id desc limit 1"
        ),
        (project_id,),
    )?)
}

/// Forgets the imports of parts into a project that have ended.
pub fn delete_parts(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    tx.run(
        sql!(
            "delete from imports where project_id = $1 and relation is not null
                and status not in ('scheduled', 'started')"
        ),
        (project_id,),
    )
}

/// The newest imports that somebody asked for.
pub fn of_user(tx: &mut Tx<'_>, user_id: i64, limit: i64) -> Result<Vec<Import>> {
    Ok(tx.all(
        sql!(SELECT, "where user_id = $1 and relation is null order by id desc limit $2"),
        (user_id, limit),
    )?)
}

/// Writes what changed of one.
pub fn write(tx: &mut Tx<'_>, import: &Import) -> Result<()> {
    let import = Import { updated_at: tx.now(), ..import.clone() };
    tx.run(sql!(Import::UPDATE), import.values())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from imports where id = $1"), (id,))
}

/// Some open ones that may go on and of which nothing was heard since then.
pub fn idle(tx: &mut Tx<'_>, since: Timestamp, limit: i64) -> Result<Vec<i64>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select id from imports
             where status in ('scheduled', 'started') and updated_at < $1
                and (waits_until is null or waits_until <= $2)
             order by progressed_at, id limit $3"
        ),
        (since, now, limit),
    )?)
}

/// Some open ones that made no progress since then.
pub fn silent(tx: &mut Tx<'_>, since: Timestamp, limit: i64) -> Result<Vec<Import>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where status in ('scheduled', 'started') and progressed_at < $1
             order by progressed_at, id limit $2"
        ),
        (since, limit),
    )?)
}
