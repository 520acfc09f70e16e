//! What the stories of pipelines share: the story plays the runner.

use ::delivery::pipelines::jobs::{self, Outcome};
use ::delivery::pipelines::model::{FailureReason, Job};
use ::delivery::pipelines::store::jobs as rows;
use ::delivery::pipelines::store::progress::Runs;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{TestProject, TestServer};

/// Commits a file to `main`, and waits for what follows.
pub async fn commit(t: &TestServer, project: &TestProject, path: &str, text: &str, message: &str) {
    let there = t
        .admin()
        .get(project.at(&format!("/repository/files/{}?ref=main", path.replace('/', "%2F"))));
    let action = if there.await.status == 200 { "update" } else { "create" };
    let action = json!({"action": action, "file_path": path, "content": text});
    let body = json!({"branch": "main", "commit_message": message, "actions": [action]});
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
    t.settle().await;
}

/// A project whose file a push of `main` has begun a pipeline for.
pub async fn begun(t: &TestServer, path: &str, file: &str) -> (TestProject, i64) {
    let project = t.project(path).await;
    commit(t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let id = newest(t, &project).await;
    (project, id)
}

pub async fn newest(t: &TestServer, project: &TestProject) -> i64 {
    let shown = t.admin().get(project.at("/pipelines?per_page=1")).await.is(200).json();
    shown[0]["id"].as_i64().unwrap_or_else(|| panic!("no pipeline"))
}

pub async fn status(t: &TestServer, project: &TestProject, id: i64) -> String {
    let shown = t.admin().get(project.at(&format!("/pipelines/{id}"))).await.is(200).json();
    shown["status"].as_str().unwrap_or_default().to_owned()
}

/// `name status` of the jobs of a pipeline, in their order.
pub async fn jobs_of(t: &TestServer, project: &TestProject, id: i64) -> Vec<String> {
    let at = project.at(&format!("/pipelines/{id}/jobs?per_page=100"));
    let mut all = t.admin().get(at).await.is(200).json().as_array().cloned().unwrap_or_default();
    all.sort_by_key(|job| job["name"].as_str().unwrap_or_default().to_owned());
    let shown = |job: &Value| {
        format!(
            "{} {}",
            job["name"].as_str().unwrap_or_default(),
            job["status"].as_str().unwrap_or_default()
        )
    };
    all.iter().map(shown).collect()
}

/// The latest job of a name.
pub async fn job(t: &TestServer, pipeline: i64, name: &str) -> Job {
    let all = t.app().read(move |tx| rows::latest(tx, pipeline)).await.unwrap();
    let found = all.into_iter().find(|job| job.name == name);
    found.unwrap_or_else(|| panic!("no job {name}"))
}

/// A runner takes a job that waits for one.
pub async fn take(t: &TestServer, pipeline: i64, name: &str) -> Job {
    let id = job(t, pipeline, name).await.id;
    let taken = t.app().write(move |tx| jobs::start(tx, id, &Runs::default())).await.unwrap();
    taken.unwrap_or_else(|| panic!("{name} does not wait for a runner"))
}

async fn ends(t: &TestServer, pipeline: i64, name: &str, outcome: Outcome) {
    let job = take(t, pipeline, name).await;
    t.advance(10);
    t.app().write(move |tx| jobs::finish(tx, &job, outcome)).await.unwrap();
    t.settle().await;
}

/// A runner does a job, and it is good.
pub async fn passes(t: &TestServer, pipeline: i64, name: &str) {
    ends(t, pipeline, name, Outcome::Success).await;
}

/// The same, and it ends with this code.
pub async fn fails(t: &TestServer, pipeline: i64, name: &str, code: i64) {
    let reason = FailureReason::ScriptFailure;
    ends(t, pipeline, name, Outcome::Failed { reason, exit_code: Some(code) }).await;
}

/// Waits for what jobs of the queue do later.
pub async fn until(t: &TestServer, what: impl AsyncFn() -> bool) {
    for _ in 0..100 {
        t.settle().await;
        if what().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it did not come to that");
}
