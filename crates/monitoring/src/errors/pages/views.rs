//! What the pages of the area show, for their templates.

use super::list::{Chosen, Elsewhere};
use crate::errors::detail::Detail;
use crate::errors::model::{ClientKey, Dropped, Status, Tracked};
use crate::errors::store::errors::Newest;
use crate::errors::store::issues::Linked;
use askama::Template;
use identity::pages::challenge::Challenge;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::time::Timestamp;
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
    /// In the words of its tracker.
    pub status: String,
    pub last_seen_at: Moment,
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
    /// The newest event, unless it is no longer kept.
    pub newest: Option<(Newest, Detail)>,
}

impl ErrorDetails {
    fn actions(&self) -> impl Iterator<Item = (&'static str, Status)> {
        let is_other = |(_, status): &(_, Status)| *status != self.error.status;
        ACTIONS.into_iter().filter(is_other)
    }

    fn at(&self, at: &Timestamp) -> Moment {
        Moment::new(*at, self.now)
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
