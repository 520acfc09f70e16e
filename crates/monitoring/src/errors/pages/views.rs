//! What the pages of the area show, for their templates.

use super::list::{Chosen, Elsewhere};
use crate::errors::detail::{Detail, Step};
use crate::errors::model::{ClientKey, Dropped, Status, Tracked};
use crate::errors::reading::tone_of;
use crate::errors::store::events::{Event, Neighbours};
use crate::errors::store::issues::Linked;
use crate::errors::tags::Tag;
use askama::Template;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::time::{Timestamp, wire};
use spaces::pages::SpaceHead;

/// `<project>/-/error_tracking`.
#[derive(Debug, Template)]
#[template(path = "errors.html")]
pub struct ErrorList {
    pub page: Page,
    pub head: SpaceHead,
    pub is_active: bool,
    pub chosen: Chosen,
    pub elsewhere: Option<Elsewhere>,
    pub errors: Vec<ErrorRow>,
    pub pages: Pages,
}

#[derive(Debug)]
pub struct ErrorRow {
    pub error: Tracked,
    /// Its page, or empty.
    pub url: String,
    /// What people said of it, in the words of its tracker, and its colour.
    pub state: (String, &'static str),
    pub last_seen_at: Moment,
    /// Its events over time; empty where its tracker does not say.
    pub line: Vec<(String, u64)>,
}

impl ErrorList {
    /// Why the tracker elsewhere tells nothing, or empty.
    fn problem(&self) -> &str {
        self.elsewhere.as_ref().map_or("", |it| &it.problem)
    }
}

/// What can be done with an error, and what it then is.
const ACTIONS: [(&str, Status); 3] = [
    ("Resolve", Status::Resolved),
    ("Ignore", Status::Ignored),
    ("Reopen", Status::Unresolved),
];

/// `<project>/-/error_tracking/<id>/details`.
#[derive(Debug, Template)]
#[template(path = "error_details.html")]
pub struct ErrorDetails {
    pub page: Page,
    pub error: Tracked,
    /// Where its forms go.
    pub action: String,
    /// The issue about it that the viewer sees.
    pub issue: Option<Linked>,
    pub can_create_issue: bool,
    /// Only some shall see it, as typed.
    pub confidential: bool,
    pub challenge: Option<Challenge>,
    pub now: Timestamp,
    pub hours: Vec<(String, u64)>,
    pub days: Vec<(String, u64)>,
    /// The event that is shown, unless none is kept.
    pub shown: Option<EventDetails>,
    /// What the newest events have in common, and how many were looked at.
    pub tags: Vec<Tag>,
    pub looked_at: usize,
}

/// An event and those around it.
#[derive(Debug)]
pub struct EventDetails {
    pub event: Event,
    pub detail: Detail,
    pub around: Neighbours,
}

impl ErrorDetails {
    fn actions(&self) -> impl Iterator<Item = (&'static str, Status)> {
        let is_other = |(_, status): &(_, Status)| *status != self.error.status;
        ACTIONS.into_iter().filter(is_other)
    }

    fn at(&self, at: &Timestamp) -> Moment {
        Moment::new(*at, self.now)
    }

    fn tone(&self, event: &Event) -> &'static str {
        tone_of(&event.level)
    }

    /// The page of an event of this error.
    fn event(&self, number: &str) -> String {
        format!("{}/details?event={number}", self.action)
    }
}

impl Step {
    /// The time of day it happened, which is more to the point than how long
    /// ago.
    fn clock(&self) -> Option<(String, String, String)> {
        let at = self.at()?;
        let exact = at.strftime("%-d %b %Y, %H:%M:%S UTC").to_string();
        Some((wire::text(at), exact, at.strftime("%H:%M:%S").to_string()))
    }
}

/// `<project>/-/settings/error_tracking`: saving posts here with `action`
/// `save`, keys are made with `add` and removed with `remove` and `key_id`.
#[derive(Debug, Template)]
#[template(path = "error_settings.html")]
pub struct ErrorSettings {
    pub page: Page,
    pub head: SpaceHead,
    pub base_url: String,
    /// Administrators let no project receive errors here.
    pub is_off: bool,
    pub active: bool,
    pub mode: String,
    pub modes: Vec<Choice>,
    pub api_url: String,
    pub has_token: bool,
    pub errors: Errors,
    pub keys: Vec<ClientKey>,
    pub dropped: Vec<Dropped>,
}

impl ErrorSettings {
    fn token_hint(&self) -> &'static str {
        match self.has_token {
            true => "One is stored encrypted. Left blank, it stays as it is.",
            false => "It needs to read and change issues there. Stored encrypted.",
        }
    }
}
