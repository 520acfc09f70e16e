//! Groups, written one by one.

use crate::branch_protection::BranchProtection;
use crate::model::Namespace;
use crate::store::searched::GROUPS;
use kernel::error::Result;
use kernel::search::index;
use store::{IntoValue, Json, Tx, sql};

/// Notes that something of a group changed.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update namespaces set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

/// Writes the settings of a group; name and path are moved by
/// [`super::namespaces::replace`].
pub fn write(tx: &mut Tx<'_>, group: &Namespace) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update namespaces set description = $2, visibility = $3,
                project_creation_level = $4, subgroup_creation_level = $5,
                share_with_group_lock = $6, require_two_factor = $7, emails_enabled = $8,
                mentions_disabled = $9, lfs_enabled = $10, request_access_enabled = $11,
                default_branch = $12, updated_at = $13, two_factor_grace_period = $14,
                epics_enabled = $15, branch_protection = $16,
                dependency_exports_enabled = $17, pull_mirror_enabled = $18
             where id = $1"
        ),
        vec![
            group.id.into_value(),
            group.description.as_str().into_value(),
            group.visibility.into_value(),
            group.project_creation_level.as_str().into_value(),
            group.subgroup_creation_level.as_str().into_value(),
            group.share_with_group_lock.into_value(),
            group.require_two_factor.into_value(),
            group.emails_enabled.into_value(),
            group.mentions_disabled.into_value(),
            group.lfs_enabled.into_value(),
            group.request_access_enabled.into_value(),
            group.default_branch.clone().into_value(),
            now.into_value(),
            group.two_factor_grace_period.into_value(),
            group.epics_enabled.into_value(),
            group.branch_protection.clone().into_value(),
            group.dependency_exports_enabled.into_value(),
            group.pull_mirror_enabled.into_value(),
        ],
    )?;
    Ok(index(tx, &GROUPS, &[group.id])?)
}

/// What the nearest of these groups, which are told from the root, says of default
/// branches.
pub fn branch_protection(tx: &mut Tx<'_>, groups: &[i64]) -> Result<Option<BranchProtection>> {
    let found: Option<(Json<BranchProtection>,)> = tx.optional(
        sql!(
            "select branch_protection from namespaces
             where id in_list($1) and branch_protection is not null
             order by depth desc limit 1"
        ),
        (groups.to_vec(),),
    )?;
    Ok(found.map(|(Json(own),)| own))
}

/// Whether something in a group is seen by more than this.
pub fn has_wider(tx: &mut Tx<'_>, group: &Namespace, visibility: i64) -> Result<bool> {
    let wider: Option<i64> = tx.optional(
        sql!(
            "select n.id from namespaces n where n.lineage > $1 and n.lineage < $2
                and n.visibility > $3 and n.deletion_scheduled_at is null
             union all
             select p.id from projects p join namespaces n on n.id = p.namespace_id
             where n.lineage >= $1 and n.lineage < $2 and p.visibility > $3
                and p.deletion_scheduled_at is null"
        ),
        (&group.lineage, group.lineage_end(), visibility),
    )?;
    Ok(wider.is_some())
}

pub fn deepest(tx: &mut Tx<'_>, group: &Namespace) -> Result<i64> {
    Ok(tx.one(
        sql!("select max(depth) from namespaces where lineage >= $1 and lineage < $2"),
        (&group.lineage, group.lineage_end()),
    )?)
}

/// Hides a namespace with all below it, and frees names and paths.
pub fn hide(tx: &mut Tx<'_>, namespace: &Namespace) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set deletion_scheduled_at = $3, unique_name = null,
                full_path_folded = '-/deleted/' || cast(id as text)
             where namespace_id in
                (select n.id from namespaces n where n.lineage >= $1 and n.lineage < $2)"
        ),
        (&namespace.lineage, namespace.lineage_end(), now),
    )?;
    let sources = super::forks::sources_below(tx, namespace)?;
    super::forks::recount(tx, &sources)?;
    tx.execute(
        sql!(
            "update namespaces set deletion_scheduled_at = $3, owner_id = null,
                unique_name = null, full_path_folded = '-/deleted/group/' || cast(id as text)
             where lineage >= $1 and lineage < $2"
        ),
        (&namespace.lineage, namespace.lineage_end(), now),
    )?;
    Ok(())
}
