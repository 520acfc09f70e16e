//! One alert for what is the same, until it is over (docs/interface/monitoring.md 1.7).

use crate::alerts::{Desk, administer, item};
use serde_json::{Value, json};

fn of(alert: &Value) -> (i64, &str, i64) {
    let number = |key: &str| alert[key].as_i64().unwrap();
    (number("iid"), alert["status"].as_str().unwrap(), number("event_count"))
}

#[testkit::story]
async fn equal_alerts_are_one_until_it_is_over(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let fire = json!({"title": "a", "fingerprint": "f"});
    for (status, iid) in [("triggered", 1), ("acknowledged", 1), ("ignored", 1), ("triggered", 1)] {
        t.admin().put(desk.alert(1)).json(&json!({"status": status})).await;
        let mut other = fire.clone();
        other["title"] = json!(format!("now {status}"));
        let reply = desk.send(other).await.is(200);
        assert_eq!(reply.json()[0]["iid"], iid);
    }
    let alert = desk.only_alert().await;
    assert_eq!(
        (of(&alert), alert["title"].as_str()),
        ((1, "triggered", 4), Some("now triggered"))
    );

    let over = json!({"title": "a", "fingerprint": "f", "end_time": "2025-05-05T10:00:00Z"});
    let reply = desk.send(over.clone()).await.is(200);
    assert_eq!(reply.json(), json!([{"iid": 1, "title": "now triggered"}]));
    let alert = desk.only_alert().await;
    assert_eq!(
        (of(&alert), alert["ended_at"].as_str()),
        ((1, "resolved", 4), Some("2025-05-05T10:00:00.000Z"))
    );
    desk.send(over).await.is(400);
    desk.send(fire).await.is(200);
    let alerts = desk.alerts().await;
    assert_eq!((of(&alerts[0]), of(&alerts[1])), ((2, "triggered", 1), (1, "resolved", 4)));
    let notes = desk.notes(&t, 1).await;
    assert_eq!(notes.first().map(String::as_str), Some("logged an alert from **Pager**"));
    assert_eq!(notes.last().map(String::as_str), Some("logged a recovery alert from **Pager**"));
}

#[testkit::story]
async fn payloads_alone_tell_alerts_apart_unless_switched_off(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "x": 1, "y": 2, "hosts": ["one"]})).await.is(200);
    desk.send(json!({"y": 2, "x": 1, "title": "a", "start_time": "2025-05-05"}))
        .await
        .is(200);
    desk.send(json!({"title": "a", "x": 1, "y": 3})).await.is(200);
    let events = |alerts: Vec<Value>| alerts.iter().map(|one| of(one).2).collect::<Vec<_>>();
    assert_eq!(events(desk.alerts().await), [1, 2]);
    administer(&t, json!({"generic_alert_fingerprinting_enabled": false})).await;
    for _ in 0..2 {
        desk.send(json!({"title": "a", "x": 1, "y": 2})).await.is(200);
    }
    assert_eq!(events(desk.alerts().await), [1, 1, 1, 2]);
    desk.send(json!({"title": "a", "x": 1, "y": 2, "end_time": "2025-05-05"}))
        .await
        .is(400);
}

#[testkit::story]
async fn instances_of_a_rule_are_apart_and_end_apart(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    desk.send_group(json!([item("a", "firing"), item("b", "firing")])).await.is(200);
    desk.send_group(json!([item("a", "firing"), item("b", "resolved")]))
        .await
        .is(200);
    let alerts = desk.alerts().await;
    assert_eq!((of(&alerts[0]), of(&alerts[1])), ((2, "resolved", 1), (1, "triggered", 2)));
    assert_eq!(alerts[1]["severity"], "high");
    assert_eq!(alerts[1]["monitoring_tool"], "Prometheus");
    desk.send_group(json!([item("b", "firing")])).await.is(200);
    assert_eq!(of(&desk.alerts().await[0]), (3, "triggered", 1));
}

#[testkit::story]
async fn one_request_may_begin_and_end_the_same(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let items = json!([
        item("a", "firing"),
        item("a", "firing"),
        item("a", "resolved"),
        item("a", "firing"),
        item("b", "resolved")
    ]);
    let reply = desk.send_group(items).await.is(200);
    let iids: Vec<_> =
        reply.json().as_array().unwrap().iter().map(|one| one["iid"].clone()).collect();
    assert_eq!(iids, [1, 2]);
    let alerts = desk.alerts().await;
    assert_eq!((of(&alerts[0]), of(&alerts[1])), ((2, "triggered", 1), (1, "resolved", 2)));
}

#[testkit::story(noon)]
async fn a_repeat_says_when_it_came(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let fire = json!({"title": "a", "fingerprint": "f", "start_time": "2025-05-05"});
    desk.send(fire.clone()).await.is(200);
    let before = desk.only_alert().await;
    t.advance(60);
    desk.send(fire).await.is(200);
    let after = desk.only_alert().await;
    assert_eq!(after["updated_at"], kernel::time::wire::text(t.now()));
    for key in ["started_at", "created_at"] {
        assert_eq!(after[key], before[key], "{key}");
    }
}

#[testkit::story(noon)]
async fn what_comes_back_soon_flaps(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let fire = json!({"title": "a", "fingerprint": "f"});
    let over = |at: &str| json!({"fingerprint": "f", "end_time": at});
    desk.send(fire.clone()).await.is(200);
    let now = t.now().to_string();
    desk.send(over(&now)).await.is(200);
    t.advance(60);
    desk.send(fire.clone()).await.is(200);
    assert_eq!(desk.alerts().await[0]["flapping"], true);
    let now = t.now().to_string();
    desk.send(over(&now)).await.is(200);
    t.advance(3_600);
    desk.send(fire).await.is(200);
    assert_eq!(desk.alerts().await[0]["flapping"], false);
}
