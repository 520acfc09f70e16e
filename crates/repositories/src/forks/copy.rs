//! The rows that a new fork begins with.

use crate::formats::ref_name::RefName;
use crate::lfs;
use crate::model::{Holder, Repository, RepositoryKind};
use crate::protection::defaults;
use crate::store::{self, packs, refs};
use crate::upkeep::Prune;
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::jobs;
use spaces::hooks::ForkedCode;
use spaces::store::projects::set_default_branch;

/// Gives a new fork the branches and tags of its source, or one branch alone, and its
/// large files.
///
/// # Errors
///
/// `NotFound` if there is no such branch.
pub fn copy(tx: &mut Tx<'_>, code: ForkedCode<'_>) -> Result<()> {
    let branch = code.branch.map(|name| RefName::branch(name).ok().found("Branch")).transpose()?;
    let source = store::of_project(tx, code.source.id, RepositoryKind::Project)?;
    let Some(source) = source else {
        return match branch {
            Some(_) => None.found("Branch"),
            None => Ok(()),
        };
    };
    let head = branch.as_ref().unwrap_or(&source.head);
    // Where the packs are that both have in common.
    let fork = store::make_in(tx, Holder::Code(code.fork.id), head, &source.storage)?;
    match &branch {
        Some(branch) => copy_branch(tx, &source, &fork, branch)?,
        None => refs::copy_all(tx, source.id, fork.id)?,
    }
    packs::copy_all(tx, source.id, fork.id)?;
    lfs::copy_all(tx, code.source.id, code.fork.id)?;
    store::changed(tx, fork.id, head, source.size)?;
    if branch.is_some() {
        // What else the packs hold is not part of it.
        let now = tx.now();
        jobs::enqueue_at(tx, &Prune { repository: fork.id }, now)?;
    }
    match head.as_branch() {
        Some(name) if !refs::current(tx, fork.id, &[head])?.is_empty() => {
            set_default_branch(tx, code.fork.id, name)?;
            defaults::protect_first(tx, code.fork.id, name)
        }
        _ => Ok(()),
    }
}

fn copy_branch(
    tx: &mut Tx<'_>, source: &Repository, fork: &Repository, branch: &RefName,
) -> Result<()> {
    let there = refs::some(tx, source.id, std::slice::from_ref(branch))?;
    match there.is_empty() {
        true => None.found("Branch"),
        false => refs::put(tx, fork.id, &there),
    }
}
