//! `protected_environments`, `protected_environment_levels`, `deployment_approvals`.

use super::approvals::Approval;
use super::model::{Decision, Level, ProtectedEnvironment, Rule};
use ::store::{Fragment, Tx, concat, grouped, sql};
use kernel::error::Result;
use spaces::SpaceId;
use std::collections::HashMap;

const SELECT: &str =
    concat!("select ", ProtectedEnvironment::COLUMNS, " from protected_environments ");

/// With all who are named for them.
fn with_levels(tx: &mut Tx<'_>, all: Vec<ProtectedEnvironment>) -> Result<Vec<Rule>> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = all.iter().map(|one| one.id).collect();
    let rows: Vec<Level> = tx.all(
        sql!(
            "select ",
            Level::COLUMNS,
            " from protected_environment_levels
             where protected_environment_id in_list($1) order by id"
        ),
        (ids,),
    )?;
    let mut levels = grouped(rows.into_iter().map(|row| (row.protected_environment_id, row)));
    let rule = |protected: ProtectedEnvironment| Rule {
        levels: levels.remove(&protected.id).unwrap_or_default(),
        protected,
    };
    Ok(all.into_iter().map(rule).collect())
}

/// Those of a project or group by their names.
pub fn of(tx: &mut Tx<'_>, owner: SpaceId) -> Result<Vec<Rule>> {
    let all = tx.all(
        sql!(SELECT, "where project_id = $1 or group_id = $2 order by name"),
        owner.columns(),
    )?;
    with_levels(tx, all)
}

/// Those of some projects or groups by their names.
pub fn of_many(tx: &mut Tx<'_>, projects: Vec<i64>, groups: Vec<i64>) -> Result<Vec<Rule>> {
    let all = tx.all(
        sql!(SELECT, "where project_id in_list($1) or group_id in_list($2) order by name, id"),
        (projects, groups),
    )?;
    with_levels(tx, all)
}

pub fn named(tx: &mut Tx<'_>, owner: SpaceId, name: &str) -> Result<Option<Rule>> {
    let (project_id, group_id) = owner.columns();
    let found: Option<ProtectedEnvironment> = tx.optional(
        sql!(SELECT, "where (project_id = $1 or group_id = $2) and name = $3"),
        (project_id, group_id, name),
    )?;
    Ok(with_levels(tx, found.into_iter().collect())?.pop())
}

/// Those of a project for these names, and of these groups for these tiers.
pub fn covering(
    tx: &mut Tx<'_>, (project_id, names): (i64, Vec<String>),
    (groups, tiers): (Vec<i64>, Vec<String>),
) -> Result<Vec<Rule>> {
    let all = tx.all(
        sql!(
            SELECT,
            "where (project_id = $1 and name in_list($2))
                or (group_id in_list($3) and name in_list($4))
             order by id"
        ),
        (project_id, names, groups, tiers),
    )?;
    with_levels(tx, all)
}

pub fn count(tx: &mut Tx<'_>, owner: SpaceId) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from protected_environments where project_id = $1 or group_id = $2"),
        owner.columns(),
    )?)
}

/// Adds one, unless there is one of this name; its id.
pub fn insert(tx: &mut Tx<'_>, owner: SpaceId, name: &str, count: i64) -> Result<Option<i64>> {
    let (now, (project_id, group_id)) = (tx.now(), owner.columns());
    Ok(tx.optional(
        sql!(
            "insert into protected_environments (project_id, group_id, name,
                required_approval_count, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning id"
        ),
        (project_id, group_id, name, count, now),
    )?)
}

pub fn set_count(tx: &mut Tx<'_>, id: i64, count: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update protected_environments set required_approval_count = $2, updated_at = $3
             where id = $1"
        ),
        (id, count, now),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from protected_environments where id = $1"), (id,))
}

pub fn insert_level(tx: &mut Tx<'_>, protected_id: i64, level: &Level) -> Result<()> {
    tx.run(
        sql!(
            "insert into protected_environment_levels (protected_environment_id, purpose,
                access_level, user_id, group_id, group_inheritance_type, required_approvals)
             values ($1, $2, $3, $4, $5, $6, $7)"
        ),
        (
            protected_id,
            level.purpose,
            level.access_level,
            level.user_id,
            level.group_id,
            level.group_inheritance_type,
            level.required_approvals,
        ),
    )
}

pub fn update_level(tx: &mut Tx<'_>, level: &Level) -> Result<()> {
    tx.run(
        sql!(
            "update protected_environment_levels set access_level = $2, user_id = $3,
                group_id = $4, group_inheritance_type = $5, required_approvals = $6
             where id = $1"
        ),
        (
            level.id,
            level.access_level,
            level.user_id,
            level.group_id,
            level.group_inheritance_type,
            level.required_approvals,
        ),
    )
}

pub fn delete_levels(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    let mut gone = Fragment::new("delete from protected_environment_levels where");
    gone.in_list("id", ids);
    tx.change_by(gone)?;
    Ok(())
}

/// What was decided of some deployments, as it came.
pub fn approvals(tx: &mut Tx<'_>, deployments: Vec<i64>) -> Result<HashMap<i64, Vec<Approval>>> {
    if deployments.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Approval> = tx.all(
        sql!(
            "select ",
            Approval::COLUMNS,
            " from deployment_approvals where deployment_id in_list($1) order by id"
        ),
        (deployments,),
    )?;
    Ok(grouped(rows.into_iter().map(|row| (row.deployment_id, row))))
}

/// What somebody decides.
#[derive(Debug, Clone, Copy)]
pub struct NewApproval<'a> {
    pub deployment_id: i64,
    pub user_id: i64,
    pub level_id: Option<i64>,
    pub status: Decision,
    pub comment: Option<&'a str>,
}

/// Notes a decision; none where they have decided before.
pub fn insert_approval(tx: &mut Tx<'_>, new: &NewApproval<'_>) -> Result<Option<Approval>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into deployment_approvals (deployment_id, user_id, level_id, status, comment,
                created_at)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning ",
            Approval::COLUMNS
        ),
        (new.deployment_id, new.user_id, new.level_id, new.status, new.comment, now),
    )?)
}
