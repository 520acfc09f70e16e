//! Epics of all groups where the viewer sees any: those above and beside one are of
//! other groups as often as of its own.

use super::{MOST, Suggestion};
use crate::access::epics::visible;
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::store::contains;
use crate::store::epics::of_fragment;
use identity::viewer::Viewer;
use kernel::error::Result;
use store::{Fragment, Tx};

/// Epics, the newest, whose titles are looked through; older ones are found by their
/// number.
const RECENT: i64 = 5_000;

/// Open ones first, then the newest. The value is the whole reference.
pub fn titled(tx: &mut Tx<'_>, viewer: &Viewer, typed: &str) -> Result<Vec<Suggestion>> {
    let number: Option<i64> = typed.trim_start_matches('&').parse().ok();
    let mut query = Fragment::new("epics.id in (");
    query.append(looked_through(tx, viewer, number)).raw(")");
    match number {
        Some(number) => {
            query.push(" and (epics.iid = ", number).raw(" or (1 = 1");
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
    query.push("epics.state desc, epics.id desc limit ", MOST);
    let found = of_fragment(tx, query)?;
    Ok(found.into_iter().map(suggestion).collect())
}

fn suggestion(epic: Epic) -> Suggestion {
    let value = epic.reference_from(0);
    let closed = if epic.state == IssueState::Closed {
        ", closed"
    } else {
        ""
    };
    Suggestion {
        detail: format!("{value}{closed}"),
        label: epic.title,
        color: Some(epic.color),
        value,
        ..Suggestion::default()
    }
}

/// Ids of the newest epics that the viewer sees, and of those of a number.
fn looked_through(tx: &Tx<'_>, viewer: &Viewer, number: Option<i64>) -> Fragment {
    const FROM: &str =
        "select epics.id from epics join namespaces on namespaces.id = epics.group_id where ";
    let seen = visible(tx, viewer);
    let mut ids = Fragment::new("select newest.id from (");
    ids.raw(FROM)
        .append(seen.clone())
        .push(" order by epics.id desc limit ", RECENT)
        .raw(") as newest");
    if let Some(number) = number {
        ids.raw(" union ").raw(FROM).append(seen).push(" and epics.iid = ", number);
    }
    ids
}
