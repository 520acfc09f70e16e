//! Quick actions in notes about merge requests and in their descriptions.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// A merge request of smith, whom jane helps; both develop.
async fn asked(t: &TestServer, text: &str) -> (TestProject, [TestUser; 2], String) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = developer(t, &project, "jane").await;
    commit(t, &project, "anvil", "anvil.txt", "x\n").await;
    let body = json!({"title": "An anvil", "source_branch": "anvil", "target_branch": "main",
        "description": text});
    smith.post(project.at("/merge_requests")).json(&body).await.is(201);
    t.settle().await;
    let one = project.at("/merge_requests/1");
    (project, [smith, jane], one)
}

/// Writes a note that holds commands alone; what they did.
async fn act(by: &Client, one: &str, text: &str) -> Value {
    let body = json!({"body": text});
    by.post(format!("{one}/notes")).json(&body).await.is(202).json()
}

async fn seen(by: &Client, one: &str) -> Value {
    by.get(one).await.is(200).json()
}

#[testkit::story]
async fn commands_change_merge_requests(t: TestServer) {
    let text = "Why.\n/label ~iron\n/assign @jane\n/reviewer @jane";
    let (project, [smith, jane], one) = asked(&t, text).await;
    let shown = seen(&smith, &one).await;
    assert_eq!((&shown["description"], &shown["labels"]), (&json!("Why."), &json!(["iron"])));
    assert_eq!(
        (&shown["assignee"]["username"], &shown["reviewers"][0]["username"]),
        (&json!("jane"), &json!("jane"))
    );

    let done = act(&smith, &one, "/title A heavy anvil\n/draft\n/lock\n/estimate 1d").await;
    assert_eq!(
        done["commands_changes"],
        json!({"title": "A heavy anvil", "wip_event": "draft", "discussion_locked": true,
            "time_estimate": 28_800})
    );
    assert_eq!(done["summary"][1], "Marked this merge request as a draft.");
    let shown = seen(&smith, &one).await;
    assert_eq!(
        (&shown["title"], &shown["draft"], &shown["discussion_locked"]),
        (&json!("Draft: A heavy anvil"), &json!(true), &json!(true))
    );
    assert_eq!(shown["time_stats"]["time_estimate"], 28_800);
    let text = "/draft\n/unlock\n/unassign\n/unassign_reviewer @jane\n/unlabel\n/remove_estimate";
    act(&smith, &one, text).await;
    let shown = seen(&smith, &one).await;
    assert_eq!(
        (&shown["title"], &shown["draft"], &shown["discussion_locked"]),
        (&json!("A heavy anvil"), &json!(false), &json!(false))
    );
    for key in ["assignees", "reviewers", "labels"] {
        assert_eq!(shown[key], json!([]), "{key}");
    }
    assert_eq!(
        act(&smith, &one, "/close").await["summary"],
        json!(["Closed this merge request."])
    );
    assert_eq!(seen(&smith, &one).await["state"], "closed");
    act(&smith, &one, "/reopen\n/unsubscribe\n/todo").await;
    let shown = seen(&smith, &one).await;
    assert_eq!((&shown["state"], &shown["subscribed"]), (&json!("opened"), &json!(false)));
    assert_eq!(smith.get("/todos").await.is(200).each("target_type"), ["MergeRequest"]);

    // What says something beside is a note; what makes no sense is skipped.
    let body = json!({"body": "Done.\n/assign me\n/target_branch none\n/weight 3\n/title"});
    let note = jane.post(format!("{one}/notes")).json(&body).await.is(201).json();
    assert_eq!(
        (&note["body"], &note["commands_changes"]),
        (&json!("Done."), &json!({"assignee_ids": [jane.id]}))
    );
    commit(&t, &project, "horn", "horn.txt", "x\n").await;
    open(&smith, &project, "horn").await;
    let done = act(&smith, &one, "/blocked_by !2\n/copy_metadata !2").await;
    assert_eq!(done["commands_changes"]["blocked_by"], "!2", "{done}");
    let blocks = smith.get(format!("{one}/blocks")).await.is(200).json();
    assert_eq!(blocks[0]["blocking_merge_request"]["iid"], 2);
}

#[testkit::story]
async fn reviewers_say_what_they_think_by_commands(t: TestServer) {
    let (_, [smith, jane], one) = asked(&t, "/request_review @jane").await;
    let state = async || smith.get(format!("{one}/reviewers")).await.is(200).each("state");
    assert_eq!(act(&jane, &one, "/approve").await["commands_changes"], json!({"approve": true}));
    assert_eq!(state().await, ["approved"]);
    assert_eq!(act(&jane, &one, "/approve").await["commands_changes"], json!({}));
    act(&jane, &one, "/request_changes").await;
    assert_eq!(state().await, ["requested_changes"]);
    let approvals = smith.get(format!("{one}/approvals")).await.is(200).json();
    assert_eq!(approvals["approved_by"], json!([]));
    let draft = json!({"note": "Fine now"});
    jane.post(format!("{one}/draft_notes")).json(&draft).await.is(201);
    act(&jane, &one, "/submit_review approve").await;
    assert_eq!(state().await, ["approved"]);
    let notes = smith.get(format!("{one}/notes?activity_filter=only_comments")).await.is(200);
    assert_eq!(notes.each("body"), ["Fine now"]);
    // The author does not approve.
    assert_eq!(act(&smith, &one, "/approve").await["commands_changes"], json!({}));
}

#[testkit::story]
async fn commands_do_no_more_than_their_author_may(t: TestServer) {
    let (_, [smith, _], one) = asked(&t, "Why.").await;
    let reader = t.user("reader").await;
    let before = seen(&smith, &one).await;
    let refused = "/title Mine\n/draft\n/close\n/label ~x\n/assign me\n/request_review @reader\n\
        /lock\n/target_branch other\n/estimate 1d\n/spend 1h\n/approve\n/unapprove\n\
        /request_changes\n/merge\n/rebase\n/blocked_by !1";
    let done = act(&reader, &one, refused).await;
    assert_eq!(done, json!({"commands_changes": {}, "summary": []}));
    let after = seen(&smith, &one).await;
    for key in ["title", "state", "labels", "assignees", "reviewers", "time_stats", "updated_at"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    // What concerns them alone they may do.
    let done = act(&reader, &one, "/subscribe\n/award rocket").await;
    assert_eq!(
        done["summary"],
        json!(["Subscribed to this merge request.", "Toggled rocket emoji reaction."])
    );
}

#[testkit::story]
async fn a_command_merges_once_checks_pass(t: TestServer) {
    let (_, [smith, _], one) = asked(&t, "Why.").await;
    act(&smith, &one, "/draft").await;
    let shown = seen(&smith, &one).await;
    let done = act(&t.admin(), &one, "/merge").await;
    assert_eq!(done["commands_changes"]["merge"], shown["sha"]);
    t.settle().await;
    let waiting = seen(&smith, &one).await;
    assert_eq!(
        (&waiting["state"], &waiting["merge_when_pipeline_succeeds"]),
        (&json!("opened"), &json!(true))
    );
    act(&smith, &one, "/ready").await;
    act(&t.admin(), &one, "/merge").await;
    t.settle().await;
    assert_eq!(seen(&smith, &one).await["state"], "merged");
}
