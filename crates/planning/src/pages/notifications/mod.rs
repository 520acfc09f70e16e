//! `/-/profile/notifications` and `…/-/notification_settings`: what somebody is told of
//! by mail, everywhere and in one project or group.

mod own;
mod place;
mod views;

use crate::notifications::model::{Digest, EVENTS, Level, NEW_EPIC, SwitchChanges, Switches};
use crate::notifications::rules::Change;
use crate::notifications::store::{Setting, SourceType};
use kernel::html::ui::Choice;
use kernel::http::Routes;

pub use place::menu;

pub fn routes(r: &mut Routes) {
    own::routes(r);
    place::routes(r);
}

kernel::params! {
    /// A form of either page; what it does not send stays.
    #[derive(Default)]
    pub struct Form {
        pub level: Option<String>,
        /// Empty is the primary address, or that above.
        pub notification_email: Option<String>,
        /// Empty is as above.
        pub digest: Option<String>,
        /// Sent with the boxes: those that are not sent are empty.
        pub boxes: Option<bool>,
        pub own_activity: Option<bool>,
        /// Names of events.
        pub events: Option<Vec<String>>,
    }
}

impl Form {
    /// What it changes of a setting.
    fn change(&self, of: SourceType) -> Change {
        let boxes = self.boxes == Some(true);
        let is_on = |event: &str| self.events.iter().flatten().any(|one| one == event);
        let switches = match boxes {
            true => events_of(of).map(|event| (event, Some(is_on(event)))).collect(),
            false => Default::default(),
        };
        let everywhere = boxes && of == SourceType::Global;
        Change {
            level: self.level.clone(),
            email: self.notification_email.clone(),
            switches: SwitchChanges(switches),
            own_activity: everywhere.then_some(self.own_activity == Some(true)),
            digest: self.digest.as_deref().map(Digest::from_text),
        }
    }

    /// A setting as this form, once sent, left it.
    fn over(&self, stored: &Setting) -> Shown {
        let mut shown = Shown::of(stored);
        if let Some(level) = &self.level {
            shown.level.clone_from(level);
        }
        if let Some(email) = &self.notification_email {
            shown.email.clone_from(email);
        }
        if let Some(digest) = &self.digest {
            shown.digest.clone_from(digest);
        }
        let change = self.change(stored.source_type);
        shown.own_activity = change.own_activity.unwrap_or(shown.own_activity);
        shown.switches = change.switches.over(&shown.switches);
        shown
    }
}

/// What the fields of a form hold.
#[derive(Debug, Clone)]
pub struct Shown {
    pub level: String,
    pub email: String,
    pub digest: String,
    pub own_activity: bool,
    switches: Switches,
}

impl Shown {
    fn of(setting: &Setting) -> Shown {
        let everywhere = setting.source_type == SourceType::Global;
        let unset = if everywhere { Digest::Off.as_str() } else { "" };
        let level = match setting.level {
            Level::Global if everywhere => Level::Participating,
            level => level,
        };
        Shown {
            level: level.to_string(),
            email: setting.email.clone().unwrap_or_default(),
            digest: setting.digest.map_or(unset, Digest::as_str).to_owned(),
            own_activity: setting.own_activity,
            switches: setting.switches(),
        }
    }
}

/// A box of the custom level.
#[derive(Debug, Clone)]
pub struct EventBox {
    pub name: &'static str,
    pub label: String,
    pub is_on: bool,
}

fn events_of(of: SourceType) -> impl Iterator<Item = &'static str> {
    let is_there = move |event: &&str| of != SourceType::Project || *event != NEW_EPIC;
    EVENTS.iter().copied().filter(is_there)
}

fn boxes(shown: &Shown, of: SourceType) -> Vec<EventBox> {
    let one = |name: &'static str| EventBox {
        name,
        label: label(name),
        is_on: shown.switches.is_on(name),
    };
    events_of(of).map(one).collect()
}

/// `close_merge_request` as people read it.
fn label(event: &str) -> String {
    let words = event.replace('_', " ");
    let mut chars = words.chars();
    chars
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
}

/// Levels and what they are called, the least first but for the one above.
const LEVELS: &[(&str, &str)] = &[
    ("global", "As set above"),
    ("disabled", "Disabled: no mail"),
    ("mention", "On mention: when somebody names you"),
    ("participating", "Participate: threads you take part in"),
    ("watch", "Watch: everything"),
    ("custom", "Custom: what you choose"),
];

fn levels(of: SourceType) -> Vec<Choice> {
    Choice::list(match of {
        SourceType::Global => &LEVELS[1..],
        SourceType::Group | SourceType::Project => LEVELS,
    })
}

fn digests(of: SourceType) -> Vec<Choice> {
    const DIGESTS: &[(&str, &str)] = &[
        ("", "As set above"),
        ("off", "One mail for each thing"),
        ("daily", "One mail a day"),
        ("weekly", "One mail a week"),
    ];
    Choice::list(match of {
        SourceType::Global => &DIGESTS[1..],
        SourceType::Group | SourceType::Project => DIGESTS,
    })
}
