//! Open errors on the first page of a project.

use crate::errors::model::{Status, Tracked};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::settings;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::Moment;
use kernel::html::ui::{self, Panel, Row, badge, icon, panel};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Space;
use spaces::pages::panels::PanelPage;
use store::Tx;

/// Rows; the list has all.
const NEWEST: i64 = 5;

/// The open errors that were seen last, where the project tracks them here.
pub fn errors(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let PanelPage::Overview(Space::Project(project, _), head) = page else {
        return Ok(None);
    };
    if !spaces::may(tx, viewer, project, Purpose::ReadErrors)? {
        return Ok(None);
    }
    let setting = settings::of_project(tx, project.id)?;
    if !setting.is_some_and(|setting| setting.active && setting.integrated) {
        return Ok(None);
    }
    let open = Filter {
        status: Some(Status::Unresolved),
        search: None,
        sort: Some(Sort::LastSeen),
    };
    let found = rows::list(tx, project.id, &open, NEWEST, 0)?;
    if found.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let rows = found.iter().map(|error| row(error, &project.full_path, now)).collect();
    let url = format!("{}/-/error_tracking", head.url);
    Ok(Some(panel("errors", "Open errors", ui::rows(rows)).all("All errors", url)))
}

fn row(error: &Tracked, project: &str, now: Timestamp) -> Row {
    let url = error.path(project);
    let row = Row::new(icon("error"), error.short_title())
        .url((!url.is_empty()).then_some(url))
        .badge(badge(&error.level, error.tone()));
    let row = match error.has_regressed() {
        true => row.badge(badge("came back", "warn")),
        false => row,
    };
    row.about(ui::count(error.events_count.unsigned_abs(), "event"))
        .at("last seen", Moment::new(error.last_seen_at, now))
}
