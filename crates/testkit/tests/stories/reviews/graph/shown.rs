//! A merge request is told whole.

use super::one;
use crate::reviews::{commit, developer, forge, open};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer, TestUser};

fn upper(text: &Value) -> String {
    text.as_str().unwrap_or_default().to_ascii_uppercase()
}

/// A draft of smith, who is assigned, that jane reviews and approved.
async fn reviewed(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = forge(t).await;
    let smith = developer(t, &project, "smith").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    commit(t, &project, "anvil", "anvil.txt", "a\nb\n").await;
    let body = json!({"title": "Draft: An anvil", "source_branch": "anvil",
        "target_branch": "main", "description": "- [x] one\n- [ ] two", "labels": "iron",
        "assignee_ids": [smith.id], "reviewer_ids": [jane.id]});
    smith.post(project.at("/merge_requests")).json(&body).await.is(201);
    let one = |rest: &str| project.at(&format!("/merge_requests/1{rest}"));
    let rule = json!({"name": "Smiths", "approvals_required": 1, "user_ids": [jane.id]});
    t.admin().post(one("/approval_rules")).json(&rule).await.is(201);
    smith.post(one("/notes")).json(&json!({"body": "See"})).await.is(201);
    jane.post(one("/approve")).await.is(201);
    t.settle().await;
    // Who looks at it has it checked.
    jane.get(one("")).await.is(200);
    t.settle().await;
    (project, smith, jane)
}

#[testkit::story]
async fn people_and_what_they_do_are_told(t: TestServer) {
    let (project, smith, jane) = reviewed(&t).await;
    let fields = "author{username} assignees{nodes{username mergeRequestInteraction{reviewState \
        canMerge}}} reviewers{nodes{username name webPath mergeRequestInteraction{approved \
        reviewed reviewState canMerge canUpdate}}} participants{nodes{username}} \
        approvedBy{nodes{username}} labels{count nodes{title}}";
    let told = one(&jane, fields).await;
    let merges = async |user: &TestUser| -> Value {
        let shown = user.get(project.at("/merge_requests/1")).await.is(200).json();
        shown["user"]["can_merge"].clone()
    };
    assert_eq!(told["author"]["username"], "smith");
    let assigned = json!([{"username": "smith", "mergeRequestInteraction":
        {"reviewState": null, "canMerge": merges(&smith).await}}]);
    assert_eq!(told["assignees"]["nodes"], assigned);
    let reviewing = json!([{"username": "jane", "name": "jane", "webPath": "/jane",
        "mergeRequestInteraction": {"approved": true, "reviewed": true,
        "reviewState": "APPROVED", "canMerge": merges(&jane).await, "canUpdate": true}}]);
    assert_eq!(told["reviewers"]["nodes"], reviewing);
    let both = json!([{"username": "smith"}, {"username": "jane"}]);
    assert_eq!(told["participants"]["nodes"], both);
    assert_eq!(told["approvedBy"]["nodes"], json!([{"username": "jane"}]));
    assert_eq!(told["labels"], json!({"count": 1, "nodes": [{"title": "iron"}]}));

    let rights = "userPermissions{canMerge canApprove updateMergeRequest createNote \
        pushToSourceBranch removeSourceBranch} defaultMergeCommitMessage";
    let own = one(&jane, rights).await;
    let may = &own["userPermissions"];
    assert_eq!((&may["canMerge"], &may["canApprove"]), (&merges(&jane).await, &json!(false)));
    assert_eq!(
        (&may["pushToSourceBranch"], &may["removeSourceBranch"]),
        (&json!(true), &json!(true))
    );
    let message = own["defaultMergeCommitMessage"].as_str().unwrap_or_default();
    assert!(message.starts_with("Merge branch 'anvil' into 'main'"), "{message}");
    let foreign = one(&t.anonymous(), rights).await;
    let none = foreign["userPermissions"].as_object().expect("rights");
    assert!(none.values().all(|may| may == false), "{none:?}");
    assert_eq!(foreign["defaultMergeCommitMessage"], Value::Null);
}

