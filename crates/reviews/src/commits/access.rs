//! Who sees and writes what is said of commits: who reads the code, and of these whoever is
//! signed in.

use super::store::TABLES;
use crate::access::code_desk;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use spaces::access::{Purpose, visible_projects};

/// The project, for somebody who is about to say something of its commits.
pub fn desk_to_write(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference,
) -> Result<ProjectAccess> {
    viewer.signed_in()?;
    let here = code_desk(tx, viewer, project)?;
    here.writable()?;
    Ok(here)
}

/// Whether somebody who reads its code may say something of its commits.
pub fn may_write(viewer: &Viewer, here: &ProjectAccess) -> bool {
    viewer.user_id().is_some() && !here.project.archived
}

/// Condition on [`TABLES`]: the viewer reads the code.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    visible_projects(tx, viewer, Purpose::DownloadCode)
}

/// Condition: the commit of this id, a column, is one that the viewer sees.
pub fn is_visible(tx: &Tx<'_>, viewer: &Viewer, id: &str) -> Fragment {
    let mut is_one = Fragment::new(&format!(
        "exists (select 1 from {TABLES} where discussed_commits.id = {id} and "
    ));
    is_one.append(visible(tx, viewer)).raw(")");
    is_one
}
