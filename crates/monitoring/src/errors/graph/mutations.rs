//! Saying what becomes of an error, and making the issue about it.

use super::{ERROR_ID, ErrorView, detailed_error};
use crate::errors::issues::{self, NewErrorIssue};
use crate::errors::model::{Status, Tracked};
use crate::errors::rules::errors::{authorize, set_status};
use crate::errors::store::errors as rows;
use identity::graph::caller;
use kernel::app::App;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, STRING, named};
use kernel::graph_input;
use kernel::ids::Reference;
use planning::graph::writer;
use spaces::Project;
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

struct Changed {
    error: Arc<ErrorView>,
    closed_issue_iid: Option<i64>,
}

struct Made {
    error: Arc<ErrorView>,
    issue_iid: i64,
    issue_path: String,
}

graph_input! {
    struct Update {
        /// The error.
        id: i64 = ERROR_ID.required(),
        /// What becomes of it.
        status: String = named("TrackerErrorStatus").required(),
    }
}

graph_input! {
    struct CreateIssue {
        /// The error.
        id: i64 = ERROR_ID.required(),
        /// Title of the issue; the error's by default.
        title: Option<String> = STRING,
        /// Whether few see the issue.
        confidential: Option<bool> = BOOLEAN,
    }
}

pub(super) fn graph(g: &mut Graph) {
    let text = "Resolves, ignores or reopens an error.";
    g.mutation::<Changed>("trackerErrorUpdate", text)
        .answers("error", detailed_error(), |it| Some(it.error.clone()))
        .answers("closedIssueIid", ID, |it| it.closed_issue_iid.map(|iid| iid.to_string()))
        .handle(update);
    g.mutation::<Made>("trackerErrorCreateIssue", "Makes an issue about an error.")
        .answers("error", detailed_error(), |it| Some(it.error.clone()))
        .answers("issueIid", ID, |it| Some(it.issue_iid.to_string()))
        .answers("issuePath", STRING, |it| Some(it.issue_path.clone()))
        .handle(create_issue);
}

/// The project that an error is in, by the error's id alone.
fn project_of(tx: &mut Tx<'_>, id: i64) -> Outcome<Reference> {
    let error = rows::by_id(tx, id)?.ok_or(Error::NotFound(""))?;
    Ok(Reference::Id(error.project_id))
}

fn shown(app: &App, error: Tracked, project: Project) -> Arc<ErrorView> {
    Arc::new(ErrorView::new(error, Arc::new(project), app.base_url()))
}

async fn update(input: Update, context: Context) -> Result<Done<Changed>, Fault> {
    let Some(status) = Status::from_text(&input.status.to_lowercase()) else {
        return Err(Fault::argument("Errors here are not resolved by releases"));
    };
    let (app, viewer) = caller(&context)?;
    let changed = app.write(move |tx| {
        let place = project_of(tx, input.id)?;
        let (project, _) = authorize(tx, &viewer, &place, Purpose::ManageErrors)?;
        let changed = set_status(tx, &viewer, &project, input.id, status)?;
        Ok((project, changed))
    });
    let (project, changed) = changed.await?;
    Ok(Done::from(Changed {
        error: shown(&app, changed.error, project),
        closed_issue_iid: changed.closed_issue_iid,
    }))
}

async fn create_issue(input: CreateIssue, context: Context) -> Result<Done<Made>, Fault> {
    let (app, _) = caller(&context)?;
    let id = input.id;
    let place = app.read(move |tx| project_of(tx, id)).await?;
    let wanted = NewErrorIssue { title: input.title, confidential: input.confidential };
    let made = issues::create(&app, writer(&context)?, &place, id, &wanted);
    let made = made.await?.mutated()?;
    Ok(Done::from(Made {
        error: shown(&app, made.error, made.desk.project.clone()),
        issue_iid: made.issue.iid,
        issue_path: format!("/{}/-/issues/{}", made.desk.project.full_path, made.issue.iid),
    }))
}