#[testkit::story]
async fn a_merge_request_is_told_as_by_rest(t: TestServer) {
    let (project, _, jane) = reviewed(&t).await;
    let rest = jane.get(project.at("/merge_requests/1")).await.is(200).json();
    let fields = "iid title draft state reference full:reference(full:true) webUrl sourceBranch \
        targetBranch sourceBranchExists targetBranchExists sourceProject{fullPath} \
        targetProject{fullPath} diffHeadSha mergedAt squash userNotesCount \
        taskCompletionStatus{count completedCount} diffRefs{baseSha headSha startSha} \
        diffStats{path additions deletions} diffStatsSummary{changes fileCount} commitCount \
        commits{nodes{title}} headPipeline{id} pipelines{count}";
    let told = one(&jane, fields).await;
    for (field, same) in [
        ("title", "title"),
        ("draft", "draft"),
        ("state", "state"),
        ("webUrl", "web_url"),
        ("sourceBranch", "source_branch"),
        ("targetBranch", "target_branch"),
        ("diffHeadSha", "sha"),
        ("mergedAt", "merged_at"),
        ("squash", "squash"),
        ("userNotesCount", "user_notes_count"),
    ] {
        assert_eq!(told[field], rest[same], "{field}");
    }
    let refs = &rest["diff_refs"];
    let refs = json!({"baseSha": refs["base_sha"], "headSha": refs["head_sha"],
        "startSha": refs["start_sha"]});
    assert_eq!(told["diffRefs"], refs);
    assert_eq!(
        (&told["iid"], &told["reference"], &told["full"]),
        (&json!("1"), &json!("!1"), &json!("acme/forge!1"))
    );
    assert_eq!(told["taskCompletionStatus"], json!({"count": 2, "completedCount": 1}));
    let stats = json!([{"path": "anvil.txt", "additions": 2, "deletions": 0}]);
    assert_eq!(told["diffStats"], stats);
    assert_eq!(told["diffStatsSummary"], json!({"changes": 2, "fileCount": 1}));
    assert_eq!((&told["commitCount"], &told["headPipeline"]), (&json!(1), &Value::Null));
    assert_eq!(told["commits"]["nodes"], json!([{"title": "Add anvil.txt"}]));
    assert_eq!(
        (&told["sourceBranchExists"], &told["pipelines"]["count"]),
        (&json!(true), &json!(0))
    );

    let fields = "mergeStatusEnum detailedMergeStatus mergeable conflicts \
        mergeabilityChecks{identifier status} approved approvalsRequired approvalsLeft \
        approvalState{rules{name type approvalsRequired approved approvedBy{nodes{username}}}}";
    let told = one(&jane, fields).await;
    assert_eq!(told["mergeStatusEnum"], upper(&rest["merge_status"]));
    assert_eq!(told["detailedMergeStatus"], upper(&rest["detailed_merge_status"]));
    assert_eq!((&told["mergeable"], &told["conflicts"]), (&json!(false), &json!(false)));
    let checks = told["mergeabilityChecks"].as_array().expect("checks");
    for (identifier, status) in
        [("DRAFT_STATUS", "FAILED"), ("NOT_APPROVED", "SUCCESS"), ("CONFLICT", "SUCCESS")]
    {
        let check = json!({"identifier": identifier, "status": status});
        assert!(checks.contains(&check), "{identifier}: {checks:?}");
    }
    assert_eq!(
        (&told["approved"], &told["approvalsRequired"], &told["approvalsLeft"]),
        (&json!(true), &json!(1), &json!(0))
    );
    let rule = json!({"name": "Smiths", "type": "REGULAR", "approvalsRequired": 1,
        "approved": true, "approvedBy": {"nodes": [{"username": "jane"}]}});
    let rules = told["approvalState"]["rules"].as_array().expect("rules");
    assert!(rules.contains(&rule), "{rules:?}");
}

#[testkit::story]
async fn what_the_program_tells_has_a_word(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    commit(&t, &project, "anvil", "anvil.txt", "x\n").await;
    open(&smith, &project, "anvil").await;
    let at = project.at("/merge_requests/1");
    let change = json!({"title": "Forge", "reviewer_ids": [jane.id]});
    smith.put(&at).json(&change).await.is(200);
    smith
        .post(format!("{at}/notes"))
        .json(&json!({"body": "approved this"}))
        .await
        .is(201);

    let review = json!({"body": "/submit_review"});
    jane.post(format!("{at}/notes")).json(&review).await.is(202);
    jane.post(format!("{at}/approve")).await.is(201);
    jane.post(format!("{at}/unapprove")).await.is(201);

    let words = |told: &Value| -> Vec<String> {
        let nodes = told["notes"]["nodes"].as_array().expect("notes").iter();
        let word = |node: &Value| node["systemNoteMetadata"]["action"].as_str().map(str::to_owned);
        nodes.map(|node| word(node).unwrap_or_default()).collect()
    };
    let fields = "allowsMultipleReviewers notes{nodes{systemNoteMetadata{id action}}}";
    let told = one(&jane, fields).await;
    let mut all = words(&told);
    all.sort();
    assert_eq!(all, ["", "approved", "reviewed", "reviewer", "title", "unapproved"]);
    assert_eq!(told["allowsMultipleReviewers"], true);
    let fields = "notes(filter:ONLY_ACTIVITY,last:2){pageInfo{hasPreviousPage} \
        nodes{systemNoteMetadata{action}}}";
    let last = one(&jane, fields).await;
    assert_eq!(words(&last), ["approved", "unapproved"]);
    assert_eq!(last["notes"]["pageInfo"]["hasPreviousPage"], true);
}
