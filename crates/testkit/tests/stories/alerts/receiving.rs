//! The addresses and what they answer (docs/interface/monitoring.md 1.2 to 1.4).

use crate::alerts::{Desk, administer, group, item};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::json;

#[testkit::story]
async fn an_alert_is_received_and_shown(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let reply = desk
        .send(json!({
            "title": "Disk full", "description": "no room", "start_time": "2025-05-05T10:00:00Z",
            "service": "store", "monitoring_tool": "eyes", "hosts": ["a", ["b"]], "severity": "LOW",
            "fingerprint": "f", "extra": {"deep": [1]},
        }))
        .await
        .is(200);
    assert_eq!(reply.text(), r#"[{"iid":1,"title":"Disk full"}]"#);

    let alert = desk.only_alert().await;
    for (key, value) in [
        ("iid", json!(1)),
        ("title", json!("Disk full")),
        ("description", json!("no room")),
        ("severity", json!("low")),
        ("status", json!("triggered")),
        ("service", json!("store")),
        ("monitoring_tool", json!("eyes")),
        ("hosts", json!(["a", "b"])),
        ("started_at", json!("2025-05-05T10:00:00.000Z")),
        ("ended_at", json!(null)),
        ("event_count", json!(1)),
        ("flapping", json!(false)),
        ("issue_iid", json!(null)),
        ("assignees", json!([])),
        ("web_url", json!(format!("{}/acme/anvil/-/alert_management/1/details", t.url()))),
    ] {
        assert_eq!(alert[key], value, "{key}");
    }
    let shown = t.admin().get(desk.alert(1)).await.is(200).json();
    assert_eq!(shown["details"]["extra.deep.0"], 1);
    assert_eq!(desk.notes(&t, 1).await, ["logged an alert from **eyes**"]);
}

#[testkit::story]
async fn every_form_of_the_address_takes_every_form_of_the_key(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/tools/anvil").await;
    let key = desk.token().to_owned();
    let basic = |user: &str| format!("Basic {}", STANDARD.encode(format!("{user}:{key}")));
    let id = desk.integration["endpoint_identifier"].as_str().unwrap();
    for (n, (path, header)) in [
        (desk.address(), format!("Bearer {key}")),
        (format!("/acme/tools/anvil/alerts/notify/any/{id}"), format!("bearer {key}")),
        (format!("/acme/tools/anvil/alerts/notify/any/{id}/"), basic("")),
        (format!("/ACME/tools/anvil/alerts/notify/x/{id}.json/"), basic("anybody")),
    ]
    .into_iter()
    .enumerate()
    {
        let request = t.anonymous().request(Method::POST, &path).header("authorization", &header);
        request.json(&json!({"title": n})).await.is(200);
        for other in [Method::GET, Method::PUT, Method::PATCH, Method::DELETE] {
            t.anonymous().request(other, &path).await.is(405);
        }
    }
    // Both at once: the bearer counts.
    let both = desk
        .bare()
        .header("authorization", &basic(""))
        .header("authorization", "Bearer no");
    both.json(&json!({"title": "x"})).await.is(401);
    let both = desk
        .bare()
        .header("authorization", "Basic bm8=")
        .header("authorization", &format!("Bearer {key}"));
    both.json(&json!({"title": "x"})).await.is(200);
}

#[testkit::story]
async fn plain_addresses_belong_to_those_who_have_them(t: testkit::TestServer) {
    let body = json!({"name": "Old", "active": true, "plain_address": true});
    let old = Desk::with(&t, "acme/anvil", body).await;
    assert_eq!(old.address(), "/acme/anvil/alerts/notify.json");
    old.send(json!({"title": "a"})).await.is(200);
    let all = old.project.at("/alert_management/http_integrations");
    let of_metrics = json!({"name": "M", "active": true, "type": "prometheus"});
    let made = t.admin().post(&all).json(&of_metrics).await.is(201).json();
    let url = format!("{}/acme/anvil/prometheus/alerts/notify.json", t.url());
    assert_eq!(
        (made["url"].as_str(), made["endpoint_identifier"].as_str()),
        (Some(url.as_str()), Some("legacy-prometheus"))
    );
    let key = format!("Bearer {}", made["token"].as_str().unwrap());
    let to = |path: &str| t.anonymous().request(Method::POST, path).header("authorization", &key);
    to("/acme/anvil/prometheus/alerts/notify")
        .json(&group(json!([item("a", "firing")])))
        .await
        .is(200);
    // A key opens only its own integration.
    to("/acme/anvil/alerts/notify.json").json(&json!({"title": "a"})).await.is(401);
    let second = t.admin().post(&all).json(&of_metrics).await.is(201).json();
    let url = second["url"].as_str().unwrap();
    assert!(url.contains("/acme/anvil/alerts/notify/m/"), "{url}");
    // A project may be called like the address.
    let body = json!({"name": "Old", "active": true, "plain_address": true});
    let named = Desk::with(&t, "acme/sub/prometheus", body).await;
    named.send(json!({"title": "a"})).await.is(200);
}

#[testkit::story]
async fn each_step_is_refused_in_its_order(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let nobody = t.anonymous();
    let unknown = "/acme/anvil/alerts/notify/x/0123456789abcdef.json";
    let post = |path: &str| nobody.request(Method::POST, path);
    for (request, status) in [
        (post("/acme/nothing/alerts/notify.json").bytes("x"), 404),
        (desk.bare().bytes(""), 400),
        (desk.bare().bytes("[]"), 400),
        (desk.bare().bytes("null"), 400),
        (desk.bare().bytes("7"), 400),
        (desk.bare().form("title=x"), 400),
        (post(unknown).json(&json!({})), 403),
        (post(unknown).json(&group(json!([]))), 401),
        (post("/acme/anvil/alerts/notify.json").json(&json!({})), 403),
        (desk.bare().json(&json!({})), 401),
        (desk.bare().json(&group(json!([]))), 401),
        (desk.bare().header("authorization", "Bearer").json(&json!({})), 401),
        (desk.bare().header("authorization", "Basic !").json(&json!({})), 401),
        (t.admin().request(Method::POST, desk.address()).json(&json!({})), 401),
        (desk.to().json(&json!({"title": "x", "end_time": "2025-05-05"})), 400),
    ] {
        let reply = request.await.is(status);
        let text = match status {
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            _ => "Not Found",
        };
        assert_eq!(reply.json(), json!({"message": text}), "{reply:?}");
    }
    assert!(desk.alerts().await.is_empty());
}

#[testkit::story]
async fn an_integration_that_is_off_looks_like_none(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    t.admin().put(desk.path()).json(&json!({"active": false})).await.is(200);
    desk.send(json!({"title": "x"})).await.is(403);
    desk.send_group(json!([item("a", "firing")])).await.is(401);
    t.admin().put(desk.path()).json(&json!({"active": true})).await.is(200);
    desk.send(json!({"title": "x"})).await.is(200);
    t.admin().delete(desk.path()).await.is(204);
    desk.send(json!({"title": "x"})).await.is(403);
    assert_eq!(desk.only_alert().await["integration_id"], json!(null));
}

#[testkit::story]
async fn a_group_goes_on_past_what_is_unusable(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    assert_eq!(desk.send_group(json!([])).await.is(200).text(), "[]");
    let reply = desk
        .send_group(json!([
            item("a", "firing"), {"startsAt": "x"}, item("b", "firing"), item("c", "resolved"),
        ]))
        .await
        .is(200);
    assert_eq!(
        reply.text(),
        r#"[{"iid":1,"title":"It is down"},{"iid":2,"title":"It is down"}]"#
    );
    let half = json!({"version": "4", "title": "half", "alerts": []});
    let reply = desk.send(half).await.is(200);
    assert_eq!(reply.text(), r#"[{"iid":3,"title":"half"}]"#);
}

#[testkit::story]
async fn a_moved_project_receives_at_its_old_address(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    t.admin()
        .put(desk.project.at(""))
        .json(&json!({"path": "hammer"}))
        .await
        .is(200);
    desk.send(json!({"title": "x"})).await.is(200);
}

#[testkit::story]
async fn a_read_only_instance_asks_to_come_again(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    administer(&t, json!({"maintenance_mode": true})).await;
    desk.send(json!({"title": "x"})).await.is(503);
    administer(&t, json!({"maintenance_mode": false})).await;
    desk.send(json!({"title": "x"})).await.is(200);
}

#[testkit::story(noon)]
async fn a_limit_counts_the_requests_of_a_project(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let other = Desk::new(&t, "acme/hammer").await;
    for _ in 0..5 {
        desk.send(json!({"title": "x"})).await.is(200);
    }
    administer(
        &t,
        json!({
            "project_alerts_rate_limit_enabled": true,
            "project_alerts_requests_per_period": 2, "project_alerts_period_seconds": 600,
        }),
    )
    .await;
    for _ in 0..2 {
        desk.send(json!({"title": "x"})).await.is(200);
    }
    let refused = desk.send(json!({"title": "x"})).await.is(429);
    assert_eq!(refused.json(), json!({"message": "Too Many Requests"}));
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=600).contains(&seconds), "{seconds}");
    other.send(json!({"title": "x"})).await.is(200);
    t.advance(600);
    desk.send(json!({"title": "x"})).await.is(200);
    for wrong in [
        json!({"project_alerts_requests_per_period": 0}),
        json!({"alerts_stale_hours": -1}),
    ] {
        t.admin().put("/application/settings").json(&wrong).await.is(400);
    }
}
