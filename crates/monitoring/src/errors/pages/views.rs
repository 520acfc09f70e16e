//! What the pages of the area show: plain view models of their templates.

use crate::errors::detail::Detail;
use crate::errors::model::{Dropped, Tracked};
use askama::Template;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use spaces::pages::views::SpaceHead;

/// `<project>/-/error_tracking`.
#[derive(Debug, Template)]
#[template(path = "errors.html")]
pub struct ErrorList {
    pub page: Page,
    pub head: SpaceHead,
    pub is_active: bool,
    /// It has received any, whatever the filter.
    pub is_filtered: bool,
    pub search: String,
    pub status: String,
    pub statuses: Vec<Choice>,
    pub sort: String,
    pub sorts: Vec<Choice>,
    /// The tracker elsewhere that has them, or empty.
    pub external_url: String,
    /// Why it tells nothing, or empty.
    pub problem: String,
    pub errors: Vec<ErrorRow>,
    pub pages: Pages,
}

#[derive(Debug, Clone)]
pub struct ErrorRow {
    pub name: String,
    pub description: String,
    pub actor: String,
    pub url: String,
    pub level: String,
    pub status: String,
    pub has_regressed: bool,
    pub events: u64,
    pub users: u64,
    pub last_seen_at: Moment,
}

/// `<project>/-/error_tracking/<id>/details`.
#[derive(Debug, Template)]
#[template(path = "error_details.html")]
pub struct ErrorDetails {
    pub page: Page,
    /// The project's full path and address.
    pub place: (String, String),
    pub error: ErrorRow,
    pub action: String,
    /// The words of the buttons that change its status, and what they set.
    pub actions: Vec<(&'static str, &'static str)>,
    /// The issue about it that the viewer sees.
    pub issue: Option<IssueRow>,
    pub can_create_issue: bool,
    /// Only some shall see it, as typed.
    pub confidential: bool,
    pub challenge: Option<Challenge>,
    pub tracked: Tracked,
    pub first_seen_at: Moment,
    pub regressed_at: Option<Moment>,
    pub hours: Vec<(String, u64)>,
    pub days: Vec<(String, u64)>,
    /// The newest event, unless it is no longer kept.
    pub newest: Option<Newest>,
}

#[derive(Debug)]
pub struct IssueRow {
    pub url: String,
    pub iid: i64,
    pub state: String,
}

#[derive(Debug)]
pub struct Newest {
    pub event_id: String,
    pub occurred_at: Moment,
    pub environment: String,
    pub release: String,
    pub detail: Detail,
}

/// `<project>/-/settings/error_tracking`: saving posts here with `action`
/// `save`, keys are made with `add` and removed with `remove` and `key_id`.
#[derive(Debug, Template)]
#[template(path = "error_settings.html")]
pub struct ErrorSettings {
    pub page: Page,
    pub head: SpaceHead,
    /// Administrators let no project receive errors here.
    pub is_off: bool,
    pub active: bool,
    pub mode: String,
    pub modes: Vec<Choice>,
    pub api_url: String,
    pub has_token: bool,
    pub errors: Errors,
    pub keys: Vec<KeyRow>,
    pub dropped: Vec<Dropped>,
}

#[derive(Debug, Clone)]
pub struct KeyRow {
    pub id: i64,
    pub dsn: String,
}

impl ErrorRow {
    /// The colour of its level; the text says the same.
    pub fn tone(&self) -> &'static str {
        match self.level.as_str() {
            "fatal" | "error" => "bad",
            "warning" => "warn",
            _ => "plain",
        }
    }
}

impl ErrorSettings {
    fn token_hint(&self) -> &'static str {
        match self.has_token {
            true => "One is stored encrypted. Left blank, it stays as it is.",
            false => "It needs to read and change issues there. Stored encrypted.",
        }
    }
}
