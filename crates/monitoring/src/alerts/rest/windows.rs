//! Maintenance windows of a project.

use super::ProjectPath;
use crate::access::Manager;
use crate::alerts::model::{NewWindow, Window};
use crate::alerts::rules::windows;
use crate::alerts::store::windows as rows;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Created, Flat, NoContent, Paged, Paging, Params, Routes};
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/alert_management/maintenance_windows";
const ONE: &str = "/projects/{id}/alert_management/maintenance_windows/{window_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the maintenance windows of a project's alerts");
    r.post(PATH, create)
        .summary("Opens a maintenance window, in which alerts that begin are ignored");
    r.delete(ONE, destroy).summary("Removes a maintenance window");
}

kernel::params! {
    pub struct CreateWindow {
        pub at: Flat<ProjectPath>,
        pub new: Flat<NewWindow>,
    }
}

kernel::params! {
    pub struct WindowPath {
        pub at: Flat<ProjectPath>,
        /// The window.
        pub window_id: i64,
    }
}

async fn list(by: Caller, path: Params<ProjectPath>, paging: Paging) -> Result<Paged<Window>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, Purpose::ReadAlerts)?;
        rows::page(tx, project.id, paging)
    })
    .await
}

async fn create(by: Caller, params: Params<CreateWindow>) -> Result<Created<Window>> {
    by.write(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &params.at.id)?;
        Ok(Created(windows::create(tx, &here, &params.new)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<WindowPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &path.at.id)?;
        windows::destroy(tx, &here, path.window_id)?;
        Ok(NoContent)
    })
    .await
}
