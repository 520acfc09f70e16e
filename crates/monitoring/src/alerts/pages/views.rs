//! What the pages of the area show.

use super::integration::Fields;
use super::settings::NewFields;
use crate::alerts::model::{
    Alert, AlertSetting, Delivered, Integration, MetricImage, Severity, Status, Window,
};
use crate::alerts::payload::text;
use crate::alerts::related::Related;
use crate::on_call::related::OnCallNow;
use askama::Template;
use identity::model::User;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::markup::plain;
use kernel::time::Timestamp;
use planning::pages::notes::Story;
use spaces::pages::SpaceHead;

/// Deliveries that a page shows at once; the others unfold.
const SHOWN: usize = 10;
/// Longest beginning of a description that a row shows, in characters, and how many
/// are looked at for it.
const EXCERPT: usize = 200;
const LOOKED_AT: usize = 1_000;

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
    /// Who is on call now, by schedule.
    pub on_call: Vec<OnCallNow>,
    /// There are alerts that the search finds, of whatever status.
    pub has_any: bool,
    /// Where incidents are looked after, if that is elsewhere.
    pub external_tool: Option<String>,
    pub hours: Vec<(String, u64)>,
    pub alerts: Vec<Alert>,
    pub related: Related,
    pub now: Timestamp,
    pub pages: Pages,
}

impl AlertList {
    /// The beginning of what an alert is about, without its markup, or nothing.
    fn excerpt(&self, alert: &Alert) -> String {
        let told = alert.description.as_deref().unwrap_or_default();
        let begin: String = told.chars().take(LOOKED_AT).collect();
        text::line(&plain(&begin), EXCERPT)
    }
}

impl Severity {
    /// Its colour; the text says the same.
    pub fn tone(self) -> &'static str {
        match self {
            Severity::Critical | Severity::High => "bad",
            Severity::Medium => "warn",
            Severity::Low | Severity::Info | Severity::Unknown => "plain",
        }
    }
}

impl Status {
    pub fn tone(self) -> &'static str {
        match self {
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
    pub head: SpaceHead,
    pub alert: Alert,
    /// The number of the incident about it.
    pub issue_iid: Option<i64>,
    pub owner: Option<User>,
    pub now: Timestamp,
    pub url: String,
    pub facts: Vec<(&'static str, String)>,
    /// What its sender says of it, as safe HTML, or empty.
    pub description: String,
    /// What to do about it, as its sender says, and whether that is an address
    /// a browser may follow.
    pub runbook: Option<(String, bool)>,
    /// What was sent, without nesting.
    pub fields: Vec<(String, String)>,
    pub statuses: Vec<Choice>,
    /// Who looks after it, as typed.
    pub assignee: String,
    pub durations: Vec<Choice>,
    /// An equal alert that is open, and its page.
    pub duplicate: Option<(String, String)>,
    /// How often it and those equal to it began in the days that are charted.
    pub begun: usize,
    /// What the chart shows, and by hour or by day.
    pub sent: (&'static str, Vec<(String, u64)>),
    pub images: Vec<MetricImage>,
    pub story: Story,
    /// Only one discussion of it is shown.
    pub is_part: bool,
    /// A new note as typed.
    pub draft: String,
    /// Solved, the new note that was refused is taken.
    pub draft_challenge: Option<Challenge>,
    /// Solved, an incident is made.
    pub incident_challenge: Option<Challenge>,
    pub may_write: bool,
    pub pages: Pages,
    pub errors: Errors,
}

impl AlertDetails {
    /// What is mostly done next, the first being the usual.
    fn next(&self) -> &'static [(&'static str, Status)] {
        match self.alert.status {
            Status::Triggered => {
                &[("Acknowledge", Status::Acknowledged), ("Resolve", Status::Resolved)]
            }
            Status::Acknowledged => &[("Resolve", Status::Resolved)],
            Status::Resolved | Status::Ignored => &[],
        }
    }
}

/// `<project>/-/settings/alerts`: its forms post here with `action` `save`,
/// `create`, `open` and `close`.
#[derive(Debug, Template)]
#[template(path = "alert_settings.html")]
pub struct AlertSettings {
    pub page: Page,
    pub head: SpaceHead,
    pub url: String,
    /// As stored, or as typed and refused.
    pub setting: AlertSetting,
    pub integrations: Vec<Integration>,
    pub form: NewFields,
    pub kinds: Vec<Choice>,
    pub active: bool,
    pub presets: Vec<Choice>,
    pub windows: Vec<Window>,
    pub now: Timestamp,
    /// What the window about to be opened is about.
    pub scopes: Vec<Choice>,
    pub errors: Errors,
}

impl AlertSettings {
    /// A time as people plan by it; how far away it is would not do.
    fn clock(&self, at: &Timestamp) -> String {
        at.strftime("%-d %b %Y, %H:%M").to_string()
    }

    /// What a window is about.
    fn scope(&self, window: &Window) -> &str {
        let Some(id) = window.integration_id else {
            return "all integrations";
        };
        let known = self.integrations.iter().find(|known| known.id == id);
        known.map_or("another integration", |known| &known.name)
    }

    fn is_open(&self, window: &Window) -> bool {
        let now = self.now;
        window.starts_at <= now && now < window.ends_at
    }
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
    pub form: Fields,
    /// Where each field of an alert may be found.
    pub targets: Vec<TargetRow>,
    /// A payload to try, as typed.
    pub payload: String,
    /// What it received of late.
    pub deliveries: Vec<Delivered>,
    pub now: Timestamp,
    /// What is wrong with a form, by field name.
    pub errors: Errors,
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

impl AlertIntegration {
    /// The places are what was refused.
    fn is_mapped(&self) -> bool {
        !self.errors.of("mapping").is_empty()
    }

    /// The colour of a delivery's status.
    fn tone(&self, one: &Delivered) -> &'static str {
        match one.status {
            200..=299 => "good",
            _ => "bad",
        }
    }
}
