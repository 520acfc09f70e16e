//! Open alerts on the pages that sum up several rooms.

use crate::alerts::model::{Alert, Status};
use crate::alerts::store::alerts::{self as rows, Filter, Order, OrderBy};
use crate::on_call::mine;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::html::ui::{self, Panel, Row, badge, icon, panel};
use kernel::http::Paging;
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Space;
use spaces::pages::panels::PanelPage;
use store::Tx;

/// Rows at home.
const AT_HOME: i64 = 8;
/// Rows of a project; the list has all.
const NEWEST: i64 = 5;

/// Those the viewer is on call for, or the open ones of a project.
pub fn alerts(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    match page {
        PanelPage::Home => waiting(tx, viewer),
        PanelPage::Overview(space, _) => open(tx, viewer, space),
        PanelPage::Person(_) => Ok(None),
    }
}

fn waiting(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Option<Panel>> {
    let Some(user) = viewer.user() else {
        return Ok(None);
    };
    let found = mine::alerts(tx, viewer, user.id, Paging::first(AT_HOME))?;
    if found.items.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let rows = found
        .items
        .iter()
        .map(|one| row(&one.alert, &one.project_path, now).about(&one.project_path));
    let rows = ui::rows(rows.collect());
    Ok(Some(
        panel("alerts", "Alerts you are on call for", rows).count(ui::total(&found)),
    ))
}

fn open(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<Option<Panel>> {
    let Space::Project(project, _) = space else {
        return Ok(None);
    };
    if !spaces::may(tx, viewer, project, Purpose::ReadAlerts)? {
        return Ok(None);
    }
    let open = Filter {
        statuses: vec![Status::Triggered, Status::Acknowledged],
        ..Filter::default()
    };
    let newest = Order { by: OrderBy::StartedAt, descending: true };
    let found = rows::list(tx, project.id, &open, newest, NEWEST, 0)?;
    if found.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let rows = found.iter().map(|alert| row(alert, &project.full_path, now)).collect();
    let url = format!("{}/-/alert_management", space.url());
    Ok(Some(panel("alerts", "Open alerts", ui::rows(rows)).all("All alerts", url)))
}

fn row(alert: &Alert, project: &str, now: Timestamp) -> Row {
    Row::new(icon("bell"), &alert.title)
        .url(Some(alert.path(project)))
        .badge(badge(alert.severity.label(), alert.severity.tone()))
        .badge(badge(alert.status.label(), alert.status.tone()))
        .at("started", Moment::new(alert.started_at, now))
}
