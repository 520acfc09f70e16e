//! Merge requests are merged, rebased, and merged once their checks pass.

use super::{commit, developer, forge, open};
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Client, Git, Reply, TestProject, TestServer};

pub async fn merge(client: &Client, project: &TestProject, iid: i64, body: Value) -> Reply {
    client
        .put(project.at(&format!("/merge_requests/{iid}/merge")))
        .json(&body)
        .await
}

pub async fn shown(client: &Client, project: &TestProject, iid: i64) -> Value {
    let path = project.at(&format!("/merge_requests/{iid}?include_rebase_in_progress=true"));
    client.get(path).await.is(200).json()
}

/// A branch with a file and its merge request.
pub async fn branch(t: &TestServer, project: &TestProject, name: &str) -> Value {
    commit(t, project, name, &format!("{name}.txt"), "x\n").await;
    open(&t.admin(), project, name).await.json()
}

pub async fn set(t: &TestServer, project: &TestProject, what: Value) {
    t.admin().put(project.at("")).json(&what).await.is(200);
}

/// A fresh clone, in the folder `one`.
pub async fn cloned(t: &TestServer) -> Git {
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    git
}

pub async fn said(git: &Git, args: &[&str]) -> String {
    git.run_in("one", args).await.done().said.trim().to_owned()
}

#[testkit::story]
async fn a_merge_makes_a_commit_and_takes_the_branch_away(t: TestServer) {
    let project = forge(&t).await;
    let issue = t.admin().post(project.at("/issues")).json(&json!({"title": "Heavy"})).await;
    issue.is(201);
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    let body = json!({"title": "An anvil", "source_branch": "anvil", "target_branch": "main",
        "description": "Closes #1"});
    let made = t.admin().post(project.at("/merge_requests")).json(&body).await.is(201).json();
    let before = cloned(&t).await.id("one", "origin/main").await;

    let merged = merge(&t.admin(), &project, 1, json!({})).await.is(200).json();
    assert_eq!(merged["state"], "merged");
    assert_eq!(merged["merge_user"]["username"], "root");
    assert!(merged["merged_at"].is_string() && merged["merge_error"].is_null());
    assert!(merged["squash_commit_sha"].is_null());
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(merged["merge_commit_sha"], git.id("one", "HEAD").await);
    assert_eq!(git.id("one", "HEAD^1").await, before);
    assert_eq!(made["sha"], git.id("one", "HEAD^2").await);
    let message = "Merge branch 'anvil' into 'main'\n\nAn anvil\n\nCloses #1\n\n\
        See merge request acme/forge!1";
    assert_eq!(said(&git, &["log", "-1", "--format=%B"]).await, message);
    git.run_in("one", &["rev-parse", "--verify", "origin/anvil"])
        .await
        .refused("fatal");
    let issue = t.admin().get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["state"], "closed");
    let head = said(&git, &["ls-remote", "origin", "refs/merge-requests/1/head"]).await;
    assert!(head.starts_with(made["sha"].as_str().unwrap()), "{head}");
    let again = merge(&t.admin(), &project, 1, json!({})).await.is(405).json();
    assert_eq!(again["message"], "405 Method Not Allowed");
    assert_eq!(again["detailed_merge_status"], "not_open");
}

#[testkit::story]
async fn commits_become_one_where_that_is_wanted(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let body = json!({"squash": true, "squash_commit_message": "An anvil\r\n\r\nIn one",
        "should_remove_source_branch": false});
    let merged = merge(&t.admin(), &project, 1, body).await.is(200).json();
    assert_eq!((&merged["state"], &merged["squash"]), (&json!("merged"), &json!(true)));
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(merged["squash_commit_sha"], git.id("one", "HEAD^2").await);
    assert_eq!(git.id("one", "HEAD^2^").await, git.id("one", "HEAD^1").await);
    assert_eq!(said(&git, &["log", "-1", "--format=%an", "HEAD^2"]).await, "smith");
    git.id("one", "origin/anvil").await;
    said(&git, &["cat-file", "-e", "HEAD:horn.txt"]).await;
}

#[testkit::story]
async fn linear_projects_move_the_target_and_ask_for_rebases(t: TestServer) {
    let project = forge(&t).await;
    set(&t, &project, json!({"merge_method": "ff"})).await;
    let first = branch(&t, &project, "anvil").await;
    branch(&t, &project, "horn").await;
    let merged = merge(&t.admin(), &project, 1, json!({})).await.is(200).json();
    assert_eq!(
        (&merged["state"], &merged["merge_commit_sha"]),
        (&json!("merged"), &Value::Null)
    );
    assert_eq!(cloned(&t).await.id("one", "origin/main").await, first["sha"].as_str().unwrap());

    let refused = merge(&t.admin(), &project, 2, json!({})).await.is(405).json();
    assert_eq!(refused["detailed_merge_status"], "need_rebase");
    let path = project.at("/merge_requests/2/rebase");
    let begun = t.admin().put(&path).await.is(202).json();
    assert_eq!(begun, json!({"rebase_in_progress": true}));
    t.settle().await;
    let rebased = shown(&t.admin(), &project, 2).await;
    assert_eq!(
        (&rebased["rebase_in_progress"], &rebased["merge_error"]),
        (&json!(false), &Value::Null)
    );
    merge(&t.admin(), &project, 2, json!({})).await.is(200);
    let git = cloned(&t).await;
    assert_eq!(git.id("one", "HEAD").await, rebased["sha"].as_str().unwrap());
    assert_eq!(said(&git, &["rev-list", "--count", "HEAD"]).await, "3");
    assert_eq!(said(&git, &["rev-list", "--count", "--merges", "HEAD"]).await, "0");
    t.settle().await;
    t.admin().put(&path).await.is(403);
}

