//! What is looked at most takes few statements, however much there is of it.

use super::{commit, developer, forge, wanted};
use crate::conventions::statements::sent_in_all;
use serde_json::json;
use std::future::IntoFuture;
use testkit::{Client, Reply, TestProject, TestServer, TestUser};

/// Merge requests with people, a label, a note and a thumb each.
async fn fill(t: &TestServer, project: &TestProject, smith: &TestUser, jane: &TestUser) {
    for n in 1..=8 {
        let (branch, path) = (format!("anvil{n}"), format!("anvil{n}.txt"));
        commit(t, project, &branch, &path, "x\n").await;
        let mut body = wanted(&branch);
        body["labels"] = json!("iron");
        body["assignee_ids"] = json!([smith.id]);
        body["reviewer_ids"] = json!([jane.id]);
        smith.post(project.at("/merge_requests")).json(&body).await.is(201);
        let one = project.at(&format!("/merge_requests/{n}"));
        jane.post(format!("{one}/notes")).json(&json!({"body": "See"})).await.is(201);
        let thumb = json!({"name": "thumbsup"});
        jane.post(format!("{one}/award_emoji")).json(&thumb).await.is(201);
    }
    t.settle().await;
}

/// An answer and the statements that it took.
async fn cost(t: &TestServer, asked: impl IntoFuture<Output = Reply>) -> (Reply, u64) {
    let before = sent_in_all(t);
    let reply = asked.await.is(200);
    (reply, sent_in_all(t) - before)
}

async fn list(t: &TestServer, client: &Client, project: &TestProject, rows: usize) -> u64 {
    let path = project.at(&format!("/merge_requests?per_page={rows}"));
    let (reply, taken) = cost(t, client.get(path)).await;
    assert_eq!(reply.each("id").len(), rows, "{reply:?}");
    taken
}

#[testkit::story]
async fn what_is_looked_at_most_takes_few_statements(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    fill(&t, &project, &smith, &jane).await;
    let (admin, browser) = (t.admin(), t.browser("smith").await);
    let one = project.at("/merge_requests/1");
    let page = "/acme/forge/-/merge_requests/1/diffs";
    // What a server reads once is not counted.
    admin.get(&one).await.is(200);
    browser.get(page).await.is(200);
    t.settle().await;

    let (shown, taken) = cost(&t, admin.get(&one)).await;
    let found = shown.json();
    assert_eq!(
        [&found["upvotes"], &found["downvotes"], &found["user_notes_count"]],
        [&json!(1), &json!(0), &json!(1)]
    );
    let names = |key: &str| found[key][0]["username"].clone();
    assert_eq!((names("assignees"), names("reviewers")), (json!("smith"), json!("jane")));
    assert_eq!(found["labels"], json!(["iron"]));
    assert!((1..=18).contains(&taken), "one: {taken}");

    let (few, many) = (list(&t, &admin, &project, 2).await, list(&t, &admin, &project, 8).await);
    assert!((1..=15).contains(&few) && few == many, "list: {few}, {many}");

    let (shown, taken) = cost(&t, browser.get(page)).await;
    assert!(shown.text().contains("anvil1.txt"), "{}", shown.text());
    assert!((1..=21).contains(&taken), "page: {taken}");
}
