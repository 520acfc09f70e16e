//! Levels, events, and who is told of what (docs/interface/collaboration.md 3).

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use kernel::http::params::{Field, FromParams, Param, Patch, Source};
use kernel::time::{Date, Timestamp, date_of};
use std::collections::BTreeMap;

kernel::choices! {
    /// How much somebody wants to be told.
    pub enum Level {
        Disabled = "disabled",
        Participating = "participating",
        Watch = "watch",
        Global = "global",
        Mention = "mention",
        Custom = "custom",
    }
}

kernel::choices! {
    /// Whether what somebody is told waits for one mail.
    pub enum Digest { Off = "off", Daily = "daily", Weekly = "weekly" }
}

impl Digest {
    /// When the mail goes that news of now wait for: at six in the morning of the
    /// server, weekly ones on Mondays. None where they do not wait.
    pub fn due(self, now: Timestamp) -> Option<Timestamp> {
        let days: fn(Date) -> i8 = match self {
            Digest::Off => return None,
            Digest::Daily => |_| 1,
            Digest::Weekly => |day| 7 - day.weekday().since(Weekday::Monday),
        };
        let today = date_of(now);
        let six = |day: Date| {
            let at = day.to_datetime(Time::constant(6, 0, 0, 0)).to_zoned(TimeZone::UTC);
            at.map(|at| at.timestamp()).ok()
        };
        let is_day = self == Digest::Daily || today.weekday() == Weekday::Monday;
        match six(today).filter(|at| is_day && now < *at) {
            Some(at) => Some(at),
            None => {
                let span: Span = i64::from(days(today)).days();
                six(today.checked_add(span).ok()?)
            }
        }
    }
}

/// What a custom level may ask for, in the order in which it is shown.
pub const EVENTS: &[&str] = &[
    "new_release",
    "new_note",
    "new_issue",
    "reopen_issue",
    "close_issue",
    "reassign_issue",
    "issue_due",
    "new_merge_request",
    "push_to_merge_request",
    "reopen_merge_request",
    "close_merge_request",
    "reassign_merge_request",
    "change_reviewer_merge_request",
    "merge_merge_request",
    "failed_pipeline",
    "fixed_pipeline",
    "success_pipeline",
    "moved_project",
    "merge_when_pipeline_succeeds",
    "approver",
    NEW_EPIC,
];

/// An event of groups alone.
pub const NEW_EPIC: &str = "new_epic";

/// Events that count as asked for unless they are refused.
const ON_UNLESS_REFUSED: &[&str] = &["failed_pipeline", "fixed_pipeline", "moved_project"];

/// Which events somebody switched on or off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Switches(pub BTreeMap<String, bool>);

impl Switches {
    pub fn is_on(&self, event: &str) -> bool {
        let set = self.0.get(event).copied();
        set.unwrap_or_else(|| ON_UNLESS_REFUSED.contains(&event))
    }
}

/// Changes of switches: null is as if it had never been switched.
#[derive(Debug, Clone, Default)]
pub struct SwitchChanges(pub BTreeMap<&'static str, Option<bool>>);

impl SwitchChanges {
    pub fn over(&self, before: &Switches) -> Switches {
        let mut after = before.clone();
        for (event, switch) in &self.0 {
            match switch {
                Some(on) => after.0.insert((*event).to_owned(), *on),
                None => after.0.remove(*event),
            };
        }
        after
    }
}

impl FromParams for SwitchChanges {
    fn from_params(source: &Source) -> Result<Self, Vec<String>> {
        let (mut changes, mut errors) = (BTreeMap::new(), Vec::new());
        for event in EVENTS {
            match Patch::<bool>::read(source, event, &mut errors) {
                Some(Patch::Value(on)) => changes.insert(*event, Some(on)),
                Some(Patch::Null) => changes.insert(*event, None),
                Some(Patch::Absent) | None => None,
            };
        }
        match errors.is_empty() {
            true => Ok(SwitchChanges(changes)),
            false => Err(errors),
        }
    }

    fn fields() -> Vec<Field> {
        let field = |event: &&'static str| {
            Patch::<bool>::declared(event, "Whether mail is sent of it at the custom level.")
        };
        EVENTS.iter().flat_map(field).collect()
    }
}

/// What happened, as far as it decides who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happened {
    /// The switch of the custom level.
    pub event: &'static str,
    /// Who watches is told.
    pub is_watched: bool,
}

/// How somebody is tied to what something happened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tie {
    /// They asked to be told of this one.
    Subscribed,
    /// The text names them.
    Mentioned,
    /// They wrote it, are assigned to it, or wrote about it.
    TakesPart,
    /// They may see it, and nothing more.
    None,
}

/// Whether somebody with this level and these switches is told.
pub fn is_told(level: Level, switches: &Switches, tie: Tie, happened: Happened) -> bool {
    let asked = match level {
        Level::Watch => happened.is_watched,
        Level::Custom => switches.is_on(happened.event),
        _ => false,
    };
    match (tie, level) {
        (Tie::Subscribed, _) => true,
        (_, Level::Disabled) => false,
        (Tie::Mentioned, _) => true,
        (Tie::TakesPart, Level::Mention) => false,
        (Tie::TakesPart, _) => true,
        (Tie::None, _) => asked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_goes_on_the_next_morning_of_its_kind() {
        // A Wednesday, and the Monday after it.
        for (now, daily, weekly) in [
            ("2026-01-07T05:59:59Z", "2026-01-07T06:00:00Z", "2026-01-12T06:00:00Z"),
            ("2026-01-07T06:00:00Z", "2026-01-08T06:00:00Z", "2026-01-12T06:00:00Z"),
            ("2026-01-11T23:00:00Z", "2026-01-12T06:00:00Z", "2026-01-12T06:00:00Z"),
            ("2026-01-12T05:00:00Z", "2026-01-12T06:00:00Z", "2026-01-12T06:00:00Z"),
            ("2026-01-12T06:00:00Z", "2026-01-13T06:00:00Z", "2026-01-19T06:00:00Z"),
        ] {
            let now: Timestamp = now.parse().unwrap();
            assert_eq!(Digest::Daily.due(now), Some(daily.parse().unwrap()), "{now}");
            assert_eq!(Digest::Weekly.due(now), Some(weekly.parse().unwrap()), "{now}");
            assert_eq!(Digest::Off.due(now), None);
        }
    }
}
