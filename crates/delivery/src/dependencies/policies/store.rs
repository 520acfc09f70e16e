//! `license_policies`.

use super::model::{Mode, Policy};
use ::store::{Json, Tx, concat, sql};
use kernel::error::Result;
use spaces::SpaceId;
use spaces::model::Project;

const SELECT: &str = concat!("select ", Policy::COLUMNS, " from license_policies ");

pub fn of(tx: &mut Tx<'_>, owner: SpaceId) -> Result<Option<Policy>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where license_policies.project_id = $1 or license_policies.group_id = $2"
        ),
        owner.columns(),
    )?)
}

/// The policy that counts for a project: its own, else that of the nearest group.
pub fn nearest(tx: &mut Tx<'_>, project: &Project) -> Result<Option<Policy>> {
    let groups = project.ancestors();
    let all: Vec<Policy> = tx.all(
        sql!(
            SELECT,
            "where license_policies.project_id = $1 or license_policies.group_id in_list($2)"
        ),
        (project.id, groups.clone()),
    )?;
    let distance = |policy: &Policy| match policy.group_id {
        None => 0,
        Some(group) => 1 + groups.iter().rev().take_while(|id| **id != group).count(),
    };
    Ok(all.into_iter().min_by_key(distance))
}

/// Sets the policy of a project or group, in place of the one there.
pub fn set(tx: &mut Tx<'_>, owner: SpaceId, mode: Mode, licenses: &[String]) -> Result<Policy> {
    let now = tx.now();
    let licenses = Json(licenses.to_vec());
    if let Some(known) = of(tx, owner)? {
        return Ok(tx.one(
            sql!(
                "update license_policies set mode = $2, licenses = $3, updated_at = $4
                 where id = $1 returning ",
                Policy::COLUMNS
            ),
            (known.id, mode, licenses, now),
        )?);
    }
    let (project_id, group_id) = owner.columns();
    Ok(tx.one(
        sql!(
            "insert into license_policies (project_id, group_id, mode, licenses, created_at,
                updated_at)
             values ($1, $2, $3, $4, $5, $5) returning ",
            Policy::COLUMNS
        ),
        (project_id, group_id, mode, licenses, now),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from license_policies where id = $1"), (id,))
}
