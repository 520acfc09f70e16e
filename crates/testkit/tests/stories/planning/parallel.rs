//! Many at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

#[testkit::story]
async fn numbers_of_issues_stay_dense(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let tries = (0..24).map(|n| {
        let (client, at) = (t.admin(), project.at("/issues"));
        // Every fourth is refused, which takes no number.
        let weight = if n % 4 == 0 { -1 } else { 1 };
        async move { client.post(at).json(&json!({"title": "x", "weight": weight})).await.status }
    });
    let statuses = join_all(tries).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 18, "{statuses:?}");
    let listed = t
        .admin()
        .get(project.at("/issues?per_page=100&sort=asc"))
        .await
        .is(200)
        .each("iid");
    let mut iids: Vec<i64> = listed.iter().filter_map(Value::as_i64).collect();
    iids.sort_unstable();
    assert_eq!(iids, (1..=18).collect::<Vec<_>>());
}

#[testkit::story]
async fn labels_added_at_once_are_all_kept(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "x", "labels": "old"}))
        .await
        .is(201);
    let one = project.at("/issues/1");
    let tries = (0..10).map(|n| {
        let (client, one) = (t.admin(), one.clone());
        async move {
            let body = json!({"add_labels": format!("l{n}"), "remove_labels": "old"});
            client.put(one).json(&body).await.is(200);
        }
    });
    join_all(tries).await;
    let issue = t.admin().get(&one).await.is(200).json();
    let mut expected: Vec<String> = (0..10).map(|n| format!("l{n}")).collect();
    expected.sort();
    assert_eq!(issue["labels"], json!(expected));
}

#[testkit::story]
async fn closing_at_once_closes_once(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin().post(project.at("/issues")).json(&json!({"title": "x"})).await.is(201);
    let one = project.at("/issues/1");
    let tries = (0..8).map(|_| async {
        t.admin().put(&one).json(&json!({"state_event": "close"})).await.is(200);
    });
    join_all(tries).await;
    let events = t.admin().get(format!("{one}/resource_state_events")).await.is(200);
    assert_eq!(events.each("state"), [json!("closed")]);
}
