//! Merge requests change, by people and by pushes.

use super::{commit, commit_titled, developer, forge, open};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn a_merge_request_is_changed_closed_and_opened_again(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let reporter = t.user("reporter").await;
    project.add(&reporter, 20).await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let one = project.at("/merge_requests/1");

    smith.put(&one).await.is(400);
    reporter.put(&one).json(&json!({"title": "Mine"})).await.is(403);
    let change = json!({"title": "Draft: Forge", "add_labels": "iron", "squash": true,
        "discussion_locked": true});
    let changed = smith.put(&one).json(&change).await.is(200).json();
    assert_eq!((&changed["draft"], &changed["squash"]), (&json!(true), &json!(true)));
    assert_eq!(
        (&changed["labels"], &changed["discussion_locked"]),
        (&json!(["iron"]), &json!(true))
    );

    let closed = smith.put(&one).json(&json!({"state_event": "close"})).await.is(200).json();
    assert_eq!(
        (&closed["state"], &closed["detailed_merge_status"]),
        (&json!("closed"), &json!("not_open"))
    );
    assert_eq!(closed["closed_by"]["username"], "smith");
    smith.put(&one).json(&json!({"state_event": "close"})).await.is(200);
    let again = smith.put(&one).json(&json!({"state_event": "reopen"})).await.is(200).json();
    assert_eq!((&again["state"], &again["closed_at"]), (&json!("opened"), &Value::Null));
    let states = smith.get(format!("{one}/resource_state_events")).await.is(200);
    assert_eq!(states.each("state"), [json!("closed"), json!("reopened")]);
    let labels = smith.get(format!("{one}/resource_label_events")).await.is(200);
    assert_eq!(labels.each("action"), [json!("add")]);

    smith.post(format!("{one}/time_estimate?duration=1h")).await.is(200);
    let spent = smith.post(format!("{one}/add_spent_time?duration=30m")).await.is(201).json();
    assert_eq!(spent["human_total_time_spent"], "30m");
    smith.post(format!("{one}/subscribe")).await.is(304);
    smith.post(format!("{one}/unsubscribe")).await.is(201);
    smith.post(format!("{one}/todo")).await.is(201);
    smith.post(format!("{one}/todo")).await.is(304);
    smith.delete(&one).await.is(403);
    t.admin().delete(&one).await.is(204);
    smith.get(&one).await.is(404);
}

#[testkit::story]
async fn forms_empty_the_lists_of_a_merge_request(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let joe = developer(&t, &project, "joe").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let one = project.at("/merge_requests/1");
    let filled = json!({"assignee_ids": [joe.id], "reviewer_ids": [joe.id], "labels": "iron"});
    smith.put(&one).json(&filled).await.is(200);

    let emptied = smith.put(&one).form("assignee_ids[]=&reviewer_ids[]=&labels[]=").await;

    let emptied = emptied.is(200).json();
    for list in ["assignees", "reviewers", "labels"] {
        assert_eq!(emptied[list], json!([]), "{list}");
    }
}

#[testkit::story]
async fn a_push_makes_a_version_and_may_make_a_draft(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;

    commit(&t, &project, "anvil", "coal.txt", "y\n").await;
    t.settle().await;
    let after = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&after["changes_count"], &after["draft"]), (&json!("2"), &json!(false)));
    assert_eq!(after["diff_refs"]["head_sha"], after["sha"]);
    let versions = smith.get(project.at("/merge_requests/1/versions")).await.is(200);
    assert_eq!(versions.each("real_size"), [json!("2"), json!("1")]);

    commit_titled(&t, &project, ("anvil", "more.txt", "z\n"), "fixup! Add coal.txt").await;
    t.settle().await;
    let draft = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&draft["title"], &draft["draft"]), (&json!("Draft: Merge anvil"), &json!(true)));
}

#[testkit::story]
async fn a_branch_that_goes_closes_and_one_that_is_merged_by_hand_is_merged(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    for branch in ["anvil", "bellows"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
        open(&smith, &project, branch).await;
    }
    t.settle().await;

    t.admin().delete(project.at("/repository/branches/anvil")).await.is(204);
    let closed = smith.get(project.at("/merge_requests/1")).await.is(200).json();
    assert_eq!((&closed["state"], &closed["changes_count"]), (&json!("closed"), &json!("1")));
    let refused = smith
        .put(project.at("/merge_requests/1"))
        .json(&json!({"state_event": "reopen"}))
        .await
        .is(422);
    let text = "Source branch \"anvil\" does not exist";
    assert_eq!(refused.json(), json!({"message": [text]}));

    // The target has the very commit of the source, without any merge.
    t.admin().delete(project.at("/protected_branches/main")).await.is(204);
    let body = json!({"branch": "main", "commit_message": "On", "start_branch": "bellows",
        "force": true, "actions": [
            {"action": "create", "file_path": "on.txt", "content": "on\n"}]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    t.settle().await;
    let merged = smith.get(project.at("/merge_requests/2")).await.is(200).json();
    assert_eq!(merged["state"], "merged");
    assert!(merged["merged_at"].is_string() && merged["merge_commit_sha"].is_string());
}

#[testkit::story]
async fn merge_requests_wait_for_each_other_in_no_circle(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let mut ids = Vec::new();
    for branch in ["anvil", "bellows"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
        ids.push(open(&smith, &project, branch).await.id());
    }
    t.settle().await;
    let (one, other) = (project.at("/merge_requests/1"), project.at("/merge_requests/2"));

    let first = json!({"blocking_merge_request_id": ids[1]});
    let made = smith.post(format!("{one}/blocks")).json(&first).await.is(201).json();
    assert_eq!(made["blocking_merge_request"]["iid"], 2);
    smith.post(format!("{one}/blocks")).json(&first).await.is(422);
    let own = json!({"blocking_merge_request_id": ids[0]});
    smith.post(format!("{one}/blocks")).json(&own).await.is(422);
    smith.post(format!("{other}/blocks")).json(&own).await.is(422);
    let blocked = smith.get(&one).await.is(200).json();
    assert_eq!(blocked["detailed_merge_status"], "merge_request_blocked");
    let waiting = smith.get(format!("{other}/blockees")).await.is(200);
    assert_eq!(waiting.json()[0]["blocked_merge_request"]["iid"], 1);
    smith.delete(format!("{one}/blocks/{}", made["id"])).await.is(204);
}

#[testkit::story]
async fn issues_that_go_with_it_are_told(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    for title in ["Heavy", "Hot"] {
        smith.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    commit_titled(&t, &project, ("anvil", "anvil.txt", "x\n"), "Anvil\n\nFixes #2").await;
    let body = json!({"title": "Anvil", "source_branch": "anvil", "target_branch": "main",
        "description": "Closes #1"});
    smith.post(project.at("/merge_requests")).json(&body).await.is(201);
    let closes = smith.get(project.at("/merge_requests/1/closes_issues")).await.is(200);
    assert_eq!(closes.each("iid"), [json!(1), json!(2)]);
    let related = smith.get(project.at("/merge_requests/1/related_issues")).await.is(200);
    assert_eq!(related.each("iid"), [json!(1), json!(2)]);
}
