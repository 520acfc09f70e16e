//! `pull_mirrors`.

use super::model::PullMirror;
use crate::mirrors::model::UpdateStatus;
use ::store::{IntoValue, Tx, sql};
use jiff::Timestamp;
use kernel::error::Result;

const SELECT: &str = ::store::concat!("select ", PullMirror::COLUMNS, " from pull_mirrors ");

/// The mirror of a project.
pub fn of_project(tx: &mut Tx<'_>, project: i64) -> Result<Option<PullMirror>> {
    Ok(tx.optional(sql!(SELECT, "where project_id = $1"), (project,))?)
}

/// The mirrors of those of some projects that have one.
pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<PullMirror>> {
    Ok(tx.all(sql!(SELECT, "where project_id in_list($1)"), (projects.to_vec(),))?)
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<PullMirror>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// Adds one that has done nothing yet; its id.
pub fn insert(tx: &mut Tx<'_>, new: &PullMirror) -> Result<i64> {
    let now = tx.now();
    let made: i64 = tx.one(
        sql!(
            "insert into pull_mirrors (project_id, enabled, is_import, url, shown_url,
                auth_method, host_keys, trigger_builds, overwrites_diverged_branches,
                update_status, failures, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'none', 0, $10, $10) returning id"
        ),
        (
            new.project_id,
            new.enabled,
            new.is_import,
            new.server.url.as_str(),
            new.server.shown_url.as_str(),
            new.server.auth_method.as_str(),
            new.server.host_keys.clone(),
            new.trigger_builds,
            new.overwrites_diverged_branches,
            now,
        ),
    )?;
    update(tx, &PullMirror { id: made, ..new.clone() })?;
    Ok(made)
}

/// Writes what may be set of one.
pub fn update(tx: &mut Tx<'_>, after: &PullMirror) -> Result<()> {
    let now = tx.now();
    let server = &after.server;
    tx.execute(
        sql!(
            "update pull_mirrors set user_id = $2, enabled = $3, is_import = $4, url = $5,
                shown_url = $6, sealed_credentials = $7, auth_method = $8, sealed_key = $9,
                public_key = $10, host_keys = $11, trigger_builds = $12,
                only_protected_branches = $13, mirror_branch_regex = $14,
                overwrites_diverged_branches = $15, failures = $16, updated_at = $17
             where id = $1"
        ),
        vec![
            after.id.into_value(),
            after.user_id.into_value(),
            after.enabled.into_value(),
            after.is_import.into_value(),
            server.url.as_str().into_value(),
            server.shown_url.as_str().into_value(),
            server.sealed_credentials.as_deref().into_value(),
            server.auth_method.into_value(),
            server.sealed_key.as_deref().into_value(),
            server.public_key.as_deref().into_value(),
            server.host_keys.clone().into_value(),
            after.trigger_builds.into_value(),
            after.only_protected_branches.into_value(),
            after.mirror_branch_regex.as_deref().into_value(),
            after.overwrites_diverged_branches.into_value(),
            after.failures.into_value(),
            now.into_value(),
        ],
    )?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from pull_mirrors where id = $1"), (id,))?;
    Ok(())
}

/// Notes that one waits for its turn, and when it is looked for if that never comes.
pub fn scheduled(tx: &mut Tx<'_>, id: i64, late: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "update pull_mirrors set update_status = 'scheduled',
                next_update_at = coalesce(next_update_at, $2)
             where id = $1"
        ),
        (id, late),
    )?;
    Ok(())
}

/// Notes that one begins to follow, and when it does again of itself.
pub fn started(tx: &mut Tx<'_>, id: i64, next: Timestamp) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update pull_mirrors set update_status = 'started', last_update_started_at = $2,
                next_update_at = $3
             where id = $1"
        ),
        (id, now, next),
    )?;
    Ok(())
}

/// Lets one be that may not follow now until then.
pub fn rests(tx: &mut Tx<'_>, id: i64, until: Timestamp) -> Result<()> {
    tx.execute(
        sql!("update pull_mirrors set update_status = 'none', next_update_at = $2 where id = $1"),
        (id, until),
    )?;
    Ok(())
}

/// How a run ended.
pub struct Ended<'e> {
    pub status: UpdateStatus,
    pub error: Option<&'e str>,
    pub failures: i64,
    pub next: Timestamp,
}

/// Notes it; one that waits for its turn again goes on waiting.
pub fn ended(tx: &mut Tx<'_>, id: i64, run: &Ended<'_>) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update pull_mirrors set last_update_at = $2, last_error = $3, failures = $4,
                next_update_at = $5,
                update_status = case update_status when 'started' then $6
                    else update_status end,
                last_successful_update_at = case when $6 = 'finished' then $2
                    else last_successful_update_at end
             where id = $1"
        ),
        (id, now, run.error, run.failures, run.next, run.status.as_str()),
    )?;
    Ok(())
}

/// Those that are due, the longest waiting first.
pub fn due(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<PullMirror>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            SELECT,
            "where enabled and next_update_at <= $1 order by next_update_at, id limit $2"
        ),
        (now, limit),
    )?)
}

/// How many wait for their turn or have it.
pub fn busy(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from pull_mirrors
             where update_status = 'scheduled' or update_status = 'started'"
        ),
        (),
    )?)
}

/// Whether one of these groups is to have none.
pub fn is_off_in_one(tx: &mut Tx<'_>, groups: Vec<i64>) -> Result<bool> {
    let off: Option<i64> = tx.optional(
        sql!("select id from namespaces where id in_list($1) and not pull_mirror_enabled limit 1"),
        (groups,),
    )?;
    Ok(off.is_some())
}
