//! What holds of any payload.

use super::*;
use crate::alerts::payload::mapping::Mapped;
use proptest::prelude::*;

/// Any JSON, with the words that mean something now and then.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("title".to_owned()),
        Just("alerts".to_owned()),
        Just("startsAt".to_owned()),
        Just("annotations".to_owned()),
        Just("labels".to_owned()),
        Just("end_time".to_owned()),
        Just("hosts".to_owned()),
        Just("2025-01-01T00:00:00Z".to_owned()),
        Just("0".to_owned()),
        ".{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn holds(alert: &Incoming) {
    assert!((1..=200).contains(&alert.title.chars().count()), "{:?}", alert.title);
    assert!(!alert.title.chars().any(char::is_control));
    assert!(alert.hosts.concat().chars().count() <= 255);
    let long = |text: &Option<String>, most| text.as_deref().unwrap_or("").chars().count() > most;
    assert!(!long(&alert.description, 1_000) && !long(&alert.service, 100));
    assert!(alert.fingerprint.as_ref().is_none_or(|print| print.len() == 40));
    let whole = |at: &Timestamp| at.as_nanosecond() % 1_000 == 0;
    assert!(alert.started_at.as_ref().is_none_or(whole));
    assert!(!alert.payload.to_string().contains("\\u0000"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(payload) = read(&bytes) {
            alerts(payload, &plain(), now()).iter().for_each(holds);
        }
    }

    #[test]
    fn any_json_is_an_alert_within_the_limits(value in any_json(), entries in prop::collection::vec(any_json(), 0..4)) {
        let mapping = Mapping::parse(&entries).unwrap_or_default();
        let reading = Reading { mapping, ..plain() };
        let generic = json!({"a": value.clone()});
        let group = group(json!([value.clone(), {"startsAt": value.clone(), "annotations": {"title": value.clone()}, "labels": value.clone()}]));
        for payload in [value, generic, group] {
            if let Some(payload) = read(payload.to_string().as_bytes()) {
                let copy = payload.clone();
                let read = alerts(payload, &reading, now());
                read.iter().for_each(holds);
                prop_assert_eq!(read, alerts(copy.clone(), &reading, now()));
                prop_assert!(flat::of(&Value::Object(copy)).len() <= 500);
            }
        }
    }

    #[test]
    fn what_an_example_offers_is_found_in_it(value in any_json()) {
        if let Some(example) = read(json!({"top": value}).to_string().as_bytes()) {
            for Mapped { path, label, kind } in offered(&example) {
                let found = path.find(&example);
                prop_assert!(found.is_some(), "{} is not there", label);
                let is_list = found.is_some_and(Value::is_array);
                prop_assert_eq!(is_list, kind == FieldType::Array);
                let sent = json!({"field_name": Target::Title, "path": path, "label": label, "type": kind});
                let mapping = Mapping::parse(std::slice::from_ref(&sent));
                let long = sent["path"].as_array().unwrap().iter()
                    .any(|step| step.as_str().is_some_and(|key| key.chars().count() > 255));
                prop_assert_eq!(mapping.is_ok(), !long);
                let mut rest = example.clone();
                path.remove(&mut rest);
                prop_assert!(path.find(&rest).is_none() || kind == FieldType::Array || rest != example);
            }
        }
    }

    #[test]
    fn order_of_keys_does_not_matter(value in any_json()) {
        let reversed = reverse(&value);
        prop_assert_eq!(fingerprint::of(&value), fingerprint::of(&reversed));
    }
}

fn reverse(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().rev().map(|(key, value)| (key.clone(), reverse(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(values) => values.iter().map(reverse).collect(),
        other => other.clone(),
    }
}
