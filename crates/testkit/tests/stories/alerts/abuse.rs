//! What attackers send (docs/interface/monitoring.md «Bad input and abuse»).

use crate::alerts::{Desk, group, item};
use serde_json::json;

#[testkit::story]
async fn bodies_past_the_limits_leave_nothing(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let nested =
        |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let sized = |size: usize| {
        let begin = r#"{"title":"x","a":""#;
        format!("{begin}{}\"}}", "y".repeat(size - begin.len() - 2))
    };
    for body in [
        nested(101).into_bytes(),
        nested(100_000).into_bytes(),
        sized((1 << 20) + 1).into_bytes(),
        vec![b' '; 3 << 20],
        b"{\"a\": NaN}".to_vec(),
        b"{\"title\": \"\xff\"}".to_vec(),
        br#"{"title": "\ud800"}"#.to_vec(),
        b"\0".to_vec(),
        b"{} {}".to_vec(),
    ] {
        desk.to().bytes(body).await.is(400);
    }
    assert!(desk.alerts().await.is_empty());
    desk.to().bytes(nested(100)).await.is(200);
    desk.to().bytes(sized(1 << 20)).await.is(200);
    assert_eq!(desk.alerts().await.len(), 2);
}

#[testkit::story]
async fn odd_values_are_cut_defaulted_or_left_out(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let long = "t".repeat((1 << 20) - 100);
    desk.send(json!({"title": long})).await.is(200);
    let hosts: Vec<String> = (0..10_000).map(|n| format!("host-{n}")).collect();
    desk.send(json!({"title": "hosts", "hosts": hosts})).await.is(200);
    for time in [
        "9999-99-99",
        "0001-01-01T00:00:00Z",
        "275760-09-13T00:00:00Z",
        "-9999-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ] {
        let sent = json!({"title": time, "start_time": time, "end_time": time});
        desk.send(sent).await.is(200);
    }
    for time in [json!(8.64e18), json!(-8.64e18), json!(i64::MAX), json!(u64::MAX), json!(1e300)] {
        desk.send(json!({"title": time.to_string(), "start_time": time, "end_time": time}))
            .await
            .is(200);
    }
    desk.to()
        .bytes(r#"{"title": "a\u0000b", "x\u0000": {"\u0000": "\u0000"}}"#)
        .await
        .is(200);
    let alerts = desk.alerts().await;
    assert_eq!(alerts[0]["title"], "ab");
    assert!(alerts.iter().all(|alert| alert["status"] == "triggered"));
    assert!(
        alerts
            .iter()
            .all(|alert| alert["title"].as_str().unwrap().chars().count() <= 200)
    );
    for alert in &alerts {
        t.admin().get(desk.alert(alert["iid"].as_i64().unwrap())).await.is(200);
    }
}

#[testkit::story]
async fn text_of_strangers_is_inert(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let evil = "<script>alert(1)</script> @root /close Closes #1\r\nBcc: x@example.com **b** [l](javascript:x)";
    desk.send(
        json!({"title": evil, "description": evil, "monitoring_tool": evil, "service": evil,
        "hosts": [evil], "runbook": "javascript:alert(1)", "fingerprint": "f"}),
    )
    .await
    .is(200);
    t.admin().post(format!("{}/issue", desk.alert(1))).await.is(201);
    let alert = t.admin().get(desk.alert(1)).await.is(200).json();
    assert!(!alert["title"].as_str().unwrap().contains(['\r', '\n']));
    let issue = t.admin().get(desk.project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["state"], "opened");
    let notes = desk.notes(&t, 1).await;
    for text in notes.iter().map(String::as_str).chain(issue["description"].as_str()) {
        let html = kernel::markup::render(text);
        assert!(
            !html.contains("<script")
                && !html.contains("href=\"javascript")
                && !html.contains("<strong>b<"),
            "{html}"
        );
        assert!(!text.contains(" @root") && !text.contains(" #1\n"), "{text}");
    }
    assert_eq!(t.admin().get("/todos").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_silence_cannot_be_made_up(t: testkit::TestServer) {
    let body = json!({"name": "x", "active": true, "heartbeat_seconds": 600});
    let desk = Desk::with(&t, "acme/anvil", body).await;
    let id = &desk.integration["id"];
    desk.send(json!({"title": "a", "fingerprint": format!("silence/{id}")}))
        .await
        .is(200);
    desk.send_group(json!([])).await.is(200);
    assert_eq!(desk.only_alert().await["status"], "triggered");
}

#[testkit::story]
async fn a_group_of_thousands_is_kept_whole(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let items: Vec<_> = (0..1_500).map(|n| item(&format!("{n}"), "firing")).collect();
    let body = group(json!(items));
    assert!(body.to_string().len() < 1 << 20);
    assert_eq!(desk.send(body).await.is(200).json().as_array().unwrap().len(), 1_500);
    let over: Vec<_> = (0..1_500).map(|n| item(&format!("{n}"), "resolved")).collect();
    assert_eq!(
        desk.send_group(json!(over)).await.is(200).json().as_array().unwrap().len(),
        1_500
    );
    assert!(desk.listed("?status=triggered").await.is_empty());
}
