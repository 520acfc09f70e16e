//! `ci_runners`, `ci_runner_projects` and `ci_registration_tokens`.

pub mod artifacts;
pub mod dotenv;
pub mod jobs;
pub mod lists;
pub mod managers;
pub mod traces;

use super::model::{MAX_PROJECTS, Runner};
use ::store::{Tx, sql};
use jiff::Timestamp;
use kernel::error::Result;
use std::collections::HashMap;

pub const SELECT: &str = ::store::concat!("select ", Runner::COLUMNS, " from ci_runners ");

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Runner>> {
    Ok(tx.optional(sql!(SELECT, "where ci_runners.id = $1"), (id,))?)
}

pub fn by_digest(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Runner>> {
    Ok(tx.optional(sql!(SELECT, "where ci_runners.token_digest = $1"), (digest,))?)
}

pub fn some(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<Runner>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(sql!(SELECT, "where ci_runners.id in_list($1)"), (ids,))?)
}

/// Adds a runner; its id is made.
pub fn insert(tx: &mut Tx<'_>, new: Runner) -> Result<Runner> {
    let id = tx.one(
        sql!(
            "insert into ci_runners (runner_type, group_id, token_digest, short_token,
                description, maintenance_note, tags, run_untagged, locked, paused,
                access_level, maximum_timeout, creator_id, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
             returning id"
        ),
        (
            new.runner_type,
            new.group_id,
            &new.token_digest,
            &new.short_token,
            &new.description,
            &new.maintenance_note,
            &new.tags,
            new.run_untagged,
            new.locked,
            new.paused,
            new.access_level,
            new.maximum_timeout,
            new.creator_id,
            new.created_at,
        ),
    )?;
    Ok(Runner { id, ..new })
}

pub fn update(tx: &mut Tx<'_>, runner: &Runner) -> Result<()> {
    tx.execute(sql!(Runner::UPDATE), runner.values())?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from ci_runners where id = $1"), (id,))?;
    Ok(())
}

/// It was heard of now.
pub fn contacted(tx: &mut Tx<'_>, id: i64, now: Timestamp) -> Result<()> {
    let statement = sql!("update ci_runners set contacted_at = $2 where id = $1");
    tx.execute(statement, (id, now))?;
    Ok(())
}

/// The ids of the projects of a runner, its own first.
pub fn projects(tx: &mut Tx<'_>, runner_id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select project_id from ci_runner_projects where runner_id = $1 order by id limit $2"),
        (runner_id, MAX_PROJECTS),
    )?)
}

/// The same of some runners.
pub fn projects_of(tx: &mut Tx<'_>, runners: Vec<i64>) -> Result<HashMap<i64, Vec<i64>>> {
    Ok(tx.grouped(
        sql!(
            "select runner_id, project_id from ci_runner_projects
             where runner_id in_list($1) order by id limit $2"
        ),
        (runners, MAX_PROJECTS),
    )?)
}

/// Gives a runner to a project; false where it has it.
pub fn assign(tx: &mut Tx<'_>, runner_id: i64, project_id: i64) -> Result<bool> {
    let added = tx.execute(
        sql!(
            "insert into ci_runner_projects (runner_id, project_id) values ($1, $2)
             on conflict do nothing"
        ),
        (runner_id, project_id),
    )?;
    Ok(added > 0)
}

pub fn unassign(tx: &mut Tx<'_>, runner_id: i64, project_id: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from ci_runner_projects where runner_id = $1 and project_id = $2"),
        (runner_id, project_id),
    )?;
    Ok(gone > 0)
}

/// Takes away the runners of a project that have no other one.
pub fn delete_of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    tx.execute(
        sql!(
            "delete from ci_runners where ci_runners.id in
                (select p.runner_id from ci_runner_projects p where p.project_id = $1)
             and not exists (select 1 from ci_runner_projects o
                where o.runner_id = ci_runners.id and o.project_id <> $1)"
        ),
        (project_id,),
    )?;
    Ok(())
}

/// What a registration token is of: a project, a group, or the instance.
pub fn registration(
    tx: &mut Tx<'_>, digest: Vec<u8>,
) -> Result<Option<(Option<i64>, Option<i64>)>> {
    Ok(tx.optional(
        sql!("select project_id, group_id from ci_registration_tokens where token_digest = $1"),
        (digest,),
    )?)
}

pub fn set_registration(
    tx: &mut Tx<'_>, project_id: Option<i64>, group_id: Option<i64>, digest: Vec<u8>,
) -> Result<()> {
    tx.execute(
        sql!(
            "delete from ci_registration_tokens
             where coalesce(project_id, 0) = coalesce($1, 0)
               and coalesce(group_id, 0) = coalesce($2, 0)"
        ),
        (project_id, group_id),
    )?;
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into ci_registration_tokens (project_id, group_id, token_digest, created_at)
             values ($1, $2, $3, $4)"
        ),
        (project_id, group_id, digest, now),
    )?;
    Ok(())
}
