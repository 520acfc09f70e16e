//! Epics of a group, of those above and of those below it.

use super::{MOST, Suggestion};
use crate::access::epics::visible;
use crate::access::switches::instance_has_epics;
use crate::access::{Parent, ParentAccess};
use crate::model::IssueState;
use crate::store::contains;
use crate::store::epics::TABLES;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::model::Namespace;
use store::{Fragment, Tx};

/// Epics, the newest, whose titles are looked through; older ones are found by their
/// number.
const RECENT: i64 = 5_000;

/// Those of the group first, then open ones, then the newest. The value is what stands
/// behind the `&` in the group, and the whole reference elsewhere.
pub fn titled(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, typed: &str,
) -> Result<Vec<Suggestion>> {
    let Some(group) = group(tx, &here.parent)? else {
        return Ok(Vec::new());
    };
    if !instance_has_epics(tx)? {
        return Ok(Vec::new());
    }
    let number: Option<i64> = typed.trim_start_matches('&').parse().ok();
    let mut near = visible(tx, viewer);
    near.raw(" and (")
        .in_list("namespaces.id", group.ids())
        .push(" or (namespaces.lineage >= ", &group.lineage)
        .push(" and namespaces.lineage < ", group.lineage_end())
        .raw("))");
    let mut query = Fragment::new(&format!(
        "select epics.iid, epics.title, epics.state, namespaces.full_path
         from {TABLES} where epics.id in ("
    ));
    query.append(looked_through(&near, number)).raw(")");
    match number {
        Some(number) => {
            query
                .push(" and (cast(epics.iid as text) like ", format!("{number}%"))
                .raw(" or (1 = 1");
            contains(&mut query, &["epics.title_folded"], typed);
            query
                .push(")) order by case when epics.iid = ", number)
                .raw(" then 0 else 1 end, ");
        }
        None => {
            contains(&mut query, &["epics.title_folded"], typed);
            query.raw(" order by ");
        }
    }
    query
        .push("case when epics.group_id = ", group.id)
        .push(" then 0 else 1 end, epics.state desc, epics.id desc limit ", MOST);
    let found = tx.query::<(i64, String, IssueState, String)>(query)?;
    let epic = |(iid, label, state, path): (i64, String, IssueState, String)| {
        let closed = if state == IssueState::Closed { ", closed" } else { "" };
        let value = match path == group.full_path {
            true => iid.to_string(),
            false => format!("{path}&{iid}"),
        };
        let detail = match path == group.full_path {
            true => format!("&{iid}{closed}"),
            false => format!("{path}&{iid}{closed}"),
        };
        Suggestion { value, label, detail, ..Suggestion::default() }
    };
    Ok(found.into_iter().map(epic).collect())
}

/// The group that something is, or is in.
fn group(tx: &mut Tx<'_>, parent: &Parent) -> Result<Option<Namespace>> {
    match parent {
        Parent::Group(group) => Ok(Some((**group).clone())),
        Parent::Project(project) => {
            spaces::access::find_group(tx, &kernel::ids::Reference::Id(project.namespace_id))
        }
    }
}

/// Ids of the newest epics that the viewer sees there, and of those of a number.
fn looked_through(near: &Fragment, number: Option<i64>) -> Fragment {
    let from = format!("select epics.id from {TABLES} where ");
    let mut ids = Fragment::new("select newest.id from (");
    ids.raw(&from)
        .append(near.clone())
        .push(" order by epics.id desc limit ", RECENT)
        .raw(") as newest");
    if let Some(number) = number {
        ids.raw(" union ")
            .raw(&from)
            .append(near.clone())
            .push(" and epics.iid = ", number);
    }
    ids
}
