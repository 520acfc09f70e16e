//! What options of a push do: a merge request is made, or the open one of the branch changes.

use super::parse::Options;
use super::{Branch, MOST, Push, words};
use crate::access::{self, is_switched_on};
use crate::model::{MergeRequest, as_draft, as_ready};
use crate::rules::create::{self, Wanted};
use crate::rules::defaults::{self, BranchIssue, with_issue};
use crate::rules::edit::edit;
use crate::rules::input::Input;
use crate::rules::merge;
use crate::rules::merge_words::{Order, commit_texts};
use crate::rules::proposal;
use crate::rules::sides::Sides;
use crate::store::{self as rows, people};
use ::store::Tx;
use identity::users;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use planning::rules::issues::Assignees;
use planning::rules::labelling::Labelling;
use spaces::access::{Purpose, find_project, may, project};
use spaces::model::Project;
use std::sync::Arc;

/// Does it for each branch; what went wrong.
pub(super) async fn all(push: &Push<'_>, options: &Options) -> Vec<String> {
    let mut problems = options.problems.clone();
    let count = push.branches.len();
    if !push.is_person {
        problems.push("User is required".to_owned());
    } else if count > MOST {
        let text = format!("Too many branches pushed ({count} were pushed, limit is {MOST})");
        problems.push(text);
    } else {
        match target(push, options).await {
            Ok(target) => {
                for branch in &push.branches {
                    let done = one(push, options, (&target, branch)).await;
                    problems.extend(done.unwrap_or_else(|error| vec![words(error)]));
                }
            }
            Err(error) => problems.push(words(error)),
        }
    }
    problems
}

async fn target(push: &Push<'_>, options: &Options) -> Result<Project> {
    let (viewer, source) = (push.viewer.clone(), push.project.clone());
    let path = options.target_project.clone();
    push.app
        .read(move |tx| match path {
            Some(path) => named(tx, &viewer, path),
            None => usual_target(tx, &viewer, &source),
        })
        .await
}

fn named(tx: &mut Tx<'_>, viewer: &Viewer, path: String) -> Result<Project> {
    let found = project(tx, viewer, &Reference::Path(path.clone()), Purpose::DownloadCode);
    match found {
        Err(
            Error::NotFound(_) | Error::Forbidden(_) | Error::Moved(_) | Error::Unauthenticated,
        ) => Err(Error::Unprocessable(format!("Project {path} could not be found"))),
        found => found,
    }
}

/// The project that merge requests from another are for unless somebody says otherwise: what
/// it was forked from, if the viewer reads that and it has any.
pub(super) fn usual_target(tx: &mut Tx<'_>, viewer: &Viewer, source: &Project) -> Result<Project> {
    let parent = source.forked_from_id.filter(|_| !source.mr_default_target_self);
    let found = match parent {
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    if let Some(parent) = found
        && is_switched_on(&parent)
        && may(tx, viewer, &parent, Purpose::DownloadCode)?
    {
        return Ok(parent);
    }
    Ok(source.clone())
}

/// What of it is left out.
async fn one(
    push: &Push<'_>, options: &Options, (target, branch): (&Project, &Branch),
) -> Result<Vec<String>> {
    let (id, mut left_out) = match open(push, options, (target, branch)).await? {
        Some(request) => (request.id, change(push, options, &request).await?),
        None if options.create => make(push, options, (target, branch)).await?,
        None => {
            let text = format!(
                "A merge_request.create push option is required to create a merge request for \
                 branch {}",
                branch.name
            );
            return Err(Error::Unprocessable(text));
        }
    };
    if options.auto_merge
        && let Err(error) = order(push, branch, id).await
    {
        left_out.push(words(error));
    }
    Ok(left_out)
}

/// The open merge request of a branch: the one into the branch that is named, or the newest.
async fn open(
    push: &Push<'_>, options: &Options, (target, branch): (&Project, &Branch),
) -> Result<Option<MergeRequest>> {
    let (source, target) = (push.project.id, target.id);
    let (names, into) = (vec![branch.name.clone()], options.target.clone());
    let read = move |tx: &mut Tx<'_>| {
        let mut all = rows::pending_from(tx, source, &names)?;
        all.retain(|one| one.is_open() && one.target_project_id == target);
        let named = all.iter().find(|one| into.as_ref() == Some(&one.target_branch)).cloned();
        Ok(named.or(all.pop()))
    };
    push.app.read(read).await
}

/// Changes it; what is left out.
async fn change(push: &Push<'_>, options: &Options, request: &MergeRequest) -> Result<Vec<String>> {
    let (viewer, options) = (push.viewer.clone(), Arc::new(options.clone()));
    let (place, iid) = (Reference::Id(request.target_project_id), request.iid);
    let write = move |tx: &mut Tx<'_>| {
        let here = access::desk_to_write(tx, &viewer, &place)?;
        let request = access::find(tx, &viewer, &here, iid)?;
        let present = people::assignees_of_one(tx, request.id)?;
        let (assignees, unknown) = assigned(tx, &options, present)?;
        let mut input = Input {
            title: title(&options, &request),
            target_branch: options.target.clone(),
            ..input(&options, assignees)
        };
        input.wears.remove_labels.clone_from(&options.unlabels);
        if !input.is_empty() {
            edit(tx, &viewer, &here, &request, input)?;
        }
        Ok(unknown)
    };
    push.app.write(write).await
}

