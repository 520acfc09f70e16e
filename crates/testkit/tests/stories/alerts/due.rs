//! What comes due by itself: silence, shelves, windows, what nobody sends any
//! more.

use crate::alerts::{Desk, administer, item};
use kernel::jobs::enqueue;
use monitoring::tasks::{ForgetAlerts, Watch};
use serde_json::json;
use testkit::TestServer;

/// Does now what is done every so often.
pub async fn watch(t: &TestServer) {
    let jobs = t.app().jobs().clone();
    let enqueued = t.app().write(move |tx| {
        enqueue(tx, &jobs, &Watch::default())?;
        enqueue(tx, &jobs, &ForgetAlerts::default())
    });
    enqueued.await.unwrap();
    t.settle().await;
}

#[testkit::story(noon)]
async fn an_integration_that_falls_silent_is_told_once(t: TestServer) {
    let body = json!({"name": "Dead man", "active": true, "heartbeat_seconds": 600});
    let desk = Desk::with(&t, "acme/anvil", body).await;
    t.advance(500);
    watch(&t).await;
    assert!(desk.alerts().await.is_empty());
    desk.send_group(json!([])).await.is(200);
    t.advance(500);
    watch(&t).await;
    assert!(desk.alerts().await.is_empty());
    t.advance(200);
    watch(&t).await;
    watch(&t).await;
    let alert = desk.only_alert().await;
    assert_eq!(
        (&alert["title"], &alert["event_count"], &alert["status"]),
        (&json!("Nothing received from Dead man"), &json!(1), &json!("triggered"))
    );
    desk.send_group(json!([])).await.is(200);
    assert_eq!(desk.only_alert().await["status"], "resolved");
    assert_eq!(desk.notes(&t, 1).await[1], "logged a recovery alert from **Heartbeat**");
    t.admin()
        .put(desk.path())
        .json(&json!({"heartbeat_seconds": null}))
        .await
        .is(200);
    t.advance(7_000);
    watch(&t).await;
    desk.only_alert().await;
}

#[testkit::story(noon)]
async fn a_shelved_alert_comes_back(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let shelve = format!("{}/shelve", desk.alert(1));
    let shown = t.admin().post(&shelve).json(&json!({"duration": 600})).await.is(200).json();
    assert_eq!(
        (&shown["status"], shown["shelved_until"].is_string()),
        (&json!("ignored"), true)
    );
    t.advance(300);
    watch(&t).await;
    assert_eq!(desk.only_alert().await["status"], "ignored");
    t.advance(300);
    watch(&t).await;
    let alert = desk.only_alert().await;
    assert_eq!((&alert["status"], &alert["shelved_until"]), (&json!("triggered"), &json!(null)));
    t.admin().post(&shelve).json(&json!({"duration": 1})).await.is(400);
    t.admin().post(&shelve).await.is(200);
    t.admin()
        .put(desk.alert(1))
        .json(&json!({"status": "acknowledged"}))
        .await
        .is(200);
    t.advance(8_000);
    watch(&t).await;
    assert_eq!(desk.only_alert().await["status"], "acknowledged");
    t.admin().put(desk.alert(1)).json(&json!({"status": "resolved"})).await.is(200);
    t.admin().post(&shelve).await.is(400);
}

#[testkit::story(noon)]
async fn a_window_keeps_alerts_quiet(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.wants(json!({"create_issue": true, "send_email": true})).await;
    let windows = desk.project.at("/alert_management/maintenance_windows");
    let at = |minutes: i64| (t.now() + jiff::SignedDuration::from_mins(minutes)).to_string();
    let made = t
        .admin()
        .post(&windows)
        .json(&json!({"name": "Move", "starts_at": at(10), "ends_at": at(20)}));
    let id = made.await.is(201).id();
    let of_other = json!({"name": "Other", "ends_at": at(20), "integration_id": 999});
    t.admin().post(&windows).json(&of_other).await.is(404);
    for wrong in [
        json!({"name": "", "ends_at": at(20)}),
        json!({"name": "x", "ends_at": at(-1)}),
        json!({"name": "x", "starts_at": at(5), "ends_at": at(5)}),
        json!({"name": "x", "starts_at": "-004800-01-01T00:00:00Z", "ends_at": at(5)}),
        json!({"name": "x"}),
    ] {
        t.admin().post(&windows).json(&wrong).await.is(400);
    }
    t.advance(11 * 60);
    desk.send(json!({"title": "during", "fingerprint": "f"})).await.is(200);
    t.settle().await;
    let alert = desk.only_alert().await;
    assert_eq!((&alert["status"], &alert["issue_iid"]), (&json!("ignored"), &json!(null)));
    assert_eq!(
        desk.notes(&t, 1).await[1],
        "ignored it because of the maintenance window **Move**"
    );
    desk.send(json!({"fingerprint": "f", "end_time": "2025-05-05"})).await.is(200);
    t.settle().await;
    assert!(t.app().mailer().sent().iter().all(|mail| !mail.text.contains("during")));
    t.advance(10 * 60);
    desk.send(json!({"title": "after"})).await.is(200);
    assert_eq!(desk.alerts().await[0]["status"], "triggered");
    t.settle().await;
    let one = format!("{windows}/{id}");
    assert_eq!(t.admin().get(&windows).await.is(200).each("id"), [id]);
    t.admin().delete(&one).await.is(204);
    t.admin().delete(&one).await.is(404);
}

#[testkit::story(noon)]
async fn what_nobody_sends_any_more_ends_and_is_forgotten(t: TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    desk.wants(json!({"create_issue": true})).await;
    desk.send_group(json!([item("a", "firing")])).await.is(200);
    t.settle().await;
    t.advance(24 * 3_600);
    watch(&t).await;
    assert_eq!(desk.only_alert().await["status"], "triggered");
    administer(&t, json!({"alerts_stale_hours": 24, "alerts_retention_days": 2})).await;
    desk.send_group(json!([item("b", "firing")])).await.is(200);
    t.advance(60);
    watch(&t).await;
    let alerts = desk.alerts().await;
    assert_eq!(
        (&alerts[0]["status"], &alerts[1]["status"]),
        (&json!("triggered"), &json!("resolved"))
    );
    t.settle().await;
    assert_eq!(t.admin().get(desk.project.at("/issues/1")).await.json()["state"], "closed");
    t.advance(49 * 3_600);
    watch(&t).await;
    let alerts = desk.alerts().await;
    assert_eq!((alerts.len(), &alerts[0]["iid"]), (1, &json!(2)));
    assert!(desk.notes(&t, 1).await.is_empty());
}
