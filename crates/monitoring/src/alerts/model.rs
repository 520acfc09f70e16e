//! Alerts, integrations and settings as they are stored.

use super::payload::mapping::{Mapping, Path};
use jiff::Timestamp;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::{FromRow, Json, Row};

/// Longest name of an integration or maintenance window, in characters.
pub const MAX_NAME: usize = 255;
pub const MAX_TITLE: usize = 200;
pub const MAX_DESCRIPTION: usize = 1_000;
/// Longest name of a service or monitoring tool, in characters.
pub const MAX_WORD: usize = 100;
/// Longest name of an environment, in characters.
pub const MAX_ENVIRONMENT: usize = 255;
/// Longest list of hosts when they are put together, in characters.
pub const MAX_HOSTS: usize = 255;
/// Longest address of another tool, in characters.
pub const MAX_URL: usize = 255;
/// Bytes of a payload.
pub const MAX_PAYLOAD: usize = 1 << 20;
/// Nesting of a payload.
pub const MAX_DEPTH: usize = 100;
/// Largest metric image, in bytes.
pub const MAX_IMAGE: usize = 1 << 20;
/// Deliveries remembered of an integration.
pub const DELIVERIES: i64 = 100;
/// Title of an alert that has none.
pub const UNTITLED: &str = "New: Alert";
/// Where old senders of a project's alerts send them.
pub const LEGACY: &str = "legacy";
/// The same for the metrics tool.
pub const LEGACY_PROMETHEUS: &str = "legacy-prometheus";
/// What keys are sealed as.
pub const TOKEN: &str = "alert_integration_token";

kernel::choices! {
    /// What an alert's sender says of how bad it is.
    pub enum Severity as "AlertSeverity" {
        Critical = "critical",
        High = "high",
        Medium = "medium",
        Low = "low",
        Info = "info",
        Unknown = "unknown",
    }
}

kernel::choices! {
    /// What people, or the sender, say of an alert.
    pub enum Status as "AlertStatus" {
        /// Nobody looks after it yet.
        Triggered = "triggered",
        /// Somebody does.
        Acknowledged = "acknowledged",
        /// It is over.
        Resolved = "resolved",
        /// Nobody needs to.
        Ignored = "ignored",
    }
}

impl Severity {
    /// The number it is stored as: the worse, the lower.
    pub fn code(self) -> i64 {
        self as i64
    }
    pub fn of_code(code: i64) -> Severity {
        let at = usize::try_from(code).ok();
        at.and_then(|at| Severity::ALL.get(at).copied())
            .unwrap_or(Severity::Unknown)
    }
    /// As a field of a page shows it.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Critical => "Critical",
            Severity::High => "High",
            Severity::Medium => "Medium",
            Severity::Low => "Low",
            Severity::Info => "Info",
            Severity::Unknown => "Unknown",
        }
    }
}

impl Status {
    /// The number it is stored as.
    pub fn code(self) -> i64 {
        self as i64
    }
    pub fn of_code(code: i64) -> Status {
        let at = usize::try_from(code).ok();
        at.and_then(|at| Status::ALL.get(at).copied())
            .unwrap_or(Status::Triggered)
    }
    /// As notes and pages say it.
    pub fn label(self) -> &'static str {
        match self {
            Status::Triggered => "Triggered",
            Status::Acknowledged => "Acknowledged",
            Status::Resolved => "Resolved",
            Status::Ignored => "Ignored",
        }
    }
    /// Whether equal alerts are grouped with it.
    pub fn is_open(self) -> bool {
        self != Status::Resolved
    }
}

kernel::choices! {
    /// What kind of sender an integration is for.
    pub enum Kind as "IntegrationKind" {
        /// Any.
        Http = "http",
        /// The metrics tool.
        Prometheus = "prometheus",
    }
}

