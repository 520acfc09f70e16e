//! Merge requests are written as they are elsewhere.

use super::git::Found;
use super::model::{MergeRequest as Coming, Outcome};
use super::store::{self as rows, state};
use crate::approvals;
use crate::approvals::store::given;
use crate::merging::MergeStatus;
use crate::model::{MAX_BRANCH, MergeRequest, ReviewState, State, as_draft, is_draft, text_error};
use crate::rules::change::reread;
use crate::rules::{closing, refs};
use crate::store::people::{assign, assignees_of_one, reviewers_of_one, unassign};
use crate::store::versions::NewVersion;
use crate::store::{self, labels, versions};
use crate::tasks::FollowThreads;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::jobs::enqueue_at;
use kernel::time::Timestamp;
use planning::formats::tasks;
use planning::model::MAX_NAMED;
use planning::rules::issues::MAX_IID;
use planning::store::awards::Awardable;
use planning::store::internal_ids::{self, Usage};
use planning::store::notes::MERGE_REQUEST;
use planning::transfer::write::react;
use planning::transfer::{line, prose};
use repositories::model::{Repository, RepositoryKind};
use repositories::store::of_project;
use spaces::model::Project;

/// Versions that are compared with those that are here already.
const MOST_VERSIONS: i64 = 200;
/// Open merge requests that are looked through at once.
const BATCH: i64 = 100;

/// What a merge request wears, by ids here.
#[derive(Debug, Clone, Default)]
pub struct Worn {
    pub labels: Vec<i64>,
    pub milestone_id: Option<i64>,
}

/// Writes a merge request that is not here yet; its id.
///
/// # Errors
///
/// `Conflict` where its number is taken, or another one of its branches is open;
/// `Unprocessable` and `Invalid` where it can be none.
pub fn insert(
    tx: &mut Tx<'_>, project: &Project, coming: &Coming<i64>, worn: &Worn, found: &Found,
) -> Result<i64> {
    check(coming)?;
    let status = status(coming.state);
    let Some(id) = rows::insert(tx, project.id, coming, status)? else {
        let number = coming.number;
        let text = format!(
            "There is a merge request !{number} already, or an open one of the same branches."
        );
        return Err(Error::Conflict(text));
    };
    internal_ids::reach(tx, Usage::MergeRequests, project.id, coming.number)?;
    put(tx, (project, id), coming, worn, found)?;
    Ok(id)
}

/// Writes a merge request anew that came before and was changed there since it was changed
/// here. What was merged here stays so.
///
/// # Errors
///
/// As [`insert`].
pub fn update(
    tx: &mut Tx<'_>, project: &Project, id: i64, coming: &Coming<i64>, worn: &Worn, found: &Found,
) -> Result<()> {
    check(coming)?;
    let request = reread(tx, id)?;
    let is_over = matches!(request.state, State::Locked | State::Merged);
    let stays = is_over && coming.state != Outcome::Merged;
    match stays || request.updated_at >= coming.updated_at {
        true => Ok(()),
        false => put(tx, (project, id), coming, worn, found),
    }
}

fn check(coming: &Coming<i64>) -> Result<()> {
    let is_wrong = |name: &str| name.is_empty() || name.chars().count() > MAX_BRANCH;
    if !(1..=MAX_IID).contains(&coming.number) {
        return Err(Error::Unprocessable("Its number is out of range.".into()));
    }
    if is_wrong(&coming.source_branch) || is_wrong(&coming.target_branch) {
        return Err(Error::Unprocessable("Its branches have no names.".into()));
    }
    match text_error(coming.description.as_deref().unwrap_or_default()) {
        Some(problem) => Err(Error::invalid("description", problem)),
        None => Ok(()),
    }
}

/// Whether an open one can be merged is found out when somebody looks.
fn status(outcome: Outcome) -> MergeStatus {
    match outcome {
        Outcome::Opened | Outcome::Closed => MergeStatus::Unchecked,
        Outcome::Merged => MergeStatus::CanBeMerged,
    }
}

