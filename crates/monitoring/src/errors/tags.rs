//! Which tags the newest events of an error have, and how often: what they
//! have in common tells where to look.

use super::detail;
use super::lenient::Pairs;
use super::store::events::Event;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

/// Events that are looked through, the newest.
pub const EVENTS: i64 = 50;
/// Most bytes of them that are read.
const MAX_BYTES: usize = 4 << 20;
/// Tags of an event that are read.
const MAX_READ: usize = 50;
/// Tags that are told, those that most events have.
const MAX_TAGS: usize = 10;
/// Values of a tag that are told, the most frequent.
const MAX_VALUES: usize = 4;
/// Longest name and value, in characters.
const MAX_TEXT: usize = 100;

/// What the events say of one tag.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    /// Values and how many events have them, the most frequent first.
    pub values: Vec<(String, u64)>,
    /// Events that have others.
    pub others: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tagged {
    tags: Pairs<MAX_READ>,
}

impl Tag {
    /// Events that have it.
    pub fn total(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum::<u64>() + self.others
    }

    /// The same as bars: a name, its part of all events that have the tag.
    pub fn rows(&self) -> Vec<(String, String, u64)> {
        let total = self.total().max(1);
        let row =
            |name: &str, count: u64| (name.to_owned(), format!("{} %", count * 100 / total), count);
        let mut rows: Vec<_> = self.values.iter().map(|(name, count)| row(name, *count)).collect();
        if self.others > 0 {
            rows.push(row("others", self.others));
        }
        rows
    }
}

/// Counts the tags of these events.
pub fn counts(events: &[Event]) -> Vec<Tag> {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let mut room = MAX_BYTES;
    for event in events {
        let mut seen = HashSet::new();
        for (name, value) in tags_of(event, &mut room) {
            let (name, value) = (cut(&name), cut(&value));
            if !value.is_empty() && seen.insert(name.clone()) {
                *found.entry(name).or_default().entry(value).or_default() += 1;
            }
        }
    }
    let mut tags: Vec<Tag> = found.into_iter().map(|(name, values)| tag(name, values)).collect();
    tags.sort_by_key(|tag| std::cmp::Reverse(tag.total()));
    tags.truncate(MAX_TAGS);
    tags
}

/// Names and values, the ones first that every event has.
fn tags_of(event: &Event, room: &mut usize) -> Vec<(String, String)> {
    let own = [
        ("environment", &event.environment),
        ("level", &event.level),
        ("release", &event.release),
    ];
    let mut tags: Vec<(String, String)> =
        own.map(|(name, value)| (name.to_owned(), value.clone())).into();
    if *room > 0 {
        let payload = detail::inflate(&event.payload).unwrap_or_default();
        *room = room.saturating_sub(payload.len());
        let sent: Tagged = serde_json::from_slice(&payload).unwrap_or_default();
        tags.extend(sent.tags.0);
    }
    tags
}

fn tag(name: String, values: BTreeMap<String, u64>) -> Tag {
    let mut values: Vec<(String, u64)> = values.into_iter().collect();
    values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others = values.iter().skip(MAX_VALUES).map(|(_, count)| count).sum();
    values.truncate(MAX_VALUES);
    Tag { name, values, others }
}

fn cut(text: &str) -> String {
    text.trim().chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::ingest::pack;
    use jiff::Timestamp;
    use serde_json::{Value, json};

    fn event(tags: Value) -> Event {
        Event {
            id: 1,
            event_id: String::new(),
            level: "error".into(),
            environment: String::new(),
            release: "1.2".into(),
            occurred_at: Timestamp::UNIX_EPOCH,
            payload: pack(json!({"tags": tags}).to_string().as_bytes()),
        }
    }

    fn named<'t>(tags: &'t [Tag], name: &str) -> &'t Tag {
        tags.iter().find(|tag| tag.name == name).unwrap()
    }

    #[test]
    fn values_are_counted_by_event_the_most_frequent_first() {
        let mut events: Vec<Event> = ["a", "b", "b", "c", "d", "e", "f"]
            .map(|value| event(json!({"browser": value})))
            .into();
        events.push(event(json!([["browser", "b"], ["browser", "a"], ["level", "fatal"]])));
        let tags = counts(&events);
        let browser = named(&tags, "browser");
        assert_eq!(browser.values[0], ("b".to_owned(), 3));
        assert_eq!((browser.values.len(), browser.others, browser.total()), (4, 2, 8));
        assert_eq!(browser.rows()[0], ("b".to_owned(), "37 %".to_owned(), 3));
        assert_eq!(browser.rows()[4].0, "others");
        assert_eq!(named(&tags, "release").values, [("1.2".to_owned(), 8)]);
        // The event says its level itself.
        assert_eq!(named(&tags, "level").values, [("error".to_owned(), 8)]);
        assert!(!tags.iter().any(|tag| tag.name == "environment"));
    }

    #[test]
    fn what_is_odd_or_too_much_is_left_out() {
        let many: serde_json::Map<String, Value> =
            (0..60).map(|n| (format!("tag{n}"), json!("x".repeat(200)))).collect();
        let mut broken = event(json!(7));
        broken.payload = b"no zlib".to_vec();
        let tags = counts(&[event(Value::Object(many)), broken, event(json!(null))]);
        assert_eq!(tags.len(), MAX_TAGS);
        assert!(tags.iter().all(|tag| tag.values[0].0.len() <= MAX_TEXT));
        assert_eq!(tags[0].total(), 3);
    }
}
