//! Versions: what a merge request was as its branches moved. They are made outside of the
//! push, since git is asked what differs.

use super::change::reread;
use super::sides::Sides;
use super::{closing, news, refs, remarks};
use crate::approvals;
use crate::approvals::owners::{LARGEST, PLACES, demands};
use crate::diffs::{self, Compared};
use crate::merging::Heads;
use crate::merging::status::Event as StatusEvent;
use crate::model::{MergeRequest, Version, VersionState, as_draft, marks_draft};
use crate::store::versions::{self as rows, NewVersion};
use crate::store::{self, versions};
use crate::tasks::{Check, FollowThreads};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found as _, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::tasks::Event;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Commit, Objects, Path};
use spaces::access::find_project;
use std::collections::HashSet;
use std::sync::Arc;

/// How often it is tried while the branches move.
const ATTEMPTS: usize = 3;

/// When a version is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The source is elsewhere than the newest version.
    Source,
    /// One of the branches is.
    Either,
}

/// Makes the version that is due, if one is. `by` is who moved the branch.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories, or the branches move all the time.
pub async fn make(app: &App, id: i64, by: Option<Viewer>, wanted: Wanted) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let Some((sides, compared_to)) = app.read(move |tx| due_with(tx, id, wanted)).await? else {
            return Ok(());
        };
        let (heads, mut found) = (sides.heads, read(app, &sides).await?);
        if let Some(before) = compared_to {
            let now = (found.compared.base, heads.source);
            let before = (before.base_id, before.head_id);
            found.touched = diffs::touched(app, &sides.target, before, now).await?;
        }
        let (found, by) = (Arc::new(found), by.clone());
        let written = app.write(move |tx| {
            let Some(now) = due(tx, id, wanted)? else {
                return Ok(true);
            };
            if now.heads != heads {
                return Ok(false);
            }
            let request = reread(tx, id)?;
            write(tx, by.as_ref(), &request, &now, &found)?;
            Ok(true)
        });
        if written.await? {
            return Ok(());
        }
    }
    let text = "The branches move too often now. Try again.";
    Err(Error::Unavailable(text.into()))
}

/// The branches of a merge request that wants a version of them.
fn due(tx: &mut Tx<'_>, id: i64, wanted: Wanted) -> Result<Option<Sides>> {
    let Some(request) = store::by_id(tx, id)?.filter(MergeRequest::is_pending) else {
        return Ok(None);
    };
    let Some(sides) = Sides::of(tx, &request)? else {
        return Ok(None);
    };
    let is_made = rows::latest(tx, id)?.is_some_and(|latest| {
        let has_start = latest.start_id == sides.heads.target;
        latest.head_id == sides.heads.source && (wanted == Wanted::Source || has_start)
    });
    Ok((!is_made).then_some(sides))
}

/// The same with the version before, where it matters what became of its files.
fn due_with(tx: &mut Tx<'_>, id: i64, wanted: Wanted) -> Result<Option<(Sides, Option<Version>)>> {
    let Some(sides) = due(tx, id, wanted)? else {
        return Ok(None);
    };
    let target = reread(tx, id)?.target_project_id;
    let before = match approvals::removes_selectively(tx, target)? {
        true => rows::latest(tx, id)?,
        false => None,
    };
    Ok(Some((sides, before)))
}

/// What git says of both branches.
#[derive(Debug, Clone)]
pub struct Found {
    compared: Compared,
    /// The file of the target that names owners of paths; empty where there is none.
    owners: String,
    /// Where other lines change than in the version before, if that matters.
    touched: Vec<String>,
}

/// Reads what a version is made of; the head of a fork is brought along.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn read(app: &App, sides: &Sides) -> Result<Found> {
    sides.bring(app).await?;
    let heads = sides.heads;
    let compared = diffs::compare(app, &sides.target, heads.target, heads.source).await?;
    let work = move |objects: &Objects| owners(objects, heads.target);
    let owners = objects::read(app, &sides.target, work).await?;
    Ok(Found { compared, owners, touched: Vec::new() })
}

/// The first file of the places where owners are named.
pub(crate) fn owners(objects: &Objects, target: ObjectId) -> Result<String> {
    let Some(commit) = objects.commit(target)? else {
        return Ok(String::new());
    };
    for place in PLACES {
        let Ok(path) = Path::read(place) else { continue };
        let Some(entry) = objects.entry(commit.tree, &path)? else {
            continue;
        };
        let blob = objects.blob(entry.id, LARGEST)?;
        if let Some(content) = blob.and_then(|blob| blob.content) {
            return Ok(String::from_utf8_lossy(&content).into_owned());
        }
    }
    Ok(String::new())
}

