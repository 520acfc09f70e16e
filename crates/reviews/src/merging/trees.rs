//! Whether two branches can be merged, and the ref that holds how they would be.

use super::{Heads, commit};
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::edits::merges::{self, Conflicts, Merged, Merger, NewObjects, People};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Person};
use repositories::rules::moves::RefMove;
use repositories::store::refs;

/// What comes of a check.
#[derive(Debug, Clone)]
pub enum Check {
    Mergeable(Mergeable),
    /// The target has all of the source already.
    NothingToMerge,
    /// Files that both sides changed.
    Conflicts(Conflicts),
}

/// The files of a merge that git can make.
#[derive(Debug, Clone)]
pub struct Mergeable {
    pub tree: ObjectId,
    /// What the tree needs that the repository does not have.
    pub objects: NewObjects,
}

/// What is known of both sides before git is asked.
struct Sides {
    source: Commit,
    /// The target has all of the source.
    is_merged: bool,
    /// The source has all of the target.
    follows: bool,
}

fn sides(objects: &Objects, heads: Heads) -> Result<Sides> {
    Ok(Sides {
        source: commit(objects, heads.source)?,
        is_merged: objects.is_ancestor(heads.source, heads.target)?,
        follows: objects.is_ancestor(heads.target, heads.source)?,
    })
}

/// Merges two commits without writing anything.
///
/// # Errors
///
/// `NotFound` if one of them is not in the repository; `Unavailable` if git is busy, or
/// takes longer than a minute.
pub async fn check(app: &App, repository: &Repository, heads: Heads) -> Result<Check> {
    let found = objects::read(app, repository, move |objects| sides(objects, heads)).await?;
    if found.is_merged {
        return Ok(Check::NothingToMerge);
    }
    if found.follows {
        // Nothing changed on the side of the target.
        let (tree, objects) = (found.source.tree, NewObjects::default());
        return Ok(Check::Mergeable(Mergeable { tree, objects }));
    }
    let merger = Merger::begin(app, repository.id).await?;
    match merger.commits(app, [heads.target, heads.source]).await? {
        Merged::Clean(tree) => {
            let objects = merger.made(vec![tree]).await?;
            Ok(Check::Mergeable(Mergeable { tree, objects }))
        }
        Merged::Conflicts(conflicts) => Ok(Check::Conflicts(conflicts)),
    }
}

/// A ref that belongs to a merge request of the target project.
///
/// # Errors
///
/// None of those that callers can do something about.
pub fn own_ref(iid: i64, name: &str) -> Result<RefName> {
    let text = format!("refs/merge-requests/{iid}/{name}");
    text.parse().map_err(|_| Error::internal(format!("{text} is no name of a ref")))
}

/// Lets `refs/merge-requests/N/merge` hold what a check found; the commit, none if somebody
/// moved the ref meanwhile. The same heads make the same commit, whenever they are merged.
///
/// # Errors
///
/// As [`check`].
pub async fn keep_result(
    app: &App, repository: &Repository, iid: i64, (heads, found): (Heads, Mergeable), by: &Person,
    message: &str,
) -> Result<Option<ObjectId>> {
    let source = move |objects: &Objects| commit(objects, heads.source);
    let source = objects::read(app, repository, source).await?;
    let by = Person { at: source.committer.at, offset: 0, ..by.clone() };
    let people = People { author: by.clone(), committer: by, signer: None };
    let mut objects = found.objects;
    let parents = [heads.target, heads.source];
    let made = merges::add_commit(&mut objects, found.tree, &parents, &people, message)?;
    let name = own_ref(iid, "merge")?;
    let id = repository.id;
    let current = || {
        let asked = name.clone();
        app.read(move |tx| Ok(refs::current(tx, id, &[&asked])?.remove(&asked)))
    };
    let old = current().await?;
    if old == Some(made.id) {
        return Ok(Some(made.id));
    }
    let old = old.unwrap_or(ObjectId::ZERO);
    let moves = [RefMove { name: name.clone(), old, new: made.id, peeled: None }];
    // Who was faster may have kept the same.
    let is_kept =
        merges::keep(app, id, &moves, &objects).await? || current().await? == Some(made.id);
    Ok(is_kept.then_some(made.id))
}
