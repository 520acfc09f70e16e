//! Integrations: names, keys, mappings, trials, logs (contract 1.1, 1.9).

use crate::{Desk, administer};
use serde_json::json;

testkit::both_engines! {
    async fn integrations_are_made_shown_changed_and_removed(t: TestServer) {
        let desk = Desk::new(&t, "acme/anvil").await;
        let all = desk.project.at("/alert_management/http_integrations");
        let made = &desk.integration;
        let id = made["endpoint_identifier"].as_str().unwrap();
        let is_hex = |text: &str, length| text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(is_hex(id, 16) && is_hex(desk.token(), 32), "{made}");
        let url = format!("{}/acme/anvil/alerts/notify/pager/{id}.json", t.url());
        assert_eq!((made["type"].as_str(), made["url"].as_str()), (Some("http"), Some(url.as_str())));
        assert_eq!(t.admin().get(desk.path()).await.is(200).json(), *made);
        let changed = json!({"name": "Phone", "active": false, "token": "mine",
            "endpoint_identifier": "mine", "payload_example": {"a": "b"}});
        let after = t.admin().put(desk.path()).json(&changed).await.is(200).json();
        assert_eq!((&after["name"], &after["active"]), (&json!("Phone"), &json!(false)));
        assert_eq!((&after["token"], &after["endpoint_identifier"]),
            (&made["token"], &made["endpoint_identifier"]));
        assert_eq!(after["payload_alert_fields"], json!([{"path": ["a"], "label": "a", "type": "STRING"}]));
        assert_eq!(t.admin().get(&all).await.is(200).each("name"), ["Phone"]);
        t.admin().delete(desk.path()).await.is(204);
        t.admin().get(desk.path()).await.is(404);
        t.admin().delete(desk.path()).await.is(404);
    }

    async fn what_is_wrong_is_told(t: TestServer) {
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
            (with("payload_attribute_mappings", json!([{"field_name": "NO", "path": ["a"]}])),
                "payload_attribute_mappings"),
        ] {
            let reply = t.admin().post(&all).json(&body).await.is(400);
            assert!(reply.json()["message"][key].is_array(), "{reply:?}");
        }
        for body in [json!({"active": true}), json!({"name": "n"}), with("type", json!("pigeon")),
            with("payload_example", json!([])), with("identity_fields", json!([[]]))] {
            t.admin().post(&all).json(&body).await.is(400);
        }
        let stored = with("payload_example", json!({"a\u{0}": "b\u{0}"}));
        let made = t.admin().post(&all).json(&stored).await.is(201).json();
        assert_eq!(made["payload_example"], json!({"a": "b"}));
    }

    async fn a_reset_key_stops_at_once_or_after_a_while(t: TestServer) {
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

    async fn a_mapping_is_used(t: TestServer) {
        let mapping = json!([
            {"field_name": "TITLE", "path": ["event", "name"], "type": "STRING", "label": "Name"},
            {"field_name": "SEVERITY", "path": ["event", "levels", 0], "type": "STRING"},
        ]);
        let body = json!({"name": "Mapped", "active": true, "payload_attribute_mappings": mapping,
            "identity_fields": [["event", "id"]]});
        let desk = Desk::with(&t, "acme/anvil", body).await;
        let shown = &desk.integration["payload_attribute_mappings"];
        assert_eq!((&shown[0]["field_name"], &shown[0]["label"], &shown[1]["label"]),
            (&json!("TITLE"), &json!("Name"), &json!("event/levels[0]")));
        let event = |id: i64, at: i64| json!({"event": {"id": id, "name": "Mapped name", "levels": ["info"]}, "at": at});
        desk.send(event(1, 1)).await.is(200);
        desk.send(event(1, 2)).await.is(200);
        let alert = desk.only_alert().await;
        assert_eq!((&alert["title"], &alert["severity"], &alert["event_count"]),
            (&json!("Mapped name"), &json!("info"), &json!(2)));
        administer(&t, json!({"multiple_alert_integrations_enabled": false})).await;
        desk.send(event(2, 1)).await.is(200);
        assert_eq!(desk.alerts().await[0]["title"], "New: Alert");
    }

    async fn administrators_may_allow_one_of_a_kind_only(t: TestServer) {
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

    async fn a_trial_does_what_its_sender_would(t: TestServer) {
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

    async fn a_log_tells_what_arrived_of_late(t: TestServer) {
        let desk = Desk::new(&t, "acme/anvil").await;
        let log = format!("{}/deliveries?per_page=100", desk.path());
        desk.bare().json(&json!({"title": "x"})).await.is(401);
        let noted = || async {
            t.admin().get(&log).await.is(200).json().as_array().unwrap().clone()
        };
        crate::until("the refusal is noted", async || !noted().await.is_empty()).await;
        desk.send(json!({"title": "a"})).await.is(200);
        desk.send(json!({"title": "a", "end_time": "2025-05-05"})).await.is(200);
        desk.send(json!({"title": "a", "end_time": "2025-05-05"})).await.is(400);
        let entries = noted().await;
        let shown: Vec<_> = entries.iter().map(|one| (&one["status"], &one["alert_iids"])).collect();
        assert_eq!(shown, [
            (&json!(400), &json!([])), (&json!(200), &json!([1])), (&json!(200), &json!([1])),
            (&json!(401), &json!([])),
        ]);
        assert_eq!(entries[3]["reason"], "wrong key");
        for n in 0..120 {
            desk.send(json!({"title": n})).await.is(200);
        }
        assert_eq!(noted().await.len(), 100);
        assert_eq!(noted().await[0]["alert_iids"], json!([121]));
        assert!(t.admin().get(desk.path()).await.json()["last_received_at"].is_string());
    }
}
