//! Where alerts come from, and what they trigger.

use super::*;

#[testkit::story]
async fn an_integration_is_made_tried_and_removed(t: TestServer) {
    let (desk, browser) = desk(&t, 40).await;
    let (to, shown) = browser
        .submit(
            SETTINGS,
            &[("action", "create"), ("name", "Grid <1>"), ("kind", "http"), ("active", "1")],
        )
        .await;
    has(
        &shown,
        &[
            "Integration created.",
            "Grid &#60;1&#62;",
            "/alerts/notify/grid-1/",
            "Nothing received yet",
        ],
    );
    let id = to.rsplit('/').next().unwrap().to_owned();
    let read = async || {
        let path = desk.project.at(&format!("/alert_management/http_integrations/{id}"));
        t.admin().get(path).await.is(200).json()
    };
    let made = read().await;
    has(&shown, &[made["token"].as_str().unwrap()]);
    let example = "{\"alert\": {\"name\": \"x\", \"host\": \"h\"}}";
    let save = |seconds: &'static str, mapping: &'static str, identity: &'static str| {
        [
            ("action", "save"),
            ("name", "Grid"),
            ("active", "1"),
            ("heartbeat_seconds", seconds),
            ("payload_example", example),
            ("mapping[]", ""),
            ("mapping[]", mapping),
            ("identity_fields", identity),
            ("ignored_fields", "noise"),
        ]
    };
    browser.submit(&to, &save("600", "", "")).await;
    let offered = "TITLE [\"alert\",\"name\"]";
    has(
        &page(&browser, &to).await,
        &["TITLE [&#34;alert&#34;,&#34;name&#34;]", "alert/host"],
    );
    // What scripts said of a place is kept.
    let named = json!({"payload_attribute_mappings": [{"field_name": "TITLE", "path": ["alert", "name"], "label": "Name of it", "type": "DATETIME"}]});
    let path = desk.project.at(&format!("/alert_management/http_integrations/{id}"));
    t.admin().put(&path).json(&named).await.is(200);
    let (_, shown) = browser.submit(&to, &save("600", offered, "[\"alert\",\"host\"]")).await;
    has(&shown, &["Integration saved.", "600"]);
    let stored = read().await;
    assert_eq!(
        (
            &stored["heartbeat_seconds"],
            &stored["identity_fields"],
            &stored["ignored_fields"]
        ),
        (&json!(600), &json!([["alert", "host"]]), &json!([["noise"]]))
    );
    assert_eq!(
        stored["payload_attribute_mappings"],
        json!([{"field_name": "TITLE", "path": ["alert", "name"],
        "label": "Name of it", "type": "DATETIME"}])
    );
    let refused = browser.post(&to, &save("1", offered, "[")).await.is(422).text();
    has(&refused, &["Has an unusable line"]);
    let refused = browser.post(&to, &save("soon", offered, "")).await.is(422).text();
    has(&refused, &["Is not a number", "soon"]);

    let test = |payload: &'static str| [("action", "test"), ("payload", payload)];
    let (_, shown) = browser.submit(&to, &test("{\"alert\": {\"name\": \"Mapped\"}}")).await;
    has(
        &shown,
        &["It was received as alert #1.", "^alert#1", "/-/alert_management/1/details"],
    );
    assert_eq!(desk.only_alert().await["title"], "Mapped");
    has(&browser.post(&to, &test("{")).await.is(422).text(), &["Must be a JSON object"]);
    browser.submit(&to, &[("action", "reset"), ("overlap_seconds", "3600")]).await;
    assert_ne!(read().await["token"], made["token"]);
    has(&page(&browser, &to).await, &["The key before is taken until"]);
    let (to_list, shown) = browser.submit(&to, &[("action", "remove")]).await;
    assert_eq!(to_list, SETTINGS);
    assert!(shown.contains("Integration removed.") && !shown.contains("Grid"), "{shown}");
    browser.get(&to).await.is(404);
    has(
        &browser
            .post(SETTINGS, &[("action", "create"), ("name", " ")])
            .await
            .is(422)
            .text(),
        &["Can&#39;t be blank"],
    );
}

