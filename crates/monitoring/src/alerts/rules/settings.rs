//! What a project wants done with its alerts.

use crate::access::Manager;
use crate::alerts::model::{AlertSetting, MAX_URL};
use crate::alerts::store::{integrations, settings as rows};
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::json;
use store::Tx;
use url::Url;

/// What is said where an integration is in the way of another tool.
const ACTIVE: &str = "cannot be turned on while an alert integration is active";

kernel::params! {
    /// What changes of it.
    #[derive(Default)]
    pub struct Change {
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

/// Stores a change; what holds then.
pub fn update(tx: &mut Tx<'_>, by: &Manager, change: &Change) -> Result<AlertSetting> {
    let before = rows::of_project(tx, by.project.id)?;
    let was_enabled = before.external_tool_enabled;
    let after = changed(before, change.clone());
    // Templates are files of the project's repository, and it has none yet.
    if after.issue_template_key.is_some() {
        return Err(Error::invalid("issue_template_key", "not found"));
    }
    check_external_tool(&after)?;
    let is_turned_on = after.external_tool_enabled && !was_enabled;
    if is_turned_on && integrations::has_active(tx, by.project.id)? {
        return Err(Error::invalid("external_tool_enabled", ACTIVE));
    }
    rows::put(tx, by.project.id, &after)?;
    let details = json!({
        "create_issue": after.create_issue,
        "send_email": after.send_email,
        "auto_close_incident": after.auto_close_incident,
        "external_tool_enabled": after.external_tool_enabled,
        "external_tool_url": after.external_tool_url,
    });
    by.record(tx, "alert_setting.update", details)?;
    Ok(after)
}

fn changed(before: AlertSetting, change: Change) -> AlertSetting {
    let key = change.issue_template_key.over(before.issue_template_key);
    let url = change.external_tool_url.over(before.external_tool_url);
    let url = url.map(|url| url.trim().to_owned());
    let or = |sent: Option<bool>, before: bool| sent.unwrap_or(before);
    AlertSetting {
        create_issue: or(change.create_issue, before.create_issue),
        issue_template_key: key.filter(|key| !key.is_empty()),
        send_email: or(change.send_email, before.send_email),
        auto_close_incident: or(change.auto_close_incident, before.auto_close_incident),
        external_tool_enabled: or(change.external_tool_enabled, before.external_tool_enabled),
        external_tool_url: url.filter(|url| !url.is_empty()),
    }
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
