//! The endpoints of SDKs (docs/interface/monitoring.md 6.1 and 6.2).

use crate::error_tracking::{Tracker, envelope, event, number, preflight};
use serde_json::json;

/// The text SDKs get with what cannot be read.
const UNREADABLE: &str = "Failed to parse sentry request";

#[testkit::story]
async fn the_key_may_stand_in_three_places(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let (path, key) = (tracker.endpoint("envelope"), &tracker.key);
    let body = envelope(&event("E", "v"));
    let client = t.anonymous();

    client
        .post(format!("{path}?sentry_key={key}"))
        .bytes(body.clone())
        .await
        .is(200);
    let auth = format!("Sentry sentry_key={key}, sentry_version=7, sentry_client=x/1");
    client
        .post(&path)
        .header("x-sentry-auth", &auth)
        .bytes(body.clone())
        .await
        .is(200);
    let dsn = format!("http://{key}@host/1");
    let told = body.replacen("{}", &json!({"dsn": dsn}).to_string(), 1);
    client.post(&path).bytes(told).await.is(200);
    let encoded = format!("/error_tracking/collector/api/acme%2Fanvil/envelope/?sentry_key={key}");
    client.post(encoded).bytes(body.clone()).await.is(200);

    assert_eq!(tracker.only_error().await["events_count"], 4);
    for keyless in [
        client.post(&path),
        client.post(format!("{path}?sentry_key=")),
        client.post(&path).header("x-sentry-auth", "Sentry sentry_version=7"),
    ] {
        let refused = keyless.bytes(body.clone()).await.is(400);
        assert_eq!(refused.json()["message"], UNREADABLE);
    }
}

#[testkit::story]
async fn a_key_that_opens_nothing_is_not_found_whatever_is_wrong(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let other = Tracker::new(&t, "acme/hammer").await;
    let body = envelope(&event("E", "v"));
    let client = t.anonymous();
    let ask = async |path: String| client.post(path).bytes(body.clone()).await.is(404).text();
    let here = tracker.endpoint("envelope");

    let unknown = ask(format!("{here}?sentry_key=svet_0")).await;
    let others = ask(format!("{here}?sentry_key={}", other.key)).await;
    let long = ask(format!("{here}?sentry_key={}", "x".repeat(300))).await;
    let nowhere =
        format!("/error_tracking/collector/api/999999/envelope?sentry_key={}", tracker.key);
    let nowhere = ask(nowhere).await;
    let settings = tracker.project.at("/error_tracking/settings");
    t.admin().patch(&settings).json(&json!({"active": false})).await.is(200);
    let inactive = ask(format!("{here}?sentry_key={}", tracker.key)).await;
    t.admin().patch(&settings).json(&json!({"active": true})).await.is(200);
    client
        .post(format!("{here}?sentry_key={}", tracker.key))
        .bytes(body.clone())
        .await
        .is(200);
    let keys = tracker.project.at("/error_tracking/client_keys");
    let id = t.admin().get(&keys).await.is(200).each("id")[0].clone();
    t.admin().delete(format!("{keys}/{id}")).await.is(200);
    let removed = ask(format!("{here}?sentry_key={}", tracker.key)).await;

    for text in [others, long, nowhere, inactive, removed] {
        assert_eq!(text, unknown);
    }
    assert!(other.errors().await.is_empty());
}

#[testkit::story]
async fn an_event_is_kept_once_under_the_number_it_was_given(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let mut sent = event("E", "v");
    sent["event_id"] = json!(number(7));
    assert_eq!(tracker.report(sent.clone()).await.is(200).json(), json!({"id": number(7)}));
    assert_eq!(tracker.report(sent.clone()).await.is(200).json(), json!({"id": number(7)}));
    let dashed = "00000000-0000-0000-0000-000000000009";
    let headers = json!({"event_id": dashed}).to_string();
    let body = envelope(&sent).replacen("{}", &headers, 1);
    let kept = tracker.to("envelope").bytes(body).await.is(200);
    assert_eq!(kept.json(), json!({"id": number(9)}));
    let made = tracker.report(event("E", "v")).await.is(200).json();
    assert_eq!(made["id"].as_str().unwrap().len(), 32);
    assert_eq!(tracker.only_error().await["events_count"], 3);

    let other = Tracker::new(&t, "acme/hammer").await;
    other.report(sent).await.is(200);
    assert_eq!(other.only_error().await["events_count"], 1);
}

#[testkit::story]
async fn what_is_not_an_event_is_taken_and_passed_over(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for kind in [
        "transaction",
        "session",
        "sessions",
        "client_report",
        "attachment",
        "user_report",
        "feedback",
        "check_in",
        "profile",
        "replay_event",
        "span",
        "statsd",
        "log",
        "trace_metric",
        "never_heard_of",
    ] {
        let body = format!("{{}}\n{{\"type\":\"{kind}\"}}\n{{}}\n");
        let taken = tracker.to("envelope").bytes(body).await.is(200);
        assert_eq!(taken.text(), "{}", "{kind}");
    }
    tracker.to("envelope").bytes("{}").await.is(200);
    let mixed = format!(
        "{{}}\n{{\"type\":\"session\"}}\n{{}}\n{}",
        envelope(&event("E", "v")).split_once('\n').unwrap().1
    );
    tracker.to("envelope").bytes(mixed).await.is(200);
    assert_eq!(tracker.only_error().await["name"], "E");
}