fn put(
    tx: &mut Tx<'_>, (project, id): (&Project, i64), coming: &Coming<i64>, worn: &Worn,
    found: &Found,
) -> Result<()> {
    let before = reread(tx, id)?;
    let after = filled(&before, coming, worn, found);
    store::update(tx, &after)?;
    wear(tx, id, &worn.labels)?;
    people(tx, &after, coming)?;
    react(tx, Awardable::Thing(MERGE_REQUEST, id), &coming.reactions)?;
    if let Some(repository) = of_project(tx, project.id, RepositoryKind::Project)? {
        stand(tx, &repository, &after, found)?;
    }
    if after.state == State::Merged || found.newest().is_none() {
        return Ok(());
    }
    approvals::committed(tx, id, &found.committers)?;
    approvals::set_owners(tx, project, id, &found.owners, &found.paths)
}

fn filled(before: &MergeRequest, coming: &Coming<i64>, worn: &Worn, found: &Found) -> MergeRequest {
    let title = line(&coming.title);
    let title = if coming.is_draft {
        line(&as_draft(&title))
    } else {
        title
    };
    let description = coming.description.as_deref().map(prose);
    let description = description.filter(|text| !text.is_empty());
    let (task_count, task_completed_count) =
        tasks::count(description.as_deref().unwrap_or_default());
    let head_id = found.newest().map(|newest| newest.head_id);
    let state = state(coming.state);
    let is_same = (before.state, before.head_id) == (state, head_id);
    let (is_closed, is_merged) = (state == State::Closed, state == State::Merged);
    let closed_at = coming.closed_at.unwrap_or(coming.updated_at);
    let merged_at = coming.merged_at.or(before.merged_at).unwrap_or(coming.updated_at);
    MergeRequest {
        target_branch: coming.target_branch.clone(),
        draft: is_draft(&title),
        title,
        description,
        state,
        closed_by_id: coming.closed_by.or(before.closed_by_id).filter(|_| is_closed),
        merge_user_id: coming.merged_by.or(before.merge_user_id),
        milestone_id: worn.milestone_id,
        discussion_locked: coming.is_locked.then_some(true),
        squash: coming.is_squashed,
        force_remove_source_branch: coming.removes_source_branch.then_some(true),
        merge_status: if is_same {
            before.merge_status
        } else {
            status(coming.state)
        },
        head_id: head_id.or(before.head_id),
        merge_commit_id: found.merge_commit.or(before.merge_commit_id),
        squash_commit_id: found.squash_commit.or(before.squash_commit_id),
        task_count,
        task_completed_count,
        prepared_at: before.prepared_at.or(Some(coming.created_at)),
        closed_at: is_closed.then_some(closed_at),
        merged_at: is_merged.then_some(merged_at),
        updated_at: coming.updated_at,
        ..before.clone()
    }
}

/// It has these labels, and no others.
fn wear(tx: &mut Tx<'_>, id: i64, wanted: &[i64]) -> Result<()> {
    let present = labels::ids_of(tx, id)?;
    for label in wanted.iter().filter(|label| !present.contains(label)) {
        labels::add(tx, id, *label)?;
    }
    for label in present.iter().filter(|label| !wanted.contains(label)) {
        labels::remove(tx, id, *label)?;
    }
    Ok(())
}

fn people(tx: &mut Tx<'_>, request: &MergeRequest, coming: &Coming<i64>) -> Result<()> {
    for user in coming.assignees.iter().take(MAX_NAMED) {
        assign(tx, request.id, *user)?;
    }
    for user in assignees_of_one(tx, request.id)? {
        if !coming.assignees.contains(&user) {
            unassign(tx, request.id, user)?;
        }
    }
    for approval in coming.approvals.iter().take(MAX_NAMED) {
        rows::approve(tx, request.id, approval.by, approval.at)?;
    }
    for reviewer in coming.reviewers.iter().take(MAX_NAMED) {
        let said = reviewer.state.as_deref().and_then(ReviewState::from_text);
        review(tx, request.id, (reviewer.who, said.unwrap_or_default()), coming.created_at)?;
    }
    Ok(())
}

