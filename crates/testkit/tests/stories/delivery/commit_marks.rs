//! How far the newest pipeline of a commit is, on the pages of code.

use super::running::{begun, commit, newest, passes};
use serde_json::json;
use testkit::TestServer;

const FILE: &str = "build: {script: make}";
const LIST: &str = "/acme/anvil/-/commits/main";

/// Statements sent so far for GETs of lists of commits.
fn statements(t: &TestServer) -> u64 {
    let line = "http_request_statements_total{method=\"GET\",\
                route=\"/{*project}/-/commits/{*rest}\"} ";
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(line));
    count.map_or(0, |count| count.parse().unwrap())
}

#[testkit::story]
async fn commits_show_how_far_their_pipeline_is(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    let branch = t.admin().get(project.at("/repository/branches/main")).await.is(200).json();
    let sha = branch["commit"]["id"].as_str().unwrap().to_owned();
    t.admin()
        .post(project.at("/repository/tags?tag_name=v1&ref=main"))
        .await
        .is(201);
    t.settle().await;
    let id = newest(&t, &project).await.max(id);
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let pages = [
        LIST.to_owned(),
        format!("/acme/anvil/-/commit/{sha}"),
        "/acme/anvil/-/tree/main".to_owned(),
        "/acme/anvil/-/blob/main/.gitlab-ci.yml".to_owned(),
        "/acme/anvil/-/branches".to_owned(),
        "/acme/anvil/-/tags".to_owned(),
        "/acme/anvil/-/tags/v1".to_owned(),
        "/acme/anvil".to_owned(),
    ];
    let link = format!("href=\"/acme/anvil/-/pipelines/{id}\" title=\"Pipeline: pending\"");
    for page in &pages {
        let text = browser.get(page).await.is(200).text();
        assert!(text.contains(&link), "{page}: {text}");
        assert!(text.contains("<span class=\"hush\">Pipeline: pending</span>"), "{page}");
    }
    passes(&t, id, "build").await;
    let text = browser.get(LIST).await.is(200).text();
    assert!(text.contains("Pipeline: passed"), "{text}");

    // Who reads code and sees no pipelines is shown none.
    let open = json!({"visibility": "public"});
    t.admin().put("/groups/acme").json(&open).await.is(200);
    let hidden = json!({"visibility": "public", "builds_access_level": "private"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    let stranger = t.new_browser();
    for page in &pages {
        let text = stranger.get(page).await.is(200).text();
        assert!(!text.contains("Pipeline:") && !text.contains("ci-dot"), "{page}: {text}");
    }
}

#[testkit::story]
async fn marks_of_many_commits_are_read_at_once(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let mut costs = Vec::new();
    for more in [1, 8] {
        for number in 0..more {
            let text = format!("{more} {number}");
            commit(&t, &project, "notes.txt", &text, &text).await;
        }
        let before = statements(&t);
        let text = browser.get(LIST).await.is(200).text();
        costs.push((statements(&t) - before, text.matches("title=\"Pipeline: ").count()));
    }
    assert_eq!((costs[0].1, costs[1].1), (2, 10));
    assert_eq!(costs[0].0, costs[1].0);
    assert!(costs[0].0 > 0, "they are counted");
}
