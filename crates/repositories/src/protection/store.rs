//! `protected_refs`, `protected_ref_levels`.

use super::model::{Deed, Level, ProtectedRef, RefKind};
use ::store::{Fragment, Tx, grouped, sql};
use kernel::error::Result;
use spaces::SpaceId;
use std::collections::HashMap;

const SELECT: &str = ::store::concat!("select ", ProtectedRef::COLUMNS, " from protected_refs ");

/// The rules of a project and of the group at its root, those of the group first.
pub fn of_project(
    tx: &mut Tx<'_>, project_id: i64, root: Option<i64>,
) -> Result<Vec<ProtectedRef>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where project_id = $1 or group_id = $2
             order by case when group_id is null then 1 else 0 end, name, id"
        ),
        (project_id, root),
    )?)
}

/// The rules of some projects and of the groups at their roots, those of groups first.
pub fn of_projects(
    tx: &mut Tx<'_>, projects: Vec<i64>, roots: Vec<i64>,
) -> Result<Vec<ProtectedRef>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where project_id in_list($1) or group_id in_list($2)
             order by case when group_id is null then 1 else 0 end, name, id"
        ),
        (projects, roots),
    )?)
}

/// The rules of a group itself.
pub fn of_group(tx: &mut Tx<'_>, group_id: i64) -> Result<Vec<ProtectedRef>> {
    Ok(tx.all(sql!(SELECT, "where group_id = $1 order by name, id"), (group_id,))?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<ProtectedRef>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// The access levels of some rules, by rule.
pub fn levels(tx: &mut Tx<'_>, refs: &[ProtectedRef]) -> Result<HashMap<i64, Vec<Level>>> {
    if refs.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<i64> = refs.iter().map(|one| one.id).collect();
    let rows: Vec<Level> = tx.all(
        sql!(
            "select ",
            Level::COLUMNS,
            " from protected_ref_levels where protected_ref_id in_list($1) order by id"
        ),
        (ids,),
    )?;
    Ok(grouped(rows.into_iter().map(|row| (row.protected_ref_id, row))))
}

/// Adds a rule, unless there is one of this name.
pub fn insert(
    tx: &mut Tx<'_>, owner: SpaceId, kind: RefKind, rule: &ProtectedRef,
) -> Result<Option<i64>> {
    let (now, (project_id, group_id)) = (tx.now(), owner.columns());
    let values = (
        kind.as_str(),
        project_id,
        group_id,
        rule.name.as_str(),
        rule.allow_force_push,
        rule.code_owner_approval_required,
        now,
    );
    Ok(tx.optional(
        sql!(
            "insert into protected_refs (kind, project_id, group_id, name, allow_force_push,
                code_owner_approval_required, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning id"
        ),
        values,
    )?)
}

pub fn update(tx: &mut Tx<'_>, rule: &ProtectedRef) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update protected_refs set allow_force_push = $2, code_owner_approval_required = $3,
                updated_at = $4 where id = $1"
        ),
        (rule.id, rule.allow_force_push, rule.code_owner_approval_required, now),
    )?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from protected_refs where id = $1"), (id,))?;
    Ok(())
}

pub fn insert_level(tx: &mut Tx<'_>, rule: i64, level: &Level) -> Result<()> {
    tx.execute(
        sql!(
            "insert into protected_ref_levels (protected_ref_id, purpose, access_level, user_id,
                group_id, deploy_key_id) values ($1, $2, $3, $4, $5, $6)"
        ),
        (
            rule,
            level.purpose.as_str(),
            level.access_level,
            level.user_id,
            level.group_id,
            level.deploy_key_id,
        ),
    )?;
    Ok(())
}

pub fn update_level(tx: &mut Tx<'_>, level: &Level) -> Result<()> {
    tx.execute(
        sql!(
            "update protected_ref_levels set access_level = $2, user_id = $3, group_id = $4,
                deploy_key_id = $5 where id = $1"
        ),
        (level.id, level.access_level, level.user_id, level.group_id, level.deploy_key_id),
    )?;
    Ok(())
}

pub fn delete_levels(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    let mut gone = Fragment::new("delete from protected_ref_levels where ");
    gone.in_list("protected_ref_levels.id", ids);
    tx.change_by(gone)?;
    Ok(())
}

/// Forgets a deploy key that is about to go.
pub fn forget_deploy_key(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from protected_ref_levels where deploy_key_id = $1"), (id,))?;
    Ok(())
}

/// How many rules there are of a kind.
pub fn count(tx: &mut Tx<'_>, owner: SpaceId) -> Result<i64> {
    let (project_id, group_id) = owner.columns();
    Ok(tx.one(
        sql!("select count(*) from protected_refs where project_id = $1 or group_id = $2"),
        (project_id, group_id),
    )?)
}

/// Whether a project, or a group above it, is shared with a group.
pub fn is_shared_with(
    tx: &mut Tx<'_>, project_id: i64, above: &[i64], group_id: i64,
) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from shares where group_id = $1
                and ((source_type = 'Project' and source_id = $2)
                    or (source_type = 'Group' and source_id in_list($3))) limit 1"
        ),
        (group_id, project_id, above.to_vec()),
    )?;
    Ok(found.is_some())
}

/// The groups among some that a user is in, above each of which the user may be a
/// member as well.
pub fn groups_joined(tx: &mut Tx<'_>, user_id: i64, groups: &[i64]) -> Result<Vec<i64>> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Fragment::new("select namespaces.id from namespaces where ");
    query
        .in_list("namespaces.id", groups)
        .raw(" and ")
        .append(spaces::access::groups_of(tx, user_id, spaces::access::GUEST));
    Ok(tx.query(query)?)
}

impl Level {
    /// A level of a role.
    pub fn of_role(purpose: Deed, access_level: i64) -> Level {
        Level {
            id: 0,
            protected_ref_id: 0,
            purpose,
            access_level: Some(access_level),
            user_id: None,
            group_id: None,
            deploy_key_id: None,
        }
    }
}
