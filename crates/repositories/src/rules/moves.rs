//! Refs move: pushes, merges, edits on pages and imports all end here, in one
//! transaction, which compares what refs were, writes what they are, and names the
//! packs that hold the new objects.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::{Holder, Ref, Repository};
use crate::protection::defaults;
use crate::rules::pushes::{self, Push};
use crate::size_limit::{self, TooLarge};
use crate::store::packs::NewPack;
use crate::store::{self, packs, refs};
use crate::upkeep::{Compact, MANY};
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::jobs;
use spaces::store::projects::set_default_branch;
use std::collections::HashSet;

/// One ref that shall move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    pub name: RefName,
    /// What it must be still; zero: it must not be there.
    pub old: ObjectId,
    /// What it shall be; zero: it goes.
    pub new: ObjectId,
    /// What an annotated tag leads to.
    pub peeled: Option<ObjectId>,
}

/// Refs that shall move together.
#[derive(Debug, Clone)]
pub struct Change {
    pub repository: i64,
    pub moves: Vec<RefMove>,
    /// Where the new objects are.
    pub packs: Vec<NewPack>,
    /// The epoch of the objects that the new ones were found to fit to.
    pub epoch: i64,
    /// All of them move, or none.
    pub atomic: bool,
    /// Branches that HEAD may come to stand for, if it leads nowhere: the best first.
    pub heads: Vec<RefName>,
    /// Who does it, and what is told of it; imports tell nothing.
    pub push: Option<Push>,
}

/// Why a ref stays as it is, in git's words.
pub type Kept = &'static str;

/// Somebody else was first.
pub const MOVED: Kept = "failed to update ref";
/// A ref stands in the way: one would be a folder, and the other a file in it.
pub const IN_THE_WAY: Kept = "cannot lock ref: another ref is in its way";
/// Another one of them stays, and they move together.
pub const TOGETHER: Kept = "atomic push failed";

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// For each move, in their order.
    Done(Vec<Result<(), Kept>>),
    /// Objects were removed since the new ones were found to fit: look again.
    Stale,
    /// The project may not have so many bytes; nothing moved.
    TooLarge(TooLarge),
    /// The repository is about to lie elsewhere: wait until it does.
    ReadOnly,
    /// The new objects lie where the repository is no more: store them again.
    Elsewhere,
}

/// Moves the refs that can.
pub fn move_refs(tx: &mut Tx<'_>, change: &Change) -> Result<Outcome> {
    let repository = store::by_id(tx, change.repository)?.found("Repository")?;
    if repository.epoch != change.epoch {
        return Ok(Outcome::Stale);
    }
    // What leads to what is there changes nothing of where that lies.
    let is_own = change.push.is_none() && change.packs.is_empty();
    if repository.is_read_only() && !is_own {
        return Ok(Outcome::ReadOnly);
    }
    if change.packs.iter().any(|pack| pack.storage() != repository.storage) {
        return Ok(Outcome::Elsewhere);
    }
    if let Err(refused) = check_size(tx, &repository, change)? {
        return Ok(Outcome::TooLarge(refused));
    }
    let results = judge(tx, change)?;
    let moved = |result: &Result<(), Kept>| result.is_ok();
    if results.iter().any(moved) {
        write(tx, &repository, change, &results)?;
    }
    Ok(Outcome::Done(results))
}

/// Whether the project may have what a push brings; what only takes refs away always may,
/// and so may imports.
fn check_size(
    tx: &mut Tx<'_>, repository: &Repository, change: &Change,
) -> Result<Result<(), TooLarge>> {
    let brings = change.push.is_some() && change.moves.iter().any(|one| !one.new.is_zero());
    match repository.holder() {
        Some(Holder::Code(project_id)) if brings => {
            size_limit::check(tx, project_id, change.packs.iter().map(NewPack::size).sum())
        }
        _ => Ok(Ok(())),
    }
}

