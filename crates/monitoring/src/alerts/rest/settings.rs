//! What a project wants done with its alerts (docs/interface/monitoring.md 1.10).

use super::ProjectPath;
use crate::access::Manager;
use crate::alerts::model::AlertSetting;
use crate::alerts::rules::settings::{self, Change};
use crate::alerts::store::settings as rows;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Flat, Ok200, Params, Routes};

const PATH: &str = "/projects/{id}/alert_management/settings";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show).summary("Shows what a project wants done with its alerts");
    r.put(PATH, update).summary("Says what a project wants done with its alerts");
}

kernel::params! {
    pub struct UpdateAlertSettings {
        pub at: Flat<ProjectPath>,
        pub change: Flat<Change>,
    }
}

async fn show(by: Caller, path: Params<ProjectPath>) -> Result<Ok200<AlertSetting>> {
    by.read(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &path.id)?;
        Ok(Ok200(rows::of_project(tx, here.project.id)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateAlertSettings>) -> Result<Ok200<AlertSetting>> {
    by.write(move |tx, by| {
        let here = Manager::authorize(tx, &by.viewer, &params.at.id)?;
        Ok(Ok200(settings::update(tx, &here, &params.change)?))
    })
    .await
}
