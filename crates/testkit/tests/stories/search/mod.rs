//! Searching: what is found, by whom, and how it is shown.

mod code;
mod comments;
mod index;
mod leaks;
mod pages;
mod rest;

use crate::reviews;
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer, TestUser};

/// What a search finds, by one field of it.
async fn found(client: &Client, path: &str, field: &str) -> Vec<Value> {
    client.get(path).await.is(200).each(field)
}

/// An issue with this title; its number.
async fn issue(project: &TestProject, by: &Client, body: Value) -> i64 {
    let made = by.post(project.at("/issues")).json(&body).await.is(201);
    made.json()["iid"].as_i64().expect("a number")
}

/// A project with one thing of each kind that is called zebra: issue 1 is open
/// to all who see the project, issue 2 is confidential, and each has a note;
/// issue 1 an internal one, too. Of the epics of its group the second is confidential.
async fn zebras(t: &TestServer, path: &str, visibility: &str) -> TestProject {
    let project = t.project_with(path, visibility).await;
    let admin = t.admin();
    let post = |path: &str, body: Value| admin.post(project.at(path)).json(&body);
    for (title, confidential) in [("zebra crossing", false), ("zebra secret", true)] {
        let body = json!({"title": title, "confidential": confidential});
        let iid = issue(&project, &admin, body).await;
        let note = json!({"body": format!("zebra note {iid}")});
        post(&format!("/issues/{iid}/notes"), note).await.is(201);
    }
    let internal = json!({"body": "zebra inside", "internal": true});
    post("/issues/1/notes", internal).await.is(201);
    post("/labels", json!({"name": "zebra", "color": "red"})).await.is(201);
    post("/milestones", json!({"title": "zebra day"})).await.is(201);
    let files = json!([{"file_path": "a.txt", "content": "stripes"}]);
    let snippet = json!({"title": "zebra stripes", "visibility": visibility, "files": files});
    post("/snippets", snippet).await.is(201);
    let group = path.rsplit_once('/').map_or(path, |(group, _)| group).replace('/', "%2F");
    for (title, confidential) in [("zebra hunt", false), ("zebra plan", true)] {
        let body = json!({"title": title, "confidential": confidential});
        admin.post(format!("/groups/{group}/epics")).json(&body).await.is(201);
    }
    project.generic_package("zebra", "1.0").await;
    alert(&project, &admin, "zebra alert").await;
    error(t, &project, "zebra error").await;
    for branch in ["main", "zebra"] {
        reviews::commit(t, &project, branch, branch, "stripes").await;
    }
    reviews::open(&admin, &project, "zebra").await;
    t.settle().await;
    project
}

async fn alert(project: &TestProject, admin: &Client, title: &str) {
    let area = project.at("/alert_management/http_integrations");
    let made = admin.post(&area).json(&json!({"name": "i", "active": true})).await.is(201);
    let body = json!({"payload": {"title": title}});
    admin.post(format!("{area}/{}/test", made.id())).json(&body).await.is(200);
}

async fn error(t: &TestServer, project: &TestProject, message: &str) {
    let on = json!({"active": true, "integrated": true});
    t.admin().put(project.at("/error_tracking/settings")).json(&on).await.is(200);
    let made = t.admin().post(project.at("/error_tracking/client_keys")).await.is(201);
    let key = made.json()["public_key"].as_str().unwrap_or_default().to_owned();
    let to = format!("/error_tracking/collector/api/{}/store?sentry_key={key}", project.id);
    t.anonymous().post(to).json(&json!({"message": message})).await.is(200);
}

/// A user with this role in a project.
async fn member(t: &TestServer, project: &TestProject, name: &str, level: i64) -> TestUser {
    let user = t.user(name).await;
    project.add(&user, level).await;
    user
}
