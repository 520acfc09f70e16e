//! What a project wants done with its alerts (docs/interface/monitoring.md 1.10).

use super::ProjectPath;
use crate::alerts::model::AlertSetting;
use crate::alerts::rules::settings::{self, Change};
use crate::alerts::store::settings as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Ok200, Params, Patch, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/alert_management/settings";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show)
        .summary("Shows what a project wants done with its alerts");
    r.put(PATH, update)
        .summary("Says what a project wants done with its alerts");
}

kernel::params! {
    /// What changes.
    pub struct UpdateAlertSettings {
        /// The project.
        pub id: Reference,
        /// Make an incident of each alert.
        pub create_issue: Option<bool>,
        /// The template whose text is added to it.
        pub issue_template_key: Patch<String>,
        /// Mail those who own and maintain the project.
        pub send_email: Option<bool>,
        /// Close the incident when the alert is over.
        pub auto_close_incident: Option<bool>,
        /// Another tool looks after incidents; not while an integration is active.
        pub external_tool_enabled: Option<bool>,
        /// Where that tool is: an address that begins with https://.
        pub external_tool_url: Patch<String>,
    }
}

/// What a project wants done with its alerts.
#[derive(Serialize, JsonSchema)]
pub struct AlertSettingsEntity {
    /// An incident is made of each.
    create_issue: bool,
    /// The template whose text is added to it.
    issue_template_key: Option<String>,
    /// Those who own and maintain the project are mailed.
    send_email: bool,
    /// The incident is closed when the alert is over.
    auto_close_incident: bool,
    /// Another tool looks after incidents.
    external_tool_enabled: bool,
    /// Where that tool is.
    external_tool_url: Option<String>,
}

impl From<AlertSetting> for AlertSettingsEntity {
    fn from(setting: AlertSetting) -> AlertSettingsEntity {
        AlertSettingsEntity {
            create_issue: setting.create_issue,
            issue_template_key: setting.issue_template_key,
            send_email: setting.send_email,
            auto_close_incident: setting.auto_close_incident,
            external_tool_enabled: setting.external_tool_enabled,
            external_tool_url: setting.external_tool_url,
        }
    }
}

async fn show(
    app: App,
    viewer: Viewer,
    path: Params<ProjectPath>,
) -> Result<Ok200<AlertSettingsEntity>> {
    app.read(move |tx| {
        let project = spaces::project(tx, &viewer, &path.id, Purpose::Update)?;
        Ok(Ok200(rows::of_project(tx, project.id)?.into()))
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateAlertSettings>,
) -> Result<Ok200<AlertSettingsEntity>> {
    app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &params.id, Purpose::Update)?;
        let change = Change {
            create_issue: params.create_issue,
            issue_template_key: params.issue_template_key.clone(),
            send_email: params.send_email,
            auto_close_incident: params.auto_close_incident,
            external_tool_enabled: params.external_tool_enabled,
            external_tool_url: params.external_tool_url.clone(),
        };
        Ok(Ok200(
            settings::update(tx, &viewer, &project, &change)?.into(),
        ))
    })
    .await
}
