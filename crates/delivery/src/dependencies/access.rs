//! Who sees what projects depend on.

use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::{Namespace, Project};

/// The project, for who reads its dependencies: Developers and higher, and administrators.
/// 401 without a token, 404 hidden, 403 refused or switched off.
pub fn project(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::ReadDependencies)?;
    super::switches::check_project(tx, &project)?;
    Ok(project)
}

/// The group, for who reads the dependencies of all its projects.
pub fn group(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::ReadDependencies)?;
    super::switches::check_group(tx, &group)?;
    Ok(group)
}

/// Whether the viewer reads the dependencies of a project already read.
pub fn may_read(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    Ok(access::may(tx, viewer, project, Purpose::ReadDependencies)?
        && super::switches::is_on_for(tx, project)?)
}

/// Whether the viewer reads what is known to be wrong with them: whoever reads them.
pub fn may_read_vulnerabilities(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
) -> Result<bool> {
    may_read(tx, viewer, project)
}
