//! Lists of snippets never ask once per row.

use super::made;
use serde_json::json;
use testkit::{Client, TestServer};

/// Statements sent so far for requests of this kind.
fn sent(t: &TestServer, method: &str, route: &str) -> u64 {
    let line = format!("http_request_statements_total{{method=\"{method}\",route=\"{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

async fn listed(t: &TestServer, client: &Client, route: &str, path: &str, rows: usize) -> u64 {
    let before = sent(t, "GET", route);
    let found = client.get(format!("{path}?per_page={rows}")).await.is(200);
    assert_eq!(found.each("id").len(), rows, "{path}");
    sent(t, "GET", route) - before
}

async fn queried(t: &TestServer, client: &Client, list: &str, rows: usize) -> u64 {
    const ROUTE: &str = "/api/graphql";
    let before = sent(t, "POST", ROUTE);
    let shown = "title author{username} project{fullPath} userPermissions{adminSnippet} \
                 notes{nodes{body}} awardEmoji{nodes{name}}";
    let query = format!(
        "{{{}}}",
        list.replace("LIST", &format!("snippets(first:{rows}){{nodes{{{shown}}}}}"))
    );
    let body = json!({"query": query});
    let answer = client.request(http::Method::POST, ROUTE).json(&body).await.is(200).json();
    assert_eq!(answer["errors"], json!(null), "{answer}");
    sent(t, "POST", ROUTE) - before
}

#[testkit::story]
async fn lists_of_many_cost_what_lists_of_few_cost(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let member = t.user("member").await;
    project.add(&member, 20).await;
    for number in 0..10 {
        let home = (number % 2 == 0).then_some(&project);
        made(&t.admin(), home, "public").await;
        made(&t.admin(), Some(&project), "public").await;
    }
    // So that the note of its first use is not counted.
    member.get("/user").await.is(200);
    t.settle().await;
    for (route, path) in [
        ("/api/v4/snippets/all", "/snippets/all".to_owned()),
        ("/api/v4/projects/{id}/snippets", project.at("/snippets")),
    ] {
        let few = listed(&t, &member, route, &path, 2).await;
        assert!(few > 0, "{path} is not counted");
        assert_eq!(few, listed(&t, &member, route, &path, 10).await, "{path}");
    }
    for list in [
        "LIST",
        "project(fullPath:\"acme/anvil\"){LIST}",
        "user(username:\"root\"){LIST}",
    ] {
        let few = queried(&t, &member, list, 2).await;
        assert_eq!(few, queried(&t, &member, list, 10).await, "{list}");
    }
}
