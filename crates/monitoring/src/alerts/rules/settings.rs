//! What a project wants done with its alerts.

use crate::alerts::model::AlertSetting;
use crate::alerts::store::settings as rows;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::json;
use spaces::Project;
use store::Tx;

/// What changes.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Make an incident of each.
    pub create_issue: Option<bool>,
    /// The template whose text is added to it.
    pub issue_template_key: Patch<String>,
    /// Mail those who own and maintain the project.
    pub send_email: Option<bool>,
    /// Close the incident when the alert is over.
    pub auto_close_incident: Option<bool>,
}

/// Stores a change; what holds then.
pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    change: &Change,
) -> Result<AlertSetting> {
    let before = rows::of_project(tx, project.id)?;
    let key = change
        .issue_template_key
        .clone()
        .over(before.issue_template_key.clone());
    let after = AlertSetting {
        create_issue: change.create_issue.unwrap_or(before.create_issue),
        issue_template_key: key.filter(|key| !key.is_empty()),
        send_email: change.send_email.unwrap_or(before.send_email),
        auto_close_incident: change
            .auto_close_incident
            .unwrap_or(before.auto_close_incident),
    };
    // Templates are files of the project's repository, and it has none yet.
    if after.issue_template_key.is_some() {
        return Err(Error::invalid("issue_template_key", "not found"));
    }
    rows::put(tx, project.id, &after)?;
    audit::write(
        tx,
        audit::Record {
            author_id: viewer.author_id(),
            action: "alert_setting.update",
            target_type: "Project",
            target_id: project.id,
            target_name: &project.full_path,
            details: json!({
                "create_issue": after.create_issue,
                "send_email": after.send_email,
                "auto_close_incident": after.auto_close_incident,
            }),
            ip_address: viewer.ip_address(),
        },
    )?;
    Ok(after)
}
