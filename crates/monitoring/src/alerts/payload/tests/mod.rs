mod any;

use super::mapping::{FieldType, Target, offered};
use super::*;
use crate::alerts::model::UNTITLED;
use serde_json::json;

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn object(value: Value) -> Payload {
    value.as_object().unwrap().clone()
}

fn plain() -> Reading {
    Reading { fingerprints: true, ..Reading::default() }
}

fn generic_with(value: Value, reading: &Reading) -> Incoming {
    alerts(object(value), reading, now()).remove(0)
}

fn generic(value: Value) -> Incoming {
    generic_with(value, &plain())
}

fn group(items: Value) -> Value {
    json!({
        "version": "4", "groupKey": null, "status": "firing", "receiver": "r", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "", "alerts": items,
    })
}

fn metrics(item: Value) -> Vec<Incoming> {
    alerts(object(group(json!([item]))), &plain(), now())
}

fn nested(depth: usize) -> Vec<u8> {
    let mut text = String::from("{\"a\":");
    text.push_str(&"[".repeat(depth - 1));
    text.push_str(&"]".repeat(depth - 1));
    text.push('}');
    text.into_bytes()
}

#[test]
fn only_objects_within_the_limits_are_payloads() {
    for (body, is_payload) in [
        (&b"{}"[..], true),
        (b" {\"a\": 1} ", true),
        (b"", false),
        (b"[]", false),
        (b"null", false),
        (b"1", false),
        (b"\"x\"", false),
        (b"{\"a\": NaN}", false),
        (b"{\"a\": \"\xff\"}", false),
        (b"{\"a\": 1", false),
        (b"title=x", false),
        (b"{\"a\": \"[[[[{{{{\\\"[[\"}", true),
    ] {
        assert_eq!(read(body).is_some(), is_payload, "{}", String::from_utf8_lossy(body));
    }
    assert!(read(&nested(MAX_DEPTH)).is_some());
    assert!(read(&nested(MAX_DEPTH + 1)).is_none());
    let mut large = b"{\"a\": \"".to_vec();
    large.resize(MAX_PAYLOAD - 2, b'x');
    large.extend(b"\"}");
    assert!(read(&large).is_some());
    large.push(b' ');
    assert!(read(&large).is_none());
}