/// Writes a version of branches that are there still, and what follows from it.
pub fn write(
    tx: &mut Tx<'_>, by: Option<&Viewer>, request: &MergeRequest, sides: &Sides, found: &Found,
) -> Result<Version> {
    let compared = &found.compared;
    let place = Reference::Id(request.target_project_id);
    let project = find_project(tx, &place)?.found("Project")?;
    let before = rows::latest(tx, request.id)?;
    let version = rows::insert(tx, request.id, &new_version(sides.heads, compared))?;
    let kept = [version.head_id, version.base_id, version.start_id];
    refs::keep(tx, &sides.target, (request.iid, version.head_id), &kept)?;
    let new = new_commits(tx, before.as_ref(), compared)?;
    let after = noted(tx, by, request, &version, &new)?;
    let addresses = compared.commits.iter().map(|commit| commit.committer.email.clone());
    approvals::committed(tx, request.id, &addresses.collect::<Vec<_>>())?;
    approvals::set_owners(tx, &project, request.id, &found.owners, &compared.paths)?;
    if let Some(author) = author(tx, by, request)? {
        closing::note_commits(tx, &author, &project, &after, &compared.commits)?;
    }
    if let Some(before) = &before {
        let touched = demands(&found.owners, &found.touched);
        approvals::pushed(tx, &project, &after, (before, &version), &touched)?;
        tell_push(tx, by, &after, &remarks::of_push(&after, (before, &version), &new))?;
        let user = by.and_then(Viewer::user_id);
        let now = tx.now();
        enqueue_at(tx, &FollowThreads { request: request.id, user }, now)?;
    }
    let now = tx.now();
    enqueue_at(tx, &Check { request: request.id }, now)?;
    Ok(version)
}

/// What is stored of a version of these heads.
pub(crate) fn new_version(heads: Heads, compared: &Compared) -> NewVersion {
    let state = match (compared.is_overflow, compared.files_count) {
        (true, _) => VersionState::Overflow,
        (false, 0) => VersionState::Empty,
        (false, _) => VersionState::Collected,
    };
    NewVersion {
        head_id: heads.source,
        base_id: compared.base,
        start_id: heads.target,
        state,
        files_count: compared.files_count,
        commits_count: compared.commits_count,
        patch_id: compared.patch_id.clone(),
        commits: compared.commits.iter().map(|commit| commit.id).collect(),
    }
}

/// The commits that the version before had not, the newest first.
fn new_commits(
    tx: &mut Tx<'_>, before: Option<&Version>, compared: &Compared,
) -> Result<Vec<Commit>> {
    let Some(before) = before else {
        return Ok(Vec::new());
    };
    let known: HashSet<_> = versions::commits(tx, before.id)?.into_iter().collect();
    let new = compared.commits.iter().filter(|commit| !known.contains(&commit.id));
    Ok(new.cloned().collect())
}

/// Notes on the merge request that it has a version; commits may make it a draft.
fn noted(
    tx: &mut Tx<'_>, by: Option<&Viewer>, request: &MergeRequest, version: &Version, new: &[Commit],
) -> Result<MergeRequest> {
    let now = tx.now();
    let marking = new.iter().find(|commit| marks_draft(commit.title()));
    let becomes_draft = marking.filter(|_| !request.draft);
    let mut after = MergeRequest {
        head_id: Some(version.head_id),
        prepared_at: request.prepared_at.or(Some(now)),
        merge_status: request
            .merge_status
            .after(StatusEvent::Prepared)
            .after(StatusEvent::Moved)
            .after(StatusEvent::Begun),
        ..request.clone()
    };
    if let Some(commit) = becomes_draft {
        after.title = as_draft(&after.title);
        after.draft = true;
        let text = format!("marked this merge request as **draft** from {}", commit.id);
        remarks::remark(tx, request, by.and_then(Viewer::user_id), &text)?;
    }
    store::update(tx, &after)?;
    Ok(after)
}

/// As whom commits close issues: who pushed them, or else who made the merge request.
fn author(tx: &mut Tx<'_>, by: Option<&Viewer>, request: &MergeRequest) -> Result<Option<Viewer>> {
    match (by, request.author_id) {
        (Some(by), _) => Ok(Some(by.clone())),
        (None, Some(id)) => Ok(identity::users::find(tx, id)?.map(Viewer::addressed)),
        (None, None) => Ok(None),
    }
}

fn tell_push(
    tx: &mut Tx<'_>, by: Option<&Viewer>, request: &MergeRequest, text: &str,
) -> Result<()> {
    let actor = by.and_then(Viewer::user_id);
    remarks::remark(tx, request, actor, text)?;
    news::notify(tx, actor, request, Event::Pushed, Vec::new())
}
