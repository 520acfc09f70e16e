//! Lists never ask once per row, however much is asked of each row: fifty take
//! as many statements as five.

use crate::data;
use serde_json::json;
use testkit::{Client, TestServer, both_engines};

fn sent(t: &TestServer) -> u64 {
    let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(line));
    count.map_or(0, |count| count.parse().expect("a count"))
}

/// Statements of one query, which lists so many rows under `rows`.
async fn cost(t: &TestServer, client: &Client, query: &str, rows: usize) -> u64 {
    let before = sent(t);
    let found = data(client, &query.replace("ROWS", &rows.to_string())).await;
    let top = found
        .as_object()
        .and_then(|all| all.values().next())
        .expect("a list");
    let top = if top["nodes"].is_null() {
        &top["list"]
    } else {
        top
    };
    assert_eq!(top["nodes"].as_array().map(Vec::len), Some(rows), "{query}");
    sent(t) - before
}

/// Fifty-five of everything that is listed, told apart where the lists look.
async fn fill(t: &TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    for n in 0..55 {
        let user = t.user(&format!("user{n}")).await;
        user.put("/user/status")
            .json(&json!({"message": "here"}))
            .await
            .is(200);
        project.add(&user, 30).await;
        group.add(&user, 10).await;
        let name = format!("g{n}");
        let body = json!({"name": name, "path": name, "parent_id": group.id});
        let below = t.admin().post("/groups").json(&body).await.is(201).id();
        let member = json!({"user_id": user.id, "access_level": 40});
        t.admin()
            .post(format!("/groups/{below}/members"))
            .json(&member)
            .await
            .is(201);
        let body = json!({"name": name, "path": name, "namespace_id": below});
        let made = t.admin().post("/projects").json(&body).await.is(201).id();
        user.post(format!("/projects/{made}/star")).await.is(201);
    }
}

const LISTS: &[(&str, u64)] = &[
    (
        "{users(first:ROWS){nodes{username bio namespace{fullPath} status{message} userPermissions{createSnippet}}}}",
        12,
    ),
    (
        "{users(first:ROWS){nodes{groupMemberships(first:3){nodes{group{fullPath} createdBy{username}}}}}}",
        8,
    ),
    (
        "{users(first:ROWS){nodes{projectMemberships(first:3){nodes{project{fullPath}}}}}}",
        8,
    ),
    (
        "{users(first:ROWS){nodes{starredProjects(first:3){nodes{path}}}}}",
        8,
    ),
    (
        "{users(first:ROWS){nodes{groupCount groups(first:3){nodes{path}}}}}",
        8,
    ),
    (
        "{projects(first:ROWS){nodes{name group{name parent{name}} namespace{fullPath} descriptionHtml}}}",
        8,
    ),
    (
        "{projects(first:ROWS){nodes{userPermissions{adminProject requestAccess} statistics{packagesSize}}}}",
        9,
    ),
    (
        "{projects(first:ROWS){nodes{projectMembers(first:3){nodes{user{username} createdBy{name}}}}}}",
        8,
    ),
    (
        "{groups(first:ROWS){nodes{userPermissions{createProjects} projects(first:3){nodes{path}}}}}",
        8,
    ),
    (
        "{groups(first:ROWS){nodes{groupMembers(first:3){nodes{user{username}}} descendantGroups(first:2){nodes{path}}}}}",
        8,
    ),
    (
        "{project(fullPath:\"acme/anvil\"){list:projectMembers(first:ROWS){nodes{user{username namespace{path}}}}}}",
        8,
    ),
    (
        "{group(fullPath:\"acme\"){list:projects(first:ROWS,includeSubgroups:true){nodes{namespace{path}}}}}",
        8,
    ),
];

both_engines! {
    async fn lists_of_fifty_ask_as_often_as_lists_of_five(t: TestServer) {
        fill(&t).await;
        let (admin, member) = (t.admin(), t.user("member").await);
        let group = t.group("acme").await;
        group.add(&member, 20).await;
        // So that the note of its first use is not counted.
        for client in [&admin, &*member] {
            data(client, "{currentUser{id}}").await;
            t.settle().await;
        }
        for (query, most) in LISTS {
            for client in [&admin, &*member] {
                let few = cost(&t, client, query, 5).await;
                assert!(few > 0, "{query} is not counted");
                assert_eq!(few, cost(&t, client, query, 50).await, "{query}");
                assert!(few <= *most, "{query}: {few} statements");
            }
        }
    }
}
