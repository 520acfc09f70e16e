//! Errors of a project, for scripts (docs/interface/monitoring.md «Beyond the reference» 8).

use super::ProjectPath;
use crate::errors::issues::{self, NewErrorIssue};
use crate::errors::model::{Status, Tracked};
use crate::errors::rules::errors::{self, authorize};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::issues::{Linked, seen};
use identity::Caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Created, Ok200, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
use planning::access::Scope;
use planning::entity::issues::{IssueEntity, RelatedToIssues, issue};
use planning::guarded::Writer;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/projects/{id}/error_tracking/errors";
const ONE: &str = "/projects/{id}/error_tracking/errors/{error_id}";
const ISSUE: &str = "/projects/{id}/error_tracking/errors/{error_id}/issue";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the errors that programs of a project report");
    r.get(ONE, show).summary("Shows an error");
    r.put(ONE, update).summary("Resolves, ignores or reopens an error");
    r.post(ISSUE, create_issue)
        .answers(409, "There is an open issue about the error")
        .summary("Makes an issue about an error");
}

kernel::params! {
    pub struct ListErrors {
        pub at: Flat<ProjectPath>,
        pub filter: Flat<Filter>,
    }
}

kernel::params! {
    pub struct ErrorPath {
        /// The project.
        pub id: Reference,
        /// The error.
        pub error_id: i64,
    }
}

kernel::params! {
    pub struct UpdateError {
        pub at: Flat<ErrorPath>,
        /// What becomes of it.
        pub status: Status,
    }
}

kernel::params! {
    pub struct CreateIssue {
        pub at: Flat<ErrorPath>,
        pub issue: Flat<NewErrorIssue>,
    }
}

/// An error.
#[derive(Serialize, JsonSchema)]
pub struct ErrorEntity {
    #[serde(flatten)]
    error: Tracked,
    /// Number of the issue about it, if the caller may see that.
    issue_iid: Option<i64>,
}

/// An error after a change.
#[derive(Serialize, JsonSchema)]
pub struct ChangedEntity {
    #[serde(flatten)]
    error: ErrorEntity,
    /// Number of the issue that was closed because the error is resolved.
    closed_issue_iid: Option<i64>,
}

impl ErrorEntity {
    fn new(issues: &HashMap<i64, Linked>, error: Tracked) -> ErrorEntity {
        ErrorEntity {
            issue_iid: issues.get(&error.id).map(|issue| issue.iid),
            error,
        }
    }

    fn read(tx: &mut Tx<'_>, viewer: &Viewer, error: Tracked) -> Result<ErrorEntity> {
        let issues = seen(tx, viewer, vec![error.id])?;
        Ok(ErrorEntity::new(&issues, error))
    }
}

async fn list(
    by: Caller, params: Params<ListErrors>, paging: Paging,
) -> Result<Paged<ErrorEntity>> {
    by.read(move |tx, by| {
        let (project, _) = authorize(tx, &by.viewer, &params.at.id, Purpose::ReadErrors)?;
        let mut filter = params.filter.0.clone();
        filter.sort.get_or_insert(Sort::LastSeen);
        let found = rows::list(tx, project.id, &filter, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, project.id, &filter)?;
        let issues = seen(tx, &by.viewer, found.iter().map(|error| error.id).collect())?;
        let page = Paged::numbered(found, paging, Some(total));
        Ok(page.map(|error| ErrorEntity::new(&issues, error)))
    })
    .await
}

async fn show(by: Caller, path: Params<ErrorPath>) -> Result<Ok200<ErrorEntity>> {
    by.read(move |tx, by| {
        let (project, _) = authorize(tx, &by.viewer, &path.id, Purpose::ReadErrors)?;
        let error = rows::find(tx, project.id, path.error_id)?.found("Error")?;
        Ok(Ok200(ErrorEntity::read(tx, &by.viewer, error)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateError>) -> Result<Ok200<ChangedEntity>> {
    by.write(move |tx, by| {
        let (project, _) = authorize(tx, &by.viewer, &params.at.id, Purpose::ManageErrors)?;
        let id = params.at.error_id;
        let changed = errors::set_status(tx, &by.viewer, &project, id, params.status)?;
        Ok(Ok200(ChangedEntity {
            error: ErrorEntity::read(tx, &by.viewer, changed.error)?,
            closed_issue_iid: changed.closed_issue_iid,
        }))
    })
    .await
}

async fn create_issue(
    app: App, viewer: Viewer, request: Arc<RequestContext>, params: Params<CreateIssue>,
) -> Result<Created<IssueEntity>> {
    let by = Writer::by_api(viewer.clone(), request);
    let (project, id) = (&params.at.id, params.at.error_id);
    let made = issues::create(&app, by, project, id, &params.issue);
    let made = made.await?.rest()?;
    let handle = app.clone();
    app.read(move |tx| {
        let scope = Scope::Project(Box::new(made.desk));
        let related =
            RelatedToIssues::read(tx, &viewer, &scope, std::slice::from_ref(&made.issue))?;
        Ok(Created(issue(&handle, &made.issue, &related, false)))
    })
    .await
}
