//! `…/-/error_tracking/<id>/details`: one error, its chart and its stack.

use super::CreateIssue;
use super::views::{ErrorDetails, EventDetails};
use crate::errors::detail::Detail;
use crate::errors::issues;
use crate::errors::model::{Status, Tracked};
use crate::errors::reading;
use crate::errors::rules::errors::set_status;
use crate::errors::store::issues::{Linked, seen};
use crate::errors::store::{errors as rows, events};
use crate::errors::tags;
use crate::hours::{of_days, of_hours};
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{FormState, outcome};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Page, flash};
use kernel::http::{Params, RequestContext, Response};
use kernel::ids::Reference;
use planning::access::desk_to_write;
use planning::guarded::Writer;
use planning::model::IssueState;
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};
use std::sync::Arc;
use store::Tx;

kernel::params! {
    pub struct Change {
        pub error_id: i64,
        pub status: Status,
    }
}

kernel::params! {
    pub struct EventPage {
        pub error_id: i64,
        /// The number of an event; the newest unless given.
        pub event: Option<String>,
    }
}

pub(super) async fn show(app: App, visit: Visit, params: Params<EventPage>) -> Result<Response> {
    render(&app, visit, params.0, FormState::default()).await
}

async fn render(
    app: &App, visit: Visit, at: EventPage, typed: FormState<CreateIssue>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let page = typed.refusal.page(app, &visit.viewer, "Error");
    let view = app.read(move |tx| details(tx, page, &visit, &at, typed));
    let view = view.await?;
    let html = Challenge::allow(view.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

fn details(
    tx: &mut Tx<'_>, page: Page, visit: &Visit, at: &EventPage, typed: FormState<CreateIssue>,
) -> Result<ErrorDetails> {
    let space = visit.authorize(tx, Purpose::ReadErrors)?;
    let id = at.error_id;
    let error = rows::find(tx, space.project()?.id, id)?.found("Error")?;
    let hours = reading::hours(tx, vec![id])?.remove(&id);
    let days = reading::days(tx, id)?;
    let shown = shown(tx, &error, at.event.as_deref())?;
    let recent = events::recent(tx, id, tags::EVENTS)?;
    let issue = seen(tx, &visit.viewer, vec![id])?.remove(&id);
    let is_open = |issue: &Linked| issue.state == IssueState::Opened;
    let may_create = may_create_issues(tx, &visit.viewer, &space.reference())?;
    let all = format!("{}/-/error_tracking", space.url());
    let mut page = space.head(tx, &visit.viewer)?.page_below(page, Section::Errors);
    page.title = error.short_title();
    let form = typed.form.as_ref();
    Ok(ErrorDetails {
        page,
        error,
        action: format!("{all}/{id}"),
        can_create_issue: may_create && !issue.as_ref().is_some_and(is_open),
        issue,
        confidential: form.is_some_and(|form| form.issue.confidential == Some(true)),
        challenge: typed.refusal.challenge,
        now: tx.now(),
        hours: of_hours(&hours.unwrap_or_default()),
        days: of_days(&days),
        shown,
        tags: tags::counts(&recent),
        looked_at: recent.len(),
    })
}

/// The event of this number, or the newest.
fn shown(tx: &mut Tx<'_>, error: &Tracked, number: Option<&str>) -> Result<Option<EventDetails>> {
    let event = match number.filter(|number| !number.is_empty()) {
        Some(number) => Some(events::find(tx, error.project_id, error.id, number)?.found("Event")?),
        None => events::newest(tx, error.id)?,
    };
    let Some(event) = event else {
        return Ok(None);
    };
    Ok(Some(EventDetails {
        around: events::neighbours(tx, error.id, event.id)?,
        // What cannot be read is shown as nothing.
        detail: Detail::unpack(&event.payload).unwrap_or_default(),
        event,
    }))
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Change>) -> Result<Response> {
    let status = form.status;
    let (path, closed) = app
        .write(move |tx| {
            let space = visit.authorize(tx, Purpose::ManageErrors)?;
            let project = space.project()?;
            let changed = set_status(tx, &visit.viewer, project, form.error_id, form.status)?;
            let path = changed.error.path(&project.full_path);
            Ok((path, changed.closed_issue_iid))
        })
        .await?;
    let done = match (status, closed) {
        (Status::Resolved, Some(iid)) => format!("The error is resolved and issue #{iid} closed."),
        (Status::Resolved, None) => "The error is resolved.".to_owned(),
        (Status::Ignored, _) => "The error is ignored.".to_owned(),
        (Status::Unresolved, _) => "Error reopened.".to_owned(),
    };
    flash::done(&app, &path, done)
}

fn may_create_issues(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<bool> {
    match desk_to_write(tx, viewer, project) {
        Ok(_) => Ok(true),
        Err(Error::Forbidden(_) | Error::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) async fn create_issue(
    app: App, visit: Visit, request: Arc<RequestContext>, form: Params<CreateIssue>,
    Solved(solution): Solved,
) -> Result<Response> {
    let asker = visit.clone();
    let project = app
        .read(move |tx| {
            let space = asker.authorize(tx, Purpose::ManageErrors)?;
            Ok(space.project()?.clone())
        })
        .await?;
    let back = format!("/{}/-/error_tracking/{}/details", project.full_path, form.error_id);
    let place = Reference::Id(project.id);
    let by = Writer::by_form(visit.viewer.clone(), request, solution);
    let made = issues::create(&app, by, &place, form.error_id, &form.wanted()).await;
    match outcome(&app, made, &[]).await? {
        Ok(made) => flash::done(&app, &back, format!("Issue #{} created.", made.issue.iid)),
        Err(refusal) => {
            let at = EventPage { error_id: form.error_id, event: None };
            let typed = FormState { form: Some(form.0), refusal };
            render(&app, visit, at, typed).await
        }
    }
}
