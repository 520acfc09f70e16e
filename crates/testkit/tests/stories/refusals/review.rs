//! A merge request that nobody may know of, and what there is about it.

use serde_json::{Value, json};
use testkit::{Client, TestProject};

/// What a template calls a thing, and its id.
type Named = ((&'static str, &'static str), String);

/// A merge request of `forge` that another one blocks, with a note that suggests something,
/// reactions, a draft note, rules of approval, and an event of each kind.
pub async fn hide(admin: &Client, project: &TestProject, milestone: i64) -> Vec<Named> {
    let (made, other) =
        (request(admin, project, "forge").await, request(admin, project, "anvil").await);
    let at = |rest: &str| project.at(&format!("/merge_requests/{made}{rest}"));
    let make = async |path: String, body: Value| admin.post(path).json(&body).await.is(201).json();
    let change = json!({"add_labels": "bug", "milestone_id": milestone, "state_event": "close"});
    admin.put(at("")).json(&change).await.is(200);
    admin.put(at("")).json(&json!({"state_event": "reopen"})).await.is(200);
    let others = admin.get(project.at(&format!("/merge_requests/{other}"))).await.is(200).id();
    let block = make(at("/blocks"), json!({"blocking_merge_request_id": others})).await;
    let suggestion = json!({"body": "a secret\n```suggestion:-0+0\niron\n```",
        "position": {"path": "forge.txt", "line": 1}});
    let note = make(at("/discussions"), suggestion).await;
    let note_id = note["notes"][0]["id"].to_string();
    let award = json!({"name": "rocket"});
    let on_request = make(at("/award_emoji"), award.clone()).await;
    let on_note = make(at(&format!("/notes/{note_id}/award_emoji")), award).await;
    let draft = make(at("/draft_notes"), json!({"note": "a secret"})).await;
    let rule = json!({"name": "a secret", "approvals_required": 0});
    let of_project = make(project.at("/approval_rules"), rule.clone()).await;
    let rule = make(at("/approval_rules"), rule).await;
    let versions = admin.get(at("/versions")).await.is(200).each("id");
    let mut ids = vec![
        (("merge_requests", "iid"), made.clone()),
        (("projects", "iid"), made.clone()),
        (("suggestions", "id"), note["notes"][0]["suggestions"][0]["id"].to_string()),
        (("merge_requests", "note_id"), note_id),
        (
            ("merge_requests", "discussion_id"),
            note["id"].as_str().unwrap_or_default().to_owned(),
        ),
        (("merge_requests", "award_id"), on_request["id"].to_string()),
        (("merge_requests", "award_of_note_id"), on_note["id"].to_string()),
        (("merge_requests", "block_id"), block["id"].to_string()),
        (("merge_requests", "draft_note_id"), draft["id"].to_string()),
        (("merge_requests", "approval_rule_id"), rule["id"].to_string()),
        (("projects", "approval_rule_id"), of_project["id"].to_string()),
        (("merge_requests", "version_id"), versions[0].to_string()),
        (("projects", "target_branch"), "main".to_owned()),
    ];
    for (kind, name) in [
        ("state", "state_event_id"),
        ("label", "label_event_id"),
        ("milestone", "milestone_event_id"),
    ] {
        let events = admin.get(at(&format!("/resource_{kind}_events"))).await.is(200).each("id");
        ids.push((("merge_requests", name), events[0].to_string()));
    }
    ids.extend(said_of_commit(admin, project).await);
    ids
}

/// What is said of the commit of `main`, and a reaction to that.
async fn said_of_commit(admin: &Client, project: &TestProject) -> [Named; 3] {
    let at = |rest: &str| project.at(&format!("/repository/commits/main{rest}"));
    let said = json!({"body": "a secret"});
    let said = admin.post(at("/discussions")).json(&said).await.is(201).json();
    let note = said["notes"][0]["id"].to_string();
    let award = at(&format!("/notes/{note}/award_emoji"));
    let award = admin.post(award).json(&json!({"name": "rocket"})).await.is(201).id();
    [
        (("commits", "discussion_id"), said["id"].as_str().unwrap_or_default().to_owned()),
        (("commits", "note_id"), note),
        (("commits", "award_of_note_id"), award.to_string()),
    ]
}

/// A merge request of a new branch into `main`: its number.
async fn request(admin: &Client, project: &TestProject, branch: &str) -> String {
    let file = json!({"action": "create", "file_path": format!("{branch}.txt"),
        "content": "a secret"});
    let commit = json!({"branch": branch, "start_branch": "main", "commit_message": "a secret",
        "actions": [file]});
    admin.post(project.at("/repository/commits")).json(&commit).await.is(201);
    let wish = json!({"title": "a secret", "source_branch": branch, "target_branch": "main"});
    let made = admin.post(project.at("/merge_requests")).json(&wish).await.is(201).json();
    made["iid"].to_string()
}
