//! Changes of a merge request, each told by an event or a note. Who may make them is not
//! asked here.

use super::input::{Input, StateEvent};
use super::remarks::{self, remark_at};
use super::{people, refs, stopped};
use crate::activity;
use crate::merging::MergeStatus;
use crate::merging::status::Event as StatusEvent;
use crate::model::{MergeRequest, State, is_draft, text_error};
use crate::noteable::noteable;
use crate::store::events::{self, Detail};
use crate::store::{self as rows, labels};
use ::store::Tx;
use kernel::error::{Found, Result};
use planning::formats::tasks;
use planning::model::title_error;
use planning::rules::changed::LabelRows;
use planning::rules::todos;
use planning::store::issues::events::By;
use planning::store::milestones;
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use spaces::activity::Action;
use spaces::model::Problems;
use spaces::rules::note_activity;

/// The merge request as it is after what was done to it.
pub fn reread(tx: &mut Tx<'_>, id: i64) -> Result<MergeRequest> {
    rows::by_id(tx, id)?.found("")
}

/// Gives a new merge request what it was made with, and tells of that as a change would.
pub fn begin(tx: &mut Tx<'_>, made: &MergeRequest, input: &Input) -> Result<MergeRequest> {
    let by = By { user_id: made.author_id, at: made.created_at };
    let mut after = changed(made, input, by);
    after.edited_by_id = None;
    after.edited_at = None;
    after.updated_at = made.created_at;
    check(&after)?;
    rows::update(tx, &after)?;
    told_milestone(tx, by, made, &after)?;
    LABELS.begin(tx, made.id, by, &input.wears)?;
    people::assign(tx, by, made, input)?;
    people::ask_reviews(tx, by, made, input)?;
    activity::record(tx, by.user_id, Action::Created, made)?;
    note_activity(tx, made.target_project_id)?;
    reread(tx, made.id)
}

/// Changes a merge request.
pub fn update(
    tx: &mut Tx<'_>, actor: Option<i64>, request: &MergeRequest, input: &Input,
) -> Result<MergeRequest> {
    let by = By { user_id: actor, at: tx.now() };
    let after = changed(request, input, by);
    check(&after)?;
    rows::update(tx, &after)?;
    tell(tx, by, request, &after)?;
    LABELS.change(tx, request.id, by, &input.wears)?;
    people::assign(tx, by, request, input)?;
    people::ask_reviews(tx, by, request, input)?;
    reread(tx, request.id)
}

/// Closes a merge request that is open, for the program or for somebody.
pub fn close(tx: &mut Tx<'_>, actor: Option<i64>, request: &MergeRequest) -> Result<MergeRequest> {
    update(tx, actor, request, &Input::event(StateEvent::Close))
}

fn changed(request: &MergeRequest, input: &Input, by: By) -> MergeRequest {
    let title = input.title.as_deref().unwrap_or(&request.title).trim().to_owned();
    let description = input.description.clone().over(request.description.clone());
    let description = description.filter(|text| !text.is_empty());
    let (task_count, task_completed_count) =
        tasks::count(description.as_deref().unwrap_or_default());
    let target_branch = input.target_branch.clone();
    let target_branch = target_branch.unwrap_or_else(|| request.target_branch.clone());
    let is_edited = title != request.title || description != request.description;
    let removes = input.remove_source_branch.or(request.force_remove_source_branch);
    let mut after = MergeRequest {
        draft: is_draft(&title),
        title,
        description,
        target_branch,
        edited_by_id: if is_edited { by.user_id } else { request.edited_by_id },
        edited_at: if is_edited { Some(by.at) } else { request.edited_at },
        milestone_id: input.milestone_id.clone().over(request.milestone_id),
        discussion_locked: input.discussion_locked.clone().over(request.discussion_locked),
        squash: input.squash.unwrap_or(request.squash),
        force_remove_source_branch: removes,
        allow_collaboration: input.collaboration().unwrap_or(request.allow_collaboration),
        merge_after: input.merge_after.clone().over(request.merge_after),
        task_count,
        task_completed_count,
        updated_at: by.at,
        ..request.clone()
    };
    if after.target_branch != request.target_branch {
        after.merge_status = request.merge_status.after(StatusEvent::Moved);
        stopped(&mut after);
    }
    match (input.state_event, request.state) {
        (Some(StateEvent::Close), State::Opened) => closed(&mut after, by),
        (Some(StateEvent::Reopen), State::Closed) => reopened(&mut after),
        _ => {}
    }
    after
}

fn closed(request: &mut MergeRequest, by: By) {
    request.state = State::Closed;
    request.closed_by_id = by.user_id;
    request.closed_at = Some(by.at);
    request.merge_error = None;
    stopped(request);
}

/// What was known of merging it may not be so any more.
fn reopened(request: &mut MergeRequest) {
    request.state = State::Opened;
    request.closed_by_id = None;
    request.closed_at = None;
    request.merge_status = MergeStatus::Unchecked;
}

fn check(request: &MergeRequest) -> Result<()> {
    let mut problems = Problems::default();
    problems.note("title", title_error(&request.title));
    problems.note("description", text_error(request.text()));
    problems.check()
}

fn tell(tx: &mut Tx<'_>, by: By, before: &MergeRequest, after: &MergeRequest) -> Result<()> {
    if before.state != after.state {
        told_state(tx, by, before, after.state)?;
    }
    told_milestone(tx, by, before, after)?;
    for text in remarks::of_change(before, after) {
        remark_at(tx, before, by, &text)?;
    }
    Ok(())
}

fn told_state(tx: &mut Tx<'_>, by: By, request: &MergeRequest, state: State) -> Result<()> {
    let action = match state {
        State::Closed => Action::Closed,
        _ => Action::Reopened,
    };
    events::write(tx, request.id, by, Detail::State(action.as_str(), None))?;
    activity::record(tx, by.user_id, action, request)?;
    note_activity(tx, request.target_project_id)?;
    if state == State::Closed {
        todos::close_for(tx, None, noteable(request))?;
        forget_result(tx, request)?;
    }
    remark_at(tx, request, by, action.as_str())
}

/// How it would be merged is kept for open ones alone.
fn forget_result(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    match of_project(tx, request.target_project_id, RepositoryKind::Project)? {
        Some(repository) => refs::forget(tx, &repository, request.iid, &["merge", "train"]),
        None => Ok(()),
    }
}

fn told_milestone(
    tx: &mut Tx<'_>, by: By, before: &MergeRequest, after: &MergeRequest,
) -> Result<()> {
    if before.milestone_id == after.milestone_id {
        return Ok(());
    }
    if let Some(old) = before.milestone_id {
        events::write(tx, before.id, by, Detail::Milestone("remove", old))?;
    }
    let Some(new) = after.milestone_id else {
        return remark_at(tx, before, by, "removed milestone");
    };
    events::write(tx, before.id, by, Detail::Milestone("add", new))?;
    let goal = milestones::by_ids(tx, &[new])?.remove(&new);
    let title = goal.map(|goal| goal.title).unwrap_or_default();
    remark_at(tx, before, by, &format!("changed milestone to %\"{title}\""))
}

/// A label came (`add`) or went (`remove`).
fn labelled(tx: &mut Tx<'_>, id: i64, by: By, action: &'static str, label: i64) -> Result<()> {
    events::write(tx, id, by, Detail::Label(action, label))
}

const LABELS: LabelRows = LabelRows {
    present: labels::ids_of,
    add: labels::add,
    remove: labels::remove,
    tell: labelled,
};
