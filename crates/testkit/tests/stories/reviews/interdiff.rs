//! What differs between two versions of a merge request, where the target moved in between.

use super::{commit, developer, forge, open};
use serde_json::json;
use testkit::{TestProject, TestServer};

const DIFFS: &str = "/acme/forge/-/merge_requests/1/diffs";
const LEFT_OUT: &str = "What came with the target branch is left out.";

/// Thirty lines, of which some are others.
fn lines(changed: &[(usize, &str)]) -> String {
    let line = |at: usize| match changed.iter().find(|(changed, _)| *changed == at) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("line {at}\n"),
    };
    (1..=30).map(line).collect()
}

async fn write(t: &TestServer, project: &TestProject, branch: &str, changed: &[(usize, &str)]) {
    let actions = json!([{"action": "update", "file_path": "list.txt", "content": lines(changed)}]);
    let start = (branch == "anvil" && changed.len() == 1).then_some("main");
    let body = json!({"branch": branch, "start_branch": start, "commit_message": "Write",
        "actions": actions});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    t.settle().await;
}

#[testkit::story]
async fn what_came_with_the_target_is_left_out_of_files(t: TestServer) {
    let project = forge(&t).await;
    commit(&t, &project, "main", "list.txt", &lines(&[])).await;
    let smith = developer(&t, &project, "smith").await;
    write(&t, &project, "anvil", &[(3, "oursmark")]).await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let one = project.at("/merge_requests/1");
    let first = smith.get(one.clone()).await.is(200).json()["sha"].clone();
    write(&t, &project, "main", &[(25, "targetmark")]).await;
    smith.put(format!("{one}/rebase")).await.is(202);
    t.settle().await;
    let since = format!("{DIFFS}?start_sha={}", first.as_str().expect("a commit"));
    let browser = t.browser("smith").await;
    // Rebased, and nothing else.
    let page = browser.get(&since).await.is(200).text();
    assert!(page.contains("that both versions change alike are left out"), "{page}");
    assert!(!page.contains("targetmark"), "{page}");
    let rebased = smith.get(one.clone()).await.is(200).json()["sha"].clone();
    assert_ne!(rebased, first);

    write(&t, &project, "anvil", &[(3, "oursmark"), (14, "latermark"), (25, "targetmark")]).await;

    let page = browser.get(&since).await.is(200).text();
    assert!(page.contains("latermark") && page.contains(LEFT_OUT), "{page}");
    assert!(!page.contains("targetmark"), "{page}");
    // The numbers of lines between would not be right.
    assert!(!page.contains("data-lines="), "{page}");
    let all = browser.get(&format!("{since}&path=list.txt")).await.is(200).text();
    assert!(all.contains("latermark") && all.contains("targetmark"), "{all}");
    assert!(!all.contains(LEFT_OUT) && all.contains("data-lines="), "{all}");
    // The same once more: what was drawn lately is of what is shown.
    assert!(!browser.get(&since).await.is(200).text().contains("targetmark"));
    // Since the version of the same base there is nothing of the target's.
    let since = format!("{DIFFS}?start_sha={}", rebased.as_str().expect("a commit"));
    let page = browser.get(&since).await.is(200).text();
    assert!(page.contains("latermark") && !page.contains(LEFT_OUT), "{page}");

    // Beside what the target changed all is shown.
    let beside = [(3, "oursmark"), (14, "latermark"), (24, "besidemark"), (25, "targetmark")];
    write(&t, &project, "anvil", &beside).await;
    let since = format!("{DIFFS}?start_sha={}", first.as_str().expect("a commit"));
    let page = browser.get(&since).await.is(200).text();
    assert!(page.contains("besidemark") && page.contains("targetmark"), "{page}");
}
