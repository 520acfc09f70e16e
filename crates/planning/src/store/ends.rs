//! The other ends of links between issues, and between epics, for many at once.

use super::{epics, issues};
use crate::access::{self, Scope};
use crate::model::LinkType;
use crate::model::epics::ItemKind;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx};

/// A link as it reads from one of its ends.
#[derive(Debug, Clone, FromRow)]
pub struct End {
    pub id: i64,
    /// What is at the other end.
    pub other_id: i64,
    pub link_type: LinkType,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// ` from …` of the links of these, of which the viewer sees the other end; ends inside
/// its `where`.
fn seen(tx: &Tx<'_>, viewer: &Viewer, of: ItemKind, ids: &[i64]) -> Fragment {
    let (links, things, tables) = match of {
        ItemKind::Issue => ("issue_links", "issues", issues::TABLES),
        ItemKind::Epic => ("epic_links", "epics", epics::TABLES),
    };
    let columns = |this: &str, other: &str, blocks: &str| {
        format!(
            "select id, {this} as this_id, {other} as other_id,
                case when link_type = 'blocks' then '{blocks}' else link_type end as link_type,
                created_at, updated_at from {links} where"
        )
    };
    let mut from = Fragment::new(&format!(" from {tables} join ("));
    from.raw(&columns("source_id", "target_id", "blocks"))
        .in_list("source_id", ids)
        .raw(" union all ")
        .raw(&columns("target_id", "source_id", "is_blocked_by"))
        .in_list("target_id", ids)
        .raw(&format!(") as ends on ends.other_id = {things}.id where "));
    let shown = match of {
        ItemKind::Issue => access::visible(tx, viewer, &Scope::Everywhere),
        ItemKind::Epic => access::epics::visible(tx, viewer),
    };
    from.append(shown);
    from
}

/// A page for each of these, of its links.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, of: ItemKind, ids: &[i64], kind: Option<LinkType>,
    window: &Window,
) -> Result<Vec<Owned<End>>> {
    let mut from = seen(tx, viewer, of, ids);
    if let Some(kind) = kind {
        from.push(" and ends.link_type = ", kind);
    }
    let columns = "ends.id, ends.other_id, ends.link_type, ends.created_at, ends.updated_at";
    Ok(tx.query(window.narrow_each(columns, "ends.this_id", from))?)
}

/// How many open ones block each of these, and how many it blocks.
pub fn blocks(
    tx: &mut Tx<'_>, viewer: &Viewer, of: ItemKind, ids: &[i64],
) -> Result<HashMap<i64, (i64, i64)>> {
    let state = match of {
        ItemKind::Issue => "issues.state",
        ItemKind::Epic => "epics.state",
    };
    let mut query = Fragment::new(
        "select ends.this_id, count(*) filter (where ends.link_type = 'is_blocked_by'),
            count(*) filter (where ends.link_type = 'blocks')",
    );
    query
        .append(seen(tx, viewer, of, ids))
        .raw(&format!(" and {state} = 'opened' group by ends.this_id"));
    let rows: Vec<(i64, i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().map(|(id, by, of)| (id, (by, of))).collect())
}
