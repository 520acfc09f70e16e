//! What GraphQL reads: alerts and integrations of many projects at once.

use crate::alerts::model::{Alert, Integration, Kind};
use crate::alerts::store::alerts::{Filter, Order, OrderBy};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Key, Order as Way, Owned, Window};
use planning::store::references::Numbered;
use serde_json::{Value as Json, json};
use spaces::access::{DEVELOPER, MAINTAINER, Purpose, projects_of, visible_projects};
use store::{Fragment, FromRow, Row, Tx};

pub struct AlertWithPath {
    pub alert: Alert,
    pub full_path: String,
}

impl FromRow for AlertWithPath {
    fn from_row(row: &mut Row<'_>) -> store::Result<AlertWithPath> {
        Ok(AlertWithPath {
            full_path: row.get("full_path")?,
            alert: Alert::from_row(row)?,
        })
    }
}

/// Condition on `projects`: those that the viewer sees and has at least this
/// role in; [`Purpose::ReadAlerts`] says the same of one.
fn reached(tx: &Tx<'_>, viewer: &Viewer, level: i64) -> Fragment {
    let mut condition = visible_projects(tx, viewer, Purpose::Read);
    match viewer {
        _ if viewer.is_admin() => {}
        Viewer::User(signed_in) => {
            let role = projects_of(tx, signed_in.user.id, level);
            condition.raw(" and ").append(role);
        }
        _ => {
            condition.raw(" and 1 = 0");
        }
    }
    condition
}

/// Those of these projects whose alerts the viewer may see.
pub fn readable(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<i64>> {
    among(tx, viewer, ids, DEVELOPER)
}

/// Those of these projects whose integrations the viewer may see.
pub fn managed(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<i64>> {
    among(tx, viewer, ids, MAINTAINER)
}

fn among(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64], level: i64) -> Result<Vec<i64>> {
    let mut query = Fragment::new("select projects.id from projects where");
    query.in_list("projects.id", ids).raw(" and ");
    query.append(reached(tx, viewer, level));
    Ok(tx.query(query)?)
}

/// Alerts of which this column is one of these, and which the viewer may see.
pub fn visible(
    tx: &mut Tx<'_>, viewer: &Viewer, column: &str, ids: &[i64],
) -> Result<Vec<AlertWithPath>> {
    let mut query = Fragment::new(
        "select alerts.*, projects.full_path from alerts
         join projects on projects.id = alerts.project_id where",
    );
    query.in_list(column, ids).raw(" and ");
    query.append(reached(tx, viewer, DEVELOPER));
    Ok(tx.query(query)?)
}

/// Alerts of projects of these folded paths and of these numbers that the
/// viewer may see: how texts name them.
pub fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<Numbered>> {
    let mut query = Fragment::new(
        "select projects.full_path, projects.full_path_folded, alerts.iid, alerts.title
         from alerts join projects on projects.id = alerts.project_id where",
    );
    query.in_list("projects.full_path_folded", paths).raw(" and");
    query.in_list("alerts.iid", iids).raw(" and ");
    query.append(reached(tx, viewer, DEVELOPER));
    Ok(tx.query(query)?)
}

/// Condition: the alert of the id in this column is one that the viewer may see.
pub fn is_visible(tx: &Tx<'_>, viewer: &Viewer, column: &str) -> Fragment {
    let mut condition = Fragment::new(
        "exists (select 1 from alerts join projects on projects.id = alerts.project_id
            where alerts.id = ",
    );
    condition
        .raw(column)
        .raw(" and ")
        .append(reached(tx, viewer, DEVELOPER))
        .raw(")");
    condition
}

/// A page of the alerts of each of these projects.
pub fn pages(
    tx: &mut Tx<'_>, projects: &[i64], filter: &Filter, window: &Window,
) -> Result<Vec<Owned<Alert>>> {
    let mut from = Fragment::new(" from alerts where");
    from.in_list("alerts.project_id", projects)
        .raw(" and ")
        .append(filter.condition());
    Ok(tx.query(window.narrow_each("alerts.*", "alerts.project_id", from))?)
}

/// The first alert of each of these projects, in an order.
pub fn firsts(
    tx: &mut Tx<'_>, projects: &[i64], filter: &Filter, order: Order,
) -> Result<Vec<Owned<Alert>>> {
    let keys: Vec<String> = keys(order).iter().map(|key| key.1.clone()).collect();
    let mut query = Fragment::new(&format!(
        "select * from (select alerts.*, alerts.project_id as owner, row_number() over
            (partition by alerts.project_id order by {}) as place from alerts where",
        keys.join(", ")
    ));
    query
        .in_list("alerts.project_id", projects)
        .raw(" and ")
        .append(filter.condition())
        .raw(") placed where placed.place = 1");
    Ok(tx.query(query)?)
}

/// Those that have not ended stand last, whichever way.
const OPEN: &str = "case when alerts.status = 2 then 0 else 1 end";
/// Nothing is null: open ones stand among themselves by their beginning.
const ENDED: &str = "coalesce(alerts.ended_at, alerts.started_at)";

/// The columns of an order, and as SQL orders by them.
pub fn keys(order: Order) -> Vec<(Key, String)> {
    let (column, descending) = order.column();
    let (way, text) = match descending {
        true => (Way::Desc, "desc"),
        false => (Way::Asc, "asc"),
    };
    let one = |key: Key, column: &str| (key, format!("{column} {text}"));
    let mut keys = match order.by {
        OrderBy::EndedAt => vec![
            (Key::int(OPEN, Way::Asc), format!("{OPEN} asc")),
            one(Key::time(ENDED, way), ENDED),
        ],
        OrderBy::StartedAt | OrderBy::UpdatedAt => vec![one(Key::time(column, way), column)],
        OrderBy::CreatedAt => Vec::new(),
        OrderBy::EventCount | OrderBy::Severity | OrderBy::Status => {
            vec![one(Key::int(column, way), column)]
        }
    };
    keys.push(one(Key::int("alerts.id", way), "alerts.id"));
    keys
}

/// The values of these columns.
pub fn values(order: Order, alert: &Alert) -> Vec<Json> {
    let mut values = match order.by {
        OrderBy::EndedAt => vec![
            json!(i64::from(alert.status.is_open())),
            Key::instant(alert.ended_at.unwrap_or(alert.started_at)),
        ],
        OrderBy::StartedAt => vec![Key::instant(alert.started_at)],
        OrderBy::UpdatedAt => vec![Key::instant(alert.times.updated_at)],
        OrderBy::CreatedAt => Vec::new(),
        OrderBy::EventCount => vec![json!(alert.events)],
        OrderBy::Severity => vec![json!(alert.severity.code())],
        OrderBy::Status => vec![json!(alert.status.code())],
    };
    values.push(json!(alert.id));
    values
}

/// A page of the integrations of each of these projects: all, or only this
/// one, or only those of this kind.
pub fn integrations(
    tx: &mut Tx<'_>, projects: &[i64], id: Option<i64>, kind: Option<Kind>, window: &Window,
) -> Result<Vec<Owned<Integration>>> {
    let mut from = Fragment::new(" from alert_integrations i where");
    from.in_list("i.project_id", projects);
    if let Some(id) = id {
        from.push(" and i.id = ", id);
    }
    if let Some(kind) = kind {
        from.push(" and i.kind = ", kind);
    }
    Ok(tx.query(window.narrow_each("i.*", "i.project_id", from))?)
}
