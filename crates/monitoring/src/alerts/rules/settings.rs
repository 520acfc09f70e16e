//! What a project wants done with its alerts.

use crate::alerts::model::{AlertSetting, MAX_URL};
use crate::alerts::store::{integrations, settings as rows};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::json;
use spaces::Project;
use spaces::rules::of_project;
use store::Tx;
use url::Url;

/// What is said where an integration is in the way of another tool.
const ACTIVE: &str = "cannot be turned on while an alert integration is active";

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
    /// Another tool looks after incidents.
    pub external_tool_enabled: Option<bool>,
    /// Where that tool is.
    pub external_tool_url: Patch<String>,
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
    let url = change
        .external_tool_url
        .clone()
        .over(before.external_tool_url.clone());
    let after = AlertSetting {
        create_issue: change.create_issue.unwrap_or(before.create_issue),
        issue_template_key: key.filter(|key| !key.is_empty()),
        send_email: change.send_email.unwrap_or(before.send_email),
        auto_close_incident: change
            .auto_close_incident
            .unwrap_or(before.auto_close_incident),
        external_tool_enabled: change
            .external_tool_enabled
            .unwrap_or(before.external_tool_enabled),
        external_tool_url: url
            .map(|url| url.trim().to_owned())
            .filter(|url| !url.is_empty()),
    };
    // Templates are files of the project's repository, and it has none yet.
    if after.issue_template_key.is_some() {
        return Err(Error::invalid("issue_template_key", "not found"));
    }
    check_external_tool(&after)?;
    if after.external_tool_enabled
        && !before.external_tool_enabled
        && integrations::has_active(tx, project.id)?
    {
        return Err(Error::invalid("external_tool_enabled", ACTIVE));
    }
    rows::put(tx, project.id, &after)?;
    let details = json!({
        "create_issue": after.create_issue,
        "send_email": after.send_email,
        "auto_close_incident": after.auto_close_incident,
        "external_tool_enabled": after.external_tool_enabled,
        "external_tool_url": after.external_tool_url,
    });
    audit::record(
        tx,
        viewer,
        "alert_setting.update",
        of_project(project),
        details,
    )?;
    Ok(after)
}

/// Another tool needs an address that a browser may follow.
fn check_external_tool(setting: &AlertSetting) -> Result<()> {
    let problem = match &setting.external_tool_url {
        None if setting.external_tool_enabled => Some("can't be blank"),
        None => None,
        Some(url) if url.chars().count() > MAX_URL => {
            Some("is too long (maximum is 255 characters)")
        }
        Some(url) => match Url::parse(url) {
            Ok(parsed) if parsed.scheme() == "https" && parsed.has_host() => None,
            _ => Some("must be an address that begins with https://"),
        },
    };
    match problem {
        Some(problem) => Err(Error::invalid("external_tool_url", problem)),
        None => Ok(()),
    }
}
