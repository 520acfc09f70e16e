//! Merge requests of issues: a branch that is named by the issue and begins at the default
//! one, and a draft that closes the issue.

use super::create::{self, Wanted, branch_problem};
use super::defaults::{BranchIssue, with_issue, words};
use super::input::Input;
use crate::access::is_switched_on;
use crate::model::as_draft;
use crate::model::issue_branch::Named;
use crate::store::settings;
use crate::tasks::CreateOfIssue;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use kernel::secrets::random_bytes;
use planning::access::ProjectAccess;
use planning::model::Issue;
use planning::requests::Beginning;
use planning::rules::issues::places::found_to_write;
use planning::rules::issues::{Assignees, noteable};
use planning::rules::labelling::Labelling;
use planning::rules::notes;
use planning::store::issues;
use planning::store::notes::{is_told, name_code};
use repositories::edits::create_branch;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::may_push;
use repositories::store::{of_project, refs};
use spaces::access::{Purpose, allows};
use spaces::model::{PRIVATE, Project};

/// The last number that a name is given which others have; behind it stands chance.
const LAST: usize = 5;
/// Characters of a title that leave room for what a draft begins with.
const LONGEST_TITLE: usize = 240;

const CONFIDENTIAL: &str = "The issue is confidential, and others see the code of this project: a \
     branch would show them what it is about. Work on it in a private fork.";
const NO_BRANCH: &str = "The project has no branch to begin at";

/// Whether somebody begins a merge request of an issue: who pushes to the project.
pub fn begins(viewer: &Viewer, here: &ProjectAccess, issue: &Issue) -> Beginning {
    let project = &here.project;
    let pushes = viewer.user_id().is_some()
        && !project.archived
        && allows(viewer, project, here.level, Purpose::PushCode);
    if !pushes || !is_switched_on(project) || !issue.is_open() {
        return Beginning::No;
    }
    match issue.confidential && project.visibility > PRIVATE {
        true => Beginning::Refused(CONFIDENTIAL),
        false => Beginning::Yes,
    }
}

fn check(viewer: &Viewer, here: &ProjectAccess, issue: &Issue) -> Result<()> {
    match begins(viewer, here, issue) {
        Beginning::Yes => Ok(()),
        Beginning::No => Err(Error::forbidden("")),
        Beginning::Refused(text) => Err(Error::Unprocessable(text.to_owned())),
    }
}

/// Has a merge request made for who gives a command, on a branch of this name if one is
/// told; the branch.
pub fn begin(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, issue: &Issue, named: Option<&str>,
) -> Result<String> {
    let (task, now) = (plan(tx, viewer, here, issue, named)?, tx.now());
    enqueue_at(tx, &task, now)?;
    Ok(task.branch)
}

/// Makes a merge request of an issue, on a branch of this name if one is told; its id.
///
/// # Errors
///
/// Those of finding the issue; 403, 422 and 400 where it cannot be, and those of
/// [`create::create`].
pub async fn make(
    app: &App, viewer: &Viewer, (place, iid): (Reference, i64), named: Option<String>,
) -> Result<i64> {
    let by = viewer.clone();
    let planned = app.read(move |tx| {
        let (here, issue) = found_to_write(tx, &by, &place, iid)?;
        plan(tx, &by, &here, &issue, named.as_deref())
    });
    carry_out(app, viewer, &planned.await?).await
}

fn plan(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, issue: &Issue, named: Option<&str>,
) -> Result<CreateOfIssue> {
    check(viewer, here, issue)?;
    let project = &here.project;
    let (repository, from) = begins_at(tx, project)?;
    let branch = match named {
        Some(name) => free(tx, &repository, name)?,
        None => usual(tx, project, &repository, issue)?,
    };
    if !may_push(tx, viewer, project, Some(&repository), &branch)? {
        return Err(Error::invalid("branch_name", "is one that you may not push to"));
    }
    Ok(CreateOfIssue {
        project: project.id,
        issue: issue.iid,
        branch,
        from: from.to_string(),
        user: viewer.signed_in()?.user.id,
    })
}

/// Where the default branch is.
fn begins_at(tx: &mut Tx<'_>, project: &Project) -> Result<(Repository, ObjectId)> {
    let absent = || Error::Unprocessable(NO_BRANCH.to_owned());
    let repository = of_project(tx, project.id, RepositoryKind::Project)?.ok_or_else(absent)?;
    let name = project.default_branch.as_deref().and_then(|name| RefName::branch(name).ok());
    let name = name.ok_or_else(absent)?;
    let found = refs::current(tx, repository.id, &[&name])?.remove(&name);
    Ok((repository, found.ok_or_else(absent)?))
}

