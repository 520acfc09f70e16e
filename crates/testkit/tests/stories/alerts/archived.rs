//! Projects that take no changes: alerts are refused as by an integration that
//! is not active, and nothing is kept.

use crate::alerts::{Desk, item};
use http::Method;
use serde_json::json;
use testkit::TestServer;

async fn rows(t: &TestServer) -> (i64, i64) {
    let counted = t.app().read(|tx| {
        let query = "select (select count(*) from alerts), (select count(*) from alert_deliveries)";
        Ok(tx.query(store::Fragment::new(query))?.remove(0))
    });
    counted.await.unwrap()
}

#[testkit::story]
async fn archived_projects_receive_nothing(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "before"})).await.is(200);
    let before = rows(&t).await;
    t.admin().post(desk.project.at("/archive")).await.is(201);
    desk.send(json!({"title": "after"})).await.is(403);
    desk.send_group(json!([item("a", "firing")])).await.is(401);
    desk.bare().json(&json!({"title": "no key"})).await.is(403);
    let trial = json!({"payload": {"title": "trial"}});
    t.admin().post(format!("{}/test", desk.path())).json(&trial).await.is(403);
    assert_eq!(rows(&t).await, before);
    // They are still seen, and stay as they are.
    assert_eq!(desk.alerts().await.len(), 1);
    t.admin().put(desk.alert(1)).json(&json!({"status": "resolved"})).await.is(403);
    t.admin().post(format!("{}/issue", desk.alert(1))).await.is(403);
    t.admin().post(desk.project.at("/unarchive")).await.is(201);
    desk.send(json!({"title": "again"})).await.is(200);
    assert_eq!(desk.alerts().await.len(), 2);
}

#[testkit::story]
async fn projects_about_to_go_receive_nothing(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    t.admin().delete(desk.project.at("")).await.is(202);
    desk.send(json!({"title": "late"})).await.is(404);
    assert_eq!(rows(&t).await, (0, 0));
}

#[testkit::story]
async fn a_project_may_be_called_like_an_address(t: TestServer) {
    t.group("acme").await;
    t.group("acme/tools").await;
    t.group("acme/tools/alerts").await;
    let project = t.project("acme/tools/alerts/notify").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let page = "/acme/tools/alerts/notify";
    assert!(browser.get(page).await.is(200).text().contains("notify"));
    browser.get(&format!("{page}/-/issues")).await.is(200);
    browser.get(&format!("{page}/-/alert_management")).await.is(200);
    let asked = t.anonymous().request(Method::GET, page).await;
    assert_eq!((asked.status, asked.header("allow")), (405, "POST, OPTIONS"));
    // Alerts of the project above still go to their address.
    t.anonymous().request(Method::POST, page).json(&json!({})).await.is(404);
}

#[testkit::story(noon)]
async fn nobody_misses_what_archived_projects_do_not_receive(t: TestServer) {
    let beating = json!({"name": "Beat", "active": true, "heartbeat_seconds": 60});
    let desk = Desk::with(&t, "acme/anvil", beating).await;
    t.admin().post(desk.project.at("/archive")).await.is(201);
    t.advance(600);
    crate::alerts::due::watch(&t).await;
    assert_eq!(rows(&t).await.0, 0);
}
