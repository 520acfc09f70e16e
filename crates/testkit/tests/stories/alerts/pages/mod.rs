//! Pages of alerts: the list, one alert, where alerts come from, and what
//! they trigger (docs/interface/monitoring.md 1.8).

mod settings;

use crate::alerts::{Desk, group, item};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::{Browser, TestServer};

const LIST: &str = "/acme/anvil/-/alert_management";
const ONE: &str = "/acme/anvil/-/alert_management/1";
const DETAILS: &str = "/acme/anvil/-/alert_management/1/details";
const SETTINGS: &str = "/acme/anvil/-/settings/alerts";
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A project with an integration, and a member with this role at a browser.
async fn desk(t: &TestServer, role: i64) -> (Desk, Browser) {
    let desk = Desk::new(t, "acme/anvil").await;
    let jane = t.user("jane").await;
    desk.project.add(&jane, role).await;
    (desk, t.browser("jane").await)
}

async fn page(browser: &Browser, path: &str) -> String {
    browser.get(path).await.is(200).text()
}

fn has(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

#[testkit::story]
async fn alerts_are_listed_by_status(t: TestServer) {
    let (desk, browser) = desk(&t, 30).await;
    has(&page(&browser, LIST).await, &["No alerts", "What monitoring tools send"]);
    for (title, severity) in [("Disk <b>full</b>", "low"), ("Slow", "critical"), ("Hot", "medium")]
    {
        let description = format!("<i>{title}</i>\nsince {}", "noon ".repeat(100));
        desk.send(json!({"title": title, "severity": severity, "description": description}))
            .await
            .is(200);
    }
    t.admin().put(desk.alert(2)).json(&json!({"status": "resolved"})).await.is(200);
    t.admin().post(format!("{}/issue", desk.alert(1))).await.is(201);
    let shown = page(&browser, LIST).await;
    has(
        &shown,
        &[
            "Disk &#60;b&#62;full&#60;/b&#62;",
            "Hot",
            "Medium",
            "&#60;i&#62;Hot&#60;/i&#62; since noon",
            "noon ...</p>",
            "1 event",
            "/acme/anvil/-/issues/1",
            "Open <span class=\"tally\">2</span>",
            "Resolved <span class=\"tally\">1</span>",
            "All <span class=\"tally\">3</span>",
        ],
    );
    assert!(!shown.contains("<b>full") && !shown.contains("Slow"), "{shown}");
    has(&page(&browser, &format!("{LIST}?status=resolved")).await, &["Slow", "Critical"]);
    let worst = page(&browser, &format!("{LIST}?status=all&sort=severity_desc")).await;
    let at = |title: &str| worst.find(title).unwrap();
    assert!(at(">Slow<") < at(">Hot<") && at(">Hot<") < at("Disk &#60;"), "{worst}");
    let found = page(&browser, &format!("{LIST}?search=hot")).await;
    has(&found, &["Hot", "Open <span class=\"tally\">1</span>"]);
    assert!(!found.contains("Disk"));
    has(
        &page(&browser, &format!("{LIST}?search=nothing+like+it")).await,
        &["No alert found"],
    );
    has(&page(&browser, &format!("{LIST}?status=ignored")).await, &["No such alerts"]);
    has(
        &page(&browser, &format!("{LIST}?status=all&per_page=2")).await,
        &["1–2 of 3", "aria-label=\"Page 2\""],
    );
}

#[testkit::story]
async fn who_may_not_see_alerts_sees_no_page(t: TestServer) {
    let (desk, browser) = desk(&t, 20).await;
    desk.send(json!({"title": "a"})).await.is(200);
    for path in [LIST, DETAILS, SETTINGS] {
        browser.get(path).await.is(403);
    }
    assert!(!page(&browser, "/acme/anvil").await.contains("/-/alert_management"));
    let developer = t.user("carl").await;
    desk.project.add(&developer, 30).await;
    let carl = t.browser("carl").await;
    has(&page(&carl, "/acme/anvil").await, &["/-/alert_management"]);
    carl.get(DETAILS).await.is(200);
    carl.get(&format!("{LIST}/9/details")).await.is(404);
    carl.get(SETTINGS).await.is(403);
    let id = &desk.integration["id"];
    carl.get(&format!("{SETTINGS}/{id}")).await.is(403);
    carl.post(SETTINGS, &[("action", "save")]).await.is(403);
    t.user("zoe").await;
    t.browser("zoe").await.get(DETAILS).await.is(404);
    t.new_browser().get(DETAILS).await.is(401);
    let bare = carl.post_bare(ONE, &[("action", "todo")]).await;
    assert!(bare.status >= 400, "{bare:?}");
}

#[testkit::story]
async fn one_alert_is_shown_with_what_was_sent(t: TestServer) {
    let (desk, browser) = desk(&t, 30).await;
    let sent = json!({"title": "Disk full", "description": "<script>x()</script>", "hosts": ["a", "b"],
        "service": "store", "runbook": "javascript:alert(1)", "deep": {"list": ["one", {"x": "<i>two</i>"}]}});
    desk.send(sent).await.is(200);
    let shown = page(&browser, DETAILS).await;
    has(
        &shown,
        &[
            "Disk full",
            "&#60;script&#62;x()",
            "a, b",
            "store",
            "deep.list.1.x",
            "&#60;i&#62;two",
            "javascript:alert(1)",
            "logged an alert from",
            "Events by hour <span class=\"muted\">in UTC</span>",
            "1 time in the last 30 days",
            "<svg",
            "Received by",
            "Pager",
        ],
    );
    assert!(!shown.contains("<script>x") && !shown.contains("href=\"javascript"), "{shown}");
    assert_eq!(shown.matches("class=\"bars\"").count(), 1, "one chart: {shown}");
    let at = |text: &str| shown.find(text).unwrap();
    assert!(
        at("id=\"story\"") < at("id=\"payload\"") && at(">Acknowledge<") < at("id=\"details\"")
    );
    let runbook = "https://wiki.example/disk";
    desk.send(json!({"title": "Other", "runbook": runbook})).await.is(200);
    let shown = page(&browser, &format!("{LIST}/2/details")).await;
    has(
        &shown,
        &[&format!("<a href=\"{runbook}\" rel=\"noopener noreferrer nofollow\">")],
    );
}

#[testkit::story]
async fn statuses_and_people_are_set_by_forms(t: TestServer) {
    let (desk, browser) = desk(&t, 30).await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let set = |status: &'static str| [("action", "status"), ("status", status)];
    let (to, shown) = browser.submit(ONE, &set("acknowledged")).await;
    assert_eq!(to, DETAILS);
    has(
        &shown,
        &[
            "The alert is acknowledged.",
            "changed the status to <strong>Acknowledged</strong>",
        ],
    );
    assert!(!shown.contains(">Acknowledge<") && shown.contains(">Resolve<"), "{shown}");
    browser.submit(ONE, &set("resolved")).await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    has(
        &page(&browser, DETAILS).await,
        &["An equal alert is open", "^alert#2", "2/details"],
    );
    let refused = browser.post(ONE, &set("triggered")).await.is(422).text();
    has(&refused, &["An alert with the same fingerprint is already open"]);

    let assign = |name: &'static str| [("action", "assign"), ("assignee", name)];
    let (_, shown) = browser.submit(ONE, &assign("@jane")).await;
    has(&shown, &["The alert is assigned to @jane.", "assigned to @jane"]);
    has(
        &browser.post(ONE, &assign("nobody")).await.is(422).text(),
        &["Is not the name of a user", "nobody"],
    );
    t.user("zoe").await;
    has(
        &browser.post(ONE, &assign("zoe")).await.is(422).text(),
        &["Assignee has no permissions"],
    );
    let (_, shown) = browser.submit(ONE, &assign("")).await;
    has(&shown, &["Nobody looks after the alert.", "unassigned <a href=\"/jane\""]);

    let (_, shown) = browser.submit(ONE, &[("action", "todo")]).await;
    has(&shown, &["The alert is among your to-dos."]);
    let incident = format!("{ONE}/incident");
    let (_, shown) = browser.submit(&incident, &[]).await;
    has(&shown, &["Incident #1 created.", "/acme/anvil/-/issues/1"]);
    assert!(!shown.contains("Create incident"));
    has(&browser.post(&incident, &[]).await.is(422).text(), &["An issue already exists"]);
    let second = format!("{LIST}/2");
    let (_, shown) = browser.submit(&second, &[("action", "shelve"), ("duration", "3600")]).await;
    has(&shown, &["The alert is ignored for a while.", "ignored until"]);
    browser.post(&second, &[("action", "shelve"), ("duration", "1")]).await.is(422);
}

#[testkit::story]
async fn pictures_of_charts_are_added_and_removed(t: TestServer) {
    let (desk, browser) = desk(&t, 30).await;
    desk.send(json!({"title": "a"})).await.is(200);
    let add = format!("{ONE}/images");
    browser.post_file(&add, "file", b"<svg onload=alert(1)>").await.is(422);
    browser.post_file(&add, "file", b"").await.is(422);
    let png = STANDARD.decode(PNG).unwrap();
    browser.post_file(&add, "file", &png).await.is(303);
    let images = desk.project.at("/alert_management_alerts/1/metric_images");
    let id = t.admin().get(&images).await.is(200).json()[0]["id"].to_string();
    let picture = format!("/uploads/-/system/alert_metric_image/file/{id}/chart.png");
    has(&page(&browser, DETAILS).await, &[&picture]);
    assert_eq!(browser.get(&picture).await.is(200).body.to_vec(), png);
    let one = format!("{add}/{id}");
    let (_, shown) = browser
        .submit(&one, &[("url", "https://charts.example/1"), ("url_text", "Load")])
        .await;
    has(&shown, &["Picture updated.", "https://charts.example/1", "Load"]);
    browser.post(&one, &[("url", "javascript:alert(1)")]).await.is(422);
    let (_, shown) = browser.submit(&one, &[("remove", "1")]).await;
    has(&shown, &["Picture removed."]);
    assert!(!shown.contains(&picture));
    browser.post(&one, &[("remove", "1")]).await.is(404);
}

#[testkit::story]
async fn alerts_of_the_metrics_tool_show_their_query(t: TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    desk.send(group(json!([item("f1", "firing")]))).await.is(200);
    let browser = t.browser("jane").await;
    has(
        &page(&browser, DETAILS).await,
        &["It is down", "up == 0", "labels.instance", "Prometheus"],
    );
}
