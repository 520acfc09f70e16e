//! Merges that were ordered, and what ends an order.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

const LOST: &str = "aborted the automatic merge because who ordered it may not merge any more";

/// A project with smith, who makes merge requests, and jane, who orders merges.
async fn begun(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    (project, smith, jane)
}

async fn shown(client: &Client, project: &TestProject, iid: i64) -> Value {
    client.get(project.at(&format!("/merge_requests/{iid}"))).await.is(200).json()
}

/// A merge request of smith's; its head.
async fn propose(t: &TestServer, project: &TestProject, smith: &TestUser, branch: &str) -> String {
    commit(t, project, branch, &format!("{branch}.txt"), "x\n").await;
    let made = open(smith, project, branch).await.json();
    t.settle().await;
    made["sha"].as_str().expect("a head").to_owned()
}

/// What a program says of a commit.
async fn status(t: &TestServer, project: &TestProject, sha: &str, state: &str) {
    let body = json!({"state": state, "name": "ci"});
    t.admin()
        .post(project.at(&format!("/statuses/{sha}")))
        .json(&body)
        .await
        .is(201);
    t.settle().await;
}

/// Jane orders a merge once the commit passes.
async fn order(t: &TestServer, project: &TestProject, jane: &TestUser, iid: i64) -> String {
    let sha = shown(jane, project, iid).await["sha"].as_str().expect("a head").to_owned();
    let statuses = project.at(&format!("/repository/commits/{sha}/statuses"));
    if jane.get(statuses).await.is(200).json() == json!([]) {
        status(t, project, &sha, "running").await;
    }
    let path = project.at(&format!("/merge_requests/{iid}/merge"));
    let body = json!({"auto_merge": true});
    let waits = jane.put(path).json(&body).await.is(200).json();
    assert_eq!(waits["merge_when_pipeline_succeeds"], true);
    sha
}

/// Nothing is ordered, and this was said.
async fn ended(t: &TestServer, project: &TestProject, iid: i64, text: &str) {
    t.settle().await;
    let left = shown(&t.admin(), project, iid).await;
    assert_eq!(
        (&left["state"], &left["merge_when_pipeline_succeeds"], &left["merge_user"]),
        (&json!("opened"), &json!(false), &Value::Null)
    );
    let notes = project.at(&format!("/merge_requests/{iid}/notes"));
    let told = t.admin().get(notes).await.is(200).each("body");
    assert!(told.contains(&json!(text)), "{text}: {told:?}");
}

#[testkit::story]
async fn what_is_changed_ends_what_was_ordered(t: TestServer) {
    let (project, smith, jane) = begun(&t).await;
    let sha = propose(&t, &project, &smith, "anvil").await;
    order(&t, &project, &jane, 1).await;
    commit(&t, &project, "anvil", "more.txt", "x\n").await;
    let text = "aborted the automatic merge because the source branch was updated";
    ended(&t, &project, 1, text).await;
    status(&t, &project, &sha, "success").await;
    assert_eq!(shown(&smith, &project, 1).await["state"], "opened");

    propose(&t, &project, &smith, "horn").await;
    commit(&t, &project, "release", "release.txt", "x\n").await;
    order(&t, &project, &jane, 2).await;
    let one = project.at("/merge_requests/2");
    let other = json!({"target_branch": "release"});
    smith.put(&one).json(&other).await.is(200);
    ended(&t, &project, 2, "canceled the automatic merge").await;
    order(&t, &project, &jane, 2).await;
    for event in ["close", "reopen"] {
        smith.put(&one).json(&json!({"state_event": event})).await.is(200);
    }
    ended(&t, &project, 2, "reopened").await;
}

#[testkit::story]
async fn who_may_not_merge_any_more_merges_nothing(t: TestServer) {
    let (project, smith, jane) = begun(&t).await;
    propose(&t, &project, &smith, "anvil").await;
    let sha = order(&t, &project, &jane, 1).await;
    let member = project.at(&format!("/members/{}", jane.id));
    t.admin().put(&member).json(&json!({"access_level": 30})).await.is(200);
    status(&t, &project, &sha, "success").await;
    ended(&t, &project, 1, LOST).await;

    t.admin().put(&member).json(&json!({"access_level": 40})).await.is(200);
    propose(&t, &project, &smith, "horn").await;
    let sha = order(&t, &project, &jane, 2).await;
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    status(&t, &project, &sha, "success").await;
    ended(&t, &project, 2, LOST).await;
}

