//! Which project was forked from which.

use crate::access::{self, Purpose};
use crate::model::{Namespace, Project};
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Tx, sql};

/// Makes a project a fork of another, in the network of that.
pub fn link(tx: &mut Tx<'_>, id: i64, source: &Project) -> Result<()> {
    let network = source.fork_network_id.unwrap_or(source.id);
    tx.execute(
        sql!("update projects set fork_network_id = $2 where id in_list($1)"),
        (vec![id, source.id], network),
    )?;
    tx.execute(sql!("update projects set forked_from_id = $2 where id = $1"), (id, source.id))?;
    recount(tx, &[source.id])
}

/// Makes a fork, with its own forks, a network of its own.
pub fn unlink(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    let network = (project.forks_count > 0).then_some(project.id);
    tx.execute(
        sql!(
            "update projects set fork_network_id = $2 where id in (
                with recursive below (id) as (
                    select cast($1 as bigint)
                    union
                    select p.id from projects p join below on p.forked_from_id = below.id)
                select id from below)"
        ),
        (project.id, network),
    )?;
    tx.execute(sql!("update projects set forked_from_id = null where id = $1"), (project.id,))?;
    match project.forked_from_id {
        Some(source) => recount(tx, &[source]),
        None => Ok(()),
    }
}

/// Counts the forks of some projects anew.
pub fn recount(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    tx.execute(
        sql!(
            "update projects set forks_count = (
                select count(*) from projects f
                where f.forked_from_id = projects.id and f.deletion_scheduled_at is null)
             where id in_list($1)"
        ),
        (ids,),
    )?;
    Ok(())
}

/// What projects below a namespace are forked from.
pub fn sources_below(tx: &mut Tx<'_>, namespace: &Namespace) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct p.forked_from_id from projects p
             join namespaces n on n.id = p.namespace_id
             where n.lineage >= $1 and n.lineage < $2 and p.forked_from_id is not null"
        ),
        (&namespace.lineage, namespace.lineage_end()),
    )?)
}

/// Lets the forks of a project, and theirs, be seen by no more than it is.
pub fn narrow(tx: &mut Tx<'_>, id: i64, visibility: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set visibility = $2, updated_at = $3
             where visibility > $2 and id in (
                with recursive below (id) as (
                    select p.id from projects p where p.forked_from_id = $1
                    union
                    select p.id from projects p join below on p.forked_from_id = below.id)
                select id from below)"
        ),
        (id, visibility, now),
    )?;
    Ok(())
}

/// What some projects were forked from, as far as the viewer may see it, by its id.
pub fn sources(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &[Project],
) -> Result<HashMap<i64, Project>> {
    let ids: Vec<i64> = projects.iter().filter_map(|project| project.forked_from_id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut condition = access::visible_projects(tx, viewer, Purpose::Read);
    condition.raw(" and").in_list("projects.id", &ids);
    let rows = super::projects_where(tx, condition)?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}
