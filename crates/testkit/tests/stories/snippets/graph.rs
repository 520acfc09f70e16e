//! Snippets in GraphQL.

use super::{made, paths};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn ask(client: &Client, query: &str, variables: Value) -> Value {
    let body = json!({"query": query, "variables": variables});
    client
        .request(http::Method::POST, "/api/graphql")
        .json(&body)
        .await
        .is(200)
        .json()
}

const ALL: &str = "query($ids: [SnippetID!], $type: TypeEnum) {
    snippets(ids: $ids, type: $type) { nodes { id title fileName visibilityLevel webUrl rawUrl
        author { username } project { fullPath } userPermissions { adminSnippet createNote }
        notes { nodes { body } } blobs { nodes { name path plainData binary mode } } } } }";

#[testkit::story]
async fn snippets_are_listed_with_their_files(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (ada, bob) = (t.user("ada").await, t.user("bob").await);
    project.add(&ada, 30).await;
    let own = made(&ada, None, "public").await;
    let of_project = made(&ada, Some(&project), "private").await;
    let found = ask(&bob, ALL, json!({})).await;
    let nodes = &found["data"]["snippets"]["nodes"];
    assert_eq!(nodes.as_array().map(Vec::len), Some(1), "{found}");
    let id = format!("gid://service/PersonalSnippet/{}", own["id"]);
    assert_eq!((&nodes[0]["id"], &nodes[0]["webUrl"]), (&json!(id), &own["web_url"]));
    assert_eq!(nodes[0]["blobs"]["nodes"][0]["plainData"], "fn main() {}\n");
    assert_eq!(nodes[0]["userPermissions"], json!({"adminSnippet": false, "createNote": true}));
    let found = ask(&ada, ALL, json!({"type": "project"})).await;
    let nodes = &found["data"]["snippets"]["nodes"];
    let id = format!("gid://service/ProjectSnippet/{}", of_project["id"]);
    assert_eq!(
        (&nodes[0]["id"], &nodes[0]["project"]["fullPath"]),
        (&json!(id), &json!("acme/anvil"))
    );
    assert_eq!(nodes[0]["userPermissions"]["adminSnippet"], true);
    let below = "{project(fullPath:\"acme/anvil\"){snippets{nodes{title}}} user(username:\"ada\"){snippets{nodes{title}}}}";
    let found = ask(&bob, below, json!({})).await;
    assert_eq!(found["data"]["project"]["snippets"]["nodes"], json!([]));
    assert_eq!(found["data"]["user"]["snippets"]["nodes"].as_array().map(Vec::len), Some(1));
}

#[testkit::story]
async fn mutations_do_what_rest_does(t: TestServer) {
    let ada = t.user("ada").await;
    let create = "mutation($input: CreateSnippetInput!) { createSnippet(input: $input) {
        errors snippet { id title blobs { nodes { path } } } } }";
    let file = |action: &str, path: &str, content: &str| json!({"action": action, "filePath": path, "content": content});
    let input = json!({"title": "One", "visibilityLevel": "private",
        "blobActions": [file("create", "a.rs", "x")]});
    let done = ask(&ada, create, json!({"input": input})).await;
    let done = &done["data"]["createSnippet"];
    assert_eq!(
        (&done["errors"], &done["snippet"]["title"]),
        (&json!([]), &json!("One")),
        "{done}"
    );
    let id = done["snippet"]["id"].clone();
    let update = "mutation($input: UpdateSnippetInput!) { updateSnippet(input: $input) {
        errors snippet { title } } }";
    let input = json!({"id": id, "title": "Two", "blobActions": [file("create", "b.rs", "y")]});
    let done = ask(&ada, update, json!({"input": input})).await;
    assert_eq!(done["data"]["updateSnippet"]["snippet"]["title"], "Two", "{done}");
    let listed = ada.get("/snippets").await.is(200).json();
    assert_eq!(paths(&listed[0]), ["a.rs", "b.rs"]);
    let input = json!({"id": id, "blobActions": [file("update", "absent", "y")]});
    let refused = ask(&ada, update, json!({"input": input})).await;
    let errors = refused["data"]["updateSnippet"]["errors"].to_string();
    assert!(errors.contains("Error updating the snippet"), "{refused}");

    let note = "mutation($id: NoteableID!) { createNote(input: {noteableId: $id, body: \"Hi\"}) {
        errors note { body } } }";
    let said = ask(&ada, note, json!({"id": id})).await;
    assert_eq!(said["data"]["createNote"]["note"]["body"], "Hi", "{said}");
    let mark = "mutation($id: SnippetID!) { markAsSpamSnippet(input: {id: $id}) { errors } }";
    let refused = ask(&ada, mark, json!({"id": id})).await;
    assert!(refused["errors"].is_array(), "{refused}");
    let marked = ask(&t.admin(), mark, json!({"id": id})).await;
    assert_eq!(marked["data"]["markAsSpamSnippet"]["errors"], json!([]), "{marked}");
    let destroy = "mutation($id: SnippetID!) { destroySnippet(input: {id: $id}) { errors } }";
    let bob = t.user("bob").await;
    let refused = ask(&bob, destroy, json!({"id": id})).await;
    assert!(refused["errors"].is_array(), "{refused}");
    let gone = ask(&ada, destroy, json!({"id": id})).await;
    assert_eq!(gone["data"]["destroySnippet"]["errors"], json!([]), "{gone}");
    assert_eq!(ada.get("/snippets").await.is(200).json(), json!([]));
}
