//! Merge requests are made, and what is wrong with them is told.

use super::{commit, developer, forge, open, wanted};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn a_merge_request_is_made_with_its_first_version(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "heavy\n").await;

    let body = json!({"title": "Draft: An anvil", "source_branch": "anvil",
        "target_branch": "main", "description": "- [x] a\n- [ ] b", "labels": "iron,tools",
        "assignee_ids": [smith.id], "reviewer_ids": [smith.id]});
    let made = smith.post(project.at("/merge_requests")).json(&body).await.is(201).json();
    assert_eq!((&made["iid"], &made["state"]), (&json!(1), &json!("opened")));
    assert_eq!((&made["draft"], &made["work_in_progress"]), (&json!(true), &json!(true)));
    assert_eq!(made["labels"], json!(["iron", "tools"]));
    assert_eq!(made["assignee"]["username"], "smith");
    assert_eq!(made["reviewers"][0]["username"], "smith");
    assert_eq!(made["changes_count"], "1");
    assert_eq!(made["diff_refs"]["head_sha"], made["sha"]);
    assert_eq!(made["task_completion_status"], json!({"count": 2, "completed_count": 1}));
    assert_eq!(made["references"]["full"], "acme/forge!1");
    assert_eq!(made["force_remove_source_branch"], true);
    assert_eq!(made["subscribed"], true);
    assert!(made["prepared_at"].is_string() && made.get("allow_collaboration").is_none());

    t.settle().await;
    let one = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(one["merge_status"], "can_be_merged");
    assert_eq!(one["detailed_merge_status"], "draft_status");
    assert_eq!(one["first_contribution"], true);
    let versions = smith.get(project.at("/merge_requests/1/versions")).await.is(200);
    assert_eq!(versions.each("state"), [json!("collected")]);
    let commits = smith.get(project.at("/merge_requests/1/commits")).await.is(200);
    assert_eq!(commits.each("title"), [json!("Add anvil.txt")]);
    let reviewers = smith.get(project.at("/merge_requests/1/reviewers")).await.is(200);
    assert_eq!(reviewers.each("state"), [json!("unreviewed")]);
}

#[testkit::story]
async fn what_cannot_be_merged_is_refused_in_words(t: TestServer) {
    let project = forge(&t).await;
    let other = t.project_with("acme/other", "public").await;
    let smith = developer(&t, &project, "smith").await;
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    commit(&t, &project, "anvil", "anvil.txt", "heavy\n").await;
    let all = project.at("/merge_requests");

    t.anonymous().post(&all).json(&wanted("anvil")).await.is(401);
    guest.post(&all).json(&wanted("anvil")).await.is(403);
    let mut elsewhere = wanted("anvil");
    elsewhere["target_project_id"] = json!(i64::MAX);
    let gone = smith.post(&all).json(&elsewhere).await.is(404);
    assert_eq!(gone.json()["message"], "404 Project Not Found");
    let same = smith.post(&all).json(&wanted("main")).await.is(422).json();
    let text = "You can't use same project/branch for source and target";
    assert_eq!(same, json!({"message": [text]}));
    elsewhere["target_project_id"] = json!(other.id);
    let strange = smith.post(&all).json(&elsewhere).await.is(422).json();
    let text = "Source project is not a fork of the target project";
    assert_eq!(strange, json!({"message": [text]}));
    let absent = smith.post(&all).json(&wanted("none")).await.is(422).json();
    assert_eq!(absent, json!({"message": ["Source branch \"none\" does not exist"]}));
    let bad = smith.post(&all).json(&wanted("a..b")).await.is(400).json();
    assert_eq!(bad["message"], json!({"source_branch": ["is invalid"]}));

    let mut long = wanted("anvil");
    long["title"] = json!("x".repeat(256));
    let long = smith.post(&all).json(&long).await.is(400).json();
    let text = "is too long (maximum is 255 characters)";
    assert_eq!(long["message"], json!({"title": [text]}));

    open(&smith, &project, "anvil").await;
    let twin = smith.post(&all).json(&wanted("anvil")).await.is(409).json();
    let text = "Another open merge request already exists for this source branch: !1";
    assert_eq!(twin, json!({"message": [text]}));
}

#[testkit::story]
async fn of_equal_ones_made_at_once_one_is_made(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "heavy\n").await;
    let all = project.at("/merge_requests");

    let body = wanted("anvil");
    let (one, other) = tokio::join!(async { smith.post(&all).json(&body).await }, async {
        smith.post(&all).json(&body).await
    },);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    let listed = smith.get(&all).await.is(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
}

#[testkit::story]
async fn a_fork_is_merged_from_and_what_it_may_not_set_is_left_out(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    let fork = jane.post(project.at("/fork")).await.is(201).json();
    t.settle().await;
    let id = fork["id"].as_i64().unwrap();
    let body = json!({"branch": "anvil", "start_branch": "main", "commit_message": "Anvil",
        "actions": [{"action": "create", "file_path": "anvil.txt", "content": "heavy\n"}]});
    jane.post(format!("/projects/{id}/repository/commits"))
        .json(&body)
        .await
        .is(201);

    let mut body = wanted("anvil");
    body["target_project_id"] = json!(project.id);
    body["labels"] = json!("iron");
    body["allow_collaboration"] = json!(true);
    let made = jane.post(format!("/projects/{id}/merge_requests")).json(&body).await;
    let made = made.is(201).json();
    assert_eq!(
        (&made["source_project_id"], &made["project_id"]),
        (&json!(id), &json!(project.id))
    );
    assert_eq!((&made["labels"], &made["changes_count"]), (&json!([]), &json!("1")));
    assert_eq!(made["allow_collaboration"], true);
    t.settle().await;
    let seen = t.anonymous().get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!(seen["merge_status"], "can_be_merged");
    assert_eq!(seen["user"], json!({"can_merge": false}));
    assert_eq!(seen["head_pipeline"], Value::Null);
}
