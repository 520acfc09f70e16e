//! Versions that people publish and delete, as lists of activity show them to who
//! asks for packages.

use crate::model::Package;
use crate::search::readable;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::activity::{self, Action, Target, Where};
use spaces::search::Place;
use std::collections::HashSet;
use store::{Fragment, Tx};

/// The kind of target.
pub const PACKAGE: &str = "Package";

/// Writes down that somebody published a version, or deleted it.
pub(crate) fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: Action, package: &Package,
) -> Result<()> {
    let title = title(&package.name, package.version.as_deref());
    let target = Target { title: Some(&title), ..Target::new(PACKAGE, package.id) };
    let place = Where::Project(package.project_id);
    activity::record(tx, viewer.user_id(), action, place, target)
}

fn title(name: &str, version: Option<&str>) -> String {
    match version {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    }
}

/// Condition on `activity_events` joined with `projects`: it is about packages that
/// the viewer may read, though this one may be gone.
pub fn of_packages(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Fragment {
    readable(tx, viewer, place)
}

/// Which of these packages are still there.
pub fn present(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashSet<i64>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = Fragment::new("select packages.id from packages where packages.live = 1 and");
    query.in_list("packages.id", ids);
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}
