//! `/admin/storages`.

use super::{ALL, at_once, block, of_rows, pushed, unblock};
use serde_json::json;
use testkit::TestServer;

const PAGE: &str = "/admin/storages";

#[testkit::story]
async fn administrators_empty_a_storage_on_a_page(t: TestServer) {
    pushed(&t, "acme/anvil").await;
    pushed(&t, "acme/bellows").await;
    let jane = t.user("jane").await;
    t.browser(&jane.username).await.get(PAGE).await.is(403);
    let ada = t.user("ada").await;
    t.admin()
        .put(format!("/users/{}", ada.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let ada = t.browser("ada").await;
    let shown = ada.get(PAGE).await.is(200).text();
    for text in ["default", "second", "By weight", "Empty a storage", "No moves here"] {
        assert!(shown.contains(text), "{text}");
    }
    let all = |from, to| {
        [
            ("action", "all"),
            ("kind", "project"),
            ("source_storage_name", from),
            ("destination_storage_name", to),
        ]
    };
    let refused = ada.post(PAGE, &all("default", "gone")).await.is(422).text();
    assert!(refused.contains("Is not included in the list"), "{refused}");
    at_once(&t, 0).await;
    let (to, shown) = ada.submit(PAGE, &all("default", "second")).await;
    assert_eq!(to, PAGE);
    assert!(shown.contains("2 moves are scheduled.") && shown.contains("acme/bellows"));
    let ids = t.admin().get(ALL).await.is(200).each("id");
    let newest = ids[0].to_string();
    let (_, shown) = ada.submit(PAGE, &[("action", "cancel"), ("storage_move", &newest)]).await;
    assert!(shown.contains("The move is canceled.") && shown.contains("canceled by an admin"));
    let late = ada.post(PAGE, &[("action", "cancel"), ("storage_move", &newest)]).await.is(422);
    assert!(late.text().contains("cannot be canceled because it is failed"));

    at_once(&t, 2).await;
    let (_, shown) = ada.submit(PAGE, &[("action", "retry"), ("storage_move", &newest)]).await;
    assert!(shown.contains("It is tried again."));
    t.settle().await;
    assert_eq!(of_rows(&t).await, ["second"]);
    let finished = ada.get("/admin/storages?state=finished").await.is(200).text();
    assert!(finished.contains("acme/anvil") && finished.contains("acme/bellows"));
    let failed = ada.get("/admin/storages?state=cleanup+failed").await.is(200).text();
    assert!(failed.contains("No moves here"));
    ada.get("/admin/storages?state=odd").await.is(400);
}

#[testkit::story]
async fn one_is_moved_on_a_page(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let snippet = json!({"title": "Greeting", "file_name": "a.txt", "content": "hello"});
    let snippet = t.admin().post("/snippets").json(&snippet).await.is(201).id().to_string();
    let ada = t.user("ada").await;
    t.admin()
        .put(format!("/users/{}", ada.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let ada = t.browser("ada").await;
    ada.get(PAGE).await.is(200);
    let one = |kind, one, to| {
        [("action", "one"), ("one_kind", kind), ("one", one), ("one_destination", to)]
    };
    for (kind, what) in [
        ("project", "acme/none"),
        ("project", ""),
        ("group", "acme/anvil"),
        ("snippet", "acme"),
        ("snippet", "999"),
    ] {
        let refused = ada.post(PAGE, &one(kind, what, "second")).await.is(422).text();
        assert!(refused.contains("Is not found"), "{kind} {what}: {refused}");
    }
    let refused = ada.post(PAGE, &one("project", "acme/anvil", "gone")).await.is(422).text();
    assert!(refused.contains("Is not included in the list"));
    block(&t, "second");
    let (_, shown) = ada.submit(PAGE, &one("project", "acme/anvil", "second")).await;
    assert!(shown.contains("acme/anvil is going to be moved."));
    t.settle().await;
    unblock(&t, "second");
    let id = project.id.to_string();
    for (kind, what) in [("project", id.as_str()), ("group", "acme"), ("snippet", &snippet)] {
        ada.submit(PAGE, &one(kind, what, "second")).await;
    }
    t.settle().await;
    let shown = ada.get(PAGE).await.is(200).text();
    for text in ["Greeting", "default → second", "finished", "failed"] {
        assert!(shown.contains(text), "{text}");
    }
    assert_eq!(of_rows(&t).await, ["second"]);
}
