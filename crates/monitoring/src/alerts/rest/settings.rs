//! What a project wants done with its alerts (docs/interface/monitoring.md 1.10).

use super::ProjectPath;
use crate::alerts::model::AlertSetting;
use crate::alerts::rules::Manager;
use crate::alerts::rules::settings::{self, Change};
use crate::alerts::store::settings as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Flat, Ok200, Params, Routes};

const PATH: &str = "/projects/{id}/alert_management/settings";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show)
        .summary("Shows what a project wants done with its alerts");
    r.put(PATH, update)
        .summary("Says what a project wants done with its alerts");
}

kernel::params! {
    pub struct UpdateAlertSettings {
        pub at: Flat<ProjectPath>,
        pub change: Flat<Change>,
    }
}

async fn show(app: App, viewer: Viewer, path: Params<ProjectPath>) -> Result<Ok200<AlertSetting>> {
    app.read(move |tx| {
        let by = Manager::authorize(tx, &viewer, &path.id)?;
        Ok(Ok200(rows::of_project(tx, by.project.id)?))
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateAlertSettings>,
) -> Result<Ok200<AlertSetting>> {
    app.write(move |tx| {
        let by = Manager::authorize(tx, &viewer, &params.at.id)?;
        Ok(Ok200(settings::update(tx, &by, &params.change)?))
    })
    .await
}