#[testkit::story]
async fn who_was_blocked_since_rebases_nothing(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let made = branch(&t, &project, "anvil").await;
    commit(&t, &project, "main", "main.txt", "x\n").await;
    t.settle().await;
    t.admin().post(format!("/users/{}/block", smith.id)).await.is(201);
    let (id, user) = (made["id"].as_i64().unwrap(), smith.id);
    let ordered = t.app().write(move |tx| {
        let now = tx.now();
        let payload = store::Json(json!({"request": id, "user": user, "skip_ci": false}));
        tx.execute("update merge_requests set rebase_started_at = $1 where id = $2", (now, id))?;
        Ok(tx.execute(
            "insert into jobs (name, payload, state, run_at, created_at, updated_at)
             values ('reviews.rebase', $1, 'queued', $2, $2, $2)",
            (payload, now),
        )?)
    });
    assert_eq!(ordered.await.unwrap(), 1);
    t.settle().await;
    let left = shown(&t.admin(), &project, 1).await;
    assert_eq!((&left["sha"], &left["rebase_in_progress"]), (&made["sha"], &json!(false)));
    assert_eq!(left["merge_error"], "Rebase failed: Who asked for it is gone.");
}

#[testkit::story]
async fn what_does_not_fit_is_refused(t: TestServer) {
    let project = forge(&t).await;
    let made = branch(&t, &project, "anvil").await;
    let found = t.admin().get(project.at("/merge_requests/1/merge_ref")).await.is(200).json();
    assert!(found["commit_id"].is_string());
    commit(&t, &project, "main", "anvil.txt", "another\n").await;

    let refused = merge(&t.admin(), &project, 1, json!({})).await.is(405).json();
    assert_eq!(refused["message"], "405 Method Not Allowed");
    assert_eq!(refused["detailed_merge_status"], "conflict");
    let body = json!({"auto_merge": true});
    let waits = merge(&t.admin(), &project, 1, body).await.is(422).json();
    assert_eq!(waits["message"], "Branch cannot be merged");
    for call in [
        t.admin().get(project.at("/merge_requests/1/merge_ref")),
        t.admin().put(project.at("/merge_requests/1/merge_ref")),
    ] {
        assert_eq!(call.await.is(400).json()["message"], "Merge request is not mergeable");
    }
    t.admin().put(project.at("/merge_requests/1/rebase")).await.is(202);
    t.settle().await;
    let failed = shown(&t.admin(), &project, 1).await;
    let text = "Rebase failed: Rebase locally, resolve all conflicts, then push the branch.";
    assert_eq!(failed["merge_error"], text);
    assert_eq!((&failed["rebase_in_progress"], &failed["sha"]), (&json!(false), &made["sha"]));
}

#[testkit::story]
async fn who_may_not_and_who_is_late_is_told(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let made = branch(&t, &project, "anvil").await;
    merge(&t.anonymous(), &project, 1, json!({})).await.is(401);
    let refused = merge(&smith, &project, 1, json!({})).await.is(401).json();
    assert_eq!(refused["message"], "401 Unauthorized");
    merge(&t.admin(), &project, 9, json!({})).await.is(404);
    commit(&t, &project, "anvil", "horn.txt", "x\n").await;
    let late = merge(&t.admin(), &project, 1, json!({"sha": made["sha"]})).await.is(409).json();
    let head = shown(&t.admin(), &project, 1).await["sha"].as_str().unwrap().to_owned();
    let text = format!("SHA does not match HEAD of source branch: {head}");
    assert_eq!(late["message"], text);
    t.admin()
        .put(project.at("/merge_requests/1"))
        .json(&json!({"title": "Draft: x"}))
        .await
        .is(200);
    let draft = merge(&t.admin(), &project, 1, json!({"sha": head})).await.is(405).json();
    assert_eq!(draft["detailed_merge_status"], "draft_status");
    t.admin()
        .put(project.at("/merge_requests/1"))
        .json(&json!({"title": "x"}))
        .await
        .is(200);
    merge(&t.admin(), &project, 1, json!({"sha": head})).await.is(200);
}

#[testkit::story]
async fn of_eight_merges_of_one_request_one_wins(t: TestServer) {
    let project = forge(&t).await;
    branch(&t, &project, "anvil").await;
    let admin = t.admin();
    let all = (0..8).map(|_| merge(&admin, &project, 1, json!({})));
    let mut statuses: Vec<u16> =
        join_all(all).await.into_iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 405, 405, 405, 405, 405, 405, 405]);
    t.settle().await;
    let git = cloned(&t).await;
    assert_eq!(said(&git, &["rev-list", "--count", "HEAD"]).await, "3");
}

