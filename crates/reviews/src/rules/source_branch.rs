//! What becomes of the source branch of what was merged: it goes where that is wanted, and
//! merge requests into it go on to where its commits are.

use super::change::update;
use super::input::Input;
use crate::merging::options::{MOST_RETARGETED, Removal};
use crate::model::{MergeRequest, State};
use crate::store::{self as rows};
use crate::tasks::{Check, MakeVersion};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use repositories::access::{Pushing, writing};
use repositories::edits::merges::{self, Ended};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::RepositoryKind;
use repositories::place::Place;
use repositories::protection;
use repositories::store::{of_project, refs};
use spaces::access::find_project;
use spaces::model::Project;

/// A branch that goes.
struct Due {
    to: Pushing,
    branch: RefName,
    head: ObjectId,
}

/// Takes the source branch of what was merged away, if it may go. What was merged stays
/// so, whatever becomes of that.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn remove(app: &App, viewer: &Viewer, id: i64) -> Result<()> {
    take_away(app, viewer, id, Wanted::AsOrdered).await.map(drop)
}

/// The same, whatever was ordered with the merge; how it ended, none if it may not go.
///
/// # Errors
///
/// Those of [`remove`].
pub async fn remove_now(app: &App, viewer: &Viewer, id: i64) -> Result<Option<Ended>> {
    take_away(app, viewer, id, Wanted::Now).await
}

/// Whether the source branch is there, as it was last seen, and the viewer may have it go.
pub fn may_go(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<bool> {
    if viewer.user_id().is_none() {
        return Ok(false);
    }
    let found = look(tx, viewer, request, Some(true))?;
    Ok(found.is_some_and(|branch| branch.removal.is_due()))
}

async fn take_away(app: &App, viewer: &Viewer, id: i64, wanted: Wanted) -> Result<Option<Ended>> {
    let by = viewer.clone();
    let Some(due) = app.write(move |tx| due(tx, &by, id, wanted)).await? else {
        return Ok(None);
    };
    let Due { to, branch, head } = due;
    merges::land(app, &to, branch, head, ObjectId::ZERO, None).await.map(Some)
}

/// Whether the branch goes as the merge was ordered, or since somebody wants it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    AsOrdered,
    Now,
}

/// The source branch of a merge request, and whether it goes.
struct Found {
    source: Project,
    branch: RefName,
    head: ObjectId,
    removal: Removal,
}

fn due(tx: &mut Tx<'_>, viewer: &Viewer, id: i64, wanted: Wanted) -> Result<Option<Due>> {
    let merged = rows::by_id(tx, id)?.filter(|one| one.state == State::Merged);
    let Some(request) = merged else {
        return Ok(None);
    };
    let asked = match wanted {
        Wanted::AsOrdered => request.should_remove_source_branch,
        Wanted::Now => Some(true),
    };
    let found = look(tx, viewer, &request, asked)?.filter(|branch| branch.removal.is_due());
    let Some(Found { source, branch, head, .. }) = found else {
        return Ok(None);
    };
    retarget(tx, viewer, &request)?;
    let to = writing(tx, viewer, &Place::code(&source))?;
    Ok(Some(Due { to, branch, head }))
}

/// None if it is not there.
fn look(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, asked: Option<bool>,
) -> Result<Option<Found>> {
    let source = match request.source_project_id {
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    let (Some(source), Some(known_head)) = (source, request.head_id) else {
        return Ok(None);
    };
    let Some(repository) = of_project(tx, source.id, RepositoryKind::Project)? else {
        return Ok(None);
    };
    let name = request.source_branch.as_str();
    let branch = RefName::branch(name).map_err(|_| Error::internal("a branch without name"))?;
    let Some(head) = refs::current(tx, repository.id, &[&branch])?.remove(&branch) else {
        return Ok(None);
    };
    let removal = Removal {
        asked,
        wished: request.force_remove_source_branch == Some(true),
        is_protected: protection::protected_branches(tx, &source, &repository)?(name),
        is_default: repository.head == branch,
        may_push: protection::may_push(tx, viewer, &source, Some(&repository), name)?,
        is_unmoved: head == known_head,
    };
    Ok(Some(Found { source, branch, head, removal }))
}

/// Merge requests into the branch go to the target of what was merged.
fn retarget(tx: &mut Tx<'_>, viewer: &Viewer, merged: &MergeRequest) -> Result<()> {
    if merged.is_from_fork() {
        return Ok(());
    }
    let branch = std::slice::from_ref(&merged.source_branch);
    let waiting = rows::pending_into(tx, merged.target_project_id, branch, 0)?;
    let is_free = |one: &&MergeRequest| one.is_open() && one.source_branch != merged.target_branch;
    let follows: Vec<&MergeRequest> =
        waiting.iter().filter(is_free).take(MOST_RETARGETED).collect();
    let now = tx.now();
    for request in follows {
        let target = Some(merged.target_branch.clone());
        let source_id = request.source_project_id.unwrap_or_default();
        let pair = rows::Pair {
            source: (source_id, &request.source_branch),
            target: (request.target_project_id, &merged.target_branch),
        };
        if rows::twin(tx, pair, request.id)?.is_some() {
            continue;
        }
        update(
            tx,
            viewer.user_id(),
            request,
            &Input { target_branch: target, ..Input::default() },
        )?;
        let user = viewer.user_id();
        enqueue_at(tx, &MakeVersion { request: request.id, user, for_target: true }, now)?;
        enqueue_at(tx, &Check { request: request.id }, now)?;
    }
    Ok(())
}
