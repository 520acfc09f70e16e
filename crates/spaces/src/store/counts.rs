//! Counts and origins for the rows of a page, one query for all of them.

use crate::access::{self, Purpose};
use crate::model::SourceKind;
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

/// Groups right below each of these that the viewer may see.
pub fn subgroups(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    let mut counted = Fragment::new("select namespaces.parent_id, count(*) from namespaces where");
    counted
        .in_list("namespaces.parent_id", ids)
        .raw(" and ")
        .append(access::visible_groups(tx, viewer))
        .raw(" group by namespaces.parent_id");
    Ok(tx.query::<(i64, i64)>(counted)?.into_iter().collect())
}

/// Projects right in each of these groups that the viewer may see.
pub fn projects(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    let mut counted = Fragment::new("select projects.namespace_id, count(*) from projects where");
    counted
        .in_list("projects.namespace_id", ids)
        .raw(" and ")
        .append(access::visible_projects(tx, viewer, Purpose::Read))
        .raw(" group by projects.namespace_id");
    Ok(tx.query::<(i64, i64)>(counted)?.into_iter().collect())
}

/// Direct members of each of these groups.
pub fn direct_members(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    let today = super::today(tx);
    Ok(tx.pairs(
        sql!(
            "select source_id, count(*) from members
             where source_type = 'Group' and source_id in_list($1) and requested_at is null
                and (expires_at is null or expires_at > $2)
             group by source_id"
        ),
        (ids, today),
    )?)
}

/// What each of these memberships belongs to.
pub fn sources(tx: &mut Tx<'_>, memberships: &[i64]) -> Result<HashMap<i64, (SourceKind, i64)>> {
    let rows: Vec<(i64, SourceKind, i64)> = tx.all(
        sql!("select id, source_type, source_id from members where id in_list($1)"),
        (memberships,),
    )?;
    Ok(rows.into_iter().map(|(id, kind, source)| (id, (kind, source))).collect())
}

/// Name and path of those of these groups that the viewer may see.
pub fn group_names(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, (String, String)>> {
    let mut named = Fragment::new(
        "select namespaces.id, namespaces.full_name, namespaces.full_path from namespaces where",
    );
    named
        .in_list("namespaces.id", ids)
        .raw(" and ")
        .append(access::visible_groups(tx, viewer));
    let rows: Vec<(i64, String, String)> = tx.query(named)?;
    Ok(rows.into_iter().map(|(id, name, path)| (id, (name, path))).collect())
}
