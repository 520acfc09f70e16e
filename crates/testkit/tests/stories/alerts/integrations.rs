//! Integrations: names, keys, mappings, trials, logs (docs/interface/monitoring.md 1.1, 1.9).

use crate::alerts::graphql::done;
use crate::alerts::{Desk, administer};
use serde_json::json;

#[testkit::story]
async fn integrations_are_made_shown_changed_and_removed(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let all = desk.project.at("/alert_management/http_integrations");
    let made = &desk.integration;
    let id = made["endpoint_identifier"].as_str().unwrap();
    let is_hex =
        |text: &str, length| text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(is_hex(id, 16) && is_hex(desk.token(), 32), "{made}");
    let url = format!("{}/acme/anvil/alerts/notify/pager/{id}.json", t.url());
    assert_eq!(
        (made["type"].as_str(), made["url"].as_str()),
        (Some("http"), Some(url.as_str()))
    );
    assert_eq!(t.admin().get(desk.path()).await.is(200).json(), *made);
    let changed = json!({"name": "Phone", "active": false, "token": "mine",
        "endpoint_identifier": "mine", "payload_example": {"a": "b"}});
    let after = t.admin().put(desk.path()).json(&changed).await.is(200).json();
    assert_eq!((&after["name"], &after["active"]), (&json!("Phone"), &json!(false)));
    assert_eq!(
        (&after["token"], &after["endpoint_identifier"]),
        (&made["token"], &made["endpoint_identifier"])
    );
    assert_eq!(
        after["payload_alert_fields"],
        json!([{"path": ["a"], "label": "a", "type": "STRING"}])
    );
    assert_eq!(t.admin().get(&all).await.is(200).each("name"), ["Phone"]);
    t.admin().delete(desk.path()).await.is(204);
    t.admin().get(desk.path()).await.is(404);
    t.admin().delete(desk.path()).await.is(404);
}

#[testkit::story]
async fn what_is_wrong_is_told(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let all = desk.project.at("/alert_management/http_integrations");
    let with = |key: &str, value| {
        let mut body = json!({"name": "n", "active": true});
        body[key] = value;
        body
    };
    for (body, key) in [
        (with("name", json!(" ")), "name"),
        (with("name", json!("x".repeat(256))), "name"),
        (with("name", json!("a\r\nb")), "name"),
        (with("heartbeat_seconds", json!(1)), "heartbeat_seconds"),
        (
            with("payload_attribute_mappings", json!([{"field_name": "NO", "path": ["a"]}])),
            "payload_attribute_mappings",
        ),
    ] {
        let reply = t.admin().post(&all).json(&body).await.is(400);
        assert!(reply.json()["message"][key].is_array(), "{reply:?}");
    }
    for body in [
        json!({"active": true}),
        json!({"name": "n"}),
        with("type", json!("pigeon")),
        with("payload_example", json!([])),
        with("identity_fields", json!([[]])),
    ] {
        t.admin().post(&all).json(&body).await.is(400);
    }
    let stored = with("payload_example", json!({"a\u{0}": "b\u{0}"}));
    let made = t.admin().post(&all).json(&stored).await.is(201).json();
    assert_eq!(made["payload_example"], json!({"a": "b"}));
}

#[testkit::story]
async fn a_reset_key_stops_at_once_or_after_a_while(t: testkit::TestServer) {
    let mut desk = Desk::new(&t, "acme/anvil").await;
    let reset = format!("{}/reset_token", desk.path());
    let after = t.admin().post(&reset).await.is(200).json();
    assert_ne!(after["token"], desk.integration["token"]);
    desk.send(json!({"title": "x"})).await.is(401);
    desk.integration = after;
    desk.send(json!({"title": "x"})).await.is(200);
    let body = json!({"overlap_seconds": 3600});
    let later = t.admin().post(&reset).json(&body).await.is(200).json();
    assert!(later["previous_token_until"].is_string());
    desk.send(json!({"title": "old"})).await.is(200);
    desk.integration = later;
    desk.send(json!({"title": "new"})).await.is(200);
    t.admin().post(&reset).json(&json!({"overlap_seconds": -1})).await.is(400);
}