#[testkit::story]
async fn what_clients_dropped_is_counted(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let report = json!({"discarded_events": [
        {"reason": "before_send", "category": "error", "quantity": 3},
        {"reason": "a word of somebody", "category": "error", "quantity": 2},
        {"reason": "before_send", "category": "error", "quantity": -9},
    ]});
    let body = format!("{{}}\n{{\"type\":\"client_report\"}}\n{report}\n");
    tracker.to("envelope").bytes(body.clone()).await.is(200);
    tracker.to("envelope").bytes(body).await.is(200);
    let path = tracker.project.at("/error_tracking/dropped_events");
    assert_eq!(
        t.admin().get(&path).await.is(200).json(),
        json!([
            {"reason": "before_send", "category": "error", "quantity": 6},
            {"reason": "other", "category": "error", "quantity": 4},
        ])
    );
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    tracker.project.add(&jane, 40).await;
    tracker.project.add(&joe, 20).await;
    joe.get(&path).await.is(403);
    let page = t
        .browser("jane")
        .await
        .get("/acme/anvil/-/settings/error_tracking")
        .await
        .is(200);
    assert!(page.text().contains("before_send"), "{page:?}");
}

#[testkit::story]
async fn the_old_endpoint_takes_an_event(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let sent = event("E", "v").to_string();
    tracker.to("store").bytes(sent.clone()).await.is(200);
    let auth = format!("Sentry sentry_version=5, sentry_key={}, sentry_secret=s", tracker.key);
    t.anonymous()
        .post(tracker.endpoint("store"))
        .header("x-sentry-auth", &auth)
        .bytes(sent)
        .await
        .is(200);
    assert_eq!(tracker.only_error().await["events_count"], 2);
    t.anonymous().post(tracker.endpoint("store")).bytes("{}").await.is(400);
    tracker.to("store").bytes("{}").await.is(400);
}

#[testkit::story]
async fn what_cannot_be_read_is_told_in_the_words_of_sdks(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for body in [
        "",
        "x",
        "[]",
        "{}\n{\"type\":\"event\"}\n{",
        "{}\n{\"type\":\"event\"}\n[]",
        "{}\n{\"type\":\"event\"}\n{\"level\":\"error\"}",
        "{}\n{}\n",
        "{}\n{\"type\":\"event\"}\n",
        "{}{\"type\":\"event\"}{\"message\":\"m\"}",
    ] {
        let refused = tracker.to("envelope").bytes(body).await.is(400);
        assert_eq!(refused.json()["message"], UNREADABLE, "{body}");
        assert!(!refused.header("x-sentry-error").is_empty());
        assert!(refused.json()["causes"].is_array() && refused.json()["detail"].is_string());
    }
    let odd = tracker.to("envelope").header("content-encoding", "compress").bytes("{}").await;
    assert_eq!(odd.is(400).json()["message"], UNREADABLE);
    assert!(tracker.errors().await.is_empty());
}

#[testkit::story]
async fn browsers_may_send_from_anywhere(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for path in [
        tracker.endpoint("envelope"),
        tracker.endpoint("envelope/"),
        tracker.endpoint("store/"),
    ] {
        let asked = preflight(&t.anonymous(), &path).await.is(200);
        assert_eq!(asked.header("access-control-allow-origin"), "*");
        assert!(asked.header("access-control-allow-methods").contains("POST"));
        assert_eq!(asked.header("access-control-max-age"), "3600");
        for name in [
            "content-type",
            "content-encoding",
            "x-sentry-auth",
            "x-requested-with",
            "authorization",
            "authentication",
            "sentry-trace",
            "baggage",
            "origin",
            "accept",
        ] {
            let names = asked.header("access-control-allow-headers").to_ascii_lowercase();
            assert!(names.contains(name), "{name} is not among {names}");
        }
    }
    let sent = tracker
        .to("envelope")
        .header("origin", "https://shop.example")
        .header("content-type", "text/plain;charset=UTF-8")
        .bytes(envelope(&event("E", "v")))
        .await
        .is(200);
    assert_eq!(sent.header("access-control-allow-origin"), "*");
    assert!(sent.header("access-control-expose-headers").contains("X-Sentry-Rate-Limits"));
}

#[testkit::story]
async fn the_type_a_body_claims_is_of_no_matter(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let kinds = [
        "application/x-sentry-envelope",
        "application/json",
        "text/plain",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "nonsense",
    ];
    for kind in kinds {
        tracker
            .to("envelope")
            .header("content-type", kind)
            .bytes(envelope(&event("E", "v")))
            .await
            .is(200);
    }
    assert_eq!(tracker.only_error().await["events_count"], kinds.len());
}

#[testkit::story]
async fn the_key_opens_nothing_else(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let path = tracker.project.at("/error_tracking/errors");
    let client = t.with_token(&tracker.key);
    client.get(&path).await.is(401);
    t.anonymous().get(format!("{path}?sentry_key={}", tracker.key)).await.is(401);
    t.anonymous().get(format!("{path}?private_token={}", tracker.key)).await.is(401);
}
