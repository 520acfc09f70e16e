//! Where common senders put the fields of an alert, as their payloads are
//! published (docs/interface/monitoring.md «Beyond the reference» 10): a start for a mapping that
//! people may change.

use super::payload::mapping::{FieldType, Mapped, Mapping, Path, Target};
use super::rules::integrations::Change;
use serde_json::json;

kernel::choices! {
    /// A sender whose payloads are known.
    pub enum Preset {
        /// The webhook of its contact points.
        Grafana = "grafana",
        /// HTTP notifications of event definitions.
        Graylog = "graylog",
        /// The webhook of workflows, with its default template: as Sekoia.io's
        /// guide to New Relic Alerts quotes it, and Zulip's tests of its New
        /// Relic integration (`incident_closed_default_payload.json`) send it.
        NewRelic = "new_relic",
        /// Webhooks of the third version.
        PagerDuty = "pagerduty",
        /// State change webhooks of uptime checks.
        Pingdom = "pingdom",
        /// Alarms by a topic that delivers raw messages.
        CloudWatch = "cloudwatch",
    }
}

/// A field of an alert, and the way to it in a payload: keys, and places in
/// lists, with points between them.
type Place = (Target, FieldType, &'static str);

const GRAFANA: &[Place] = &[
    (Target::Title, FieldType::String, "title"),
    (Target::Description, FieldType::String, "message"),
    (Target::Severity, FieldType::String, "commonLabels.severity"),
    (Target::StartTime, FieldType::Datetime, "alerts.0.startsAt"),
    // The year 1 while it fires, which is no time.
    (Target::EndTime, FieldType::Datetime, "alerts.0.endsAt"),
    (Target::Fingerprint, FieldType::String, "groupKey"),
];

const GRAYLOG: &[Place] = &[
    (Target::Title, FieldType::String, "event_definition_title"),
    (Target::Description, FieldType::String, "event.message"),
    (Target::StartTime, FieldType::Datetime, "event.timestamp"),
    (Target::Hosts, FieldType::String, "event.source"),
];

const NEW_RELIC: &[Place] = &[
    (Target::Title, FieldType::String, "title"),
    (Target::Severity, FieldType::String, "priority"),
    (Target::StartTime, FieldType::Datetime, "createdAt"),
    // Not in the default template, which says no time when it is over: who
    // adds `"closedAt": {{ json closedAt }}` has alerts end.
    (Target::EndTime, FieldType::Datetime, "closedAt"),
    (Target::Hosts, FieldType::Array, "impactedEntities"),
    (Target::Fingerprint, FieldType::String, "id"),
];

const PAGERDUTY: &[Place] = &[
    (Target::Title, FieldType::String, "event.data.title"),
    (Target::Service, FieldType::String, "event.data.service.summary"),
    (Target::Severity, FieldType::String, "event.data.urgency"),
    (Target::StartTime, FieldType::Datetime, "event.data.created_at"),
    (Target::Fingerprint, FieldType::String, "event.data.id"),
];

const PINGDOM: &[Place] = &[
    (Target::Title, FieldType::String, "check_name"),
    (Target::Description, FieldType::String, "long_description"),
    (Target::Severity, FieldType::String, "importance_level"),
    (Target::StartTime, FieldType::Datetime, "state_changed_timestamp"),
    (Target::Hosts, FieldType::String, "check_params.hostname"),
    (Target::Fingerprint, FieldType::String, "check_id"),
];

const CLOUDWATCH: &[Place] = &[
    (Target::Title, FieldType::String, "AlarmName"),
    (Target::Description, FieldType::String, "NewStateReason"),
    (Target::StartTime, FieldType::Datetime, "StateChangeTime"),
    (Target::Fingerprint, FieldType::String, "AlarmArn"),
];

/// The path of a way that is written with points.
fn path(way: &str) -> Option<Path> {
    let step = |step: &str| match step.parse::<u64>() {
        Ok(place) => json!(place),
        Err(_) => json!(step),
    };
    Path::parse(&way.split('.').map(step).collect())
}

impl Preset {
    /// Its values and names, as pages choose among them.
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("", "None"),
        ("grafana", "Grafana"),
        ("graylog", "Graylog"),
        ("new_relic", "New Relic"),
        ("pagerduty", "PagerDuty"),
        ("pingdom", "Pingdom"),
        ("cloudwatch", "CloudWatch"),
    ];

    /// What people call it.
    pub fn label(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(value, _)| *value == self.as_str());
        named.map_or("", |(_, name)| *name)
    }

    /// Whose payloads a mapping reads, if it is as one of these fills it.
    pub fn of(mapping: &Mapping) -> Option<Preset> {
        Preset::ALL.iter().copied().find(|preset| preset.mapping() == *mapping)
    }

    fn places(self) -> &'static [Place] {
        match self {
            Preset::Grafana => GRAFANA,
            Preset::Graylog => GRAYLOG,
            Preset::NewRelic => NEW_RELIC,
            Preset::PagerDuty => PAGERDUTY,
            Preset::Pingdom => PINGDOM,
            Preset::CloudWatch => CLOUDWATCH,
        }
    }

    fn mapping(self) -> Mapping {
        let mut mapping = Mapping::default();
        for (target, kind, way) in self.places() {
            if let Some(path) = path(way) {
                let label = path.label();
                let kind = *kind;
                mapping.insert(*target, Mapped { path, label, kind });
            }
        }
        mapping
    }

    /// Paths whose values alone tell alerts apart, where no field does.
    fn identity(self) -> Vec<Path> {
        let ways: &[&str] = match self {
            Preset::Graylog => &["event_definition_id", "event.key"],
            _ => &[],
        };
        ways.iter().filter_map(|way| path(way)).collect()
    }

    /// Fills what nobody said otherwise of.
    pub fn fill(self, change: &mut Change) {
        change.payload_mapping.get_or_insert_with(|| self.mapping());
        change.identity_fields.get_or_insert_with(|| self.identity());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alerts::model::Severity;
    use crate::alerts::payload::{Reading, generic};
    use serde_json::Value;

    #[test]
    fn every_preset_is_named_and_maps_a_title() {
        let named: Vec<&str> = Preset::NAMES.iter().skip(1).map(|(value, _)| *value).collect();
        let known: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
        assert_eq!(named, known);
        for preset in Preset::ALL {
            let mapping = preset.mapping();
            assert_eq!(mapping.entries().count(), preset.places().len());
            assert!(mapping.get(Target::Title).is_some(), "{preset}");
            assert_eq!(Preset::of(&mapping), Some(*preset));
            assert!(!preset.label().is_empty());
        }
        assert_eq!(Preset::of(&Mapping::default()), None);
    }

    #[test]
    fn what_new_relic_sends_by_default_is_read() {
        let reading = Reading { mapping: Preset::NewRelic.mapping(), ..Reading::default() };
        let sent = json!({"id": "0e5c-41", "issueUrl": "https://radar.example/0e5c-41",
            "title": "CPU of web-1 is above 90 % for 5 minutes", "priority": "HIGH",
            "impactedEntities": ["web-1", "web-2"], "totalIncidents": 2, "state": "ACTIVATED",
            "trigger": "STATE_CHANGE", "isCorrelated": false, "createdAt": 1_713_766_590_228_i64,
            "updatedAt": 1_713_766_657_383_i64, "sources": ["newrelic"], "alertPolicyNames": ["Web"],
            "alertConditionNames": ["High CPU"], "workflowName": "Web"});
        let read = |sent: &Value| {
            let payload = sent.as_object().cloned().unwrap_or_default();
            generic::alert(payload, &reading)
        };
        let begun = read(&sent);
        assert_eq!(begun.title, "CPU of web-1 is above 90 % for 5 minutes");
        assert_eq!((begun.severity, begun.over), (Severity::High, None));
        assert_eq!(begun.hosts, ["web-1", "web-2"]);
        let started = begun.started_at.map(|at| at.as_millisecond());
        assert_eq!(started, Some(1_713_766_590_228));

        let mut later = sent.clone();
        later["state"] = json!("CLOSED");
        later["closedAt"] = json!(1_713_766_700_000_i64);
        let over = read(&later);
        let ended = over.over.flatten().map(|at| at.as_millisecond());
        assert_eq!(ended, Some(1_713_766_700_000));
        assert_eq!(over.fingerprint, begun.fingerprint);
        later["closedAt"] = json!(null);
        assert_eq!(read(&later).over, None);
    }
}
