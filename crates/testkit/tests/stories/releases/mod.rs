//! Releases of projects: over REST, on pages, and what belongs to them.

mod evidence;
mod graph;
mod links;
mod lists;
mod mails;
mod pages;
mod rest;
mod rights;

use serde_json::{Value, json};
use testkit::{Browser, Reply, TestProject, TestServer};

/// A project with a file on `main` and the tag `v1`.
async fn tagged(t: &TestServer, path: &str) -> TestProject {
    let project = t.project(path).await;
    fill(t, &project).await;
    project
}

async fn fill(t: &TestServer, project: &TestProject) {
    let post = |path: &str, body: Value| {
        let path = project.at(&format!("/repository/{path}"));
        async move { t.admin().post(path).json(&body).await.is(201) }
    };
    let file = json!({"action": "create", "file_path": "README.md", "content": "iron"});
    let commit = json!({"branch": "main", "commit_message": "Begin\n\nmore", "actions": [file]});
    post("commits", commit).await;
    post("tags", json!({"tag_name": "v1", "ref": "main"})).await;
}

/// A browser of somebody who maintains a project.
async fn maintainer(t: &TestServer, project: &TestProject) -> Browser {
    let maintainer = t.user("maintainer").await;
    project.add(&maintainer, 40).await;
    t.browser("maintainer").await
}

/// Makes a release as the administrator.
async fn released(t: &TestServer, project: &TestProject, body: Value) -> Reply {
    t.admin().post(project.at("/releases")).json(&body).await.is(201)
}
