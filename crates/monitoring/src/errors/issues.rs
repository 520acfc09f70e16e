//! Making the issue about an error: what it says is read and written before
//! the transaction that makes it.

use super::detail::Detail;
use super::draft;
use super::model::Tracked;
use super::rules::issues as rules;
use super::store::events;
use identity::spam::{Guarded, guard};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::Patch;
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::guarded::Writer;
use planning::issues::IssueInput;
use planning::model::Issue;

kernel::params! {
    /// An issue that somebody wants about an error.
    pub struct NewErrorIssue {
        /// Title of the issue; that of the error unless given.
        pub title: Option<String>,
        /// Seen by author, assignees and reporters only.
        pub confidential: Option<bool>,
    }
}

#[derive(Debug, Clone)]
pub struct Made {
    pub desk: ProjectAccess,
    pub issue: Issue,
    pub error: Tracked,
}

/// Makes the issue about an error of a project, with its stack.
///
/// The spam rules judge how often somebody makes issues and how they name
/// them, but not what the error says: a stranger worded that.
pub async fn create(
    app: &App, by: Writer, project: &Reference, error_id: i64, wanted: &NewErrorIssue,
) -> Result<Guarded<Made>> {
    let (who, at) = (by.viewer.clone(), project.clone());
    let found = app.read(move |tx| {
        let (_, error) = rules::find(tx, &who, &at, error_id)?;
        let newest = events::newest(tx, error.id)?;
        Ok(newest.map(|event| event.payload))
    });
    // Read outside of the transaction that writes: it may be large. What
    // cannot be read has no stack.
    let detail = found.await?.and_then(|payload| Detail::unpack(&payload).ok());
    let detail = detail.unwrap_or_default();
    let title = wanted.title.as_deref().unwrap_or_default();
    let subject = by.subject("create_issue", title, "")?;
    let (viewer, project, wanted) = (by.viewer, project.clone(), wanted.clone());
    let base_url = app.base_url().to_owned();
    guard(app, &subject, move |tx| {
        let (desk, error) = rules::find(tx, &viewer, &project, error_id)?;
        let url = format!("{base_url}{}", error.path(&desk.project.full_path));
        let title = wanted.title.clone().unwrap_or_else(|| draft::title(&error));
        let new = IssueInput {
            description: Patch::Value(draft::description(&error, &detail, &url)),
            confidential: Some(wanted.confidential.unwrap_or(false)),
            ..IssueInput::titled(&title)
        };
        let issue = rules::make(tx, &viewer, &error, &new)?;
        Ok(Made { desk, issue, error })
    })
    .await
}
