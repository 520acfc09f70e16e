//! How much a project may receive (docs/interface/monitoring.md 6.5).

use crate::error_tracking::{Tracker, event, statements};
use serde_json::json;
use testkit::TestServer;

async fn limit(t: &TestServer, five_minutes: i64, hour: i64) {
    let limits = json!({
        "error_tracking_events_per_five_minutes": five_minutes,
        "error_tracking_events_per_hour": hour,
    });
    t.admin().put("/application/settings").json(&limits).await.is(200);
}

#[testkit::story(noon)]
async fn a_full_quota_is_told_in_the_words_of_sdks_and_spares_others(t: TestServer) {
    limit(&t, 3, 5).await;
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let other = Tracker::new(&t, "acme/hammer").await;
    for _ in 0..3 {
        tracker.report(event("E", "v")).await.is(200);
    }
    t.advance(100);
    for _ in 0..2 {
        let full = tracker.report(event("E", "v")).await.is(429);
        assert_eq!(full.header("retry-after"), "200");
        assert_eq!(full.header("x-sentry-rate-limits"), "200:error;default:project:quota");
    }
    other.report(event("E", "v")).await.is(200);
    t.advance(200);
    for _ in 0..2 {
        tracker.report(event("E", "v")).await.is(200);
    }
    let full = tracker.report(event("E", "v")).await.is(429);
    assert_eq!(full.header("retry-after"), "3300");
    t.advance(3_300);
    tracker.report(event("E", "v")).await.is(200);
    assert_eq!(tracker.only_error().await["events_count"], 6);
}

#[testkit::story(noon)]
async fn what_tells_only_of_dropped_events_costs_no_quota(t: TestServer) {
    limit(&t, 1, 1).await;
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let told = json!({"discarded_events": [{"reason": "sample_rate", "category": "error", "quantity": 1}]});
    let told = format!("{{}}\n{{\"type\":\"client_report\"}}\n{told}\n");
    for _ in 0..3 {
        tracker.to("envelope").bytes(told.clone()).await.is(200);
    }
    tracker.report(event("E", "v")).await.is(200);
    tracker.report(event("E", "v")).await.is(429);
    tracker.to("envelope").bytes(told.clone()).await.is(200);
    let path = tracker.project.at("/error_tracking/dropped_events");
    assert_eq!(t.admin().get(&path).await.is(200).json()[0]["quantity"], 4);
    // A flood of them writes no more, and hurts nobody.
    for _ in 0..1_010 {
        tracker.to("envelope").bytes(told.clone()).await.is(200);
    }
    assert_eq!(t.admin().get(&path).await.is(200).json()[0]["quantity"], 1_000);
}

#[testkit::story(noon)]
async fn what_is_refused_for_its_form_costs_no_quota(t: TestServer) {
    limit(&t, 1, 1).await;
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for _ in 0..3 {
        tracker.to("envelope").bytes("x").await.is(400);
        tracker.to("envelope").bytes("{}").await.is(200);
    }
    tracker.report(event("E", "v")).await.is(200);
    tracker.report(event("E", "v")).await.is(429);
}

#[testkit::story]
async fn a_flood_past_the_quota_costs_the_database_little(t: TestServer) {
    // As many as one address may hold connections, and some to spare.
    const FLOOD: usize = 200;
    limit(&t, 1, 1).await;
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let other = Tracker::new(&t, "acme/hammer").await;
    tracker.report(event("E", "v")).await.is(200);
    tracker.report(event("E", "v")).await.is(429);
    let before = statements(&t);

    let flood = (0..FLOOD).map(|_| tracker.report(event("E", "v")));
    let answers = futures_util::future::join_all(flood).await;

    assert!(answers.iter().all(|answer| answer.status == 429));
    let cost = statements(&t) - before;
    assert!(cost < FLOOD as u64 / 2, "{cost} statements");
    other.report(event("E", "v")).await.is(200);
    assert_eq!(tracker.only_error().await["events_count"], 1);
}

#[testkit::story]
async fn limits_have_bounds(t: TestServer) {
    for (key, value) in [
        ("error_tracking_events_per_hour", 0),
        ("error_tracking_retention_days", 0),
        ("error_tracking_max_sent_size", 201),
    ] {
        let refused =
            t.admin().put("/application/settings").json(&json!({key: value})).await.is(400);
        assert!(refused.json()["message"][key].is_array(), "{refused:?}");
    }
}
