//! Bare repositories on a disk, brought in and written out by `tenon repository`.

mod export;
mod import;

pub use export::export;
pub use import::import;

use crate::formats::ref_name::RefName;
use crate::model::{Repository, RepositoryKind};
use crate::store;
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::store::lookups;

/// The repository of a project by its path; none if nothing was pushed to it yet.
///
/// # Errors
///
/// `NotFound` if there is no such project.
fn of_path(tx: &mut Tx<'_>, path: &str) -> Result<(i64, Option<Repository>)> {
    let reference = Reference::Path(path.to_owned());
    let project = lookups::find_project(tx, &reference)?.found("Project")?;
    Ok((project.id, store::of_project(tx, project.id, RepositoryKind::Project)?))
}

fn main_branch() -> RefName {
    RefName::branch(crate::access::USUAL_BRANCH).expect("it is a good name")
}
