//! What commits say of issues and merge requests: the issues that they close, once they
//! are in the default branch, and what they name.

use crate::access::{ProjectAccess, desk};
use crate::formats::closing::closed;
use crate::formats::references::{Name, named};
use crate::model::{Issue, IssueState};
use crate::requests::NamedRequest;
use crate::rules::crossings::{about, named_requests};
use crate::rules::issues::requests::{edit, find, may_edit};
use crate::rules::issues::{IssueInput, StateEvent, noteable};
use crate::rules::notes;
use crate::rules::references::{own_address, project_path};
use crate::store::notes::{self as rows, Noteable};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::{Reference, fold};
use repositories::rules::pushes::{MOST_READ, Pushed, PushedCommit};
use spaces::model::Project;
use store::Tx;

/// Names that are looked up for one push at most, whatever they lead to: this is within
/// the transaction that moves its refs.
const MOST: usize = 100;

/// Closes and tells what the new commits of a push name, as far as who pushed may.
pub fn pushed(tx: &mut Tx<'_>, push: &Pushed<'_>) -> Result<()> {
    let (texts, own) = (texts(push), own_address(tx)?);
    let says_something = |(commit, _): &(&PushedCommit, bool)| {
        let message = &commit.message;
        message.contains(['#', '!']) || (!own.is_empty() && message.contains(own))
    };
    if !texts.iter().any(says_something) {
        return Ok(());
    }
    let place = Reference::Id(push.project_id);
    let Some(project) = spaces::access::find_project(tx, &place)? else {
        return Ok(());
    };
    let mut left = MOST;
    let mut names: Vec<(&PushedCommit, Name)> = Vec::new();
    for (commit, closes) in texts {
        let closing = if closes {
            closed(&commit.message, own)
        } else {
            Vec::new()
        };
        let mut said = named(&commit.message, own);
        said.truncate(left);
        left -= said.len();
        for name in said {
            let Some((access, issue)) = issue(tx, push.viewer, &project, &name)? else {
                names.push((commit, name));
                continue;
            };
            let saying = Saying { viewer: push.viewer, project: &project, commit };
            match closing.contains(&name) && closable(push.viewer, &access, &issue) {
                true => saying.close(tx, &access, &issue)?,
                false => saying.tell(tx, noteable(&issue), "mentioned in commit")?,
            }
        }
    }
    tell_requests(tx, push, &project, &names)
}

/// Tells on merge requests which commits name them.
fn tell_requests(
    tx: &mut Tx<'_>, push: &Pushed<'_>, project: &Project, named: &[(&PushedCommit, Name)],
) -> Result<()> {
    let folded = |path: Option<&str>| fold(&project_path(project, path));
    let names: Vec<Name> = named.iter().map(|(_, name)| name.clone()).collect();
    let known = named_requests(tx, push.viewer, &names, |path| Some(folded(path)))?;
    let find = |name: &Name| -> Option<&NamedRequest> {
        let Name::MergeRequest(path, iid) = name else {
            return None;
        };
        let path = folded(path.as_deref());
        known.iter().find(|one| one.iid == *iid && one.full_path_folded == path)
    };
    for (commit, name) in named {
        if let Some(request) = find(name) {
            let saying = Saying { viewer: push.viewer, project, commit };
            saying.tell(tx, about(request), "mentioned in commit")?;
        }
    }
    Ok(())
}

/// The new commits, the oldest first, and whether they close issues.
fn texts<'p>(push: &Pushed<'p>) -> Vec<(&'p PushedCommit, bool)> {
    let mut all: Vec<(&PushedCommit, bool)> = Vec::new();
    let is_default = |name| name == push.default_branch;
    let mut refs: Vec<_> =
        push.refs.iter().filter_map(|(one, told)| Some((one, (*told)?))).collect();
    refs.sort_by_key(|(one, _)| !is_default(&one.name));
    for (one, told) in refs {
        for commit in told.commits.iter().rev() {
            if all.len() < MOST_READ && !all.iter().any(|(other, _)| other.id == commit.id) {
                all.push((commit, is_default(&one.name)));
            }
        }
    }
    all
}

/// The issue of a name, if who pushed sees it.
fn issue(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, name: &Name,
) -> Result<Option<(ProjectAccess, Issue)>> {
    let (place, iid) = match name {
        Name::Issue(None, iid) => (Reference::Id(project.id), *iid),
        Name::Issue(path, iid) => (Reference::Path(project_path(project, path.as_deref())), *iid),
        _ => return Ok(None),
    };
    let found = desk(tx, viewer, &place)
        .and_then(|access| find(tx, viewer, &access, iid).map(|issue| (access, issue)));
    match found {
        Ok(found) => Ok(Some(found)),
        Err(
            Error::NotFound(_) | Error::Forbidden(_) | Error::Moved(_) | Error::Unauthenticated,
        ) => Ok(None),
        Err(other) => Err(other),
    }
}

fn closable(viewer: &Viewer, access: &ProjectAccess, issue: &Issue) -> bool {
    issue.state == IssueState::Opened
        && access.project.autoclose_referenced_issues
        && !access.project.archived
        && may_edit(viewer, access, issue)
}

/// What a commit says.
struct Saying<'s> {
    viewer: &'s Viewer,
    project: &'s Project,
    commit: &'s PushedCommit,
}

impl Saying<'_> {
    fn close(&self, tx: &mut Tx<'_>, access: &ProjectAccess, issue: &Issue) -> Result<()> {
        edit(tx, self.viewer, access, issue, &IssueInput::event(StateEvent::Close))?;
        self.tell(tx, noteable(issue), "closed via commit")
    }

    /// Tells it on something, once, for who may read the code that it names.
    fn tell(&self, tx: &mut Tx<'_>, about: Noteable, words: &str) -> Result<()> {
        let path = match about.project_id == Some(self.project.id) {
            true => String::new(),
            false => format!("{}@", self.project.full_path),
        };
        let text = format!("{words} {path}{}", self.commit.id);
        if rows::is_told(tx, about, &text)? {
            return Ok(());
        }
        let note = notes::system(tx, about, self.viewer.user_id(), &text)?;
        rows::name_code(tx, note.id, self.project.id)
    }
}
