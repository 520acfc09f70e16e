//! What follows where a merge request became merged, however it was.

use super::change::reread;
use super::news::{is_program, notify};
use super::remarks::remark;
use super::{closing, refs, stopped};
use crate::activity;
use crate::approvals;
use crate::merging::Brought;
use crate::model::{MergeRequest, State};
use crate::noteable::noteable;
use crate::store::closing as closing_rows;
use crate::store::events::{self, Detail};
use crate::store::{self as rows};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use planning::access::desk as issue_desk;
use planning::model::Issue;
use planning::rules::issues::requests::{edit, may_edit};
use planning::rules::issues::{IssueInput, StateEvent, noteable as issue_noteable};
use planning::rules::{notes, todos};
use planning::store::issues::events::By;
use planning::store::issues::visible_by_ids;
use planning::tasks::Event;
use repositories::formats::object_id::ObjectId;
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use spaces::activity::Action;
use spaces::model::Project;
use spaces::rules::note_activity;

/// Notes that a merge request is merged, closes its issues and tells of it; in the
/// transaction that finds or makes it so. It is merged once: again nothing happens.
///
/// # Errors
///
/// Only those of the server.
pub fn mark(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest, brought: Brought,
) -> Result<MergeRequest> {
    let request = reread(tx, request.id)?;
    if request.state == State::Merged {
        return Ok(request);
    }
    let (by, was_ordered) = (By { user_id: viewer.user_id(), at: tx.now() }, request.auto_merge);
    rows::update(tx, &after(&request, by, brought))?;
    let commit = brought.commit().or(request.head_id);
    events::write(tx, request.id, by, Detail::State("merged", commit))?;
    activity::record(tx, by.user_id, Action::Merged, &request)?;
    note_activity(tx, request.target_project_id)?;
    remark(tx, &request, by.user_id, "merged")?;
    todos::close_for(tx, None, noteable(&request))?;
    approvals::freeze(tx, project, &request)?;
    keep_commits(tx, &request, brought)?;
    let merged = reread(tx, request.id)?;
    close_issues(tx, viewer, project, &merged)?;
    tell(tx, viewer, &merged, was_ordered)?;
    Ok(merged)
}

fn after(request: &MergeRequest, by: By, brought: Brought) -> MergeRequest {
    let mut after = request.clone();
    stopped(&mut after);
    MergeRequest {
        state: State::Merged,
        merge_user_id: by.user_id,
        merged_at: Some(by.at),
        merge_commit_id: brought.merge,
        squash_commit_id: brought.squash,
        rebased_commit_id: brought.rebased,
        merge_error: None,
        locked_at: None,
        rebase_started_at: None,
        updated_at: by.at,
        ..after
    }
}

/// The commits of the merge stay, and so does the head; what a check made goes.
fn keep_commits(tx: &mut Tx<'_>, request: &MergeRequest, brought: Brought) -> Result<()> {
    let place = (request.target_project_id, RepositoryKind::Project);
    let (Some(repository), Some(head)) = (of_project(tx, place.0, place.1)?, request.head_id)
    else {
        return Ok(());
    };
    let Brought { merge, squash, rebased } = brought;
    let kept: Vec<ObjectId> = [merge, squash, rebased].into_iter().flatten().collect();
    refs::keep(tx, &repository, (request.iid, head), &kept)?;
    refs::forget(tx, &repository, request.iid, &["merge", "train"])
}

/// Who ordered the merge is told that it happened; who merged it now knows.
fn tell(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, was_ordered: bool) -> Result<()> {
    if is_program(viewer) {
        return Ok(());
    }
    let actor = if was_ordered { None } else { viewer.user_id() };
    notify(tx, actor, request, Event::Merged, Vec::new())
}

/// Closes the issues that go with it, as far as who merges may.
fn close_issues(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    if !closing::closes_any(project, request) {
        return Ok(());
    }
    let ids = closing_rows::of_request(tx, request.id)?;
    if ids.is_empty() {
        return Ok(());
    }
    for issue in visible_by_ids(tx, viewer, &ids)? {
        close_issue(tx, viewer, request, &issue)?;
    }
    Ok(())
}

fn close_issue(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, issue: &Issue,
) -> Result<()> {
    let here = match issue_desk(tx, viewer, &Reference::Id(issue.project_id)) {
        Err(Error::NotFound(_) | Error::Forbidden(_) | Error::Unauthenticated) => return Ok(()),
        here => here?,
    };
    let is_closable = issue.is_open()
        && here.project.autoclose_referenced_issues
        && !here.project.archived
        && may_edit(viewer, &here, issue);
    if !is_closable {
        return Ok(());
    }
    edit(tx, viewer, &here, issue, &IssueInput::event(StateEvent::Close))?;
    let path = match issue.project_id == request.target_project_id {
        true => "",
        false => request.project_path.as_str(),
    };
    let text = format!("closed via merge request {path}{}", request.reference());
    let note = notes::system(tx, issue_noteable(issue), viewer.user_id(), &text)?;
    planning::store::notes::name_request(tx, note.id, request.id)
}
