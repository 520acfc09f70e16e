//! Payloads in fields of our own naming, or wherever a mapping finds them
//! (docs/interface/monitoring.md 1.5).

use super::mapping::Target;
use super::{Incoming, Payload, Reading, fingerprint, text, times};
use crate::alerts::model::{
    MAX_DESCRIPTION, MAX_ENVIRONMENT, MAX_TITLE, MAX_WORD, Severity, UNTITLED,
};
use serde_json::Value;

/// Who notes say sent what does not say so itself.
const SOURCE: &str = "Generic Alert Endpoint";
/// Fields that change while an alert goes on.
const CHANGING: [Target; 3] = [Target::StartTime, Target::EndTime, Target::Hosts];

pub fn alert(payload: Payload, reading: &Reading) -> Incoming {
    let value = |target| reading.mapping.value(&payload, target);
    let word = |target, most| {
        let text = value(target).and_then(text::of);
        text.map(|text| text::line(&text, most))
    };
    let monitoring_tool = word(Target::MonitoringTool, MAX_WORD);
    let source = monitoring_tool.as_deref().or(reading.called());
    let source = source.unwrap_or(SOURCE);
    let ended_at = value(Target::EndTime).and_then(times::of);
    Incoming {
        title: word(Target::Title, MAX_TITLE).unwrap_or_else(|| UNTITLED.to_owned()),
        description: value(Target::Description)
            .and_then(text::of)
            .map(|text| text::lines(&text, MAX_DESCRIPTION)),
        service: word(Target::Service, MAX_WORD),
        hosts: value(Target::Hosts).map(text::hosts).unwrap_or_default(),
        severity: severity(value(Target::Severity)),
        environment: word(Target::ServiceEnvironmentName, MAX_ENVIRONMENT),
        started_at: value(Target::StartTime).and_then(times::of),
        over: ended_at.map(Some),
        fingerprint: identity(&payload, reading),
        source: source.to_owned(),
        monitoring_tool,
        payload: Value::Object(payload),
    }
}

fn severity(value: Option<&Value>) -> Severity {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    Severity::from_text(&text.trim().to_ascii_lowercase()).unwrap_or(Severity::Critical)
}

/// What tells it from others: what it says itself, else what the integration
/// says, else all of it but what changes.
fn identity(payload: &Payload, reading: &Reading) -> Option<String> {
    if !reading.identity_fields.is_empty() {
        return fingerprint::of_fields(payload, &reading.identity_fields);
    }
    let sent = reading.mapping.value(payload, Target::Fingerprint);
    if let Some(own) = sent.and_then(fingerprint::of) {
        return Some(own);
    }
    if !reading.fingerprints {
        return None;
    }
    let mut rest = payload.clone();
    for target in CHANGING {
        rest.shift_remove(target.field());
        if let Some(mapped) = reading.mapping.get(target) {
            mapped.path.remove(&mut rest);
        }
    }
    for path in &reading.ignored_fields {
        path.remove(&mut rest);
    }
    fingerprint::of(&Value::Object(rest))
}
