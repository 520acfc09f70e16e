//! `…/-/error_tracking/<id>/details`: one error, its chart and its stack.

use super::list::row;
use super::views::{ErrorDetails, IssueRow, Newest};
use super::{CreateIssue, ErrorPage};
use crate::errors::detail::Detail;
use crate::errors::issues;
use crate::errors::model::{Status, Tracked};
use crate::errors::reading;
use crate::errors::rules::errors::set_status;
use crate::errors::store::errors as rows;
use crate::errors::store::issues::seen;
use crate::hours::{of_days, of_hours};
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{FormState, outcome};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Moment, Page, flash};
use kernel::http::{Params, RequestContext, Response};
use kernel::ids::Reference;
use planning::access::desk_to_write;
use planning::guarded::Writer;
use planning::model::IssueState;
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::{Address, Space};
use std::sync::Arc;
use store::Tx;

/// What can be done with an error, and what it then is.
const ACTIONS: &[(&str, Status)] = &[
    ("Resolve", Status::Resolved),
    ("Ignore", Status::Ignored),
    ("Reopen", Status::Unresolved),
];

kernel::params! {
    /// What becomes of an error.
    pub struct Change {
        /// The error.
        pub error_id: i64,
        /// What becomes of it.
        pub status: Status,
    }
}

fn project_of(space: &Space) -> Result<&Project> {
    match space {
        Space::Project(project, _) => Ok(project),
        Space::Group(..) => Err(Error::NotFound("Project")),
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<ErrorPage>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let typed = FormState::default();
    render(&app, viewer.viewer(), address, params.error_id, typed).await
}

async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    id: i64,
    typed: FormState<CreateIssue>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(app, &viewer, "Error");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::ReadErrors)?;
            let project = project_of(&space)?;
            let error = rows::find(tx, project.id, id)?.found("Error")?;
            let view = details(tx, shown, &viewer, &space, &error)?;
            Ok(ErrorDetails {
                challenge: typed.refusal.challenge,
                confidential: typed.form.and_then(|form| form.confidential) == Some(true),
                ..view
            })
        })
        .await?;
    let html = Challenge::allow(view.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

fn details(
    tx: &mut Tx<'_>,
    page: Page,
    viewer: &Viewer,
    space: &Space,
    error: &Tracked,
) -> Result<ErrorDetails> {
    let now = tx.now();
    let hours = reading::hours(tx, vec![error.id])?.remove(&error.id);
    let days = reading::days(tx, error.id)?;
    let newest = rows::newest(tx, error.id)?.map(|event| Newest {
        occurred_at: Moment::new(event.occurred_at, now),
        // What cannot be read is shown as nothing.
        detail: Detail::unpack(&event.payload).unwrap_or_default(),
        event_id: event.event_id,
        environment: event.environment,
        release: event.release,
    });
    let issue = seen(tx, viewer, vec![error.id])?.remove(&error.id);
    let has_open = issue
        .as_ref()
        .is_some_and(|issue| issue.state == IssueState::Opened);
    let may_create = may_create_issues(tx, viewer, &space.reference())?;
    let all = format!("{}/-/error_tracking", space.url());
    let mut page = space.crumbs(page, true).crumb("Errors", all.as_str());
    page.title = error.short_title();
    let actions = ACTIONS.iter().filter(|(_, status)| *status != error.status);
    Ok(ErrorDetails {
        page,
        place: (space.full_path().to_owned(), space.url()),
        error: row(error, space.full_path(), now),
        action: format!("{all}/{}", error.id),
        actions: actions
            .map(|(label, status)| (*label, status.as_str()))
            .collect(),
        issue: issue.map(|issue| IssueRow {
            url: issue.path(),
            iid: issue.iid,
            state: issue.state.as_str().to_owned(),
        }),
        can_create_issue: may_create && !has_open,
        id: error.id,
        first_seen_at: Moment::new(error.first_seen_at, now),
        regressed_at: Moment::maybe(error.regressed_at, now),
        regressed_release: error.regressed_release.clone().unwrap_or_default(),
        platform: error.platform.clone(),
        logger: error.logger.clone(),
        first_release: error.first_release.clone(),
        last_release: error.last_release.clone(),
        hours: of_hours(&hours.unwrap_or_default()),
        days: of_days(&days),
        newest,
        challenge: None,
        confidential: false,
    })
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Change>,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let status = form.status;
    let (path, closed) = app
        .write(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::ManageErrors)?;
            let project = project_of(&space)?;
            let changed = set_status(tx, &viewer, project, form.error_id, form.status)?;
            let path = changed.error.path(&project.full_path);
            Ok((path, changed.closed_issue_iid))
        })
        .await?;
    let done = match (status, closed) {
        (Status::Resolved, Some(iid)) => format!("The error is resolved and issue #{iid} closed."),
        (Status::Resolved, None) => "The error is resolved.".to_owned(),
        (Status::Ignored, _) => "The error is ignored.".to_owned(),
        (Status::Unresolved, _) => "The error is open again.".to_owned(),
    };
    flash::done(&app, &path, done)
}

/// Whether the viewer may make issues in a project.
fn may_create_issues(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<bool> {
    match desk_to_write(tx, viewer, project) {
        Ok(_) => Ok(true),
        Err(Error::Forbidden(_) | Error::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) async fn create_issue(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<CreateIssue>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (who, at) = (viewer.clone(), address.clone());
    let project = app
        .read(move |tx| {
            let space = at.authorize(tx, &who, Purpose::ManageErrors)?;
            Ok(project_of(&space)?.clone())
        })
        .await?;
    let back = format!(
        "/{}/-/error_tracking/{}/details",
        project.full_path, form.error_id
    );
    let place = Reference::Id(project.id);
    let by = Writer::by_form(viewer.clone(), asked, solution);
    let made = issues::create(&app, by, &place, form.error_id, &form.wanted()).await;
    match outcome(&app, made, &[]).await? {
        Ok(made) => flash::done(&app, &back, format!("Issue #{} is made.", made.issue.iid)),
        Err(refusal) => {
            let id = form.error_id;
            let typed = FormState {
                form: Some(form.0),
                refusal,
            };
            render(&app, viewer, address, id, typed).await
        }
    }
}
