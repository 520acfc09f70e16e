//! What a merge request changes is shown, within bounds and in order.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer};

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
const NEW: &str = "one\ntwo\nthree\nfour\n5\n6\n7\n8\n9\n10\n";

/// A merge request that changes a file, renames another one, and adds what a program wrote.
async fn changed(t: &TestServer, project: &TestProject, client: &Client) {
    commit(t, project, "main", "src/long.txt", OLD).await;
    let body = json!({"branch": "side", "start_branch": "main", "commit_message": "Change it",
    "actions": [
        {"action": "update", "file_path": "README.md", "content": "# Forge\nmore\n"},
        {"action": "move", "previous_path": "src/long.txt", "file_path": "src/new.txt",
            "content": NEW},
        {"action": "create", "file_path": "Cargo.lock", "content": "x\n"},
    ]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    open(client, project, "side").await;
}

#[testkit::story]
async fn files_that_change_are_listed_in_order(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    changed(&t, &project, &smith).await;

    let all = smith.get(project.at("/merge_requests/1/diffs")).await.is(200);
    let paths = [json!("src/new.txt"), json!("Cargo.lock"), json!("README.md")];
    assert_eq!(all.each("new_path"), paths);
    assert_eq!(all.each("renamed_file"), [json!(true), json!(false), json!(false)]);
    assert_eq!(all.each("new_file"), [json!(false), json!(true), json!(false)]);
    assert_eq!(all.each("generated_file"), [json!(false), json!(true), json!(false)]);
    assert_eq!(all.each("a_mode"), [json!("100644"), json!("0"), json!("100644")]);
    assert_eq!(all.each("diff")[2], "@@ -1 +1,2 @@\n # Forge\n+more\n");
    assert_eq!(all.json()[0]["old_path"], "src/long.txt");

    let page = project.at("/merge_requests/1/diffs?per_page=1&page=3&unidiff=true");
    let last = smith.get(page).await.is(200);
    assert_eq!((last.header("x-total"), last.header("x-next-page")), ("3", ""));
    let text = "--- a/README.md\n+++ b/README.md\n@@ -1 +1,2 @@\n # Forge\n+more\n";
    assert_eq!(last.each("diff"), [json!(text)]);
}

#[testkit::story]
async fn a_merge_request_is_shown_with_what_it_changes(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    changed(&t, &project, &smith).await;

    let seen = smith.get(project.at("/merge_requests/1/changes")).await.is(200).json();
    assert_eq!((&seen["title"], &seen["overflow"]), (&json!("Merge side"), &json!(false)));
    assert_eq!(seen["changes"].as_array().map(Vec::len), Some(3));
    let raw = project.at("/merge_requests/1/changes?access_raw_diffs=true");
    let raw = smith.get(raw).await.is(200).json();
    assert_eq!(raw["changes"], seen["changes"]);

    let text = smith.get(project.at("/merge_requests/1/raw_diffs")).await.is(200);
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    assert!(text.text().contains("rename from src/long.txt\nrename to src/new.txt\n"));

    let versions = smith.get(project.at("/merge_requests/1/versions")).await.is(200);
    let id = versions.json()[0]["id"].clone();
    let path = project.at(&format!("/merge_requests/1/versions/{id}"));
    let version = smith.get(path).await.is(200).json();
    assert_eq!((&version["state"], &version["real_size"]), (&json!("collected"), &json!("3")));
    assert_eq!(version["commits"][0]["title"], "Change it");
    assert_eq!(version["diffs"], seen["changes"]);
    let none = smith.get(project.at("/merge_requests/1/versions/0")).await.is(404).json();
    assert_eq!(none, json!({"message": "404 Not found"}));
}

#[testkit::story]
async fn white_space_can_be_left_out_and_long_files_come_collapsed(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let long = "x\n".repeat(15_000);
    let body = json!({"branch": "side", "start_branch": "main", "commit_message": "Change it",
    "actions": [
        {"action": "update", "file_path": "README.md", "content": "#  Forge\n"},
        {"action": "create", "file_path": "long.txt", "content": long},
    ]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    open(&smith, &project, "side").await;

    let without = smith.get(project.at("/merge_requests/1/diffs?w=1")).await.is(200);
    assert_eq!(without.each("new_path"), [json!("long.txt")]);
    let seen = smith.get(project.at("/merge_requests/1/changes")).await.is(200).json();
    let collapsed = |value: &Value| (value["collapsed"].clone(), value["diff"] == json!(""));
    assert_eq!(collapsed(&seen["changes"][0]), (json!(false), false));
    assert_eq!(collapsed(&seen["changes"][1]), (json!(true), true));
    let all = smith.get(project.at("/merge_requests/1/diffs")).await.is(200);
    assert_eq!(all.each("collapsed"), [json!(false), json!(false)]);
    t.anonymous().get(project.at("/merge_requests/1/diffs")).await.is(200);
}
