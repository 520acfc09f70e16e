//! What belongs to users, for when they come, change and go.

use crate::model::Namespace;
use identity::{give, handing};
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

/// A user's own namespace, also while it is being deleted.
pub fn own_namespace(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<Namespace>> {
    Ok(tx.optional(
        sql!("select * from namespaces where owner_id = $1 and kind = 'user'"),
        (user_id,),
    )?)
}

/// The ids of users' own namespaces, by user.
pub fn namespaces_of(tx: &mut Tx<'_>, users: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!("select owner_id, id from namespaces where kind = 'user' and owner_id in_list($1)"),
        (users,),
    )?)
}

/// Groups a user owns directly, the outermost first.
pub fn owned_groups(tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<Namespace>> {
    Ok(tx.all(
        sql!(
            "select n.* from members m join namespaces n on n.id = m.source_id
             where m.user_id = $1 and m.source_type = 'Group' and m.access_level = 50
                and m.requested_at is null and n.deletion_scheduled_at is null
             order by n.depth, n.id"
        ),
        (user_id,),
    )?)
}

/// Deletes a user's memberships and stars.
pub fn forget(tx: &mut Tx<'_>, user_id: i64) -> Result<()> {
    for forget in [
        sql!("delete from members where user_id = $1"),
        sql!(
            "update projects set star_count = star_count - 1 where id in
                (select project_id from stars where user_id = $1)"
        ),
        sql!("delete from stars where user_id = $1"),
    ] {
        tx.execute(forget, (user_id,))?;
    }
    Ok(())
}

/// Who made projects, groups, members, invitations and deploy tokens.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let statements = [
        give!("projects", "creator_id"),
        give!("namespaces", "created_by_id"),
        give!("members", "created_by_id"),
        give!("invitations", "created_by_id"),
        give!("deploy_tokens", "created_by_id"),
    ];
    handing::hand_over(tx, &statements, (from, to), limit)
}

/// Neither a member of a project, nor of a group with projects in or below
/// it, nor the owner of projects in the own namespace.
pub fn without_projects() -> Fragment {
    Fragment::new(
        "not exists (select 1 from members m where m.user_id = users.id
            and m.source_type = 'Project' and m.requested_at is null)
         and not exists (select 1 from namespaces own join projects p on p.namespace_id = own.id
            where own.owner_id = users.id and own.kind = 'user'
                and p.deletion_scheduled_at is null)
         and not exists (select 1 from members m
            join namespaces top on top.id = m.source_id
            join namespaces n on n.id = top.id
                or (n.lineage > top.lineage and n.lineage < top.lineage || ':')
            join projects p on p.namespace_id = n.id and p.deletion_scheduled_at is null
            where m.user_id = users.id and m.source_type = 'Group' and m.requested_at is null)",
    )
}
