//! The default branch of a project is what HEAD of its repository stands for.

use crate::formats::ref_name::RefName;
use crate::model::RepositoryKind;
use crate::store::{self, refs};
use ::store::Tx;
use kernel::error::{Error, Result};

/// Makes a branch the default one, where there is any; before the first push it is a
/// wish alone.
pub fn set_default_branch(tx: &mut Tx<'_>, project_id: i64, branch: &str) -> Result<()> {
    let absent = || Error::BadRequest("Could not set the default branch".into());
    let name = RefName::branch(branch).map_err(|_| absent())?;
    let Some(repository) = store::of_project(tx, project_id, RepositoryKind::Project)? else {
        return Ok(());
    };
    if refs::first_branches(tx, repository.id, 1)?.is_empty() || repository.head == name {
        return Ok(());
    }
    repository.check_writable()?;
    match refs::current(tx, repository.id, &[&name])?.is_empty() {
        true => Err(absent()),
        false => store::set_head(tx, repository.id, &name),
    }
}
