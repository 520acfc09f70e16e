//! Bare repositories on a disk, brought in and written out by `tenon repository`.

mod export;
mod import;

pub use export::export;
pub use import::import;
pub(crate) use import::pieces;

use crate::access;
use crate::model::RepositoryKind;
use crate::store;
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::store::lookups;

/// A project by its path, and its repository if something was pushed to it yet.
///
/// # Errors
///
/// `NotFound` if there is no such project.
fn of_path(tx: &mut Tx<'_>, path: &str) -> Result<access::Found> {
    let reference = Reference::Path(path.to_owned());
    let project = lookups::find_project(tx, &reference)?.found("Project")?;
    let kind = RepositoryKind::Project;
    let repository = store::of_project(tx, project.id, kind)?;
    Ok(access::Found { project, kind, repository })
}
