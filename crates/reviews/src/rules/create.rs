//! Making a merge request: who may, and what is wrong with it, in the order in which that
//! is told.

use super::change::{begin, reread};
use super::input::Input;
use super::resolve::{allowed, resolve};
use super::sides::Sides;
use super::versions::Found;
use super::{closing, collaboration, commands, news, versions};
use crate::access::{is_switched_on, may_create_from, may_create_in};
use crate::model::{MAX_BRANCH, MergeRequest, SquashOption};
use crate::store::{self as rows, NewRequest, Pair, settings};
use crate::tasks::FollowSource;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use planning::access::ProjectAccess;
use planning::rules::commands::take_actions;
use planning::store::internal_ids::{self, Usage};
use repositories::formats::ref_name::RefName;
use serde_json::json;
use spaces::access::{Purpose, level_in_project, project};
use spaces::model::{Problems, Project};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the request waits for the first version; a job makes it then.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is tried while the branches move.
const ATTEMPTS: usize = 3;

/// What somebody wants to be merged into what.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The project of the source branch.
    pub source: Reference,
    pub source_branch: String,
    /// The same project unless it is named.
    pub target_project_id: Option<i64>,
    pub target_branch: String,
    pub input: Input,
}

/// What was found right.
struct Judged {
    source: Project,
    /// The target, with the viewer's level there.
    here: ProjectAccess,
    sides: Sides,
}

/// Makes a merge request with its first version; its id.
///
/// # Errors
///
/// 403, 404, 422, 409 and 400, as the interface lists them; `Unavailable` if too many are
/// busy with repositories.
pub async fn create(app: &App, viewer: &Viewer, wanted: Wanted) -> Result<i64> {
    let (wanted, viewer) = (Arc::new(wanted), viewer.clone());
    for _ in 0..ATTEMPTS {
        let (by, asked) = (viewer.clone(), wanted.clone());
        let found = app.read(move |tx| judge(tx, &by, &asked)).await?;
        let read = read(app, &found.sides).await?;
        if let Some(id) = write(app, &viewer, &wanted, (found.sides, read)).await? {
            return Ok(id);
        }
    }
    let text = "The branches move too often now. Try again.";
    Err(Error::Unavailable(text.into()))
}

/// Where both branches are, for who may make this merge request.
///
/// # Errors
///
/// Those of [`create`].
pub async fn sides(app: &App, viewer: &Viewer, wanted: &Wanted) -> Result<Sides> {
    let (by, wanted) = (viewer.clone(), wanted.clone());
    Ok(app.read(move |tx| judge(tx, &by, &wanted)).await?.sides)
}

/// What differs; nothing where that takes too long.
async fn read(app: &App, sides: &Sides) -> Result<Option<Found>> {
    match timeout(PATIENCE, versions::read(app, sides)).await {
        Ok(found) => found.map(Some),
        Err(_) => Ok(None),
    }
}

/// Writes it; nothing where a branch moved meanwhile.
async fn write(
    app: &App, viewer: &Viewer, wanted: &Arc<Wanted>, (before, found): (Sides, Option<Found>),
) -> Result<Option<i64>> {
    let (viewer, wanted, found) = (viewer.clone(), wanted.clone(), Arc::new(found));
    app.write(move |tx| {
        let judged = judge(tx, &viewer, &wanted)?;
        if judged.sides.heads != before.heads {
            return Ok(None);
        }
        let made = insert(tx, &viewer, &wanted, &judged, (*found).as_ref())?;
        Ok(Some(made.id))
    })
    .await
}

fn insert(
    tx: &mut Tx<'_>, viewer: &Viewer, wanted: &Wanted, judged: &Judged, found: Option<&Found>,
) -> Result<MergeRequest> {
    let signed_in = viewer.signed_in()?;
    let Judged { source, here, sides } = judged;
    let mut input = allowed(here, wanted.input.clone());
    let actions = take_actions(&signed_in.user, &mut input.description);
    settle(tx, viewer, judged, &wanted.source_branch, &mut input)?;
    resolve(tx, here, &mut input)?;
    let pair = pair(source, wanted, &here.project);
    let iid = internal_ids::next(tx, Usage::MergeRequests, here.project.id)?;
    let new = NewRequest { iid, author_id: Some(signed_in.user.id), pair };
    let Some(id) = rows::insert(tx, &new)? else {
        return Err(taken(rows::twin(tx, pair, 0)?.as_ref()));
    };
    let bare = reread(tx, id)?;
    let bare = MergeRequest { head_id: Some(sides.heads.source), ..bare };
    let made = begin(tx, &bare, &input)?;
    closing::note_text(tx, viewer, &here.project, &made)?;
    if let Some(found) = found {
        versions::write(tx, Some(viewer), &made, sides, found)?;
    }
    let now = tx.now();
    let task = FollowSource {
        request: id,
        head: sides.heads.source.to_string(),
        user: viewer.user_id(),
        has_pipeline: true,
        skips_jobs: false,
    };
    enqueue_at(tx, &task, now)?;
    let made = reread(tx, id)?;
    news::made(tx, viewer, here, &made)?;
    Ok(commands::apply(tx, viewer, here, &made, &actions)?.0)
}