#[test]
fn nul_is_taken_out_of_keys_and_values() {
    let payload = read(br#"{"ti\u0000tle": ["a\u0000b", {"c": "\u0000"}]}"#).unwrap();
    assert_eq!(Value::Object(payload), json!({"title": ["ab", {"c": ""}]}));
}

#[test]
fn only_a_whole_group_is_one_of_the_metrics_tool() {
    let whole = object(group(json!([])));
    assert_eq!(format(&whole), Format::Metrics);
    for key in metrics::KEYS {
        let mut part = whole.clone();
        part.remove(key);
        assert_eq!(format(&part), Format::Generic, "without {key}");
    }
    for (key, value) in [("version", json!(4)), ("version", json!("1.0")), ("alerts", json!({}))] {
        let mut other = whole.clone();
        other.insert(key.into(), value);
        assert_eq!(format(&other), Format::Generic, "{key}");
    }
}

#[test]
fn generic_fields_are_read_leniently() {
    let alert = generic(json!({
        "title": " Disk\r\nfull ", "description": "a\nb", "service": 7, "monitoring_tool": true,
        "hosts": ["a", ["b", 3], null, ""], "severity": " High ", "start_time": "2025-05-05 10:00:00",
        "fingerprint": "x",
    }));
    assert_eq!(alert.title, "Disk  full");
    assert_eq!(alert.description.as_deref(), Some("a\nb"));
    assert_eq!(alert.service.as_deref(), Some("7"));
    assert_eq!(alert.monitoring_tool.as_deref(), Some("true"));
    assert_eq!(alert.hosts, ["a", "b", "3"]);
    assert_eq!(alert.severity, Severity::High);
    assert_eq!(alert.started_at.unwrap().to_string(), "2025-05-05T10:00:00Z");
    assert_eq!((alert.over, alert.source.as_str()), (None, "true"));

    let bare = generic(json!({"title": "", "hosts": "one", "description": {"a": [1]}}));
    assert_eq!(bare.title, UNTITLED);
    assert_eq!(bare.hosts, ["one"]);
    assert_eq!(bare.description.as_deref(), Some("{\"a\":[1]}"));
    assert_eq!((bare.severity, bare.started_at), (Severity::Critical, None));
    assert_eq!(bare.source, "Generic Alert Endpoint");
    let named = Reading { name: "Pager".into(), ..plain() };
    assert_eq!(generic_with(json!({"a": 1}), &named).source, "Pager");
}

#[test]
fn texts_are_cut_and_hosts_dropped() {
    let alert = generic(json!({
        "title": "t".repeat(5_000), "description": "d".repeat(5_000), "service": "s".repeat(101),
        "hosts": (0..10_000).map(|n| format!("host{n}")).collect::<Vec<_>>(),
    }));
    assert_eq!(alert.title, format!("{}...", "t".repeat(197)));
    assert_eq!(alert.description.unwrap(), format!("{}...", "d".repeat(997)));
    assert_eq!(alert.service.unwrap(), format!("{}...", "s".repeat(97)));
    assert_eq!(alert.hosts.concat().len(), 255);
    assert!(alert.hosts.len() < 60);
}

#[test]
fn severities_of_generic_payloads_have_six_names() {
    for (sent, severity) in [
        (json!("critical"), Severity::Critical),
        (json!("INFO"), Severity::Info),
        (json!("unknown"), Severity::Unknown),
        (json!("warning"), Severity::Critical),
        (json!(3), Severity::Critical),
        (json!(null), Severity::Critical),
    ] {
        assert_eq!(generic(json!({"severity": sent})).severity, severity, "{sent}");
    }
}

#[test]
fn an_end_that_can_be_read_ends_it() {
    let over = |end: Value| generic(json!({"a": 1, "end_time": end})).over;
    let at = Some(Some("2025-05-05T10:00:00Z".parse().unwrap()));
    assert_eq!(over(json!("2025-05-05T10:00:00Z")), at);
    assert_eq!(over(json!(1_746_439_200_000_i64)), at);
    assert_eq!(over(json!("1746439200000")), at);
    assert_eq!(over(json!("soon")), None);
    assert_eq!(over(json!("0001-01-01T00:00:00Z")), None);
}

#[test]
fn the_same_but_for_times_and_hosts_is_the_same() {
    let print = |value: Value| generic(value).fingerprint;
    let first = print(json!({"title": "a", "x": {"b": 1, "c": 2}, "hosts": ["h"]}));
    assert!(first.is_some());
    assert_eq!(
        first,
        print(json!({"x": {"c": 2, "b": 1}, "title": "a", "start_time": "2025-01-01"}))
    );
    assert_eq!(
        first,
        print(json!({"title": "a", "x": {"b": 1, "c": 2}, "end_time": "2025-01-01"}))
    );
    assert_ne!(first, print(json!({"title": "a", "x": {"b": 1, "c": 3}})));
    assert_eq!(print(json!({"hosts": ["a"], "title": " "})), None);
    let own = print(json!({"title": "a", "fingerprint": "f"}));
    assert_eq!(own, print(json!({"title": "b", "fingerprint": "f"})));
    assert_ne!(
        print(json!({"fingerprint": ["ab", "c"]})),
        print(json!({"fingerprint": ["a", "bc"]}))
    );
    let off = Reading::default();
    assert_eq!(generic_with(json!({"title": "a"}), &off).fingerprint, None);
    assert_eq!(generic_with(json!({"fingerprint": "f"}), &off).fingerprint, own);
}

#[test]
fn integrations_say_what_tells_alerts_apart() {
    let path = |value: Value| Path::parse(&value).unwrap();
    let by_rule = Reading {
        identity_fields: vec![path(json!(["rule", "id"]))],
        ..plain()
    };
    let print = |value: Value, reading: &Reading| generic_with(value, reading).fingerprint;
    assert_eq!(
        print(json!({"rule": {"id": 7}, "at": 1}), &by_rule),
        print(json!({"rule": {"id": 7}, "at": 2}), &by_rule)
    );
    assert_eq!(print(json!({"at": 2}), &by_rule), None);
    let ignoring = Reading {
        ignored_fields: vec![path(json!(["values", 0])), path(json!("at"))],
        ..plain()
    };
    assert_eq!(
        print(json!({"values": [1, 2], "at": 1}), &ignoring),
        print(json!({"values": [9, 2], "at": 2}), &ignoring)
    );
}

#[test]
fn metrics_items_are_read_as_the_tool_sends_them() {
    let item = json!({
        "status": "firing", "startsAt": "2025-05-05T10:00:00.123456789Z",
        "endsAt": "0001-01-01T00:00:00Z", "fingerprint": "0123456789abcdef",
        "labels": {"alertname": "Down", "severity": "page"},
        "annotations": {"summary": "It is down", "description": "d", "runbook": "https://r"},
        "generatorURL": "http://p/graph?g0.expr=up+%3D%3D+0&g0.tab=1", "extra": 1,
    });
    let alert = metrics(item.clone()).remove(0);
    assert_eq!(alert.title, "It is down");
    assert_eq!((alert.severity, alert.over), (Severity::High, None));
    assert_eq!(alert.monitoring_tool.as_deref(), Some("Prometheus"));
    assert_eq!(alert.payload.get("extra"), None);
    assert_eq!(super::metrics::query(&object(item.clone())).as_deref(), Some("up == 0"));
    let mut other = item.clone();
    other["fingerprint"] = json!("fedcba9876543210");
    assert_ne!(metrics(other).remove(0).fingerprint, alert.fingerprint);
    let mut old = item.clone();
    old.as_object_mut().unwrap().remove("fingerprint");
    let first = metrics(old.clone()).remove(0).fingerprint;
    old["startsAt"] = json!("2025-05-05T11:00:00Z");
    assert_ne!(metrics(old).remove(0).fingerprint, first);
}

#[test]
fn only_the_status_of_an_item_ends_it() {
    let over = |status: Value, ends: &str| {
        let item = json!({"status": status, "endsAt": ends, "startsAt": "x", "labels": {"alertname": "a"}});
        metrics(item).remove(0).over
    };
    let past = "2025-05-05T10:00:00Z";
    let at: Option<Timestamp> = Some(past.parse().unwrap());
    assert_eq!(over(json!("resolved"), past), Some(at));
    assert_eq!(over(json!("resolved"), "0001-01-01T00:00:00Z"), Some(None));
    assert_eq!(over(json!("firing"), past), None);
    assert_eq!(over(json!(null), past), Some(at));
    assert_eq!(over(json!(null), "2027-01-01T00:00:00Z"), None);
    assert_eq!(over(json!(null), "0001-01-01T00:00:00Z"), None);
}

#[test]
fn unusable_items_are_left_out() {
    let ok = json!({"startsAt": "x", "annotations": {"title": "t"}});
    let items = json!([
        1, null, {}, {"startsAt": "x"}, {"annotations": {"title": "t"}}, ok,
        {"startsAt": "", "annotations": {"title": "t"}}, {"startsAt": "x", "annotations": "t"},
    ]);
    let read = alerts(object(group(items)), &plain(), now());
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].title.as_str(), read[0].started_at), ("t", None));
    assert!(alerts(object(group(json!([]))), &plain(), now()).is_empty());
}

