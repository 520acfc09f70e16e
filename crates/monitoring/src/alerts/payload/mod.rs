//! What monitoring tools send, read into alerts (docs/interface/monitoring.md 1.4 to 1.7, 1.9).
//! No input makes these fail but by saying that it is no payload.

pub mod fingerprint;
pub mod flat;
pub mod generic;
pub mod mapping;
pub mod metrics;
pub(super) mod text;
mod times;

#[cfg(test)]
mod tests;

use super::limits::AlertLimits;
use super::model::{MAX_DEPTH, MAX_PAYLOAD, Severity};
use jiff::Timestamp;
use mapping::{Mapping, Path};
use serde_json::{Map, Value};

/// A payload: always an object.
pub type Payload = Map<String, Value>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One alert in fields of our own naming.
    Generic,
    /// A group of alerts of the metrics tool.
    Metrics,
}

#[derive(Debug, Clone, Default)]
pub struct Reading {
    pub name: String,
    pub mapping: Mapping,
    pub identity_fields: Vec<Path>,
    pub ignored_fields: Vec<Path>,
    /// The whole payload tells alerts apart that have no fingerprint.
    pub fingerprints: bool,
}

impl Reading {
    /// What people call the integration, if they call it anything.
    fn called(&self) -> Option<&str> {
        Some(self.name.trim()).filter(|name| !name.is_empty())
    }

    /// As far as administrators let integrations say it.
    pub fn within(self, limits: &AlertLimits) -> Reading {
        let fingerprints = limits.fingerprints;
        match limits.multiple {
            true => Reading { fingerprints, ..self },
            false => Reading { name: self.name, fingerprints, ..Reading::default() },
        }
    }
}

/// One alert as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    pub title: String,
    pub description: Option<String>,
    pub service: Option<String>,
    pub monitoring_tool: Option<String>,
    pub hosts: Vec<String>,
    pub severity: Severity,
    pub environment: Option<String>,
    /// When it began, if it says so.
    pub started_at: Option<Timestamp>,
    /// That it is over, and when if it says so.
    pub over: Option<Option<Timestamp>>,
    pub fingerprint: Option<String>,
    /// Who notes say sent it.
    pub source: String,
    pub payload: Value,
}

/// The object in a body, if it is one within the limits of size and nesting.
pub fn read(body: &[u8]) -> Option<Payload> {
    if body.len() > MAX_PAYLOAD || depth(body) > MAX_DEPTH {
        return None;
    }
    let mut value: Value = serde_json::from_slice(body).ok()?;
    if contains(body, b"\\u0000") {
        text::strip(&mut value);
    }
    match value {
        Value::Object(payload) => Some(payload),
        _ => None,
    }
}

/// How a payload is read. What has only some of the marks of the metrics tool
/// is generic.
pub fn format(payload: &Payload) -> Format {
    let has_all = metrics::KEYS.iter().all(|key| payload.contains_key(*key));
    let is_metrics = has_all
        && payload.get("version").and_then(Value::as_str) == Some("4")
        && payload.get("alerts").is_some_and(Value::is_array);
    match is_metrics {
        true => Format::Metrics,
        false => Format::Generic,
    }
}

/// The alerts of a payload, in its order; what is unusable is left out.
pub fn alerts(payload: Payload, reading: &Reading, now: Timestamp) -> Vec<Incoming> {
    match format(&payload) {
        Format::Generic => vec![generic::alert(payload, reading)],
        Format::Metrics => metrics::alerts(payload, reading, now),
    }
}

/// How deeply brackets nest outside of strings.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
