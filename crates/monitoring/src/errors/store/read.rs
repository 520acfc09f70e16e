//! What GraphQL reads: settings and errors of many projects at once.

use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::store::errors::{matches, of_status};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::Window;
use kernel::graph::connection::Owned;
use spaces::access::{DEVELOPER, Purpose, projects_of, visible_projects};
use std::collections::HashMap;
use store::{Fragment, Tx};

/// Settings of those of these projects that track errors which the viewer may
/// read; [`Purpose::ReadErrors`] says the same of one.
pub fn readable(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<HashMap<i64, Setting>> {
    let mut query = Fragment::new(store::concat!(
        "select ",
        Setting::COLUMNS,
        " from error_tracking_settings s join projects on projects.id = s.project_id
         where s.active and"
    ));
    query.in_list("s.project_id", ids).raw(" and ");
    query.append(visible_projects(tx, viewer, Purpose::Read));
    match viewer {
        _ if viewer.is_admin() => {}
        Viewer::User(signed_in) => {
            let developed = projects_of(tx, signed_in.user.id, DEVELOPER);
            query.raw(" and ").append(developed);
        }
        _ => return Ok(HashMap::new()),
    }
    let rows: Vec<Setting> = tx.query(query)?;
    Ok(rows.into_iter().map(|row| (row.project_id, row)).collect())
}

/// A page of the open errors of each of these projects. Those of one, which is
/// what is mostly asked for, come from an index in their order.
pub fn open_errors(
    tx: &mut Tx<'_>, ids: Vec<i64>, search: &str, window: &Window,
) -> Result<Vec<Owned<Tracked>>> {
    if let [id] = ids[..] {
        let mut page = Fragment::new("select e.*, e.project_id as owner from ");
        page.append(of_status(id, Status::Unresolved, search.trim()));
        window.narrow(&mut page);
        return Ok(tx.query(page)?);
    }
    let mut from = Fragment::new(" from error_tracking_errors e where e.status = 'unresolved' and");
    from.in_list("e.project_id", ids);
    if !search.trim().is_empty() {
        from.raw(" and ").append(matches(search.trim()));
    }
    Ok(tx.query(window.narrow_each("e.*", "e.project_id", from))?)
}

/// How many open errors each of these projects has that [`open_errors`] lists,
/// told no further than one past the limit.
pub fn open_counts(
    tx: &mut Tx<'_>, ids: &[i64], search: &str, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    let words = search.trim();
    let query = match (words.is_empty(), ids) {
        (true, _) => {
            let mut kept = Fragment::new(
                "select project_id, errors_count from error_tracking_counts
                 where status = 'unresolved' and",
            );
            kept.in_list("project_id", ids);
            kept
        }
        (false, [id]) => {
            let mut found = Fragment::new("select e.project_id, count(*) from ");
            found
                .append(of_status(*id, Status::Unresolved, words))
                .raw(" group by e.project_id");
            found
        }
        (false, _) => {
            let mut found = Fragment::new(
                "select e.project_id, count(*) from error_tracking_errors e
                 where e.status = 'unresolved' and",
            );
            found.in_list("e.project_id", ids).raw(" and ");
            found.append(matches(words)).raw(" group by e.project_id");
            found
        }
    };
    let counts = tx.query::<(i64, i64)>(query)?.into_iter();
    Ok(counts.map(|(id, count)| (id, count.min(most))).collect())
}
