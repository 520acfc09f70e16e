//! Large files for a branch of a fork that was opened to who may merge it.

use super::{follow, object, post, pushing::pointer};
use crate::reviews::{developer, forge, wanted};
use serde_json::{Value, json};
use testkit::{Client, Git, Reply, TestServer};

const FORK: &str = "jane/forge";

/// What somebody is told who is about to send this for a ref of the fork, if one is named.
async fn asked(client: &Client, on_ref: Option<&str>, content: &str) -> Reply {
    let mut body = json!({"operation": "upload", "transfers": ["basic"],
        "objects": [object(content)]});
    if let Some(name) = on_ref {
        body["ref"] = json!({"name": name});
    }
    post(client, FORK, "objects/batch", &body).await
}

/// What forbids them to do anything else there.
async fn gains_nothing_else(smith: &Client) {
    asked(smith, Some("refs/heads/main"), "tin").await.is(403);
    asked(smith, Some("refs/tags/v1"), "tin").await.is(403);
    post(smith, FORK, "locks", &json!({"path": "horn.psd"})).await.is(403);
    let lock = json!({"force": true});
    post(smith, FORK, "locks/1/unlock", &lock).await.is(403);
}

#[testkit::story]
async fn who_may_push_to_an_opened_branch_sends_large_files_for_it(t: TestServer) {
    let project = forge(&t).await;
    let (jane, smith) = (t.user("jane").await, t.user("smith").await);
    project.add(&smith, 40).await;
    let helper = developer(&t, &project, "helper").await;
    let fork = jane.post(project.at("/fork")).await.is(201).id();
    t.settle().await;
    let git = Git::of(&jane);
    git.run(&["clone", "--quiet", &git.url(FORK), "one"]).await.done();
    git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "HEAD:anvil"]).await.done();
    asked(&smith, None, "steel").await.is(403);

    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    body["allow_collaboration"] = json!(true);
    let requests = format!("/projects/{fork}/merge_requests");
    jane.post(requests).json(&body).await.is(201);
    t.settle().await;

    let told = asked(&smith, Some("refs/heads/anvil"), "steel").await.is(200).json();
    follow(&t, &told, "upload", Some("steel")).await.is(200);
    let verified = post(&smith, FORK, "locks/verify", &json!({})).await.is(200).json();
    assert_eq!(verified["theirs"], json!([]));
    asked(&smith, None, "tin").await.is(200);
    gains_nothing_else(&smith).await;
    for client in [&*helper, &*t.user("stranger").await] {
        asked(client, Some("refs/heads/anvil"), "tin").await.is(403);
    }
    let git = Git::of(&smith);
    git.run(&["clone", "--quiet", "--branch", "anvil", &git.url(FORK), "two"])
        .await
        .done();
    git.commit("two", "horn.psd", &pointer("steel")).await;
    git.run_in("two", &["push", "--quiet", "origin", "HEAD:anvil"]).await.done();
    let raw = format!("/projects/{fork}/repository/files/horn.psd/raw?ref=anvil&lfs=true");
    assert_eq!(jane.get(raw).await.is(200).text(), "steel");

    // What was told before ends with the merge request.
    let told: Value = asked(&smith, Some("refs/heads/anvil"), "tin").await.is(200).json();
    let close = json!({"state_event": "close"});
    smith.put(project.at("/merge_requests/1")).json(&close).await.is(200);
    follow(&t, &told, "upload", Some("tin")).await.is(403);
    asked(&smith, Some("refs/heads/anvil"), "tin").await.is(403);
    post(&smith, FORK, "locks/verify", &json!({})).await.is(403);
    asked(&jane, None, "tin").await.is(200);
}
