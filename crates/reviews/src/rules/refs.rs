//! Refs of our own in the target project: `refs/merge-requests/N/head`, which follows the
//! source branch, and `refs/keep-around/SHA`, so that what versions are about stays.

use crate::merging::trees::own_ref;
use ::store::Tx;
use kernel::error::{Error, Result};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::Repository;
use repositories::rules::moves::{Change, Outcome, RefMove, move_refs};
use repositories::store::refs;

/// The ref that keeps a commit.
pub fn keep_around(id: ObjectId) -> Result<RefName> {
    let text = format!("refs/keep-around/{id}");
    text.parse().map_err(|_| Error::internal(format!("{text} is no name of a ref")))
}

/// Has the head of a merge request, and commits of a version, stay. All of them are in the
/// repository, whose row was read in this transaction.
pub fn keep(
    tx: &mut Tx<'_>, repository: &Repository, (iid, head): (i64, ObjectId), commits: &[ObjectId],
) -> Result<()> {
    bring_to(tx, repository, vec![(own_ref(iid, "head")?, head)], commits)
}

/// Has commits stay that notes are about, which are in the repository, whose row was read
/// in this transaction.
pub fn keep_commits(tx: &mut Tx<'_>, repository: &Repository, commits: &[ObjectId]) -> Result<()> {
    bring_to(tx, repository, Vec::new(), commits)
}

fn bring_to(
    tx: &mut Tx<'_>, repository: &Repository, mut wanted: Vec<(RefName, ObjectId)>,
    commits: &[ObjectId],
) -> Result<()> {
    for id in commits {
        let name = keep_around(*id)?;
        if !wanted.iter().any(|(other, _)| *other == name) {
            wanted.push((name, *id));
        }
    }
    let names: Vec<&RefName> = wanted.iter().map(|(name, _)| name).collect();
    let current = refs::current(tx, repository.id, &names)?;
    let moves = wanted.into_iter().filter_map(|(name, new)| {
        let old = current.get(&name).copied().unwrap_or(ObjectId::ZERO);
        (old != new).then_some(RefMove { name, old, new, peeled: None })
    });
    write(tx, repository, moves.collect())
}

/// Takes the refs of a merge request away whose names these are; its head may stay.
pub fn forget(tx: &mut Tx<'_>, repository: &Repository, iid: i64, names: &[&str]) -> Result<()> {
    let names = names.iter().map(|name| own_ref(iid, name)).collect::<Result<Vec<_>>>()?;
    let current = refs::current(tx, repository.id, &names.iter().collect::<Vec<_>>())?;
    let moves = names.into_iter().filter_map(|name| {
        let old = current.get(&name).copied()?;
        Some(RefMove { name, old, new: ObjectId::ZERO, peeled: None })
    });
    write(tx, repository, moves.collect())
}

/// Makes a branch at a commit of the repository, whose row was read in this transaction,
/// unless there is one of its name, or another ref is in its way.
pub fn begin_branch(
    tx: &mut Tx<'_>, repository: &Repository, branch: &str, head: ObjectId,
) -> Result<()> {
    let Ok(name) = RefName::branch(branch) else {
        return Ok(());
    };
    if !refs::current(tx, repository.id, &[&name])?.is_empty() {
        return Ok(());
    }
    let moves = vec![RefMove { name, old: ObjectId::ZERO, new: head, peeled: None }];
    move_refs(tx, &change(repository, moves)).map(drop)
}

/// Moves refs that nobody else moves in this transaction.
fn write(tx: &mut Tx<'_>, repository: &Repository, moves: Vec<RefMove>) -> Result<()> {
    if moves.is_empty() {
        return Ok(());
    }
    match move_refs(tx, &change(repository, moves))? {
        Outcome::Done(results) if results.iter().all(std::result::Result::is_ok) => Ok(()),
        _ => Err(Error::Unavailable("The repository changes too often now. Try again.".into())),
    }
}

/// Refs that move together, of which nobody is told.
fn change(repository: &Repository, moves: Vec<RefMove>) -> Change {
    Change {
        repository: repository.id,
        moves,
        packs: Vec::new(),
        epoch: repository.epoch,
        atomic: true,
        heads: Vec::new(),
        push: None,
    }
}