/// Another title, where one is said or it becomes a draft, or one no longer.
fn title(options: &Options, request: &MergeRequest) -> Option<String> {
    let said = options.title.clone();
    match options.draft {
        Some(true) => Some(as_draft(&said.unwrap_or_else(|| request.title.clone()))),
        Some(false) => Some(as_ready(&said.unwrap_or_else(|| request.title.clone()))),
        None => said,
    }
}

/// What is said alike of new ones and of those that are there.
fn input(options: &Options, assignees: Assignees) -> Input {
    let labels = options.labels.iter().filter(|title| !options.unlabels.contains(title));
    let labels: Vec<String> = labels.cloned().collect();
    Input {
        description: match &options.description {
            Some(text) => Patch::Value(text.clone()),
            None => Patch::Absent,
        },
        assignees,
        milestone: options.milestone.clone(),
        wears: Flat(Labelling {
            add_labels: (!labels.is_empty()).then_some(labels),
            ..Labelling::default()
        }),
        remove_source_branch: options.remove_source_branch,
        squash: options.squash,
        ..Input::default()
    }
}

/// Who is to be assigned, after these; and the names that nobody has.
fn assigned(
    tx: &mut Tx<'_>, options: &Options, present: Vec<i64>,
) -> Result<(Assignees, Vec<String>)> {
    if options.assign.is_empty() && options.unassign.is_empty() {
        return Ok((Assignees::AsTheyAre, Vec::new()));
    }
    let (mut ids, mut unknown) = (present, Vec::new());
    for (names, is_added) in [(&options.assign, true), (&options.unassign, false)] {
        for name in names {
            let Some(id) = user(tx, name)? else {
                unknown.push(format!("User {name} could not be found"));
                continue;
            };
            ids.retain(|other| *other != id);
            if is_added {
                ids.push(id);
            }
        }
    }
    Ok((Assignees::Set(ids), unknown))
}

/// A user by id or name.
fn user(tx: &mut Tx<'_>, text: &str) -> Result<Option<i64>> {
    let found = match text.parse::<i64>() {
        Ok(id) => users::find(tx, id)?,
        Err(_) => users::find_by_username(tx, text.trim_start_matches('@'))?,
    };
    Ok(found.map(|user| user.id))
}

/// Makes one; its id, and what is left out.
async fn make(
    push: &Push<'_>, options: &Options, (target, branch): (&Project, &Branch),
) -> Result<(i64, Vec<String>)> {
    let into = options.target.clone().or(target.default_branch.clone());
    let no_branch = || Error::Unprocessable("The project has no branch to merge into".into());
    let mut wanted = Wanted {
        source: Reference::Id(push.project.id),
        source_branch: branch.name.clone(),
        target_project_id: Some(target.id),
        target_branch: into.ok_or_else(no_branch)?,
        input: Input::default(),
    };
    let sides = create::sides(push.app, push.viewer, &wanted).await?;
    let (usual_title, usual_text) = usual(push, (target, branch), &sides).await?;
    let pusher = push.viewer.signed_in()?.user.id;
    let said = options.clone();
    let people = push.app.read(move |tx| assigned(tx, &said, vec![pusher]));
    let (assignees, unknown) = people.await?;
    let assignees = match assignees {
        Assignees::AsTheyAre => Assignees::Set(vec![pusher]),
        some => some,
    };
    let title = options.title.clone().unwrap_or(usual_title);
    let title = if options.draft == Some(true) {
        as_draft(&title)
    } else {
        title
    };
    let input = input(options, assignees);
    wanted.input = Input {
        title: Some(title),
        description: match input.description {
            Patch::Absent => Patch::Value(usual_text),
            said => said,
        },
        ..input
    };
    let id = create::create(push.app, push.viewer, wanted).await?;
    Ok((id, unknown))
}

/// Title and description of one that says nothing itself.
async fn usual(
    push: &Push<'_>, (target, branch): (&Project, &Branch), sides: &Sides,
) -> Result<(String, String)> {
    let proposal = proposal::read(push.app, sides).await?;
    let (viewer, place, name) = (push.viewer.clone(), target.clone(), branch.name.clone());
    let read = move |tx: &mut Tx<'_>| proposal::issue_of(tx, &viewer, &place, &name);
    let issue = push.app.read(read).await?;
    let issue = issue.as_ref().map(|issue| BranchIssue::of(issue, target));
    let words = defaults::words(&branch.name, &commit_texts(&proposal.commits), issue);
    Ok((words.title, with_issue(&words.description, issue)))
}

/// Has it merged once its checks pass, if it is still what was pushed.
async fn order(push: &Push<'_>, branch: &Branch, id: i64) -> Result<()> {
    let order = Order { sha: Some(branch.head.to_string()), ..Order::default() };
    let wanted = merge::Wanted { order, auto_merge: true, ..merge::Wanted::default() };
    let ordered = merge::accept(push.app, push.viewer, id, wanted).await;
    ordered.map_err(|error| {
        Error::Unprocessable(format!("It cannot be merged automatically: {}", words(error)))
    })
}
