//! Errors of a project, for scripts (contract «Beyond the reference» 8).

use crate::errors::model::{Status, Tracked};
use crate::errors::rules::errors::{self, enter};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/error_tracking/errors";
const ONE: &str = "/projects/{id}/error_tracking/errors/{error_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list)
        .summary("Lists the errors that programs of a project report");
    r.get(ONE, show).summary("Shows an error");
    r.put(ONE, update)
        .summary("Resolves, ignores or reopens an error");
}

kernel::params! {
    /// Which errors.
    pub struct ListErrors {
        /// The project.
        pub id: Reference,
        /// Only those of this status.
        pub status: Option<Status>,
        /// Only those whose name, description or place has this in it.
        pub search: Option<String>,
        /// What comes first: seen last, first seen last, or most frequent.
        pub sort: Option<Sort>,
    }
}

kernel::params! {
    /// An error.
    pub struct ErrorPath {
        /// The project.
        pub id: Reference,
        /// The error.
        pub error_id: i64,
    }
}

kernel::params! {
    /// What becomes of an error.
    pub struct UpdateError {
        /// The project.
        pub id: Reference,
        /// The error.
        pub error_id: i64,
        /// What becomes of it.
        pub status: Status,
    }
}

/// An error.
#[derive(Serialize, JsonSchema)]
pub struct ErrorEntity {
    /// Its number.
    id: i64,
    /// Its project.
    project_id: i64,
    /// Type of the exception, or that it is a message.
    name: String,
    /// Text of the newest event.
    description: String,
    /// Where it happens.
    culprit: String,
    /// Language or runtime.
    platform: String,
    /// How bad the newest event was.
    level: String,
    /// What logged it.
    logger: String,
    /// What people said of it.
    status: Status,
    /// Events so far.
    events_count: i64,
    /// People it happened to.
    users_count: i64,
    /// Release of the first event.
    first_release: Option<String>,
    /// Release of the newest event.
    last_release: Option<String>,
    /// When it was first seen.
    first_seen_at: String,
    /// When it was last seen.
    last_seen_at: String,
    /// When it came back after it was resolved.
    regressed_at: Option<String>,
}

impl From<Tracked> for ErrorEntity {
    fn from(error: Tracked) -> ErrorEntity {
        let filled = |text: String| (!text.is_empty()).then_some(text);
        ErrorEntity {
            id: error.id,
            project_id: error.project_id,
            name: error.name,
            description: error.description,
            culprit: error.actor,
            platform: error.platform,
            level: error.level,
            logger: error.logger,
            status: error.status,
            events_count: error.events_count,
            users_count: error.users_count,
            first_release: filled(error.first_release),
            last_release: filled(error.last_release),
            first_seen_at: wire::text(error.first_seen_at),
            last_seen_at: wire::text(error.last_seen_at),
            regressed_at: error.regressed_at.map(wire::text),
        }
    }
}

/// One page of them.
async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListErrors>,
    paging: Paging,
) -> Result<Paged<ErrorEntity>> {
    app.read(move |tx| {
        let (project, _) = enter(tx, &viewer, &params.id, Purpose::ReadErrors)?;
        let filter = Filter {
            status: params.status,
            search: params.search.clone().unwrap_or_default(),
            sort: params.sort.or(Some(Sort::LastSeen)),
        };
        let found = rows::list(tx, project.id, &filter, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, project.id, &filter)?;
        Ok(Paged::numbered(found, paging, Some(total)).map(ErrorEntity::from))
    })
    .await
}

/// Shows one.
async fn show(app: App, viewer: Viewer, path: Params<ErrorPath>) -> Result<Ok200<ErrorEntity>> {
    app.read(move |tx| {
        let (project, _) = enter(tx, &viewer, &path.id, Purpose::ReadErrors)?;
        let error = rows::find(tx, project.id, path.error_id)?.found("Error")?;
        Ok(Ok200(error.into()))
    })
    .await
}

/// Says what becomes of one.
async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateError>,
) -> Result<Ok200<ErrorEntity>> {
    app.write(move |tx| {
        let (project, _) = enter(tx, &viewer, &params.id, Purpose::ManageErrors)?;
        let error = errors::set_status(tx, &project, params.error_id, params.status)?;
        Ok(Ok200(error.into()))
    })
    .await
}