/// For each move whether it can be.
fn judge(tx: &mut Tx<'_>, change: &Change) -> Result<Vec<Result<(), Kept>>> {
    let names: Vec<&RefName> = change.moves.iter().map(|one| &one.name).collect();
    let current = refs::current(tx, change.repository, &names)?;
    let mut seen = HashSet::new();
    let mut results: Vec<Result<(), Kept>> = Vec::with_capacity(change.moves.len());
    for one in &change.moves {
        let is = current.get(&one.name).copied().unwrap_or(ObjectId::ZERO);
        let is_first = seen.insert(&one.name);
        results.push(match is == one.old && is_first {
            true => Ok(()),
            false => Err(MOVED),
        });
    }
    let blocked = blocked(tx, change, &results)?;
    for (one, result) in change.moves.iter().zip(&mut results) {
        if result.is_ok() && blocked.contains(&one.name) {
            *result = Err(IN_THE_WAY);
        }
    }
    if change.atomic && results.iter().any(Result::is_err) {
        for result in &mut results {
            *result = result.and(Err(TOGETHER));
        }
    }
    Ok(results)
}

fn blocked(
    tx: &mut Tx<'_>, change: &Change, results: &[Result<(), Kept>],
) -> Result<HashSet<RefName>> {
    let going = change.moves.iter().zip(results).filter(|(_, result)| result.is_ok());
    let (mut new, mut gone) = (Vec::new(), HashSet::new());
    for (one, _) in going {
        match (one.old.is_zero(), one.new.is_zero()) {
            (true, false) => new.push(&one.name),
            (_, true) => drop(gone.insert(one.name.as_str())),
            (false, false) => {}
        }
    }
    match new.is_empty() {
        true => Ok(HashSet::new()),
        false => refs::blocked(tx, change.repository, &new, &gone),
    }
}

fn write(
    tx: &mut Tx<'_>, repository: &Repository, change: &Change, results: &[Result<(), Kept>],
) -> Result<()> {
    let moving = || {
        let moves = change.moves.iter().zip(results);
        moves.filter_map(|(one, result)| result.is_ok().then_some(one))
    };
    let put: Vec<Ref> = moving()
        .filter(|one| !one.new.is_zero())
        .map(|one| Ref {
            name: one.name.clone(),
            object_id: one.new,
            peeled_id: one.peeled,
        })
        .collect();
    let gone: Vec<&RefName> =
        moving().filter(|one| one.new.is_zero()).map(|one| &one.name).collect();
    let was_empty = refs::first_branches(tx, repository.id, 1)?.is_empty();
    // What goes first makes room for what comes.
    refs::delete(tx, repository.id, &gone)?;
    refs::put(tx, repository.id, &put)?;
    for pack in &change.packs {
        packs::insert(tx, repository.id, pack)?;
    }
    if packs::count(tx, repository.id)? >= MANY as i64 {
        let now = tx.now();
        jobs::enqueue_at(tx, &Compact { repository: repository.id }, now)?;
    }
    let head = head(tx, repository, change)?;
    let more = change.packs.iter().map(NewPack::size).sum();
    store::changed(tx, repository.id, &head, more)?;
    settle(tx, repository, &head, was_empty)?;
    let moved: Vec<&RefMove> = moving().collect();
    match &change.push {
        Some(push) => pushes::tell(tx, push, repository, &head, &moved),
        None => Ok(()),
    }
}

/// What HEAD of code stands for is the project's default branch, and the first one is
/// protected.
fn settle(tx: &mut Tx<'_>, repository: &Repository, head: &RefName, was_empty: bool) -> Result<()> {
    let (Some(Holder::Code(project_id)), Some(branch)) = (repository.holder(), head.as_branch())
    else {
        return Ok(());
    };
    let is_new = was_empty || repository.head != *head;
    if !is_new || refs::current(tx, repository.id, &[head])?.is_empty() {
        return Ok(());
    }
    set_default_branch(tx, project_id, branch)?;
    match was_empty {
        true => defaults::protect_first(tx, project_id, branch),
        false => Ok(()),
    }
}

/// What HEAD stands for now: as it was if that is there, else the best branch there is.
fn head(tx: &mut Tx<'_>, repository: &Repository, change: &Change) -> Result<RefName> {
    let wanted: Vec<&RefName> = std::iter::once(&repository.head).chain(&change.heads).collect();
    let there = refs::current(tx, repository.id, &wanted)?;
    if let Some(best) = wanted.into_iter().find(|name| there.contains_key(name)) {
        return Ok(best.clone());
    }
    let first = refs::first_branches(tx, repository.id, 1)?.pop();
    Ok(first.unwrap_or_else(|| repository.head.clone()))
}
