//! Packages on the first page of a project.

use super::rows_of_names;
use super::views::PackageRow;
use crate::store::list::{self, Filter, OrderBy};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::{self, Panel, Row, badge, icon, panel};
use spaces::pages::Space;
use spaces::pages::panels::PanelPage;
use store::Tx;

/// Names that are shown; the list has all.
const NEWEST: i64 = 5;

/// The names of a project that were published last, for who may read them.
pub fn packages(tx: &mut Tx<'_>, _: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let PanelPage::Overview(Space::Project(project, _), head) = page else {
        return Ok(None);
    };
    if !head.has_packages {
        return Ok(None);
    }
    let newest = Filter {
        order_by: OrderBy::CreatedAt,
        descending: true,
        by_name: true,
        ..Filter::default()
    };
    let (found, _) = list::of_project(tx, project.id, &newest, NEWEST, 0)?;
    if found.is_empty() {
        return Ok(None);
    }
    let rows = rows_of_names(tx, found, |_| Some(project.full_path.clone()))?;
    let rows = rows.into_iter().map(row).collect();
    let url = format!("{}/-/packages", head.url);
    Ok(Some(panel("packages", "Packages", ui::rows(rows)).all("All packages", url)))
}

fn row(package: PackageRow) -> Row {
    let versions = package.of_name.versions.unsigned_abs();
    Row::new(icon("package"), package.name())
        .url(package.url())
        .badge(badge(package.package.package_type, "plain"))
        .about(package.version())
        .about(ui::count(versions, "version"))
        .at("published", package.published)
}
