//! Commands in descriptions of merge requests and in notes about them, carried out one by
//! one: what changes the merge request itself is in [`edits`], what is said of it in
//! [`verdicts`]. What their author may not do, or what makes no sense, is skipped.

mod edits;
mod verdicts;

use super::change::reread;
use super::edit::edit;
use super::merge_words::Order;
use super::resolve::allowed;
use super::{auto_merge, blocks, places, rebasing};
use crate::access::{may_merge, readable, sets_people};
use crate::model::MergeRequest;
use crate::noteable::{MERGE_REQUEST, noteable, plugged};
use crate::tasks::AutoMerge;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::access::{Desk, ProjectAccess};
use planning::formats::quick_actions::Action;
use planning::formats::references::{Name, find_with};
use planning::rules::awards;
use planning::rules::commands::common::{measure, remember};
use planning::rules::commands::{Done, Outcome, done, each, senseless};
use planning::rules::references::{own_address, project_path};
use planning::rules::topic::Topic;
use planning::store::awards::Awardable;
use serde_json::json;

/// Names of one command that are looked up.
const MOST: usize = 20;

/// Who gives commands, and where.
#[derive(Clone, Copy)]
struct Author<'a> {
    viewer: &'a Viewer,
    here: &'a ProjectAccess,
}

/// Carries out commands on a merge request: what becomes of it, and what they did.
///
/// # Errors
///
/// Only those of the server.
pub fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    actions: &[Action],
) -> Result<(MergeRequest, Outcome)> {
    let (by, id) = (Author { viewer, here }, request.id);
    let step =
        |tx: &mut Tx<'_>, request: &MergeRequest, action: &Action| run(tx, by, request, action);
    each(tx, request, actions, step, |tx| reread(tx, id))
}

/// The same of a note, for `planning::targets::Discussion`.
pub fn of_note(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: Desk<'_>, id: i64, actions: &[Action],
) -> Result<Outcome> {
    match desk {
        Desk::Project(here) => {
            let request = reread(tx, id)?;
            Ok(apply(tx, viewer, here, &request, actions)?.1)
        }
        Desk::Group(_) => Ok(Outcome::default()),
    }
}

fn run(tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest, action: &Action) -> Result<Done> {
    if let Some((input, done)) = edits::read(tx, by, request, action)? {
        if allowed(by.here, input.clone()).is_empty() {
            return Err(Error::forbidden(""));
        }
        edit(tx, by.viewer, by.here, request, input)?;
        return Ok(done);
    }
    match action.name {
        "subscribe" | "unsubscribe" | "todo" | "done" => {
            let about = (places::TARGET, noteable(request));
            remember(tx, by.viewer, about, "merge request", action)
        }
        "estimate" | "remove_estimate" | "spend" | "remove_time_spent" => {
            match sets_people(by.here.level) {
                true => measure(tx, by.viewer.user_id(), request, action),
                false => Err(Error::forbidden("")),
            }
        }
        "award" | "react" => {
            let name = action.argument.as_str();
            let to = Awardable::Thing(MERGE_REQUEST, request.id);
            let about = Topic::Thing(plugged(tx, request)?);
            awards::create(tx, by.viewer, by.here, about, to, name)?;
            Ok(done("emoji_award", name, format!("Toggled {name} emoji reaction.")))
        }
        "blocks" | "blocked_by" => wait(tx, by, request, action),
        "merge" => merge(tx, by, request),
        "rebase" => {
            rebasing::begin(tx, by.viewer, request, false)?;
            Ok(done("rebase", true, "The source branch will be rebased."))
        }
        _ => verdicts::run(tx, by, request, action),
    }
}

/// Has it merged once its checks pass, which they may do now. A head that comes later is
/// not merged.
fn merge(tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest) -> Result<Done> {
    if !request.is_open() {
        return Err(senseless());
    }
    by.here.writable()?;
    if !may_merge(tx, by.viewer, &by.here.project, &request.target_branch)? {
        return Err(Error::forbidden(""));
    }
    auto_merge::set(tx, by.viewer, request, &Order::default())?;
    let now = tx.now();
    enqueue_at(tx, &AutoMerge { request: request.id }, now)?;
    let head = request.head_id.map(|head| head.to_string());
    let sentence = "This merge request will be merged once its checks pass.";
    Ok(done("merge", json!(head), sentence))
}

/// Has it wait for others, or them for it.
fn wait(tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest, action: &Action) -> Result<Done> {
    let others = named(tx, by, &action.argument)?;
    if others.is_empty() {
        return Err(senseless());
    }
    let said = action.argument.as_str();
    for (there, other) in others {
        match action.name {
            "blocks" => blocks::create(tx, by.viewer, &there, &other, request.id)?,
            _ => blocks::create(tx, by.viewer, by.here, request, other.id)?,
        };
    }
    Ok(match action.name {
        "blocks" => done("blocks", said, format!("Made {said} wait for this merge request.")),
        _ => done("blocked_by", said, format!("Made this merge request wait for {said}.")),
    })
}

/// The merge requests that a text names, for who may write there.
///
/// # Errors
///
/// Where one of them is not there for the author.
fn named(
    tx: &mut Tx<'_>, by: Author<'_>, text: &str,
) -> Result<Vec<(ProjectAccess, MergeRequest)>> {
    let own = own_address(tx)?;
    let mut found = Vec::new();
    for one in find_with(text, own).into_iter().take(MOST) {
        let Name::MergeRequest(path, iid) = one.name else {
            return Err(senseless());
        };
        let path = project_path(&by.here.project, path.as_deref());
        let (project, request) = readable(tx, by.viewer, &Reference::Path(path), iid)?;
        let level = spaces::access::level_in_project(tx, by.viewer, &project)?;
        let there = ProjectAccess { project, level };
        there.writable()?;
        found.push((there, request));
    }
    Ok(found)
}
