//! `…/-/error_tracking/<id>/details`: one error, its chart and its stack.

use super::ErrorPage;
use super::list::row;
use super::views::{ErrorDetails, Newest};
use crate::errors::detail::Detail;
use crate::errors::model::{Status, Tracked};
use crate::errors::reading::{self, Bar};
use crate::errors::rules::errors::set_status;
use crate::errors::store::errors as rows;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Moment, Page, flash};
use kernel::http::{Asked, Params, Response};
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
    asked: Arc<Asked>,
    params: Params<ErrorPage>,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let shown = page(&app, &viewer, "Error");
    let view = app
        .read(move |tx| {
            let space = address.enter(tx, &viewer, Purpose::ReadErrors)?;
            let project = project_of(&space)?;
            let error = rows::find(tx, project.id, params.error_id)?.found("Error")?;
            details(tx, shown, &space, &error)
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn details(tx: &mut Tx<'_>, page: Page, space: &Space, error: &Tracked) -> Result<ErrorDetails> {
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
    let all = format!("{}/-/error_tracking", space.url());
    let mut page = space.crumbs(page, true).crumb("Errors", all.as_str());
    page.title = error.title();
    let actions = ACTIONS.iter().filter(|(_, status)| *status != error.status);
    Ok(ErrorDetails {
        page,
        place: (space.full_path().to_owned(), space.url()),
        error: row(error, space.full_path(), now),
        action: format!("{all}/{}", error.id),
        actions: actions
            .map(|(label, status)| (*label, status.as_str()))
            .collect(),
        id: error.id,
        first_seen_at: Moment::new(error.first_seen_at, now),
        regressed_at: Moment::maybe(error.regressed_at, now),
        platform: error.platform.clone(),
        logger: error.logger.clone(),
        first_release: error.first_release.clone(),
        last_release: error.last_release.clone(),
        hours: labelled(&hours.unwrap_or_default(), "%H:%M"),
        days: labelled(&days, "%b %-d"),
        newest,
    })
}

fn labelled(bars: &[Bar], format: &str) -> Vec<(String, u64)> {
    let label = |bar: &Bar| {
        (
            bar.at.strftime(format).to_string(),
            bar.count.unsigned_abs(),
        )
    };
    bars.iter().map(label).collect()
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    form: Params<Change>,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let status = form.status;
    let path = app
        .write(move |tx| {
            let space = address.enter(tx, &viewer, Purpose::ManageErrors)?;
            let project = project_of(&space)?;
            let error = set_status(tx, project, form.error_id, form.status)?;
            Ok(error.path(&project.full_path))
        })
        .await?;
    let done = match status {
        Status::Resolved => "The error is resolved.",
        Status::Ignored => "The error is ignored.",
        Status::Unresolved => "The error is open again.",
    };
    flash::done(&app, &path, done)
}
