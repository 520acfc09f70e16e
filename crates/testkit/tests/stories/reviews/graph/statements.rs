//! Lists never ask once for each merge request.

use super::data;
use crate::reviews::{commit, developer, forge};
use serde_json::json;
use testkit::{Client, TestProject, TestServer, TestUser};

fn sent(t: &TestServer) -> u64 {
    let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

/// Statements of a list of so many merge requests with these fields.
async fn cost(t: &TestServer, client: &Client, fields: &str, rows: usize) -> u64 {
    let before = sent(t);
    let query = format!(
        "{{project(fullPath:\"acme/forge\"){{mergeRequests(first:{rows}){{nodes{{{fields}}}}}}}}}"
    );
    let found = data(client, &query).await;
    let nodes = found["project"]["mergeRequests"]["nodes"].as_array().map(Vec::len);
    assert_eq!(nodes, Some(rows), "{fields}");
    sent(t) - before
}

/// Fifty-five merge requests with people, a label and a note.
async fn fill(t: &TestServer, project: &TestProject, smith: &TestUser, jane: &TestUser) {
    commit(t, project, "anvil", "anvil.txt", "x\n").await;
    for n in 0..55 {
        let branch = format!("anvil{n}");
        let made = json!({"branch": branch, "ref": "anvil"});
        t.admin().post(project.at("/repository/branches")).json(&made).await.is(201);
        let body = json!({"title": branch, "source_branch": branch, "target_branch": "main",
            "labels": "iron", "assignee_ids": [smith.id], "reviewer_ids": [jane.id]});
        smith.post(project.at("/merge_requests")).json(&body).await.is(201);
        let notes = project.at(&format!("/merge_requests/{}/notes", n + 1));
        jane.post(notes).json(&json!({"body": "See"})).await.is(201);
    }
    t.settle().await;
}

#[testkit::story]
async fn lists_of_fifty_ask_as_often_as_lists_of_five(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    fill(&t, &project, &smith, &jane).await;
    let admin = t.admin();
    for client in [&admin, &*jane] {
        data(client, "{currentUser{id}}").await;
        t.settle().await;
    }
    for fields in [
        "title webUrl author{username} assignees{nodes{username}} reviewers{nodes{username \
            mergeRequestInteraction{reviewState canMerge approved}}} labels{count nodes{title}} \
            milestone{title} targetProject{fullPath} mergeUser{name}",
        "detailedMergeStatus mergeable mergeabilityChecks{identifier status} approved \
            approvalsLeft approvedBy{nodes{name}} approvalState{rules{name \
            eligibleApprovers{name}}}",
        "sourceBranchExists diffRefs{headSha} commitCount headPipeline{id} \
            pipelines(first:2){count nodes{id}} subscribed userPermissions{canMerge canApprove \
            pushToSourceBranch} defaultMergeCommitMessage",
        "notes(first:2){nodes{body position{filePath}}} discussions(first:2){nodes{resolvable \
            notes{nodes{userPermissions{resolveNote}}}}} userNotesCount upvotes \
            resolvableDiscussionsCount participants(first:3){nodes{username}}",
    ] {
        for client in [&admin, &*jane] {
            let few = cost(&t, client, fields, 5).await;
            assert!(few > 0, "{fields} is not counted");
            assert_eq!(few, cost(&t, client, fields, 50).await, "{fields}");
            assert!(few <= 60, "{fields}: {few} statements");
        }
    }
}
