//! What moves neither goes nor is transferred.

use super::{ALL, at_once, of, pushed, to};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn a_project_that_moves_stays(t: TestServer) {
    let (project, _) = pushed(&t, "acme/anvil").await;
    let (group, other) = (t.group("acme").await, t.group("other").await);
    at_once(&t, 0).await;
    let id = t.admin().post(of(&project)).json(&to("second")).await.is(201).id();
    let text = "The repositories of this project are being moved to another storage. Try again \
                when that has ended, or have an administrator cancel it.";
    let refused = t.admin().delete(project.at("")).await.is(409).json();
    assert_eq!(refused, json!({"message": text}));
    let to_other = json!({"namespace": other.id});
    t.admin().put(project.at("/transfer")).json(&to_other).await.is(409);
    t.admin().delete(group.at("")).await.is(409);
    // Its own wiki does not move.
    t.admin()
        .post(group.at("/transfer"))
        .json(&json!({"group_id": other.id}))
        .await
        .is(201);

    t.admin().post(format!("{ALL}/{id}/cancel")).await.is(200);
    t.admin().put(project.at("/transfer")).json(&to_other).await.is(200);
    t.admin().delete(project.at("")).await.is(202);
    t.settle().await;
    assert_eq!(t.admin().get(ALL).await.is(200).json(), json!([]), "its moves go with it");
}

#[testkit::story]
async fn groups_and_snippets_that_move_stay(t: TestServer) {
    let (group, other) = (t.group("acme").await, t.group("other").await);
    at_once(&t, 0).await;
    let moves = group.at("/repository_storage_moves");
    let id = t.admin().post(&moves).json(&to("second")).await.is(201).id();
    t.admin().delete(group.at("")).await.is(409);
    t.admin()
        .post(group.at("/transfer"))
        .json(&json!({"group_id": other.id}))
        .await
        .is(409);
    t.admin()
        .post(format!("/group_repository_storage_moves/{id}/cancel"))
        .await
        .is(200);
    t.admin().delete(group.at("")).await.is(202);

    let snippet = json!({"title": "x", "file_name": "a.txt", "content": "hello"});
    let snippet = t.admin().post("/snippets").json(&snippet).await.is(201).id();
    let moves = format!("/snippets/{snippet}/repository_storage_moves");
    let id = t.admin().post(&moves).json(&to("second")).await.is(201).id();
    t.admin().delete(format!("/snippets/{snippet}")).await.is(409);
    t.admin()
        .post(format!("/snippet_repository_storage_moves/{id}/cancel"))
        .await
        .is(200);
    t.admin().delete(format!("/snippets/{snippet}")).await.is(204);
}
