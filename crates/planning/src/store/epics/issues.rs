//! The issues of epics, in their order.

use super::tree::{Move, STEP, place_between};
use crate::access::epics::visible_ids;
use crate::access::{Scope, visible};
use crate::model::epics::{Epic, EpicIssue, ListedIssue};
use crate::store::issues::filter::Has;
use crate::store::listing;
use crate::store::pages::{self, KeyType, List, Order};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use serde_json::json;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

pub fn of_issue(tx: &mut Tx<'_>, issue_id: i64) -> Result<Option<EpicIssue>> {
    Ok(tx.optional(sql!("select * from epic_issues where issue_id = $1"), (issue_id,))?)
}

pub fn find(tx: &mut Tx<'_>, epic_id: i64, id: i64) -> Result<Option<EpicIssue>> {
    Ok(tx.optional(
        sql!("select * from epic_issues where epic_id = $1 and id = $2"),
        (epic_id, id),
    )?)
}

/// Puts an issue at the end of an epic, whichever it was in.
pub fn put(tx: &mut Tx<'_>, epic_id: i64, issue_id: i64) -> Result<EpicIssue> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into epic_issues (epic_id, issue_id, relative_position, created_at)
             values ($1, $2, (select coalesce(max(last.relative_position), 0) + $4
                from epic_issues last where last.epic_id = $1), $3)
             on conflict (issue_id) do update set epic_id = excluded.epic_id,
                relative_position = excluded.relative_position
             returning *"
        ),
        (epic_id, issue_id, now, STEP),
    )?)
}

pub fn remove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from epic_issues where id = $1"), (id,))?;
    Ok(())
}

/// An issue goes on under another id.
pub fn hand_on(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<()> {
    tx.execute(sql!("update epic_issues set issue_id = $2 where issue_id = $1"), (from, to))?;
    Ok(())
}

/// Whether an epic has an issue that is not confidential.
pub fn has_open_one(tx: &mut Tx<'_>, epic_id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select issues.id from epic_issues join issues on issues.id = epic_issues.issue_id
             where epic_issues.epic_id = $1 and not issues.confidential limit 1"
        ),
        (epic_id,),
    )?;
    Ok(found.is_some())
}

const TABLES: &str = "epic_issues join issues on issues.id = epic_issues.issue_id
    join projects on projects.id = issues.project_id
    join namespaces on namespaces.id = projects.namespace_id";

/// ` from …` of the issues of these epics that the viewer may see; ends inside its
/// `where`.
fn listed(tx: &Tx<'_>, viewer: &Viewer, epics: &[i64]) -> Fragment {
    let mut from = Fragment::new(store::concat!(" from ", TABLES, " where"));
    from.in_list("epic_issues.epic_id", epics).raw(" and ").append(visible(
        tx,
        viewer,
        &Scope::Everywhere,
    ));
    from
}

/// One page of those that the viewer may see.
pub fn list(
    tx: &mut Tx<'_>, viewer: &Viewer, epic_id: i64, paging: Paging,
) -> Result<Paged<ListedIssue>> {
    let mut condition = Fragment::new("epic_issues.epic_id = ");
    condition
        .bind(epic_id)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    let list = List {
        select: Fragment::new(store::concat!("select ", ListedIssue::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: Order {
            by: "epic_issues.relative_position".into(),
            key: Some(KeyType::Int),
            id: "epic_issues.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |one: &ListedIssue| {
        (json!(one.relative_position), one.epic_issue_id)
    })
}

/// A page for each epic, of its issues that the viewer may see.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, epics: &[i64], window: &Window,
) -> Result<Vec<Owned<ListedIssue>>> {
    let from = listed(tx, viewer, epics);
    Ok(tx.query(window.narrow_each(ListedIssue::COLUMNS, "epic_issues.epic_id", from))?)
}

/// How many each has, counted to at most `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, viewer: &Viewer, epics: &[i64], limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let from = listed(tx, viewer, epics);
    listing::counts_of(tx, "epic_issues.epic_id", from, limit)
}

/// The places of these issues in their epics.
pub fn places_of(tx: &mut Tx<'_>, issues: &[i64]) -> Result<Vec<EpicIssue>> {
    Ok(tx.all(sql!("select * from epic_issues where issue_id in_list($1)"), (issues,))?)
}

/// Puts one before or after others of the same epic; whether these are there.
pub fn place(tx: &mut Tx<'_>, one: &EpicIssue, to: Move) -> Result<bool> {
    let spread = sql!(
        "update epic_issues set relative_position = ranked.place * $2 from
            (select id, row_number() over (order by relative_position, id) as place
             from epic_issues where epic_id = $1) as ranked
         where ranked.id = epic_issues.id"
    );
    for is_spread in [false, true] {
        if is_spread {
            tx.execute(spread, (one.epic_id, STEP))?;
        }
        let others: Vec<(i64, i64)> = tx.all(
            sql!(
                "select id, relative_position from epic_issues
                 where epic_id = $1 and id <> $2 order by relative_position, id"
            ),
            (one.epic_id, one.id),
        )?;
        match place_between(&others, to) {
            None => return Ok(false),
            Some(Some(position)) => {
                tx.execute(
                    sql!("update epic_issues set relative_position = $2 where id = $1"),
                    (one.id, position),
                )?;
                return Ok(true);
            }
            // There is no room: once all are spread there is.
            Some(None) => {}
        }
    }
    Ok(false)
}

/// The epic of each of these issues, as far as the viewer sees it.
pub fn epics_of(tx: &mut Tx<'_>, viewer: &Viewer, issues: &[i64]) -> Result<HashMap<i64, Epic>> {
    let mut query = Fragment::new(store::concat!(
        "select ",
        Epic::COLUMNS,
        ", epic_issues.issue_id as owner from ",
        super::TABLES,
        " join epic_issues on epic_issues.epic_id = epics.id where "
    ));
    query
        .append(crate::access::epics::visible(tx, viewer))
        .raw(" and")
        .in_list("epic_issues.issue_id", issues);
    let found: Vec<Owned<Epic>> = tx.query(query)?;
    Ok(found.into_iter().map(|one| (one.owner, one.row)).collect())
}

/// ` and …` on `issues`: those of these epics, or of any or none, that the viewer sees.
pub fn of_epic(tx: &Tx<'_>, viewer: &Viewer, asked: &Has<Vec<i64>>) -> Fragment {
    let not = if *asked == Has::None { " not" } else { "" };
    let mut test = Fragment::new(&format!(
        " and{not} exists (select 1 from epic_issues where epic_issues.issue_id = issues.id
            and epic_issues.epic_id in"
    ));
    test.append(visible_ids(tx, viewer));
    if let Has::This(ids) = asked {
        test.raw(" and").in_list("epic_issues.epic_id", ids);
    }
    test.raw(")");
    test
}
