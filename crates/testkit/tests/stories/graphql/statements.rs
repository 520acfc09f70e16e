//! Lists never ask once per row, however much is asked of each row: fifty take
//! as many statements as five.

use crate::graphql::data;
use serde_json::json;
use testkit::{Client, TestServer};

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
    let top = found.as_object().and_then(|all| all.values().next()).expect("a list");
    let top = if top["nodes"].is_null() { &top["list"] } else { top };
    assert_eq!(top["nodes"].as_array().map(Vec::len), Some(rows), "{query}");
    sent(t) - before
}

/// Fifty-five of everything that is listed, told apart where the lists look.
async fn fill(t: &TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    for n in 0..55 {
        let user = t.user(&format!("user{n}")).await;
        user.put("/user/status").json(&json!({"message": "here"})).await.is(200);
        project.add(&user, 30).await;
        group.add(&user, 10).await;
        let name = format!("g{n}");
        let body = json!({"name": name, "path": name, "parent_id": group.id});
        let below = t.admin().post("/groups").json(&body).await.is(201).id();
        let member = json!({"user_id": user.id, "access_level": 40});
        t.admin().post(format!("/groups/{below}/members")).json(&member).await.is(201);
        let body = json!({"name": name, "path": name, "namespace_id": below});
        let made = t.admin().post("/projects").json(&body).await.is(201).id();
        user.post(format!("/projects/{made}/star")).await.is(201);
        error(t, made).await;
    }
}

/// Fifty-five issues with everything beside them, and what is to be done.
async fn fill_issues(t: &TestServer, project: &str) {
    for n in 0..55 {
        let user = t.user(&format!("user{n}")).await;
        let member = json!({"user_id": user.id, "access_level": 20});
        t.admin().post(format!("{project}/members")).json(&member).await.is(201);
        let goal = json!({"title": format!("m{n}"), "description": "*m*"});
        let goal = t.admin().post(format!("{project}/milestones")).json(&goal).await.is(201).id();
        let body = json!({"title": format!("i{n}"), "description": "**d**", "labels": format!("a{n},b{n}"),
            "assignee_ids": [user.id], "milestone_id": goal});
        user.post(format!("{project}/issues")).json(&body).await.is(201);
        let at = |rest: &str| format!("{project}/issues/{}{rest}", n + 1);
        user.post(at("/notes")).json(&json!({"body": "@member said"})).await.is(201);
        user.post(at("/award_emoji")).json(&json!({"name": "tada"})).await.is(201);
    }
}

const ISSUES: &[(&str, u64)] = &[
    (
        "{project(fullPath:\"acme/anvil\"){list:issues(first:ROWS){nodes{title author{username} assignees{nodes{username}} labels{nodes{title}} milestone{title}}}}}",
        9,
    ),
    (
        "{project(fullPath:\"acme/anvil\"){list:issues(first:ROWS){nodes{subscribed blocked userNotesCount userPermissions{adminIssue} awardEmoji{nodes{name user{name}}}}}}}",
        11,
    ),
    (
        "{project(fullPath:\"acme/anvil\"){list:issues(first:ROWS){nodes{notes(first:2){nodes{body url author{name} discussion{id}}} discussions(first:2){nodes{notes(first:2){nodes{body}}}}}}}}",
        12,
    ),
    ("{project(fullPath:\"acme/anvil\"){list:labels(first:ROWS){nodes{title}}}}", 6),
    (
        "{project(fullPath:\"acme/anvil\"){list:milestones(first:ROWS){nodes{title descriptionHtml project{path}}}}}",
        7,
    ),
    (
        "{issues(first:ROWS,state:opened){nodes{title labels{count} currentUserTodos{nodes{id}}}}}",
        9,
    ),
];

/// The to-dos of who was named in every issue.
const TODOS: &str = "{currentUser{list:todos(first:ROWS){nodes{body targetUrl author{username} project{path} target{... on Issue{title}}}}}}";

/// Reports an error to a project.
async fn error(t: &TestServer, project: i64) {
    let tracking = format!("/projects/{project}/error_tracking");
    let on = json!({"active": true, "integrated": true});
    let admin = t.admin();
    admin.put(format!("{tracking}/settings")).json(&on).await.is(200);
    let key = admin.post(format!("{tracking}/client_keys")).await.is(201).json();
    let key = key["public_key"].as_str().unwrap_or_default().to_owned();
    let store = format!("/error_tracking/collector/api/{project}/store?sentry_key={key}");
    let event = json!({"message": "it broke"});
    t.anonymous().post(store).json(&event).await.is(200);
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
    ("{users(first:ROWS){nodes{starredProjects(first:3){nodes{path}}}}}", 8),
    ("{users(first:ROWS){nodes{groupCount groups(first:3){nodes{path}}}}}", 8),
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
        "{projects(first:ROWS){nodes{trackerErrors{externalUrl errors(first:3){nodes{title frequency{count}}}}}}}",
        9,
    ),
    ("{projects(first:ROWS){nodes{ciVariables(first:3){count nodes{key value}}}}}", 8),
    ("{groups(first:ROWS){nodes{ciVariables(first:3){count nodes{key value}}}}}", 8),
    ("{projects(first:ROWS){nodes{environments(first:3){count nodes{name}}}}}", 8),
    ("{projects(first:ROWS){nodes{dependencies(first:3){count nodes{name}}}}}", 12),
    ("{groups(first:ROWS){nodes{dependencies(first:3){count nodes{name}}}}}", 12),
    ("{groups(first:ROWS){nodes{protectedEnvironments{nodes{name}}}}}", 8),
    (
        "{projects(first:ROWS){nodes{pipelines(first:3){count nodes{id stages{nodes{name jobs(first:2){count nodes{name}}}} jobs{nodes{name stage{name} user{name}}}}}}}}",
        20,
    ),
    (
        "{projects(first:ROWS){nodes{packages(first:2){nodes{name pipelines(first:2){count nodes{iid}}}}}}}",
        16,
    ),
    (
        "{projects(first:ROWS){nodes{jobs(first:3){count nodes{name pipeline{iid user{name}}}}}}}",
        14,
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

#[testkit::story]
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

#[testkit::story]
async fn lists_of_issues_ask_as_often_as_well(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let member = t.user("member").await;
    project.add(&member, 20).await;
    fill_issues(&t, &project.at("")).await;
    let admin = t.admin();
    for client in [&admin, &*member] {
        data(client, "{currentUser{id}}").await;
        t.settle().await;
    }
    for (query, most) in ISSUES {
        for client in [&admin, &*member] {
            let few = cost(&t, client, query, 5).await;
            assert_eq!(few, cost(&t, client, query, 50).await, "{query}");
            assert!(few <= *most, "{query}: {few} statements");
        }
    }
    let few = cost(&t, &member, TODOS, 5).await;
    assert_eq!(few, cost(&t, &member, TODOS, 50).await, "{TODOS}");
    assert!(few <= 12, "{few} statements for to-dos");
}
