//! Merge requests.

mod auto_merge;
mod automatic_rebases;
mod bounds;
mod change;
mod changes_page;
mod commands;
mod commits;
mod conflicts;
mod costs;
mod create;
mod diffs;
mod escaping;
mod from_issue;
mod generated;
mod graph;
mod guarded;
mod heads;
mod hidden;
mod hidden_costs;
mod interdiff;
mod list_pages;
mod lists;
mod merging;
mod new_page;
mod news;
mod owners;
mod pages;
mod picture_points;
mod pipelines;
mod plain;
mod push_options;
mod references;
mod related;
mod settings;
mod sources;
mod suggestions;
mod threads;
mod unseen;

use serde_json::{Value, json};
use testkit::{Client, Reply, TestProject, TestServer, TestUser};

/// A public project with a file on `main`.
pub async fn forge(t: &TestServer) -> TestProject {
    let project = t.project_with("acme/forge", "public").await;
    commit(t, &project, "main", "README.md", "# Forge\n").await;
    project
}

/// Adds a file to a branch, which begins at `main` where it is new.
pub async fn commit(t: &TestServer, project: &TestProject, branch: &str, path: &str, text: &str) {
    commit_titled(t, project, (branch, path, text), &format!("Add {path}")).await;
}

pub async fn commit_titled(
    t: &TestServer, project: &TestProject, (branch, path, text): (&str, &str, &str), title: &str,
) {
    let exists = t
        .admin()
        .get(project.at(&format!("/repository/branches/{}", branch.replace('/', "%2F"))))
        .await;
    let mut body = json!({"branch": branch, "commit_message": title, "actions": [
        {"action": "create", "file_path": path, "content": text}]});
    if exists.status != 200 && branch != "main" {
        body["start_branch"] = json!("main");
    }
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
}

/// A developer of a project.
pub async fn developer(t: &TestServer, project: &TestProject, name: &str) -> TestUser {
    let user = t.user(name).await;
    project.add(&user, 30).await;
    user
}

/// What a merge request of a branch is made with.
pub fn wanted(branch: &str) -> Value {
    json!({"title": format!("Merge {branch}"), "source_branch": branch, "target_branch": "main"})
}

pub async fn open(client: &Client, project: &TestProject, branch: &str) -> Reply {
    client.post(project.at("/merge_requests")).json(&wanted(branch)).await.is(201)
}