#[testkit::story]
async fn integrations_are_listed_by_whom_they_read(t: TestServer) {
    let (desk, browser) = desk(&t, 40).await;
    let make = |name: &'static str, preset: &'static str| {
        [("action", "create"), ("name", name), ("preset", preset), ("active", "1")]
    };
    let (to, shown) = browser.submit(SETTINGS, &make("Dashboards", "grafana")).await;
    // What was received comes first, and places are folded.
    let at = |text: &str| shown.find(text).unwrap();
    assert!(
        at("Delivery log") < at("How to send to") && shown.contains("<details class=\"fold\">")
    );
    browser.submit(SETTINGS, &make("Plain", "")).await;
    has(
        &page(&browser, SETTINGS).await,
        &[">Dashboards</a>", "<p>Grafana</p>", "<p>Any sender</p>", "Add an integration"],
    );
    let id = to.rsplit('/').next().unwrap();
    let path = desk.project.at(&format!("/alert_management/http_integrations/{id}"));
    let mapping = json!({"payload_attribute_mappings": [{"field_name": "TITLE", "path": ["own"]}]});
    t.admin().put(&path).json(&mapping).await.is(200);
    assert!(!page(&browser, SETTINGS).await.contains("<p>Grafana</p>"));
}

#[testkit::story]
async fn another_projects_integration_is_not_reached(t: TestServer) {
    let (desk, browser) = desk(&t, 40).await;
    let other = Desk::new(&t, "acme/hammer").await;
    let path = format!("{SETTINGS}/{}", other.integration["id"]);
    browser.get(&path).await.is(404);
    browser.post(&path, &[("action", "remove")]).await.is(404);
    browser.post(&path, &[("action", "test"), ("payload", "{}")]).await.is(404);
    other.send(json!({"title": "still there"})).await.is(200);
    assert!(desk.alerts().await.is_empty());
}

#[testkit::story]
async fn windows_and_triggers_are_set_on_a_page(t: TestServer) {
    let (desk, browser) = desk(&t, 40).await;
    let (_, shown) = browser.submit(SETTINGS, &[("action", "save"), ("create_issue", "1")]).await;
    has(&shown, &["Settings saved."]);
    let stored = t
        .admin()
        .get(desk.project.at("/alert_management/settings"))
        .await
        .is(200)
        .json();
    assert_eq!(
        stored,
        json!({"create_issue": true, "issue_template_key": null, "send_email": false,
        "auto_close_incident": false, "external_tool_enabled": false, "external_tool_url": null})
    );
    let open = |until: &'static str, name: &'static str| {
        [
            ("action", "open"),
            ("window_name", name),
            ("integration_id", "0"),
            ("starts_at", ""),
            ("ends_at", until),
        ]
    };
    let (_, shown) = browser.submit(SETTINGS, &open("2999-01-01T10:00", "Move <house>")).await;
    has(
        &shown,
        &[
            "The maintenance window is set.",
            "Move &#60;house&#62;",
            "all integrations",
            "to 1 Jan 2999, 10:00 UTC",
        ],
    );
    desk.send(json!({"title": "during it"})).await.is(200);
    assert_eq!(desk.only_alert().await["status"], "ignored");
    has(
        &browser.post(SETTINGS, &open("2001-01-01T10:00", "Late")).await.is(422).text(),
        &["Late", "Must be later"],
    );
    has(
        &browser.post(SETTINGS, &open("soon", "Odd")).await.is(422).text(),
        &["Is no time"],
    );
    has(
        &browser.post(SETTINGS, &open("2999-01-01T10:00", "")).await.is(422).text(),
        &["Can&#39;t be blank"],
    );
    let windows = desk.project.at("/alert_management/maintenance_windows");
    let id = t.admin().get(&windows).await.is(200).json()[0]["id"].to_string();
    let (_, shown) = browser.submit(SETTINGS, &[("action", "close"), ("window_id", &id)]).await;
    assert!(
        shown.contains("Maintenance window removed.") && !shown.contains("house"),
        "{shown}"
    );
    browser.post(SETTINGS, &[("action", "close"), ("window_id", &id)]).await.is(404);
}
