//! Many are moved together, few at a time.

use super::{ALL, at_once, of, of_rows, pushed, to};
use ::store::sql;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_storage_is_emptied(t: TestServer) {
    for name in ["anvil", "bellows", "tongs"] {
        pushed(&t, &format!("acme/{name}")).await;
    }
    let (moving, _) = pushed(&t, "acme/hammer").await;
    let wiki = t.project("acme/wiki").await;
    let page = json!({"title": "home", "content": "iron"});
    t.admin().post(wiki.at("/wikis")).json(&page).await.is(201);
    at_once(&t, 0).await;
    let first = t.admin().post(of(&moving)).json(&to("second")).await.is(201).id();
    let all = json!({"source_storage_name": "default", "destination_storage_name": "second"});
    let told = t.admin().post(ALL).json(&all).await.is(202).json();
    assert_eq!(told, json!({"message": "202 Accepted"}));
    let listed = t.admin().get(ALL).await.is(200);
    assert_eq!(
        listed.each("state"),
        vec![json!("scheduled"); 5],
        "the one that moves is skipped"
    );
    assert_eq!(listed.each("id").last(), Some(&json!(first)));
    t.admin().post(ALL).json(&all).await.is(202);
    assert_eq!(t.admin().get(ALL).await.is(200).header("x-total"), "5", "nobody moves twice");

    at_once(&t, 1).await;
    // The next one that is scheduled, or the round of the queue, has them go on.
    t.project("acme/last").await;
    let last = t.admin().post("/projects/acme%2Flast/repository_storage_moves");
    last.json(&to("second")).await.is(201);
    t.settle().await;
    let ended = t.admin().get(ALL).await.is(200).each("state");
    assert_eq!(ended, vec![json!("finished"); 6]);
    assert_eq!(of_rows(&t).await, ["second"]);
    let left = t.admin().get("/projects?repository_storage=default").await.is(200).json();
    assert_eq!(left, json!([]));
    // There is nothing left to move.
    t.admin().post(ALL).json(&all).await.is(202);
    assert_eq!(t.admin().get(ALL).await.is(200).header("x-total"), "6");
}

#[testkit::story]
async fn each_kind_is_moved_by_itself(t: TestServer) {
    pushed(&t, "acme/anvil").await;
    let group = t.group("acme").await;
    let page = json!({"title": "home", "content": "iron"});
    t.admin().post(group.at("/wikis")).json(&page).await.is(201);
    let snippet = json!({"title": "x", "file_name": "a.txt", "content": "hello"});
    t.admin().post("/snippets").json(&snippet).await.is(201);
    let all = json!({"source_storage_name": "default", "destination_storage_name": "second"});
    for (kind, path) in [
        ("group", "/group_repository_storage_moves"),
        ("snippet", "/snippet_repository_storage_moves"),
    ] {
        t.admin().post(path).json(&all).await.is(202);
        t.settle().await;
        let listed = t.admin().get(path).await.is(200);
        assert_eq!(listed.each("state"), [json!("finished")], "{kind}");
    }
    let kinds = sql!("select kind from repositories where storage = 'default'");
    assert_eq!(super::texts(&t, kinds).await, ["project"]);
    assert_eq!(t.admin().get(ALL).await.is(200).json(), json!([]));
}

/// Not more jobs than moves at once, however many are scheduled.
#[testkit::story]
async fn jobs_are_few(t: TestServer) {
    for number in 0..5 {
        pushed(&t, &format!("acme/p{number}")).await;
    }
    let all = json!({"source_storage_name": "default", "destination_storage_name": "second"});
    at_once(&t, 2).await;
    t.admin().post(ALL).json(&all).await.is(202);
    let given = sql!(
        "select cast(max(given) as text) from (select count(*) as given
         from repository_storage_moves
         where is_dispatched and state in ('scheduled', 'started', 'replicated')) counted"
    );
    let given: i64 = super::texts(&t, given).await[0].parse().unwrap();
    assert!(given <= 2, "{given} have a job");
    t.settle().await;
    assert_eq!(t.admin().get(ALL).await.is(200).each("state"), vec![json!("finished"); 5]);
}