/// Notes what somebody said of it as a whole: approvals count from then on, and who wants
/// changes approves no more. A word beside that is no verdict, and takes none back.
pub fn review(
    tx: &mut Tx<'_>, id: i64, (user, said): (i64, ReviewState), at: Timestamp,
) -> Result<()> {
    let before = reviewers_of_one(tx, id)?;
    let before = before.iter().find(|one| one.user_id == user).map(|one| one.state);
    if !replaces(said, before) {
        return Ok(());
    }
    rows::review(tx, id, (user, said), at)?;
    match said {
        ReviewState::Approved => rows::approve(tx, id, user, at),
        ReviewState::RequestedChanges => given::delete(tx, id, user).map(drop),
        _ => Ok(()),
    }
}

/// Whether something that was said takes the place of what was said before.
fn replaces(said: ReviewState, before: Option<ReviewState>) -> bool {
    use ReviewState as S;
    match (said, before) {
        (S::Unreviewed, Some(_)) => false,
        (S::Reviewed, Some(before)) => before == S::Unreviewed,
        _ => true,
    }
}

/// Notes who merged it, and when, where that is not known.
pub fn merged_by(tx: &mut Tx<'_>, id: i64, user: i64, at: Option<Timestamp>) -> Result<()> {
    rows::merged_by(tx, id, user, at)
}

/// Writes versions that are not here yet, and has their commits stay. The source branch of an
/// open one is made where it is of another repository; threads follow to a new version.
fn stand(
    tx: &mut Tx<'_>, repository: &Repository, request: &MergeRequest, found: &Found,
) -> Result<()> {
    let Some(head) = found.newest().map(|newest| newest.head_id) else {
        return Ok(());
    };
    let (known, _) = versions::newest(tx, request.id, MOST_VERSIONS)?;
    let is_known = |new: &NewVersion| {
        known.iter().any(|one| (one.head_id, one.base_id) == (new.head_id, new.base_id))
    };
    let mut kept = Vec::from_iter(found.merge_commit.into_iter().chain(found.squash_commit));
    let mut is_new = false;
    for version in found.versions.iter().filter(|version| !is_known(&version.new)) {
        let at = version.created_at.unwrap_or(match known.is_empty() {
            true => request.created_at,
            false => request.updated_at,
        });
        versions::insert_at(tx, request.id, &version.new, at)?;
        kept.extend([version.new.head_id, version.new.base_id, version.new.start_id]);
        is_new = true;
    }
    refs::keep(tx, repository, (request.iid, head), &kept)?;
    if request.is_open() {
        refs::begin_branch(tx, repository, &request.source_branch, head)?;
    }
    if !is_new || known.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    enqueue_at(tx, &FollowThreads { request: request.id, user: None }, now)
}

/// Writes which issues open merge requests close, as their texts say and a user sees it: these
/// come later. The last one that was looked at, none after all.
pub fn note_closing(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, after: i64,
) -> Result<Option<i64>> {
    let open = rows::open_after(tx, project.id, after, BATCH)?;
    for request in &open {
        closing::note_text(tx, viewer, project, request)?;
    }
    Ok(open.last().map(|request| request.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_takes_no_verdict_back() {
        use ReviewState as S;
        for (said, before, expected) in [
            (S::Unreviewed, None, true),
            (S::Unreviewed, Some(S::Approved), false),
            (S::Reviewed, None, true),
            (S::Reviewed, Some(S::Unreviewed), true),
            (S::Reviewed, Some(S::RequestedChanges), false),
            (S::RequestedChanges, Some(S::Approved), true),
            (S::Approved, Some(S::RequestedChanges), true),
        ] {
            assert_eq!(replaces(said, before), expected, "{said} after {before:?}");
        }
    }
}