#[test]
fn words_of_rules_are_severities() {
    let severity = |word: &str| {
        let item = json!({"startsAt": "x", "labels": {"alertname": "a", "severity": word}});
        metrics(item).remove(0).severity
    };
    for (words, expected) in [
        (
            vec!["critical", "s1", "p1", "emergency", "fatal", "minor", ""],
            Severity::Critical,
        ),
        (vec!["high", "S2", "p2", "major", "page"], Severity::High),
        (vec!["medium", "s3", "p3", "error", "alert"], Severity::Medium),
        (vec!["low", "s4", "p4", "WARN", "warning"], Severity::Low),
        (vec!["info", "s5", "p5", "debug", "information", "notice"], Severity::Info),
    ] {
        for word in words {
            assert_eq!(severity(word), expected, "{word}");
        }
    }
}

#[test]
fn a_mapping_finds_fields_and_falls_back() {
    let mapping = Mapping::parse(&[
        json!({"field_name": "TITLE", "path": ["alerts", 0, "name"], "type": "STRING"}),
        json!({"field_name": "hosts", "path": ["nodes"], "type": "array", "label": "Nodes"}),
        json!({"field_name": "START_TIME", "path": ["at", "0"], "type": "DATETIME"}),
    ])
    .unwrap();
    let reading = Reading { mapping, ..plain() };
    let sent = json!({"alerts": [{"name": "n"}], "nodes": ["a", "b"], "at": {"0": "2025-05-05"}, "title": "t"});
    let alert = generic_with(sent, &reading);
    assert_eq!((alert.title.as_str(), alert.hosts.len()), ("n", 2));
    assert_eq!(alert.started_at.unwrap().to_string(), "2025-05-05T00:00:00Z");
    let other = generic_with(json!({"alerts": [], "title": "t", "at": 7}), &reading);
    assert_eq!((other.title.as_str(), other.started_at), ("t", None));
    assert_eq!(generic_with(json!({"alerts": {"0": {"name": null}}}), &reading).title, UNTITLED);
    let stored = serde_json::to_value(&reading.mapping).unwrap();
    let again: Mapping = serde_json::from_value(stored).unwrap();
    assert_eq!(again, reading.mapping);
}