#[testkit::story]
async fn a_mapping_is_used(t: testkit::TestServer) {
    let mapping = json!([
        {"field_name": "TITLE", "path": ["event", "name"], "type": "STRING", "label": "Name"},
        {"field_name": "SEVERITY", "path": ["event", "levels", 0], "type": "STRING"},
    ]);
    let body = json!({"name": "Mapped", "active": true, "payload_attribute_mappings": mapping,
        "identity_fields": [["event", "id"]]});
    let desk = Desk::with(&t, "acme/anvil", body).await;
    let shown = &desk.integration["payload_attribute_mappings"];
    assert_eq!(
        (&shown[0]["field_name"], &shown[0]["label"], &shown[1]["label"]),
        (&json!("TITLE"), &json!("Name"), &json!("event/levels[0]"))
    );
    let event = |id: i64, at: i64| json!({"event": {"id": id, "name": "Mapped name", "levels": ["info"]}, "at": at});
    desk.send(event(1, 1)).await.is(200);
    desk.send(event(1, 2)).await.is(200);
    let alert = desk.only_alert().await;
    assert_eq!(
        (&alert["title"], &alert["severity"], &alert["event_count"]),
        (&json!("Mapped name"), &json!("info"), &json!(2))
    );
    administer(&t, json!({"multiple_alert_integrations_enabled": false})).await;
    desk.send(event(2, 1)).await.is(200);
    assert_eq!(desk.alerts().await[0]["title"], "New: Alert");
}

#[testkit::story]
async fn an_integration_may_change_its_type(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let metrics = json!({"type": "prometheus"});
    let after = t.admin().put(desk.path()).json(&metrics).await.is(200).json();
    assert_eq!(
        (&after["type"], &after["url"], &after["token"]),
        (&json!("prometheus"), &desk.integration["url"], &desk.integration["token"])
    );
    let input = format!(
        "id:\"gid://service/AlertManagement::HttpIntegration/{}\",type:HTTP",
        after["id"]
    );
    let back = done(&t.admin(), "httpIntegrationUpdate", &input, "integration{type name}").await;
    assert_eq!(back, json!({"errors": [], "integration": {"type": "HTTP", "name": "Pager"}}));
    t.admin().put(desk.path()).json(&json!({"type": "pigeon"})).await.is(400);
    let all = desk.project.at("/alert_management/http_integrations");
    let other = json!({"name": "M", "active": true, "type": "prometheus"});
    t.admin().post(&all).json(&other).await.is(201);
    administer(&t, json!({"multiple_alert_integrations_enabled": false})).await;
    let refused = t.admin().put(desk.path()).json(&metrics).await.is(400).json();
    assert!(
        refused["message"]["base"][0]
            .as_str()
            .unwrap()
            .starts_with("Multiple integrations"),
        "{refused}"
    );
    t.admin()
        .put(desk.path())
        .json(&json!({"type": "http", "name": "Phone"}))
        .await
        .is(200);
}

#[testkit::story]
async fn administrators_may_allow_one_of_a_kind_only(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    administer(&t, json!({"multiple_alert_integrations_enabled": false})).await;
    let all = desk.project.at("/alert_management/http_integrations");
    let second = json!({"name": "Second", "active": true});
    let refused = t.admin().post(&all).json(&second).await.is(400);
    let text = "Multiple integrations of a single type are not supported for this project";
    assert_eq!(refused.json()["message"]["base"], json!([text]));
    let other = json!({"name": "M", "active": true, "type": "prometheus"});
    t.admin().post(&all).json(&other).await.is(201);
}