#[derive(Debug, Clone)]
pub struct Alert {
    pub id: i64,
    pub project_id: i64,
    pub iid: i64,
    pub integration_id: Option<i64>,
    pub title: String,
    pub description: Option<String>,
    pub service: Option<String>,
    pub monitoring_tool: Option<String>,
    pub hosts: Vec<String>,
    pub severity: Severity,
    pub status: Status,
    pub started_at: Timestamp,
    /// When it ended, while it is resolved.
    pub ended_at: Option<Timestamp>,
    pub events: i64,
    pub fingerprint: Option<String>,
    /// What was sent first.
    pub payload: Value,
    pub environment_name: Option<String>,
    pub flapping: bool,
    pub shelved_until: Option<Timestamp>,
    pub assignee_id: Option<i64>,
    pub issue_id: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl FromRow for Alert {
    fn from_row(row: &mut Row<'_>) -> store::Result<Self> {
        Ok(Alert {
            id: row.get("id")?,
            project_id: row.get("project_id")?,
            iid: row.get("iid")?,
            integration_id: row.get("integration_id")?,
            title: row.get("title")?,
            description: row.get("description")?,
            service: row.get("service")?,
            monitoring_tool: row.get("monitoring_tool")?,
            hosts: row.get::<Json<Vec<String>>>("hosts")?.0,
            severity: Severity::of_code(row.get("severity")?),
            status: Status::of_code(row.get("status")?),
            started_at: row.get("started_at")?,
            ended_at: row.get("ended_at")?,
            events: row.get("events")?,
            fingerprint: row.get("fingerprint")?,
            payload: row.get("payload")?,
            environment_name: row.get("environment_name")?,
            flapping: row.get("flapping")?,
            shelved_until: row.get("shelved_until")?,
            assignee_id: row.get("assignee_id")?,
            issue_id: row.get("issue_id")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

/// Where a tool sends alerts of a project.
#[derive(Debug, Clone, FromRow)]
pub struct Integration {
    pub id: i64,
    pub project_id: i64,
    pub kind: Kind,
    pub name: String,
    pub active: bool,
    pub endpoint_identifier: String,
    pub sealed_token: String,
    pub previous_token: Option<String>,
    /// Until when the key before opens it, too.
    pub previous_until: Option<Timestamp>,
    pub payload_example: Value,
    pub payload_mapping: Json<Mapping>,
    /// Fields whose values alone tell alerts apart.
    pub identity_fields: Json<Vec<Path>>,
    /// Fields that do not tell alerts apart.
    pub ignored_fields: Json<Vec<Path>>,
    pub heartbeat_seconds: Option<i64>,
    pub last_received_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Integration {
    /// Until when the key before opens it, too, if it still does.
    pub fn overlaps_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.previous_until.filter(|until| *until > now)
    }
}

/// What a project wants done with its alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "AlertSettingsEntity")]
pub struct AlertSetting {
    /// An incident is made of each.
    pub create_issue: bool,
    /// The template whose text is added to it.
    pub issue_template_key: Option<String>,
    /// Those who own and maintain the project are mailed.
    pub send_email: bool,
    /// The incident is closed when the alert is over.
    pub auto_close_incident: bool,
    /// Another tool looks after incidents.
    pub external_tool_enabled: bool,
    /// Where that tool is.
    pub external_tool_url: Option<String>,
}

impl AlertSetting {
    /// Where incidents are looked after, if that is elsewhere.
    pub fn external_tool(&self) -> Option<&str> {
        let url = self.external_tool_url.as_deref();
        url.filter(|_| self.external_tool_enabled)
    }
}

impl Default for AlertSetting {
    fn default() -> AlertSetting {
        AlertSetting {
            create_issue: false,
            issue_template_key: None,
            send_email: false,
            auto_close_incident: true,
            external_tool_enabled: false,
            external_tool_url: None,
        }
    }
}

/// A maintenance window, in which what arrives troubles nobody.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "WindowEntity", description = "A maintenance window.")]
pub struct Window {
    /// Its number.
    pub id: i64,
    /// Why.
    pub name: String,
    /// The integration it is about; all of them without.
    pub integration_id: Option<i64>,
    /// From when.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub starts_at: Timestamp,
    /// Until when.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub ends_at: Timestamp,
    /// When it was opened.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// What an integration received once.
#[derive(Debug, Clone, FromRow)]
pub struct Delivered {
    pub id: i64,
    /// The status it was answered with.
    pub status: i64,
    pub reason: Option<String>,
    pub iids: Json<Vec<i64>>,
    pub created_at: Timestamp,
}

/// A picture of a chart, without its bytes.
#[derive(Debug, Clone, FromRow)]
pub struct MetricImage {
    pub id: i64,
    /// Its name without the ending.
    pub file_name: String,
    /// `png`, `jpg`, `gif` or `webp`.
    pub ending: String,
    pub url: Option<String>,
    /// What that place is called.
    pub url_text: Option<String>,
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_interface() {
        for (at, severity) in Severity::ALL.iter().enumerate() {
            assert_eq!(
                (severity.code(), Severity::of_code(at as i64)),
                (at as i64, *severity)
            );
        }
        for (at, status) in Status::ALL.iter().enumerate() {
            assert_eq!(
                (status.code(), Status::of_code(at as i64)),
                (at as i64, *status)
            );
        }
        assert_eq!(Status::Resolved.code(), 2);
        assert_eq!(Severity::of_code(-1), Severity::Unknown);
    }
}
