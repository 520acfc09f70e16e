//! Versions that people publish and delete, as lists of activity show them to who
//! asks for packages.

use crate::model::Package;
use crate::search::readable;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::activity::{self, Action, Target, Where};
use spaces::search::Place;
use store::{Fragment, Tx};

/// The kind of target.
pub const PACKAGE: &str = "Package";

/// Writes down that somebody published a version, or deleted it.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    action: Action,
    package: &Package,
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
