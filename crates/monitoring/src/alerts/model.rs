//! Alerts, integrations and settings as they are stored.

use super::payload::mapping::{Mapping, Path};
use crate::rows::Times;
use jiff::Timestamp;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::{FromRow, Json};

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
        at.and_then(|at| Severity::ALL.get(at).copied()).unwrap_or(Severity::Unknown)
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
        at.and_then(|at| Status::ALL.get(at).copied()).unwrap_or(Status::Triggered)
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
    #[derive(Default)]
    pub enum Kind as "IntegrationKind" {
        /// Any.
        #[default]
        Http = "http",
        /// The metrics tool.
        Prometheus = "prometheus",
    }
}

/// What monitoring tools reported.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
pub struct Alert {
    /// Its number.
    pub id: i64,
    /// Its number in the project.
    pub iid: i64,
    /// Its project.
    pub project_id: i64,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// How bad it is.
    #[read(Severity::of_code)]
    pub severity: Severity,
    /// What is said of it.
    #[read(Status::of_code)]
    pub status: Status,
    /// The service affected.
    pub service: Option<String>,
    /// What sent it.
    pub monitoring_tool: Option<String>,
    /// The hosts affected.
    #[read(list)]
    pub hosts: Vec<String>,
    /// The name of the environment it is about, as its sender says.
    pub environment_name: Option<String>,
    /// When it began.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// When it ended, while it is resolved.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Timestamp>,
    /// How often it was sent.
    #[serde(rename = "event_count")]
    pub events: i64,
    /// It came back soon after it was resolved.
    pub flapping: bool,
    /// Ignored until then.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub shelved_until: Option<Timestamp>,
    /// The integration that received it.
    pub integration_id: Option<i64>,
    #[serde(skip)]
    pub fingerprint: Option<String>,
    /// What was sent first.
    #[serde(skip)]
    pub payload: Value,
    #[serde(skip)]
    pub assignee_id: Option<i64>,
    #[serde(skip)]
    pub issue_id: Option<i64>,
    #[nested]
    #[serde(skip)]
    pub times: Times,
}

fn list<T>(stored: Json<Vec<T>>) -> Vec<T> {
    stored.0
}

/// Where a tool sends alerts of a project.
#[derive(Debug, Clone, Default, FromRow)]
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
    #[nested]
    pub times: Times,
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
#[columns("alert_settings")]
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

kernel::params! {
    /// A maintenance window about to be opened.
    pub struct NewWindow {
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

/// What an integration received once.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "DeliveryEntity")]
pub struct Delivered {
    /// Its number.
    pub id: i64,
    /// The status it was answered with.
    pub status: i64,
    /// Why it was refused.
    pub reason: Option<String>,
    /// Numbers of the alerts it was about.
    #[serde(rename = "alert_iids")]
    #[read(list)]
    pub iids: Vec<i64>,
    /// When.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// A picture of a chart, without its bytes.
#[derive(Debug, Clone, FromRow)]
#[columns("alert_metric_images")]
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

impl MetricImage {
    /// Where the pictures themselves are.
    pub const FILES: &'static str = "/uploads/-/system/alert_metric_image/file";

    pub fn path(&self) -> String {
        let files = MetricImage::FILES;
        format!("{files}/{}/{}.{}", self.id, self.file_name, self.ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_interface() {
        for (at, severity) in Severity::ALL.iter().enumerate() {
            assert_eq!((severity.code(), Severity::of_code(at as i64)), (at as i64, *severity));
        }
        for (at, status) in Status::ALL.iter().enumerate() {
            assert_eq!((status.code(), Status::of_code(at as i64)), (at as i64, *status));
        }
        assert_eq!(Status::Resolved.code(), 2);
        assert_eq!(Severity::of_code(-1), Severity::Unknown);
    }
}
