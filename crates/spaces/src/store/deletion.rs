//! What goes with projects, groups and days that are over.

use crate::model::SourceKind;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

pub fn is_scheduled(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from projects where id = $1 and deletion_scheduled_at is not null"),
        (project_id,),
    )?;
    Ok(found.is_some())
}

/// A hidden namespace and all below it, the deepest first: a parent cannot go
/// before its children.
pub fn scheduled_below(tx: &mut Tx<'_>, namespace_id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select n.id from namespaces top join namespaces n
                on n.lineage >= top.lineage and n.lineage < top.lineage || ':'
             where top.id = $1 and top.deletion_scheduled_at is not null
             order by n.depth desc, n.id"
        ),
        (namespace_id,),
    )?)
}

pub fn delete_project(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from projects where id = $1"), (id,))?;
    Ok(())
}

pub fn delete_namespace(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from namespaces where id = $1 and deletion_scheduled_at is not null"),
        (id,),
    )?;
    Ok(gone > 0)
}

pub fn bots_of(tx: &mut Tx<'_>, kind: SourceKind, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct user_id from access_tokens where source_type = $1 and source_id = $2"
        ),
        (kind, id),
    )?)
}

/// Deletes all that refers to a project or group.
pub fn delete_references(tx: &mut Tx<'_>, kind: SourceKind, id: i64) -> Result<()> {
    for forget in [
        sql!("delete from access_tokens where source_type = $1 and source_id = $2"),
        sql!("delete from members where source_type = $1 and source_id = $2"),
        sql!("delete from invitations where source_type = $1 and source_id = $2"),
        sql!("delete from shares where source_type = $1 and source_id = $2"),
        sql!("delete from deploy_tokens where source_type = $1 and source_id = $2"),
    ] {
        tx.execute(forget, (kind, id))?;
    }
    Ok(())
}

/// Bots of projects and groups without a token that opens anything on a day.
pub fn idle_bots(tx: &mut Tx<'_>, today: &str) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select u.id from users u
             where u.kind in ('project_bot', 'group_bot') and not exists
                (select 1 from access_tokens t where t.user_id = u.id and not t.revoked
                    and (t.expires_at is null or t.expires_at > $1))"
        ),
        (today,),
    )?)
}

/// Deletes tokens of bots that are gone, unchanged since a time.
pub fn delete_ended_tokens(tx: &mut Tx<'_>, before: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "delete from access_tokens where kind in ('project', 'group') and updated_at < $1
                and user_id in (select id from users where kind = 'ghost')"
        ),
        (before,),
    )?;
    Ok(())
}

/// Deletes memberships that end on a day or before; of what, and whose.
pub fn delete_expired_members(tx: &mut Tx<'_>, today: &str) -> Result<Vec<(SourceKind, i64, i64)>> {
    Ok(tx.all(
        sql!(
            "delete from members where expires_at <= $1
             returning source_type, source_id, user_id"
        ),
        (today,),
    )?)
}

/// Takes memberships whose end comes by a day and of which the user was not told; of
/// what, and whose.
pub fn members_ending(
    tx: &mut Tx<'_>, today: &str, last: &str, most: i64,
) -> Result<Vec<(SourceKind, i64, i64)>> {
    Ok(tx.all(
        sql!(
            "update members set told_end = expires_at where id in
                (select id from members where requested_at is null
                    and expires_at > $1 and expires_at <= $2
                    and (told_end is null or told_end <> expires_at)
                 order by id limit $3)
             returning source_type, source_id, user_id"
        ),
        (today, last, most),
    )?)
}

/// Deletes shares and invitations that end on a day or before.
pub fn delete_expired(tx: &mut Tx<'_>, today: &str) -> Result<()> {
    for expired in [
        sql!("delete from shares where expires_at <= $1"),
        sql!("delete from invitations where expires_at <= $1"),
    ] {
        tx.execute(expired, (today,))?;
    }
    Ok(())
}