#[test]
fn unusable_mappings_are_told() {
    for bad in [
        json!({}),
        json!({"field_name": "NOTHING", "path": ["a"]}),
        json!({"field_name": "TITLE"}),
        json!({"field_name": "TITLE", "path": []}),
        json!({"field_name": "TITLE", "path": [null]}),
        json!({"field_name": "TITLE", "path": ["x".repeat(256)]}),
        json!({"field_name": "TITLE", "path": vec!["a"; 101]}),
        json!({"field_name": "TITLE", "path": ["a"], "type": "NUMBER"}),
        json!({"field_name": "TITLE", "path": ["a"], "type": 1}),
        json!(["TITLE"]),
        json!(null),
    ] {
        assert!(Mapping::parse(std::slice::from_ref(&bad)).is_err(), "{bad}");
    }
    assert!(Mapping::parse(&vec![json!({"field_name": "TITLE", "path": ["a"]}); 99]).is_err());
}

#[test]
fn an_example_offers_strings_and_lists() {
    let example = object(json!({
        "a": {"b": [{"c": "x"}]}, "at": "2025-05-05", "n": 1, "t": true, "z": null,
    }));
    let found = offered(&example);
    let shown: Vec<_> = found.iter().map(|one| (one.label.as_str(), one.kind)).collect();
    assert_eq!(
        shown,
        [
            ("a/b", FieldType::Array),
            ("a/b[0]/c", FieldType::String),
            ("at", FieldType::Datetime),
        ]
    );
    let many: Vec<String> = (0..5_000).map(|n| n.to_string()).collect();
    assert_eq!(offered(&object(json!({"many": many}))).len(), mapping::MAX_OFFERED);
}

#[test]
fn a_flat_payload_names_the_way() {
    let flat = flat::of(&json!({"a": {"b": [1, {"c": "x"}]}, "d": null}));
    assert_eq!(Value::Object(flat), json!({"a.b.0": 1, "a.b.1.c": "x", "d": null}));
}