#[testkit::story]
async fn eight_requests_are_merged_at_once(t: TestServer) {
    let project = forge(&t).await;
    for number in 1..=8 {
        branch(&t, &project, &format!("b{number}")).await;
    }
    let admin = t.admin();
    let all = (1..=8).map(|iid| merge(&admin, &project, iid, json!({})));
    for reply in join_all(all).await {
        assert_eq!(reply.is(200).json()["state"], "merged");
    }
    t.settle().await;
    let git = cloned(&t).await;
    // One after the other: the first parents are all the merges.
    let firsts = said(&git, &["rev-list", "--count", "--first-parent", "HEAD"]).await;
    assert_eq!(firsts, "9");
    for number in 1..=8 {
        said(&git, &["cat-file", "-e", &format!("HEAD:b{number}.txt")]).await;
    }
    let left = said(&git, &["branch", "--remotes", "--list", "origin/b*"]).await;
    assert_eq!(left, "");
}

#[testkit::story]
async fn merges_wait_for_their_pipeline(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let made = branch(&t, &project, "anvil").await;
    let statuses = project.at(&format!("/statuses/{}", made["sha"].as_str().unwrap()));
    let status = async |state: &str| {
        let body = json!({"state": state, "name": "ci", "ref": "anvil"});
        t.admin().post(&statuses).json(&body).await.is(201);
    };
    status("running").await;
    let waits = merge(&t.admin(), &project, 1, json!({"auto_merge": true})).await.is(200).json();
    assert_eq!(
        (
            &waits["state"],
            &waits["merge_when_pipeline_succeeds"],
            &waits["merge_user"]["username"]
        ),
        (&json!("opened"), &json!(true), &json!("root"))
    );
    let cancel = project.at("/merge_requests/1/cancel_merge_when_pipeline_succeeds");
    smith.post(&cancel).await.is(401);
    assert_eq!(t.admin().post(&cancel).await.is(201).json(), json!({"status": "success"}));
    let none = t.admin().post(&cancel).await.is(406).json();
    assert_eq!(none["message"], "Can't cancel the automatic merge");

    merge(&t.admin(), &project, 1, json!({"merge_when_pipeline_succeeds": true}))
        .await
        .is(200);
    t.settle().await;
    assert_eq!(shown(&smith, &project, 1).await["state"], "opened");
    status("success").await;
    t.settle().await;
    let merged = shown(&smith, &project, 1).await;
    assert_eq!(merged["state"], "merged");
    assert_eq!(merged["merge_user"]["username"], "root");
    let notes = smith.get(project.at("/merge_requests/1/notes?sort=asc")).await.is(200);
    let told: Vec<Value> = notes.each("body");
    assert!(told.contains(&json!("canceled the automatic merge")), "{told:?}");
    assert!(told.contains(&json!("merged")), "{told:?}");
}

#[testkit::story]
async fn requests_into_a_branch_that_goes_follow_its_merge(t: TestServer) {
    let project = forge(&t).await;
    branch(&t, &project, "anvil").await;
    let body = json!({"branch": "horn", "start_branch": "anvil", "commit_message": "Horn",
        "actions": [{"action": "create", "file_path": "horn.txt", "content": "x"}]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    let body = json!({"title": "Horn", "source_branch": "horn", "target_branch": "anvil"});
    t.admin().post(project.at("/merge_requests")).json(&body).await.is(201);
    merge(&t.admin(), &project, 1, json!({})).await.is(200);
    t.settle().await;
    let next = shown(&t.admin(), &project, 2).await;
    assert_eq!((&next["state"], &next["target_branch"]), (&json!("opened"), &json!("main")));
    assert_eq!(next["changes_count"], "1");
    merge(&t.admin(), &project, 2, json!({})).await.is(200);
    t.settle().await;
    said(&cloned(&t).await, &["cat-file", "-e", "HEAD:horn.txt"]).await;
}

#[testkit::story]
async fn a_push_beside_a_merge_loses_nothing(t: TestServer) {
    let project = forge(&t).await;
    for number in 1..=4 {
        branch(&t, &project, &format!("b{number}")).await;
    }
    let admin = t.admin();
    let merges = join_all((1..=4).map(|iid| merge(&admin, &project, iid, json!({}))));
    let pushes = async {
        for number in 0..4 {
            commit(&t, &project, "main", &format!("main{number}.txt"), "x\n").await;
        }
    };
    let (merged, ()) = futures_util::future::join(merges, pushes).await;
    for reply in merged {
        reply.is(200);
    }
    t.settle().await;
    let git = cloned(&t).await;
    for number in 1..=4 {
        said(&git, &["cat-file", "-e", &format!("HEAD:b{number}.txt")]).await;
        said(&git, &["cat-file", "-e", &format!("HEAD:main{}.txt", number - 1)]).await;
    }
}
