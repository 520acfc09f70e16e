//! What people do with alerts: lists, statuses, who looks after them
//! (docs/interface/monitoring.md 1.8).

use crate::alerts::Desk;
use serde_json::{Value, json};
use testkit::TestServer;

async fn several(t: &TestServer) -> Desk {
    let desk = Desk::new(t, "acme/anvil").await;
    for (title, severity, service, day) in [
        ("Disk full", "low", "store", 3),
        ("Größe 100%", "critical", "web", 1),
        ("Slow", "unknown", "WEB", 2),
    ] {
        let sent = json!({"title": title, "severity": severity, "service": service,
            "start_time": format!("2025-05-0{day}")});
        desk.send(sent).await.is(200);
    }
    desk
}

fn iids(alerts: Vec<Value>) -> Vec<i64> {
    alerts.iter().map(|one| one["iid"].as_i64().unwrap()).collect()
}

#[testkit::story]
async fn lists_are_filtered_and_ordered(t: TestServer) {
    let desk = several(&t).await;
    t.admin().put(desk.alert(3)).json(&json!({"status": "resolved"})).await.is(200);
    t.admin()
        .put(desk.alert(1))
        .json(&json!({"status": "acknowledged"}))
        .await
        .is(200);
    desk.send(json!({"title": "Slow", "severity": "unknown", "service": "WEB"}))
        .await
        .is(200);
    t.admin().put(desk.alert(4)).json(&json!({"status": "ignored"})).await.is(200);
    for (query, expected) in [
        ("", vec![4, 1, 3, 2]),
        ("?order_by=started_at&sort=asc", vec![2, 3, 1, 4]),
        ("?order_by=severity", vec![2, 1, 3, 4]),
        ("?order_by=status", vec![2, 1, 3, 4]),
        ("?order_by=status&sort=asc", vec![4, 3, 1, 2]),
        ("?order_by=created_at&sort=asc", vec![1, 2, 3, 4]),
        ("?order_by=ended_at", vec![3, 4, 2, 1]),
        ("?order_by=created_at&status[]=triggered&status[]=acknowledged", vec![2, 1]),
        ("?order_by=created_at&status=resolved", vec![3]),
        ("?order_by=created_at&search=web", vec![4, 3, 2]),
        ("?search=GR%C3%96SSE", vec![]),
        ("?search=gr%C3%B6%C3%9Fe", vec![2]),
        ("?search=0%25", vec![2]),
        ("?search=_", vec![]),
        ("?assignee_username=nobody", vec![]),
    ] {
        let mut found = iids(desk.listed(query).await);
        if query.contains("severity") {
            found[2..].sort_unstable();
        }
        assert_eq!(found, expected, "{query}");
    }
    let page = t
        .admin()
        .get(desk.project.at("/alert_management/alerts?per_page=3&page=2"))
        .await
        .is(200);
    assert_eq!((page.json().as_array().unwrap().len(), page.header("x-total")), (1, "4"));
    for wrong in ["?status=odd", "?order_by=odd", "?sort=odd"] {
        t.admin()
            .get(desk.project.at(&format!("/alert_management/alerts{wrong}")))
            .await
            .is(400);
    }
}

#[testkit::story]
async fn any_status_follows_any_and_is_told(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    for status in ["acknowledged", "resolved", "ignored", "resolved", "triggered"] {
        let shown = jane.put(desk.alert(1)).json(&json!({"status": status})).await.is(200).json();
        assert_eq!(shown["status"], status);
        assert_eq!(shown["ended_at"].is_string(), status == "resolved");
    }
    let notes = desk.notes(&t, 1).await;
    assert_eq!(
        notes[1..3],
        ["changed the status to **Acknowledged**", "changed the status to **Resolved**"]
    );
    jane.put(desk.alert(1)).json(&json!({"status": "odd"})).await.is(400);
    jane.put(desk.alert(2)).json(&json!({"status": "resolved"})).await.is(404);
    let audited = t.admin().get("/audit_events").await.is(200);
    assert!(audited.text().contains("alert"), "{audited:?}");
}

#[testkit::story]
async fn an_equal_open_alert_keeps_one_from_opening_again(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let fire = json!({"title": "a", "fingerprint": "f"});
    desk.send(fire.clone()).await.is(200);
    t.admin().put(desk.alert(1)).json(&json!({"status": "resolved"})).await.is(200);
    desk.send(fire).await.is(200);
    let refused = t.admin().put(desk.alert(1)).json(&json!({"status": "triggered"})).await.is(400);
    let text = "An alert with the same fingerprint is already open. To change the status of \
        this alert, resolve the linked alert.";
    assert_eq!(refused.json()["message"]["status"], json!([text]));
    t.admin().put(desk.alert(2)).json(&json!({"status": "resolved"})).await.is(200);
    t.admin().put(desk.alert(1)).json(&json!({"status": "triggered"})).await.is(200);
}

#[testkit::story]
async fn one_who_may_see_it_looks_after_it(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a"})).await.is(200);
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    desk.project.add(&jane, 30).await;
    desk.project.add(&carl, 20).await;
    let assign = |ids: Value| jane.put(desk.alert(1)).json(&json!({"assignee_ids": ids}));
    let refused = assign(json!([carl.id])).await.is(400);
    assert_eq!(refused.json()["message"]["assignee"], json!(["Assignee has no permissions"]));
    let admin = t.admin().get("/user").await.id();
    let shown = assign(json!([admin, jane.id])).await.is(200).json();
    assert_eq!(shown["assignees"][0]["username"], "root");
    assert_eq!(shown["assignees"].as_array().unwrap().len(), 1);
    assert_eq!(iids(desk.listed("?assignee_username=root").await), [1]);
    let todos = t.admin().get("/todos").await.is(200);
    assert_eq!(todos.json()[0]["target_type"], "AlertManagement::Alert");
    t.admin().put(desk.alert(1)).json(&json!({"status": "resolved"})).await.is(200);
    assert_eq!(t.admin().get("/todos").await.is(200).json(), json!([]));
    assert_eq!(assign(json!([])).await.is(200).json()["assignees"], json!([]));
    let notes = desk.notes(&t, 1).await;
    assert_eq!(
        (notes[1].as_str(), notes.last().map(String::as_str)),
        ("assigned to @root", Some("unassigned @root"))
    );
}

#[testkit::story]
async fn images_todos_and_notes_go_with_the_project(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a"})).await.is(200);
    t.admin().delete(desk.project.at("")).await.is(202);
    t.settle().await;
    t.advance(8 * 24 * 3600);
    t.settle().await;
    let left = t.app().read(|tx| {
        Ok(tx.one::<(i64, i64)>(
            store::sql!(
                "select (select count(*) from alerts),
                (select count(*) from notes where noteable_type = 'AlertManagement::Alert')"
            ),
            (),
        )?)
    });
    assert_eq!(left.await.unwrap(), (0, 0));
}
