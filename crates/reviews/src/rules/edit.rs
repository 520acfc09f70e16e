//! What somebody asks of a merge request, and how much of it they may have.

use super::change::update;
use super::create::{branch_problem, taken};
use super::input::{Input, StateEvent};
use super::news::Before;
use super::resolve::{allowed, resolve};
use super::sides::Sides;
use super::{closing, collaboration, commands, news};
use crate::access::{check_update, may_update, sets_labels};
use crate::model::MergeRequest;
use crate::store::{self as rows, Pair};
use crate::tasks::{AutoMerge, Check, MakeVersion};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::access::ProjectAccess;
use planning::rules::commands::take_actions;
use serde_json::json;
use spaces::access::find_project;

/// Changes a merge request that the viewer sees; what they may not set is left out.
///
/// # Errors
///
/// 403 for who may change nothing of it; 422 for branches that are not there, 409 where
/// there is another one of the same branches, and 400 for what is wrong.
pub fn edit(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, input: Input,
) -> Result<MergeRequest> {
    here.writable()?;
    let mut wanted = judged(tx, viewer, here, request, input)?;
    let actions = take_actions(&viewer.signed_in()?.user, &mut wanted.description);
    resolve(tx, here, &mut wanted)?;
    check_target(tx, request, &mut wanted)?;
    check_reopening(tx, request, &wanted)?;
    settle_collaboration(tx, viewer, here, request, &mut wanted)?;
    let before = Before::read(tx, request)?;
    let after = update(tx, viewer.user_id(), request, &wanted)?;
    closing::note_text(tx, viewer, &here.project, &after)?;
    follow(tx, viewer, request, &after)?;
    news::changed(tx, viewer, here, before, &after)?;
    Ok(commands::apply(tx, viewer, here, &after, &actions)?.0)
}

/// Writes a description in which a box was ticked. What else it holds was judged when it
/// was written, and commands in it are carried out no more.
///
/// # Errors
///
/// 403 for who may not change it.
pub fn tick(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, text: String,
) -> Result<()> {
    check_update(tx, viewer, here, request)?;
    let wanted = Input { description: Patch::Value(text), ..Input::default() };
    update(tx, viewer.user_id(), request, &wanted).map(drop)
}

/// What of an input the viewer may have.
fn judged(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, input: Input,
) -> Result<Input> {
    let input = allowed(here, input);
    if may_update(tx, viewer, &here.project, request)? {
        return Ok(input);
    }
    let labels = input.labels_alone();
    match sets_labels(here.level) && !labels.is_empty() {
        true => Ok(labels),
        false => Err(Error::forbidden("")),
    }
}

/// Refuses a target branch that is not there, or where another one goes to already.
fn check_target(tx: &mut Tx<'_>, request: &MergeRequest, wanted: &mut Input) -> Result<()> {
    let Some(branch) = wanted.target_branch.clone() else {
        return Ok(());
    };
    if branch == request.target_branch || !request.is_open() {
        wanted.target_branch = None;
        return Ok(());
    }
    if let Some(problem) = branch_problem(&branch) {
        return Err(Error::invalid("target_branch", problem));
    }
    let target = (request.target_project_id, branch.as_str());
    let source = (request.source_project_id.unwrap_or_default(), request.source_branch.as_str());
    if source == target {
        let text = "You can't use same project/branch for source and target";
        return Err(Error::Exact(422, json!({"message": [text]})));
    }
    let ([_, is_there], _) = Sides::read(tx, source, target)?;
    if !is_there {
        let text = format!("Target branch \"{branch}\" does not exist");
        return Err(Error::Exact(422, json!({"message": [text]})));
    }
    match rows::twin(tx, Pair { source, target }, request.id)? {
        Some(twin) => Err(taken(Some(&twin))),
        None => Ok(()),
    }
}

/// Refuses to open again what has no source branch any more, or a twin.
fn check_reopening(tx: &mut Tx<'_>, request: &MergeRequest, wanted: &Input) -> Result<()> {
    let opens = wanted.state_event == Some(StateEvent::Reopen)
        && request.state == crate::model::State::Closed;
    if !opens {
        return Ok(());
    }
    let gone = || {
        let text = format!("Source branch \"{}\" does not exist", request.source_branch);
        Error::Exact(422, json!({"message": [text]}))
    };
    let source_id = request.source_project_id.ok_or_else(gone)?;
    let source = (source_id, request.source_branch.as_str());
    let target = (request.target_project_id, request.target_branch.as_str());
    let ([is_there, _], _) = Sides::read(tx, source, target)?;
    if !is_there {
        return Err(gone());
    }
    match rows::twin(tx, Pair { source, target }, request.id)? {
        Some(twin) => Err(taken(Some(&twin))),
        None => Ok(()),
    }
}

/// Who may not open the branch of the fork does not.
fn settle_collaboration(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    wanted: &mut Input,
) -> Result<()> {
    if wanted.collaboration() != Some(true) || request.allow_collaboration {
        return Ok(());
    }
    let source = match request.source_project_id {
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    let may = match source {
        Some(source) => {
            let branch = &request.source_branch;
            collaboration::may_allow(tx, viewer, &source, &here.project, branch)?
        }
        None => false,
    };
    wanted.allow_collaboration = Some(may);
    wanted.allow_maintainer_to_push = None;
    Ok(())
}

/// Has jobs do what follows from a change of branches and states.
fn follow(
    tx: &mut Tx<'_>, viewer: &Viewer, before: &MergeRequest, after: &MergeRequest,
) -> Result<()> {
    let now = tx.now();
    if after.auto_merge {
        enqueue_at(tx, &AutoMerge { request: after.id }, now)?;
    }
    let is_elsewhere = before.target_branch != after.target_branch;
    let is_back = !before.is_pending() && after.is_pending();
    if is_elsewhere || is_back {
        let task = MakeVersion { request: after.id, user: viewer.user_id(), for_target: true };
        enqueue_at(tx, &task, now)?;
        enqueue_at(tx, &Check { request: after.id }, now)?;
    }
    Ok(())
}
