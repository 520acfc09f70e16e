//! What the pages of the area show: plain view models of their templates.

use crate::alerts::model::{Severity, Status};
use askama::Template;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::views::SpaceHead;

/// `<project>/-/alert_management`.
#[derive(Debug, Template)]
#[template(path = "alerts.html")]
pub struct AlertList {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub tabs: Vec<Tab>,
    pub status: &'static str,
    pub search: String,
    pub sort: &'static str,
    pub sorts: Vec<Choice>,
    /// There are alerts that the search finds, of whatever status.
    pub has_any: bool,
    /// Where incidents are looked after, if that is elsewhere.
    pub external_tool: Option<String>,
    pub hours: Vec<(String, u64)>,
    pub alerts: Vec<AlertRow>,
    pub pages: Pages,
}

#[derive(Debug, Clone)]
pub struct AlertRow {
    pub iid: i64,
    pub title: String,
    /// The beginning of what it is about, or empty.
    pub description: String,
    pub url: String,
    pub severity: Severity,
    pub status: Status,
    pub started_at: Moment,
    pub events: u64,
    pub tool: String,
    /// The incident about it, and its page.
    pub issue: Option<(String, String)>,
    /// Sign-in name of who looks after it, or empty.
    pub assignee: String,
    pub is_flapping: bool,
    pub shelved_until: Option<Moment>,
}

impl AlertRow {
    /// The colour of its severity; the text says the same.
    pub fn tone(&self) -> &'static str {
        match self.severity {
            Severity::Critical | Severity::High => "bad",
            Severity::Medium => "warn",
            Severity::Low | Severity::Info | Severity::Unknown => "plain",
        }
    }

    pub fn status_tone(&self) -> &'static str {
        match self.status {
            Status::Triggered => "warn",
            Status::Resolved => "good",
            Status::Acknowledged | Status::Ignored => "plain",
        }
    }
}

/// `<project>/-/alert_management/<number>/details`.
#[derive(Debug, Template)]
#[template(path = "alert_details.html")]
pub struct AlertDetails {
    pub page: Page,
    /// The project's full path and address.
    pub place: (String, String),
    pub alert: AlertRow,
    pub url: String,
    /// What it is about, or empty.
    pub description: String,
    pub facts: Vec<(&'static str, String)>,
    /// What to do about it, as its sender says, and whether that is an address
    /// a browser may follow.
    pub runbook: Option<(String, bool)>,
    pub ended_at: Option<Moment>,
    /// When it was first received.
    pub created_at: Moment,
    /// What was sent, without nesting.
    pub fields: Vec<(String, String)>,
    pub statuses: Vec<Choice>,
    /// Who looks after it, as typed.
    pub assignee: String,
    pub durations: Vec<Choice>,
    /// An equal alert that is open, and its page.
    pub duplicate: Option<(String, String)>,
    /// How often it and those equal to it began, by day.
    pub begun: Vec<(String, u64)>,
    pub hours: Vec<(String, u64)>,
    pub days: Vec<(String, u64)>,
    pub images: Vec<ImageRow>,
    pub notes: Vec<NoteRow>,
    /// A note as typed, and the discussion it answers in, or empty.
    pub draft: (String, String),
    /// Solved, what was refused is taken.
    pub challenge: Option<Challenge>,
    /// That was a new note.
    pub solves_note: bool,
    pub solves_incident: bool,
    pub may_write: bool,
    pub pages: Pages,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct ImageRow {
    pub id: i64,
    pub name: String,
    pub path: String,
    pub url: String,
    pub text: String,
}

/// Something that somebody wrote, or that happened.
#[derive(Debug, Clone)]
pub struct NoteRow {
    pub id: i64,
    /// Login of who wrote it, or empty.
    pub author: String,
    pub name: String,
    /// The text, in Markdown, as it is or as it was typed and refused.
    pub body: String,
    /// It was typed and refused.
    pub is_rewritten: bool,
    pub html: String,
    pub is_system: bool,
    pub is_internal: bool,
    pub is_edited: bool,
    /// It begins a thread or answers in one.
    pub in_thread: bool,
    pub discussion_id: String,
    pub may_change: bool,
    pub created_at: Moment,
}

/// `<project>/-/settings/alerts`: its forms post here with `action` `save`,
/// `create`, `open` and `close`.
#[derive(Debug, Template)]
#[template(path = "alert_settings.html")]
pub struct AlertSettings {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub create_issue: bool,
    pub send_email: bool,
    pub auto_close_incident: bool,
    pub external_tool_enabled: bool,
    pub external_tool_url: String,
    pub integrations: Vec<IntegrationRow>,
    pub name: String,
    pub kind: String,
    pub kinds: Vec<Choice>,
    pub active: bool,
    pub preset: String,
    pub presets: Vec<Choice>,
    pub windows: Vec<WindowRow>,
    /// What the window about to be opened is about.
    pub scopes: Vec<Choice>,
    pub scope: String,
    pub window_name: String,
    pub starts_at: String,
    pub ends_at: String,
    pub errors: Errors,
}

#[derive(Debug, Clone)]
pub struct IntegrationRow {
    pub name: String,
    pub url: String,
    pub kind: &'static str,
    pub active: bool,
    pub last_received_at: Option<Moment>,
}

#[derive(Debug, Clone)]
pub struct WindowRow {
    pub id: i64,
    pub name: String,
    pub scope: String,
    /// From when, by the clock.
    pub starts_at: String,
    pub ends_at: String,
    pub is_open: bool,
}

/// `<project>/-/settings/alerts/<id>`: its forms post here with `action`
/// `save`, `reset`, `test` and `remove`.
#[derive(Debug, Template)]
#[template(path = "alert_integration.html")]
pub struct AlertIntegration {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    pub title: String,
    pub address: String,
    pub token: String,
    /// Until when the key before opens it, too.
    pub previous_until: Option<Moment>,
    /// How long a key that is replaced may still open it.
    pub overlaps: Vec<Choice>,
    pub form: IntegrationForm,
    /// Where each field of an alert may be found.
    pub targets: Vec<TargetRow>,
    /// A payload to try, as typed.
    pub payload: String,
    /// What it received of late.
    pub deliveries: Vec<DeliveryRow>,
    /// What is wrong with a form, by field name.
    pub errors: Errors,
}

/// The fields of an integration as they are typed.
#[derive(Debug, Clone, Default)]
pub struct IntegrationForm {
    pub name: String,
    pub active: bool,
    /// Longest silence, in seconds.
    pub heartbeat: String,
    /// What its sender sends, as JSON.
    pub example: String,
    /// Paths whose values alone tell alerts apart, one a line.
    pub identity: String,
    /// Paths that do not tell alerts apart, one a line.
    pub ignored: String,
}

/// A field of an alert and where it may be found.
#[derive(Debug, Clone)]
pub struct TargetRow {
    /// Its name in the interface.
    pub name: &'static str,
    pub label: String,
    /// Where it may be: what is sent, what is shown.
    pub options: Vec<Choice>,
    /// Where it is.
    pub chosen: String,
}

/// What an integration received once.
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    /// The status it was answered with.
    pub status: i64,
    /// Why it was refused, or empty.
    pub reason: String,
    /// The alerts it was about, and their pages.
    pub alerts: Vec<(String, String)>,
    pub created_at: Moment,
}

impl DeliveryRow {
    /// The colour of its status.
    pub fn tone(&self) -> &'static str {
        match self.status {
            200..=299 => "good",
            _ => "bad",
        }
    }
}