#[testkit::story]
async fn a_target_that_moves_ends_it_in_linear_projects(t: TestServer) {
    let (project, smith, jane) = begun(&t).await;
    let linear = json!({"merge_method": "ff"});
    t.admin().put(project.at("")).json(&linear).await.is(200);
    propose(&t, &project, &smith, "anvil").await;
    order(&t, &project, &jane, 1).await;
    commit(&t, &project, "main", "main.txt", "x\n").await;
    ended(&t, &project, 1, "aborted the automatic merge because of `need_rebase`").await;
    let todo = jane.get("/todos").await.is(200);
    assert_eq!(todo.each("action_name"), ["unmergeable"]);
    assert_eq!(smith.get("/todos").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_target_that_moves_ends_nothing_where_merges_rebase(t: TestServer) {
    let (project, smith, jane) = begun(&t).await;
    let linear = json!({"merge_method": "ff", "automatic_rebase_enabled": true});
    t.admin().put(project.at("")).json(&linear).await.is(200);
    propose(&t, &project, &smith, "anvil").await;
    let sha = order(&t, &project, &jane, 1).await;
    commit(&t, &project, "main", "main.txt", "x\n").await;
    t.settle().await;
    let waits = shown(&jane, &project, 1).await;
    assert_eq!(
        (&waits["state"], &waits["merge_when_pipeline_succeeds"]),
        (&json!("opened"), &json!(true))
    );
    status(&t, &project, &sha, "success").await;
    let merged = shown(&jane, &project, 1).await;
    assert_eq!(
        (&merged["state"], &merged["merge_user"]["username"]),
        (&json!("merged"), &json!("jane"))
    );
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));
    let commits = jane.get(project.at("/repository/commits")).await.is(200);
    assert_eq!(commits.each("title"), ["Add anvil.txt", "Add main.txt", "Add README.md"]);
    assert_eq!(commits.each("committer_name")[0], "jane");
}

/// Commits to a new branch from `main`, and pushes it with these options; what git was told.
async fn push(git: &Git, branch: &str, options: &[&str]) -> String {
    git.run_in("one", &["switch", "--quiet", "--create", branch, "origin/main"])
        .await
        .done();
    git.commit("one", &format!("{branch}.txt"), "x\n").await;
    let mut args = vec!["push", "-o", "mr.create"];
    for option in options {
        args.extend(["-o", option]);
    }
    args.extend(["origin", branch]);
    git.run_in("one", &args).await.done().said
}

#[testkit::story]
async fn without_a_pipeline_a_push_merges_once_nothing_is_in_the_way(t: TestServer) {
    let (project, smith, jane) = begun(&t).await;
    let git = Git::of(&jane);
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    push(&git, "anvil", &["mr.merge_when_pipeline_succeeds"]).await;
    t.settle().await;
    let merged = shown(&jane, &project, 1).await;
    assert_eq!(
        (&merged["state"], &merged["merge_user"]["username"]),
        (&json!("merged"), &json!("jane"))
    );
    push(&git, "horn", &["mr.draft", "mr.auto_merge"]).await;
    t.settle().await;
    let waits = shown(&jane, &project, 2).await;
    assert_eq!(
        (
            &waits["state"],
            &waits["detailed_merge_status"],
            &waits["merge_user"]["username"]
        ),
        (&json!("opened"), &json!("draft_status"), &json!("jane"))
    );
    let ready = json!({"title": "A horn"});
    smith.put(project.at("/merge_requests/2")).json(&ready).await.is(200);
    t.settle().await;
    assert_eq!(shown(&jane, &project, 2).await["state"], "merged");

    // `main` is protected: smith may not have anything merged.
    let git = Git::of(&smith);
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    let said = push(&git, "face", &["mr.auto_merge"]).await;
    let text = "It cannot be merged automatically: You are not allowed to do this";
    assert!(said.contains("WARNINGS:") && said.contains(text), "{said}");
    t.settle().await;
    let left = shown(&smith, &project, 3).await;
    assert_eq!(
        (&left["state"], &left["merge_when_pipeline_succeeds"]),
        (&json!("opened"), &json!(false))
    );
}
