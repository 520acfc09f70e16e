//! Which packages somebody finds.

use crate::store::searched::PACKAGES;
use identity::viewer::Viewer;
use kernel::search::Found;
use spaces::access::{Purpose, visible_projects};
use spaces::search::{Place, seen};
use store::{Fragment, Tx};

/// Condition on `projects`: those of a place that the viewer sees and whose packages
/// they may read.
pub(crate) fn readable(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    let mut readable = seen(tx, viewer, place);
    readable
        .raw(" and ")
        .append(visible_projects(tx, viewer, Purpose::ReadPackages));
    readable
}

/// Packages that lists show, of projects that the viewer sees: a registry may be
/// open to all while its project is not, whose path would be told.
pub fn packages(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let mut condition = readable(tx, viewer, place);
    condition.raw(
        " and packages.live = 1 and packages.version is not null
             and packages.status in ('default', 'deprecated', 'error')",
    );
    let from = "packages join projects on projects.id = packages.project_id";
    Found::new(&PACKAGES, from, condition)
}
