//! Groups of alerts as the metrics tool sends them (docs/interface/monitoring.md 1.6). It sends a
//! whole group each time, firing and resolved alerts mixed: only the status of
//! each alert counts.

use super::{Incoming, Payload, Reading, fingerprint, text, times};
use crate::alerts::model::{MAX_DESCRIPTION, MAX_ENVIRONMENT, MAX_TITLE, Severity};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// What every group has.
pub const KEYS: [&str; 9] = [
    "alerts",
    "commonAnnotations",
    "commonLabels",
    "externalURL",
    "groupKey",
    "groupLabels",
    "receiver",
    "status",
    "version",
];
/// What of an alert is kept.
const KEPT: [&str; 8] = [
    "annotations",
    "labels",
    "startsAt",
    "endsAt",
    "generatorURL",
    "generatorUrl",
    "status",
    "fingerprint",
];
/// What the tool is called on the wire.
const TOOL: &str = "Prometheus";

pub fn alerts(group: Payload, reading: &Reading, now: Timestamp) -> Vec<Incoming> {
    let mut group = group;
    let Some(Value::Array(items)) = group.shift_remove("alerts") else {
        return Vec::new();
    };
    let source = reading.called().unwrap_or(TOOL);
    let items = items.into_iter().filter_map(|item| match item {
        Value::Object(item) => alert(item, reading, source, now),
        _ => None,
    });
    items.collect()
}

fn alert(item: Payload, reading: &Reading, source: &str, now: Timestamp) -> Option<Incoming> {
    let title = title(&item)?;
    let starts = item.get("startsAt").and_then(text::of)?;
    let description = value(&item, "annotations", "description").and_then(text::of);
    let severity = value(&item, "labels", "severity").and_then(text::of);
    let environment = value(&item, "labels", "service_environment_name").and_then(text::of);
    Some(Incoming {
        description: description.map(|text| text::lines(&text, MAX_DESCRIPTION)),
        service: None,
        monitoring_tool: Some(TOOL.to_owned()),
        hosts: Vec::new(),
        severity: severity_of(&severity.unwrap_or_default()),
        environment: environment.map(|name| text::line(&name, MAX_ENVIRONMENT)),
        started_at: item.get("startsAt").and_then(times::of),
        over: over(&item, now),
        fingerprint: identity(&item, reading, &starts, &title),
        source: source.to_owned(),
        title: text::line(&title, MAX_TITLE),
        payload: Value::Object(item.into_iter().filter(is_kept).collect()),
    })
}

fn is_kept((key, _): &(String, Value)) -> bool {
    KEPT.contains(&key.as_str())
}

fn value<'i>(item: &'i Payload, of: &str, name: &str) -> Option<&'i Value> {
    item.get(of)
        .and_then(Value::as_object)
        .and_then(|fields: &Map<_, _>| fields.get(name))
}

fn title(item: &Payload) -> Option<String> {
    [("annotations", "title"), ("annotations", "summary"), ("labels", "alertname")]
        .into_iter()
        .find_map(|(of, name)| value(item, of, name).and_then(text::of))
}

/// That it is over. A firing alert carries an end, too: the year 1.
fn over(item: &Payload, now: Timestamp) -> Option<Option<Timestamp>> {
    let ends_at = item.get("endsAt").and_then(times::of);
    match item.get("status").and_then(text::of) {
        Some(status) => (status.trim().eq_ignore_ascii_case("resolved")).then_some(ends_at),
        None => ends_at.filter(|at| *at <= now).map(Some),
    }
}

/// The tool's own fingerprint, for two instances of one rule that fire at once
/// differ in nothing else.
fn identity(item: &Payload, reading: &Reading, starts: &str, title: &str) -> Option<String> {
    if !reading.identity_fields.is_empty() {
        return fingerprint::of_fields(item, &reading.identity_fields);
    }
    if let Some(own) = item.get("fingerprint").and_then(text::of) {
        return fingerprint::of(&Value::String(own));
    }
    let plain = format!("{starts}/{title}/{}", query(item).unwrap_or_default());
    fingerprint::of(&Value::String(plain))
}

/// What the rule asks of the metrics, as the address of its chart tells.
pub fn query(item: &Payload) -> Option<String> {
    let url = item.get("generatorURL").or_else(|| item.get("generatorUrl"))?;
    let url = url::Url::parse(url.as_str()?).ok()?;
    let expression = url.query_pairs().find(|(key, _)| key == "g0.expr")?.1;
    (!expression.trim().is_empty()).then(|| expression.into_owned())
}

/// How bad it is by the words that rules use (docs/interface/monitoring.md 1.6).
fn severity_of(word: &str) -> Severity {
    match word.trim().to_ascii_lowercase().as_str() {
        "high" | "s2" | "p2" | "major" | "page" => Severity::High,
        "medium" | "s3" | "p3" | "error" | "alert" => Severity::Medium,
        "low" | "s4" | "p4" | "warn" | "warning" => Severity::Low,
        "info" | "s5" | "p5" | "debug" | "information" | "notice" => Severity::Info,
        _ => Severity::Critical,
    }
}
