//! What lists of branches have in common.

use crate::access::Code;
use crate::names::Named;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::Objects;
use repositories::protection::{BranchProtection, of_branches};
use repositories::store::refs;
use std::cmp::Reverse;
use std::collections::HashMap;
use store::Tx;

kernel::choices! {
    /// How branches are sorted.
    pub enum Sort {
        NameAsc = "name_asc",
        UpdatedAsc = "updated_asc",
        UpdatedDesc = "updated_desc",
    }
}

/// Branches, which come by name, in another order.
pub fn sorted(objects: &Objects, mut branches: Vec<Named>, sort: Sort) -> Result<Vec<Named>> {
    if sort == Sort::NameAsc {
        return Ok(branches);
    }
    let times = times(objects, &branches)?;
    let time = |one: &Named| times.get(&one.peeled()).copied().unwrap_or_default();
    match sort {
        Sort::UpdatedDesc => branches.sort_by_key(|one| Reverse(time(one))),
        _ => branches.sort_by_key(time),
    }
    Ok(branches)
}

/// When the last commit of each was made, in seconds since 1970.
pub fn times(objects: &Objects, branches: &[Named]) -> Result<HashMap<ObjectId, i64>> {
    let ids: Vec<ObjectId> = branches.iter().map(Named::peeled).collect();
    let commits = objects.commits(&ids)?;
    Ok(commits
        .iter()
        .map(|commit| (commit.id, commit.committer.at.as_second()))
        .collect())
}

/// Where the default branch is.
pub async fn default_tip(app: &App, repository: &Repository) -> Result<Option<ObjectId>> {
    let (id, head) = (repository.id, repository.head.clone());
    let found = app.read(move |tx| refs::some(tx, id, &[head])).await?;
    Ok(found.first().map(|one| one.object_id))
}

/// How some branches are protected, one for one.
pub async fn protections(
    app: &App, viewer: &Viewer, code: &Code, names: Vec<String>,
) -> Result<Vec<BranchProtection>> {
    let (viewer, code) = (viewer.clone(), code.clone());
    let work = move |tx: &mut Tx<'_>| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        of_branches(tx, &viewer, &code.project, code.repository.as_ref(), &names)
    };
    app.read(work).await
}
