//! Maintenance windows of a project.

use super::ProjectPath;
use crate::alerts::model::Window;
use crate::alerts::rules::windows;
use crate::alerts::store::windows::{self as rows, NewWindow};
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/alert_management/maintenance_windows";
const ONE: &str = "/projects/{id}/alert_management/maintenance_windows/{window_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list)
        .summary("Lists the maintenance windows of a project's alerts");
    r.post(PATH, create)
        .summary("Opens a maintenance window, in which alerts that begin are ignored");
    r.delete(ONE, destroy)
        .summary("Removes a maintenance window");
}

kernel::params! {
    /// A window about to be opened.
    pub struct CreateWindow {
        /// The project.
        pub id: Reference,
        /// Why.
        pub name: String,
        /// Until when.
        pub ends_at: Timestamp,
        /// From when; from now on unless given.
        pub starts_at: Option<Timestamp>,
        /// The integration it is about; all of them unless given.
        pub integration_id: Option<i64>,
    }
}

kernel::params! {
    /// A window.
    pub struct WindowPath {
        /// The project.
        pub id: Reference,
        /// The window.
        pub window_id: i64,
    }
}

/// A maintenance window.
#[derive(Serialize, JsonSchema)]
pub struct WindowEntity {
    /// Its number.
    id: i64,
    /// Why.
    name: String,
    /// The integration it is about; all of them without.
    integration_id: Option<i64>,
    /// From when.
    starts_at: String,
    /// Until when.
    ends_at: String,
    /// When it was opened.
    created_at: String,
}

impl From<Window> for WindowEntity {
    fn from(window: Window) -> WindowEntity {
        WindowEntity {
            id: window.id,
            name: window.name,
            integration_id: window.integration_id,
            starts_at: wire::text(window.starts_at),
            ends_at: wire::text(window.ends_at),
            created_at: wire::text(window.created_at),
        }
    }
}

/// One page of them.
async fn list(
    app: App,
    viewer: Viewer,
    path: Params<ProjectPath>,
    paging: Paging,
) -> Result<Paged<WindowEntity>> {
    app.read(move |tx| {
        let project = spaces::project(tx, &viewer, &path.id, Purpose::ReadAlerts)?;
        let found = rows::list(tx, project.id, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, project.id)?;
        Ok(Paged::numbered(found, paging, Some(total)).map(WindowEntity::from))
    })
    .await
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateWindow>,
) -> Result<Created<WindowEntity>> {
    app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &params.id, Purpose::Update)?;
        let new = NewWindow {
            integration_id: params.integration_id,
            name: params.name.trim().to_owned(),
            starts_at: params.starts_at.unwrap_or(tx.now()),
            ends_at: params.ends_at,
        };
        Ok(Created(
            windows::create(tx, &viewer, &project, &new)?.into(),
        ))
    })
    .await
}

async fn destroy(app: App, viewer: Viewer, path: Params<WindowPath>) -> Result<NoContent> {
    app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &path.id, Purpose::Update)?;
        windows::destroy(tx, &viewer, &project, path.window_id)?;
        Ok(NoContent)
    })
    .await
}