#[testkit::story]
async fn a_trial_does_what_its_sender_would(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let test = format!("{}/test", desk.path());
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    let body = json!({"payload": {"title": "trial"}});
    let reply = jane.post(&test).json(&body).await.is(200);
    assert_eq!(reply.text(), r#"[{"iid":1,"title":"trial"}]"#);
    let over = json!({"payload": {"title": "x", "end_time": "2025-05-05"}});
    jane.post(&test).json(&over).await.is(400);
    t.admin().put(desk.path()).json(&json!({"active": false})).await.is(200);
    jane.post(&test).json(&body).await.is(403);
    assert_eq!(desk.only_alert().await["event_count"], 1);
}

#[testkit::story]
async fn a_log_tells_what_arrived_of_late(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let log = format!("{}/deliveries?per_page=100", desk.path());
    desk.bare().json(&json!({"title": "x"})).await.is(401);
    let noted = || async { t.admin().get(&log).await.is(200).json().as_array().unwrap().clone() };
    crate::alerts::until("the refusal is noted", async || !noted().await.is_empty()).await;
    desk.send(json!({"title": "a"})).await.is(200);
    desk.send(json!({"title": "a", "end_time": "2025-05-05"})).await.is(200);
    desk.send(json!({"title": "a", "end_time": "2025-05-05"})).await.is(400);
    let entries = noted().await;
    let shown: Vec<_> = entries.iter().map(|one| (&one["status"], &one["alert_iids"])).collect();
    assert_eq!(
        shown,
        [
            (&json!(400), &json!([])),
            (&json!(200), &json!([1])),
            (&json!(200), &json!([1])),
            (&json!(401), &json!([])),
        ]
    );
    assert_eq!(entries[3]["reason"], "wrong key");
    for n in 0..120 {
        desk.send(json!({"title": n})).await.is(200);
    }
    assert_eq!(noted().await.len(), 100);
    assert_eq!(noted().await[0]["alert_iids"], json!([121]));
    assert!(t.admin().get(desk.path()).await.json()["last_received_at"].is_string());
}

#[testkit::story]
async fn payloads_of_known_senders_are_mapped(t: testkit::TestServer) {
    for (n, (preset, sent, expected)) in [
        ("grafana", json!({"receiver": "r", "status": "firing", "version": "1", "groupKey": "{}:{}",
            "title": "[FIRING:1] load", "message": "too much", "commonLabels": {"severity": "high"},
            "alerts": [{"startsAt": "2021-10-12T09:51:03+02:00", "endsAt": "0001-01-01T00:00:00Z"}]}),
            json!({"title": "[FIRING:1] load", "description": "too much", "severity": "high",
                "status": "triggered", "started_at": "2021-10-12T07:51:03.000Z"})),
        ("graylog", json!({"event_definition_id": "5", "event_definition_title": "Errors",
            "event": {"message": "too many", "timestamp": "2023-05-05T10:00:00.000Z", "source": "web1", "key": "k"}}),
            json!({"title": "Errors", "description": "too many", "hosts": ["web1"]})),
        ("new_relic", json!({"id": "e1", "title": "Slow", "priority": "CRITICAL", "createdAt": 1_651_000_000_000_i64,
            "impactedEntities": ["a", "b"]}), json!({"title": "Slow", "severity": "critical", "hosts": ["a", "b"]})),
        ("pagerduty", json!({"event": {"event_type": "incident.triggered", "data": {"id": "PT4", "title": "Fire",
            "urgency": "low", "created_at": "2026-05-20T14:00:00Z", "service": {"summary": "Mail"}}}}),
            json!({"title": "Fire", "severity": "low", "service": "Mail", "started_at": "2026-05-20T14:00:00.000Z"})),
        ("pingdom", json!({"check_id": 12345, "check_name": "Front", "importance_level": "HIGH",
            "state_changed_timestamp": 1_451_610_061, "long_description": "no answer",
            "check_params": {"hostname": "www.example.com"}}),
            json!({"title": "Front", "severity": "high", "hosts": ["www.example.com"],
                "started_at": "2016-01-01T01:01:01.000Z"})),
        ("cloudwatch", json!({"AlarmName": "CPU", "NewStateValue": "ALARM", "NewStateReason": "Threshold Crossed",
            "StateChangeTime": "2017-01-12T16:30:42.236+0000", "AlarmArn": "arn:1"}),
            json!({"title": "CPU", "description": "Threshold Crossed", "started_at": "2017-01-12T16:30:42.236Z"})),
    ].into_iter().enumerate() {
        let body = json!({"name": preset, "active": true, "preset": preset});
        let desk = Desk::with(&t, &format!("acme/anvil{n}"), body).await;
        for _ in 0..2 {
            desk.send(sent.clone()).await.is(200);
        }
        let alert = desk.only_alert().await;
        assert_eq!(alert["event_count"], 2, "{preset}");
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&alert[field], value, "{preset}: {field}");
        }
    }
    let own = json!({"name": "n", "active": true, "preset": "grafana", "payload_attribute_mappings":
        [{"field_name": "TITLE", "path": ["x"]}]});
    let desk = Desk::with(&t, "acme/own", own).await;
    assert_eq!(desk.integration["payload_attribute_mappings"].as_array().map(Vec::len), Some(1));
    let wrong = json!({"name": "n", "active": true, "preset": "odd"});
    let all = desk.project.at("/alert_management/http_integrations");
    t.admin().post(all).json(&wrong).await.is(400);
}