/// What was not said is as the project has it.
fn settle(
    tx: &mut Tx<'_>, viewer: &Viewer, judged: &Judged, branch: &str, input: &mut Input,
) -> Result<()> {
    let target = &judged.here.project;
    input.state_event = None;
    input.target_branch = None;
    let squash = SquashOption::of(&target.squash_option).is_on_at_first();
    input.squash = Some(input.squash.unwrap_or(squash));
    if input.remove_source_branch.is_none() {
        let removes = settings::of_project(tx, target.id)?.remove_source_branch;
        input.remove_source_branch = removes.then_some(true);
    }
    let wishes = input.collaboration() == Some(true);
    let may = wishes && collaboration::may_allow(tx, viewer, &judged.source, target, branch)?;
    input.allow_collaboration = Some(may);
    input.allow_maintainer_to_push = None;
    Ok(())
}

fn pair<'p>(source: &'p Project, wanted: &'p Wanted, target: &'p Project) -> Pair<'p> {
    Pair {
        source: (source.id, wanted.source_branch.as_str()),
        target: (target.id, wanted.target_branch.as_str()),
    }
}

/// A refusal with one text in a list.
fn refused(status: u16, text: String) -> Error {
    Error::Exact(status, json!({"message": [text]}))
}

/// There is an open merge request of the same branches.
pub(super) fn taken(other: Option<&MergeRequest>) -> Error {
    let name = other.map(|other| format!(": {}", other.reference())).unwrap_or_default();
    let text = "Another open merge request already exists for this source branch";
    refused(409, format!("{text}{name}"))
}

fn judge(tx: &mut Tx<'_>, viewer: &Viewer, wanted: &Wanted) -> Result<Judged> {
    viewer.signed_in()?;
    let source = project(tx, viewer, &wanted.source, Purpose::ReadMembers)?;
    if !may_create_from(tx, viewer, &source)? {
        return Err(Error::forbidden(""));
    }
    let target = match wanted.target_project_id {
        Some(id) if id != source.id => project(tx, viewer, &Reference::Id(id), Purpose::Read)?,
        _ => source.clone(),
    };
    if is_switched_on(&target) && !may_create_in(tx, viewer, &target)? {
        return Err(Error::forbidden(""));
    }
    check_places(&source, wanted, &target)?;
    check_names(wanted)?;
    let ends = (source.id, wanted.source_branch.as_str());
    let into = (target.id, wanted.target_branch.as_str());
    let (is_there, sides) = Sides::read(tx, ends, into)?;
    let Some(sides) = sides else {
        return Err(missing(wanted, is_there));
    };
    if let Some(twin) = rows::twin(tx, pair(&source, wanted, &target), 0)? {
        return Err(taken(Some(&twin)));
    }
    let level = level_in_project(tx, viewer, &target)?;
    let here = ProjectAccess { project: target, level };
    Ok(Judged { source, here, sides })
}

/// Refuses branches that cannot be merged into each other, whatever is in them.
fn check_places(source: &Project, wanted: &Wanted, target: &Project) -> Result<()> {
    if source.id == target.id && wanted.source_branch == wanted.target_branch {
        let text = "You can't use same project/branch for source and target";
        return Err(refused(422, text.to_owned()));
    }
    let network = |one: &Project| one.fork_network_id.unwrap_or(one.id);
    if network(source) != network(target) {
        let text = "Source project is not a fork of the target project";
        return Err(refused(422, text.to_owned()));
    }
    match is_switched_on(target) {
        true => Ok(()),
        false => {
            let text = "Target project has disabled merge requests";
            Err(refused(422, text.to_owned()))
        }
    }
}

/// Refuses names that no branch has.
fn check_names(wanted: &Wanted) -> Result<()> {
    let mut problems = Problems::default();
    for (field, name) in [
        ("source_branch", &wanted.source_branch),
        ("target_branch", &wanted.target_branch),
    ] {
        problems.note(field, branch_problem(name));
    }
    problems.check()
}

pub(super) fn branch_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("can't be blank")
    } else if name.chars().count() > MAX_BRANCH {
        Some("is too long (maximum is 255 characters)")
    } else {
        RefName::branch(name).is_err().then_some("is invalid")
    }
}

fn missing(wanted: &Wanted, [source, target]: [bool; 2]) -> Error {
    let mut texts = Vec::new();
    if !source {
        texts.push(format!("Source branch \"{}\" does not exist", wanted.source_branch));
    }
    if !target {
        texts.push(format!("Target branch \"{}\" does not exist", wanted.target_branch));
    }
    Error::Exact(422, json!({"message": texts}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_branches_are_judged_before_they_are_looked_for() {
        for good in ["main", "feature/a", "ä", "12-x"] {
            assert_eq!(branch_problem(good), None, "{good}");
        }
        for bad in ["", "-x", "a..b", "a b", "a~1", "x.lock", &"x".repeat(256)] {
            assert!(branch_problem(bad).is_some(), "{bad}");
        }
    }
}
