//! Where common senders put the fields of an alert, as their payloads are
//! published (contract «Beyond the reference» 10): a start for a mapping that
//! people may change.

use super::payload::mapping::{FieldType, Mapped, Mapping, Path, Target};
use super::rules::integrations::Change;
use serde_json::{Value, json};

kernel::choices! {
    /// A sender whose payloads are known.
    pub enum Preset {
        /// The webhook of its contact points.
        Grafana = "grafana",
        /// HTTP notifications of event definitions.
        Graylog = "graylog",
        /// The webhook of workflows, with its usual template.
        NewRelic = "new_relic",
        /// Webhooks of the third version.
        PagerDuty = "pagerduty",
        /// State change webhooks of uptime checks.
        Pingdom = "pingdom",
        /// Alarms by a topic that delivers raw messages.
        CloudWatch = "cloudwatch",
    }
}

/// A field of an alert, and the way to it in a payload.
type Place = (Target, FieldType, fn() -> Value);

const GRAFANA: &[Place] = &[
    (Target::Title, FieldType::String, || json!(["title"])),
    (Target::Description, FieldType::String, || {
        json!(["message"])
    }),
    (Target::Severity, FieldType::String, || {
        json!(["commonLabels", "severity"])
    }),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["alerts", 0, "startsAt"])
    }),
    // The year 1 while it fires, which is no time.
    (Target::EndTime, FieldType::Datetime, || {
        json!(["alerts", 0, "endsAt"])
    }),
    (Target::Fingerprint, FieldType::String, || {
        json!(["groupKey"])
    }),
];

const GRAYLOG: &[Place] = &[
    (Target::Title, FieldType::String, || {
        json!(["event_definition_title"])
    }),
    (Target::Description, FieldType::String, || {
        json!(["event", "message"])
    }),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["event", "timestamp"])
    }),
    (Target::Hosts, FieldType::String, || {
        json!(["event", "source"])
    }),
];

const NEW_RELIC: &[Place] = &[
    (Target::Title, FieldType::String, || json!(["title"])),
    (Target::Severity, FieldType::String, || json!(["priority"])),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["createdAt"])
    }),
    (Target::Hosts, FieldType::Array, || {
        json!(["impactedEntities"])
    }),
    (Target::Fingerprint, FieldType::String, || json!(["id"])),
];

const PAGERDUTY: &[Place] = &[
    (Target::Title, FieldType::String, || {
        json!(["event", "data", "title"])
    }),
    (Target::Service, FieldType::String, || {
        json!(["event", "data", "service", "summary"])
    }),
    (Target::Severity, FieldType::String, || {
        json!(["event", "data", "urgency"])
    }),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["event", "data", "created_at"])
    }),
    (Target::Fingerprint, FieldType::String, || {
        json!(["event", "data", "id"])
    }),
];

const PINGDOM: &[Place] = &[
    (Target::Title, FieldType::String, || json!(["check_name"])),
    (Target::Description, FieldType::String, || {
        json!(["long_description"])
    }),
    (Target::Severity, FieldType::String, || {
        json!(["importance_level"])
    }),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["state_changed_timestamp"])
    }),
    (Target::Hosts, FieldType::String, || {
        json!(["check_params", "hostname"])
    }),
    (Target::Fingerprint, FieldType::String, || {
        json!(["check_id"])
    }),
];

const CLOUDWATCH: &[Place] = &[
    (Target::Title, FieldType::String, || json!(["AlarmName"])),
    (Target::Description, FieldType::String, || {
        json!(["NewStateReason"])
    }),
    (Target::StartTime, FieldType::Datetime, || {
        json!(["StateChangeTime"])
    }),
    (Target::Fingerprint, FieldType::String, || {
        json!(["AlarmArn"])
    }),
];

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

    /// Where the fields are.
    fn mapping(self) -> Mapping {
        let mut mapping = Mapping::default();
        for (target, kind, way) in self.places() {
            if let Some(path) = Path::parse(&way()) {
                let label = path.label();
                let kind = *kind;
                mapping.insert(*target, Mapped { path, label, kind });
            }
        }
        mapping
    }

    /// Paths whose values alone tell alerts apart, where no field does.
    fn identity(self) -> Vec<Path> {
        let ways = match self {
            Preset::Graylog => vec![json!(["event_definition_id"]), json!(["event", "key"])],
            _ => Vec::new(),
        };
        ways.iter().filter_map(Path::parse).collect()
    }

    /// Fills what nobody said otherwise of.
    pub fn fill(self, change: &mut Change) {
        change.payload_mapping.get_or_insert_with(|| self.mapping());
        change
            .identity_fields
            .get_or_insert_with(|| self.identity());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_named_and_maps_a_title() {
        let named: Vec<&str> = Preset::NAMES
            .iter()
            .skip(1)
            .map(|(value, _)| *value)
            .collect();
        let known: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
        assert_eq!(named, known);
        for preset in Preset::ALL {
            let mapping = preset.mapping();
            assert_eq!(mapping.entries().count(), preset.places().len());
            assert!(mapping.get(Target::Title).is_some(), "{preset}");
        }
    }
}
