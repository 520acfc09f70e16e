//! Events as SDKs send them, and what is kept of one (docs/interface/monitoring.md 6.4).
//!
//! [`Event::parse`] reads what grouping and lists need; the whole payload is
//! kept beside it for the page of the error. Pure: no clock, no database.

use super::fault::Fault;
use super::lenient::{Instant, Last, Maybe, Text};
use super::payload::{Chain, Exception, LogEntry, Message};
use kernel::time::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Longest name, culprit and the like, in characters.
pub const MAX_NAME: usize = 255;
pub const MAX_DESCRIPTION: usize = 1_024;
/// Frames that are looked through for the last one that can be read.
const MAX_ODD: usize = 10;
/// Most parts of a fingerprint that a client sets.
const MAX_FINGERPRINT: usize = 100;
/// Name of errors that are messages, not exceptions.
pub const MESSAGE: &str = "Log Message";
/// Stands in a fingerprint for the usual one.
const DEFAULT_PART: &str = "{{ default }}";
/// What clients send for the address they call from.
const AUTO_ADDRESS: &str = "{{auto}}";

kernel::choices! {
    pub enum Level {
        Fatal = "fatal",
        Error = "error",
        Warning = "warning",
        Info = "info",
        Debug = "debug",
    }
}

/// What is kept of an event beside its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its number, 32 hex digits; none if the client gave none.
    pub event_id: Option<String>,
    /// Type of the exception, or [`MESSAGE`].
    pub name: String,
    pub description: String,
    /// Where it happened: the transaction, or function and module.
    pub actor: String,
    /// Language or runtime; empty if unknown.
    pub platform: String,
    pub level: Level,
    /// What logged it; empty if unknown.
    pub logger: String,
    pub environment: String,
    /// Version of what ran; empty if unknown.
    pub release: String,
    pub occurred_at: Option<Timestamp>,
    /// Digest of whom it happened to.
    pub user: Option<Vec<u8>>,
    /// Equal for events of the same error.
    pub fingerprint: Vec<u8>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EventPayload {
    event_id: Text,
    timestamp: Instant,
    platform: Text,
    level: Text,
    environment: Text,
    release: Text,
    transaction: Text,
    culprit: Text,
    logger: Text,
    message: Message,
    logentry: Maybe<LogEntry>,
    exception: Chain<Frame, MAX_ODD>,
    user: Maybe<Person>,
    fingerprint: Last<Text, MAX_FINGERPRINT>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Frame {
    function: Text,
    module: Text,
    filename: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Person {
    id: Text,
    email: Text,
    username: Text,
    ip_address: Text,
}

/// `function(module)` of the innermost frame.
fn place(exception: &Exception<Frame, MAX_ODD>) -> String {
    let trace = exception.stacktrace.0.as_ref();
    let frame = trace.and_then(|trace| trace.frames().next_back());
    let Some(frame) = frame else {
        return String::new();
    };
    let file = frame.module.filled().or(frame.filename.filled());
    match (frame.function.filled(), file) {
        (Some(function), Some(file)) => format!("{function}({file})"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    }
}

impl Event {
    /// Reads an event; `peer` is the address it came from.
    pub fn parse(payload: &[u8], peer: &str) -> Result<Event, Fault> {
        if !payload.trim_ascii_start().starts_with(b"{") {
            return Err(Fault::Malformed("the event is not a JSON object"));
        }
        let sent: EventPayload = serde_json::from_slice(payload)
            .map_err(|_| Fault::Malformed("the event is not readable"))?;
        sent.into_event(peer)
    }
}

/// What an event tells, before it is cut to what columns hold.
struct EventSummary {
    name: String,
    description: String,
    actor: String,
    /// What distinguishes messages: the text before anything is put in.
    template: Option<String>,
}

impl EventPayload {
    fn told(&self) -> Option<EventSummary> {
        let exception = self.exception.0.last().filter(|one| one.is_told());
        let named = self.transaction.filled().or(self.culprit.filled());
        let at = || exception.map(place).unwrap_or_default();
        let actor = named.map_or_else(at, str::to_owned);
        if let Some(exception) = exception {
            return Some(EventSummary {
                name: exception.kind.filled().unwrap_or("Error").to_owned(),
                description: exception.value.0.clone().unwrap_or_default(),
                actor,
                template: None,
            });
        }
        let entries = [self.logentry.0.as_ref(), self.message.0.as_ref()];
        let entry = entries
            .into_iter()
            .flatten()
            .find(|entry| entry.message.filled().or(entry.formatted.filled()).is_some())?;
        let text = entry.formatted.filled().or(entry.message.filled())?;
        let template = entry.message.filled().unwrap_or(text);
        Some(EventSummary {
            name: MESSAGE.to_owned(),
            description: text.lines().next().unwrap_or_default().to_owned(),
            actor,
            template: Some(template.to_owned()),
        })
    }

    fn into_event(self, peer: &str) -> Result<Event, Fault> {
        let told = self
            .told()
            .ok_or(Fault::Malformed("the event has neither exception nor message"))?;
        let platform = self.platform.filled().unwrap_or_default().to_owned();
        if platform.chars().count() > MAX_NAME {
            return Err(Fault::Malformed("the platform is too long"));
        }
        let (name, actor) = (cut(told.name, MAX_NAME), cut(told.actor, MAX_NAME));
        let usual = json!([name, actor, platform, told.template]);
        let short = |text: &Text| cut(text.0.clone().unwrap_or_default(), MAX_NAME);
        Ok(Event {
            event_id: self.event_id.filled().and_then(number),
            fingerprint: fingerprint(&self.fingerprint, usual),
            description: cut(told.description, MAX_DESCRIPTION),
            level: level(&self.level),
            logger: short(&self.logger),
            environment: match short(&self.environment) {
                empty if empty.is_empty() => "production".into(),
                environment => environment,
            },
            release: short(&self.release),
            occurred_at: self.timestamp.0,
            user: self.user.0.as_ref().and_then(|user| user.digest(peer)),
            name,
            actor,
            platform,
        })
    }
}

impl Person {
    /// Whom the event happened to, as far as it must be told from others.
    fn digest(&self, peer: &str) -> Option<Vec<u8>> {
        let address = match self.ip_address.filled() {
            Some(AUTO_ADDRESS) => Some(peer),
            sent => sent,
        };
        let known = [
            ("id", self.id.filled()),
            ("email", self.email.filled()),
            ("username", self.username.filled()),
            ("ip", address),
        ];
        let (kind, value) =
            known.into_iter().find_map(|(kind, value)| value.map(|value| (kind, value)))?;
        Some(digest(&json!([kind, value])))
    }
}

/// Reads an event's number, with dashes or without: 32 hex digits.
pub fn number(text: &str) -> Option<String> {
    let digits = text.trim().replace('-', "").to_ascii_lowercase();
    let is_one = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_one.then_some(digits)
}

fn level(sent: &Text) -> Level {
    let text = sent.filled().unwrap_or_default().to_ascii_lowercase();
    match text.as_str() {
        // As older clients call them.
        "critical" => Level::Fatal,
        "warn" => Level::Warning,
        "log" => Level::Info,
        text => Level::from_text(text).unwrap_or(Level::Error),
    }
}

/// The digest of what makes events one error: the usual key, or what the
/// client sets in its place.
fn fingerprint(sent: &Last<Text, MAX_FINGERPRINT>, usual: Value) -> Vec<u8> {
    let parts: Vec<Value> = sent
        .0
        .iter()
        .filter_map(|part| part.0.as_deref())
        .map(|part| match part.trim() {
            DEFAULT_PART | "{{default}}" => usual.clone(),
            _ => json!(part),
        })
        .collect();
    match parts.as_slice() {
        [] => digest(&usual),
        [only] if *only == usual => digest(&usual),
        _ => digest(&Value::Array(parts)),
    }
}

fn digest(value: &Value) -> Vec<u8> {
    Sha256::digest(value.to_string().as_bytes()).to_vec()
}

fn cut(mut text: String, most: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
    }
    text
}

#[cfg(test)]
mod tests;
