//! What the pages of the area show: plain view models of their templates.

use crate::errors::detail::Detail;
use crate::errors::model::Dropped;
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
    /// Filter `search`.
    pub search: String,
    /// Filter `status`.
    pub status: String,
    pub statuses: Vec<Choice>,
    /// Order `sort`.
    pub sort: String,
    pub sorts: Vec<Choice>,
    /// The tracker elsewhere that has them, or empty.
    pub external_url: String,
    /// Why it tells nothing, or empty.
    pub problem: String,
    /// The errors of this page.
    pub errors: Vec<ErrorRow>,
    /// Where the list stands.
    pub pages: Pages,
}

/// One error in a list.
#[derive(Debug, Clone)]
pub struct ErrorRow {
    pub name: String,
    pub description: String,
    /// Where it happens.
    pub actor: String,
    pub url: String,
    pub level: String,
    /// What people said of it.
    pub status: String,
    pub has_regressed: bool,
    pub events: u64,
    pub users: u64,
    /// When it was last seen.
    pub last_seen_at: Moment,
}

/// `<project>/-/error_tracking/<id>/details`.
#[derive(Debug, Template)]
#[template(path = "error_details.html")]
pub struct ErrorDetails {
    pub page: Page,
    /// The project's full path and address.
    pub place: (String, String),
    /// The error as in the list.
    pub error: ErrorRow,
    /// Where its forms post to.
    pub action: String,
    /// The words of the buttons that change its status, and what they set.
    pub actions: Vec<(&'static str, &'static str)>,
    /// The issue about it that the viewer sees.
    pub issue: Option<IssueRow>,
    /// The viewer may make one.
    pub can_create_issue: bool,
    /// Only some shall see it, as typed.
    pub confidential: bool,
    pub challenge: Option<Challenge>,
    pub id: i64,
    /// When it was first seen.
    pub first_seen_at: Moment,
    pub regressed_at: Option<Moment>,
    /// The release it came back in, or empty.
    pub regressed_release: String,
    /// Language or runtime, or empty.
    pub platform: String,
    /// What logged it, or empty.
    pub logger: String,
    /// Release of the first event, or empty.
    pub first_release: String,
    /// Release of the newest event, or empty.
    pub last_release: String,
    /// Events of the last day, by hour.
    pub hours: Vec<(String, u64)>,
    /// Events of the last month, by day.
    pub days: Vec<(String, u64)>,
    /// The newest event, unless it is no longer kept.
    pub newest: Option<Newest>,
}

/// The issue about an error.
#[derive(Debug)]
pub struct IssueRow {
    pub url: String,
    pub iid: i64,
    pub state: String,
}

/// The newest event of an error.
#[derive(Debug)]
pub struct Newest {
    /// Its number, as the client set it.
    pub event_id: String,
    pub occurred_at: Moment,
    /// Where it ran.
    pub environment: String,
    /// Version of what ran, or empty.
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
    /// Where: here or elsewhere.
    pub mode: String,
    pub modes: Vec<Choice>,
    /// Where the tracker elsewhere answers.
    pub api_url: String,
    /// A token for it is stored.
    pub has_token: bool,
    /// What is wrong with the form, by field name.
    pub errors: Errors,
    pub keys: Vec<KeyRow>,
    /// What clients say they dropped.
    pub dropped: Vec<Dropped>,
}

#[derive(Debug, Clone)]
pub struct KeyRow {
    pub id: i64,
    /// What SDKs are set up with.
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
