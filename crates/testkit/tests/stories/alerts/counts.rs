//! How often alerts are sent: counted by few statements, shown by the hour.

use crate::alerts::{Desk, item};
use monitoring::alerts::store::arrive;
use serde_json::{Value, json};

fn items(status: &str) -> Value {
    (0..150).map(|n| item(&format!("f{n}"), status)).collect()
}

#[testkit::story]
async fn alerts_of_one_delivery_are_counted_together(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    for _ in 0..3 {
        desk.send_group(items("firing")).await.is(200);
    }
    let alerts = desk.listed("?per_page=100").await;
    assert!(alerts.iter().all(|alert| alert["event_count"] == 3), "{alerts:#?}");
    let ids: Vec<i64> = alerts.iter().filter_map(|alert| alert["id"].as_i64()).collect();
    let counted = t.app().write(move |tx| {
        let added: Vec<(i64, i64)> = ids.iter().map(|id| (*id, 1)).collect();
        let before = tx.statements();
        arrive::count(tx, &added)?;
        arrive::count_hour(tx, &added)?;
        let counted = tx.statements() - before;
        let ended: Vec<_> = ids.iter().map(|id| (*id, tx.now())).collect();
        arrive::end(tx, &ended)?;
        Ok((counted, tx.statements() - before - counted))
    });
    assert_eq!(counted.await.unwrap(), (2, 2), "a hundred alerts");
    desk.send_group(items("resolved")).await.is(200);
    let open = desk.listed("?status[]=triggered&status[]=acknowledged").await;
    assert!(open.is_empty(), "{open:#?}");
    let ended = desk.listed("?order_by=created_at&sort=asc&per_page=1").await;
    assert_eq!(ended[0]["ended_at"], "2025-05-05T11:00:00.000Z");
}

#[testkit::story]
async fn the_environment_that_was_sent_is_kept(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let mut one = item("a", "firing");
    one["labels"]["service_environment_name"] = json!("production <b>");
    desk.send_group(json!([one])).await.is(200);
    assert_eq!(desk.only_alert().await["environment_name"], "production <b>");
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    let page = "/acme/anvil/-/alert_management/1/details";
    let shown = t.browser("jane").await.get(page).await.is(200).text();
    assert!(
        shown.contains("production &#60;b&#62;") && !shown.contains("production <b>"),
        "{shown}"
    );
    let mapped = json!({"name": "Mapped", "active": true, "payload_attribute_mappings":
        [{"field_name": "SERVICE_ENVIRONMENT_NAME", "path": ["where", "stage"]}]});
    let other = Desk::with(&t, "acme/hammer", mapped).await;
    other
        .send(json!({"title": "a", "where": {"stage": "x".repeat(300)}}))
        .await
        .is(200);
    let name = other.only_alert().await["environment_name"].as_str().unwrap().to_owned();
    assert_eq!(name.len(), 255);
    let field = "alertManagementAlert(iid:\"1\"){environment{name}}";
    assert_eq!(
        crate::alerts::graphql::of_project(&t.admin(), field).await["environment"],
        Value::Null
    );
}

#[testkit::story(noon)]
async fn pages_show_events_by_the_hour(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let list = "/acme/anvil/-/alert_management";
    assert!(!browser.get(list).await.is(200).text().contains("Events by hour"));
    for _ in 0..3 {
        desk.send(json!({"title": "a"})).await.is(200);
    }
    t.advance(2 * 3_600);
    desk.send(json!({"title": "a"})).await.is(200);
    desk.send(json!({"title": "b"})).await.is(200);
    let shown = browser.get(&format!("{list}/1/details")).await.is(200).text();
    for text in ["Events by hour: 4", "1 time in the last 30 days"] {
        assert!(shown.contains(text), "{text} is not in {shown}");
    }
    let shown = browser.get(list).await.is(200).text();
    assert!(shown.contains("Events by hour: 5"), "{shown}");
    let hours = async || {
        let read = t.app().read(|tx| {
            Ok(tx
                .query::<(i64, i64)>(store::Fragment::new(
                    "select count(*), cast(coalesce(sum(events), 0) as bigint) from alert_hours",
                ))?
                .remove(0))
        });
        read.await.unwrap()
    };
    assert_eq!(hours().await, (3, 5));
    // Kept as long as a chart shows them.
    t.advance(31 * 24 * 3_600);
    crate::alerts::due::watch(&t).await;
    assert_eq!(hours().await, (0, 0));
    assert_eq!(desk.alerts().await.len(), 2);
}
