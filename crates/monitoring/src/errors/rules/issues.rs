//! The issue about an error: made on request, closed when the error is
//! resolved.

use super::errors::authorize;
use crate::errors::model::Tracked;
use crate::errors::store::errors as rows;
use crate::errors::store::issues as links;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::{ProjectAccess, desk_to_write, sees};
use planning::issues::{self, IssueInput, noteable};
use planning::model::{Issue, IssueState};
use planning::rules::news;
use planning::tasks::Event;
use planning::{notes, todos};
use spaces::access::Purpose;
use store::Tx;

/// The error, for somebody who may make issues in its project.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, error_id: i64,
) -> Result<(ProjectAccess, Tracked)> {
    let (project, _) = authorize(tx, viewer, project, Purpose::ManageErrors)?;
    let error = rows::find(tx, project.id, error_id)?.found("Error")?;
    let desk = desk_to_write(tx, viewer, &Reference::Id(project.id))?;
    Ok((desk, error))
}

/// Makes the issue about an error, unless there is an open one.
pub fn make(tx: &mut Tx<'_>, viewer: &Viewer, error: &Tracked, new: &IssueInput) -> Result<Issue> {
    if let Some(open) = linked(tx, error.id)?.filter(|issue| issue.state == IssueState::Opened) {
        let text = format!("There is an open issue about the error: #{}", open.iid);
        return Err(Error::Conflict(text));
    }
    let actor = viewer.user_id();
    let issue = issues::create(tx, error.project_id, actor, new)?;
    links::link(tx, error.id, issue.id)?;
    let text = "created this issue from an error";
    notes::system(tx, noteable(&issue), actor, text)?;
    notify(tx, viewer, &issue, Event::New)?;
    Ok(issue)
}

fn linked(tx: &mut Tx<'_>, error_id: i64) -> Result<Option<Issue>> {
    match links::of_error(tx, error_id)? {
        Some(id) => planning::store::issues::by_id(tx, id),
        None => Ok(None),
    }
}

/// Closes the open issue about an error that is resolved; its number. Issues
/// that the viewer does not see, or may not change, stay as they are.
pub fn close(tx: &mut Tx<'_>, viewer: &Viewer, error_id: i64) -> Result<Option<i64>> {
    let open = linked(tx, error_id)?.filter(|issue| issue.state == IssueState::Opened);
    let Some(issue) = open else {
        return Ok(None);
    };
    let desk = match desk_to_write(tx, viewer, &Reference::Id(issue.project_id)) {
        Err(Error::Forbidden(_) | Error::NotFound(_)) => return Ok(None),
        other => other?,
    };
    if !sees(tx, viewer, &desk, &issue)? {
        return Ok(None);
    }
    let actor = viewer.user_id();
    let closed = issues::close(tx, actor, issue.id)?;
    let text = "resolved the error that this issue is about, and closed it";
    notes::system(tx, noteable(&closed), actor, text)?;
    todos::close_for(tx, actor, noteable(&closed))?;
    notify(tx, viewer, &closed, Event::Closed)?;
    Ok(Some(closed.iid))
}

/// Has people told; programs tell nobody.
fn notify(tx: &mut Tx<'_>, viewer: &Viewer, issue: &Issue, event: Event) -> Result<()> {
    match viewer.user() {
        Some(user) if !user.kind.is_bot() => {
            news::notify(tx, Some(user.id), issue, event, None, Vec::new())
        }
        _ => Ok(()),
    }
}
