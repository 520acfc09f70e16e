//! What a change begins with: whether it may be made at all, the branch as it is, and
//! the commit it follows.

use super::{Action, EditRequest, Refused, Start, branch};
use crate::access::{self, Pushing};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::{Holder, Repository};
use crate::objects::{Commit, Objects, Path};
use crate::place::Place;
use crate::protection;
use crate::store::{self, refs};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use spaces::model::Project;

pub const NO_PUSH: &str = "You are not allowed to push into this branch";
/// How the refusal of a change begins whose file is another by now.
pub const CHANGED: &str = "The file has changed since you started editing it";
/// Commits that are gone through for the last changes of all files of a request.
const STEPS: usize = 200_000;

/// Where a change is made.
pub struct Base {
    pub to: Pushing,
    pub repository: Repository,
    pub facts: Facts,
}

/// What the refs say of it.
#[derive(Debug, Clone)]
pub struct Facts {
    /// No branch is there yet.
    pub is_empty: bool,
    /// The branch that is changed, unless it has no name that one may have.
    pub branch: Option<RefName>,
    /// Where it points, if it is there.
    pub head: Option<ObjectId>,
    /// Where the branch points that it shall begin with.
    pub start: Option<ObjectId>,
}

impl Base {
    /// Why a change was refused by what refs may do.
    pub fn refusal(&self, branch: &str, text: String) -> Refused {
        match self.facts.head.is_none() && text == super::landing::CONFLICT {
            true => not_made(branch, &text),
            false => Refused::new(text),
        }
    }
}

/// Looks at the branch somebody wants to change.
pub async fn find(
    app: &App, viewer: &Viewer, place: &Place, name: &str,
    (start, source): (&Option<Start>, Option<&Repository>),
) -> Result<Result<Base, Refused>> {
    kernel::read_only::check(app).await?;
    let (viewer, place, name) = (viewer.clone(), place.clone(), name.to_owned());
    let start = match start {
        Some(Start::Branch(name)) => branch(name),
        _ => None,
    };
    let source = source.map(|it| it.id);
    app.write(move |tx| {
        if let Place::Code(project) = &place
            && !may_push(tx, &viewer, project, &name)?
        {
            return Ok(Err(Refused::forbidden(NO_PUSH)));
        }
        let to = access::writing(tx, &viewer, &place)?;
        let repository = store::by_id(tx, to.repository_id)?.found("Repository")?;
        let branch = branch(&name);
        let mut tip = |id: i64, name: &Option<RefName>| -> Result<Option<ObjectId>> {
            let Some(name) = name else { return Ok(None) };
            Ok(refs::current(tx, id, &[name])?.remove(name))
        };
        let head = tip(repository.id, &branch)?;
        let start = tip(source.unwrap_or(repository.id), &start)?;
        let facts = Facts {
            is_empty: refs::first_branches(tx, repository.id, 1)?.is_empty(),
            head,
            start,
            branch: branch.clone(),
        };
        Ok(Ok(Base { to, repository, facts }))
    })
    .await
}

/// Whether somebody may push to a branch of a project. Of the content of a room above that
/// asked before.
fn may_push(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, name: &str) -> Result<bool> {
    let there = store::of(tx, Holder::Code(project.id))?;
    protection::may_push(tx, viewer, project, there.as_ref(), name)
}

/// The commit that a change follows; none for the first of all.
pub fn parent(
    objects: &Objects, facts: &Facts, request: &EditRequest,
) -> Result<Result<Option<Commit>, Refused>> {
    let refused = |text: String| Ok(Err(Refused::new(text)));
    let from = match &request.start {
        Some(Start::Id(text)) => match start_id(objects, text)? {
            Ok(commit) => Some(commit),
            Err(text) => return refused(text),
        },
        Some(Start::Branch(_)) => commit(objects, facts.start)?,
        None => commit(objects, facts.head)?,
    };
    if from.is_none() && !facts.is_empty {
        return refused("You can only create or edit files when you are on a branch".into());
    }
    let is_elsewhere = match &request.start {
        Some(Start::Branch(start)) => request.start_in.is_some() || *start != request.branch,
        Some(Start::Id(_)) => true,
        None => false,
    };
    if is_elsewhere && facts.head.is_some() && !request.force {
        return refused(format!(
            "A branch called '{}' already exists. Switch to that branch in order to make changes",
            request.branch
        ));
    }
    match facts.branch.is_some() {
        true => Ok(Ok(from)),
        false => Ok(Err(not_made(&request.branch, "Branch name is invalid"))),
    }
}

fn not_made(branch: &str, why: &str) -> Refused {
    let branch: String = branch.chars().take(300).collect();
    let text = format!("Something went wrong when we tried to create '{branch}' for you: {why}");
    Refused::new(text)
}

fn commit(objects: &Objects, id: Option<ObjectId>) -> Result<Option<Commit>> {
    match id {
        Some(id) => objects.commit(id)?.found("Commit").map(Some),
        None => Ok(None),
    }
}

fn start_id(objects: &Objects, text: &str) -> Result<Result<Commit, String>> {
    let shown: String = text.chars().take(100).collect();
    let Ok(id) = text.parse::<ObjectId>() else {
        return Ok(Err(format!("Invalid start_sha '{shown}'")));
    };
    Ok(objects.commit(id)?.ok_or(format!("Cannot find start_sha '{shown}'")))
}

/// Refuses actions on files that changed since their writer saw them.
pub fn check_last_commits(
    objects: &Objects, start: &Commit, actions: &[Action],
) -> Result<Result<(), Refused>> {
    let asking = actions.iter().filter(|action| action.last_commit_id.is_some()).count();
    for (index, action) in actions.iter().enumerate() {
        let path = action.source();
        let Ok(read) = Path::read(path) else {
            continue;
        };
        if let Some(seen) = action.seen
            && objects.entry(start.tree, &read)?.map(|entry| entry.id) != Some(seen)
        {
            return Ok(Err(Refused::of_action(changed(path), index, path)));
        }
        let Some(seen) = &action.last_commit_id else {
            continue;
        };
        let is_seen = match objects.last_change(start.clone(), &read, STEPS / asking)? {
            Some(last) => last.id.to_string().eq_ignore_ascii_case(seen),
            None => is_as_it_was(objects, start, &read, seen)?,
        };
        if !is_seen {
            return Ok(Err(Refused::of_action(changed(path), index, path)));
        }
    }
    Ok(Ok(()))
}

fn changed(path: &str) -> String {
    format!("{CHANGED}: {path}")
}

/// Whether a file is the same as in a commit, where its last change is too far back to be
/// looked for. None is as it was.
fn is_as_it_was(objects: &Objects, start: &Commit, path: &Path, seen: &str) -> Result<bool> {
    let now = objects.entry(start.tree, path)?;
    let seen = match seen.parse::<ObjectId>() {
        Ok(id) if now.is_some() => objects.commit(id)?,
        _ => return Ok(now.is_none()),
    };
    match seen {
        Some(seen) => Ok(objects.entry(seen.tree, path)? == now),
        None => Ok(false),
    }
}