/// The name that somebody chose, if a branch can have it.
fn free(tx: &mut Tx<'_>, repository: &Repository, name: &str) -> Result<String> {
    let wrong = |text: &str| Error::invalid("branch_name", text);
    if let Some(problem) = branch_problem(name) {
        return Err(wrong(problem));
    }
    let branch = RefName::branch(name).map_err(|_| wrong("is invalid"))?;
    match refs::current(tx, repository.id, &[&branch])?.is_empty() {
        true => Ok(name.to_owned()),
        false => Err(wrong("has already been taken")),
    }
}

/// The name of the issue's branch, numbered where there is one of it.
fn usual(
    tx: &mut Tx<'_>, project: &Project, repository: &Repository, issue: &Issue,
) -> Result<String> {
    let template = settings::of_project(tx, project.id)?.issue_branch_template;
    let named = Named {
        iid: issue.iid,
        title: &issue.title,
        confidential: issue.confidential,
    };
    let name = named.branch(template.as_deref());
    let name = match branch_problem(&name) {
        Some(_) => issue.iid.to_string(),
        None => name,
    };
    let numbered = (2..=LAST).map(|number| format!("{name}-{number}"));
    let all = std::iter::once(name.clone()).chain(numbered);
    let all: Vec<RefName> = all.filter_map(|name| RefName::branch(&name).ok()).collect();
    let there = refs::current(tx, repository.id, &all.iter().collect::<Vec<_>>())?;
    let free = all.iter().find(|branch| !there.contains_key(*branch));
    Ok(match free.and_then(RefName::as_branch) {
        Some(free) => free.to_owned(),
        None => format!("{name}-{}", hex::encode(random_bytes::<8>())),
    })
}

/// Makes the branch and the merge request that were planned, if the issue is as it was. What
/// is there of them already stays.
pub async fn carry_out(app: &App, viewer: &Viewer, task: &CreateOfIssue) -> Result<i64> {
    let (by, planned) = (viewer.clone(), task.clone());
    let (project, wanted) = app.read(move |tx| wanted(tx, &by, &planned)).await?;
    let made = create_branch(app, viewer, &project, &task.branch, &task.from).await?;
    if let Err(refused) = made
        && !is_there(app, task.clone()).await?
    {
        return Err(refused.into());
    }
    let (by, planned) = (viewer.clone(), task.clone());
    app.write(move |tx| tell(tx, &by, &planned)).await?;
    create::create(app, viewer, wanted).await
}

/// Whether the branch is where it was to begin.
async fn is_there(app: &App, task: CreateOfIssue) -> Result<bool> {
    app.read(move |tx| {
        let repository = of_project(tx, task.project, RepositoryKind::Project)?;
        let (Some(repository), Ok(name)) = (repository, RefName::branch(&task.branch)) else {
            return Ok(false);
        };
        let at = refs::current(tx, repository.id, &[&name])?.remove(&name);
        Ok(at.is_some_and(|id| id.to_string() == task.from))
    })
    .await
}

/// What the merge request is to be: assigned to who makes it, with the labels and the
/// milestone of the issue.
fn wanted(tx: &mut Tx<'_>, viewer: &Viewer, task: &CreateOfIssue) -> Result<(Project, Wanted)> {
    let place = Reference::Id(task.project);
    let (here, issue) = found_to_write(tx, viewer, &place, task.issue)?;
    check(viewer, &here, &issue)?;
    let about = BranchIssue::of(&issue, &here.project);
    let title = words(&task.branch, &[], Some(about)).title;
    let title: String = title.chars().take(LONGEST_TITLE).collect();
    let input = Input {
        title: Some(as_draft(&title)),
        description: Patch::Value(with_issue("", Some(about))),
        assignees: Assignees::Set(vec![task.user]),
        milestone_id: issue.milestone_id.map_or(Patch::Absent, Patch::Value),
        wears: Flat(Labelling {
            add_label_ids: issues::label_ids(tx, issue.id)?,
            ..Labelling::default()
        }),
        ..Input::default()
    };
    let target = here.project.default_branch.clone();
    let wanted = Wanted {
        source: place,
        source_branch: task.branch.clone(),
        target_project_id: None,
        target_branch: target.ok_or_else(|| Error::Unprocessable(NO_BRANCH.to_owned()))?,
        input,
    };
    Ok((here.project, wanted))
}

/// Says on the issue which branch was made for it, once, for who reads the code.
fn tell(tx: &mut Tx<'_>, viewer: &Viewer, task: &CreateOfIssue) -> Result<()> {
    let (_, issue) = found_to_write(tx, viewer, &Reference::Id(task.project), task.issue)?;
    let text = format!("created branch `{}` to address this issue", task.branch.replace('`', "'"));
    if is_told(tx, noteable(&issue), &text)? {
        return Ok(());
    }
    let note = notes::system(tx, noteable(&issue), viewer.user_id(), &text)?;
    name_code(tx, note.id, task.project)
}
