//! Programs elsewhere say how far something with a commit is.

use super::running::{begun, passes};
use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer};

/// A project with two pushed commits and no pipelines; the id of the newer one.
async fn pushed(t: &TestServer) -> (TestProject, String) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let sha = git.commit("one", "horn.txt", "one\ntwo\nthree\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    (project, sha)
}

#[testkit::story]
async fn programs_say_how_far_a_commit_is(t: TestServer) {
    let (project, sha) = pushed(&t).await;
    let (dev, reporter, olga) = (t.user("dev").await, t.user("rea").await, t.user("olga").await);
    project.add(&dev, 30).await;
    project.add(&reporter, 20).await;
    let at = project.at(&format!("/statuses/{sha}"));
    let commit = project.at(&format!("/repository/commits/{sha}"));
    let shown = async || dev.get(&commit).await.is(200).json()["status"].clone();
    assert_eq!(shown().await, Value::Null);
    let body = json!({"state": "pending", "context": "build", "target_url": "https://ci.example/1",
        "description": "waits", "coverage": 50.5});
    let made = dev.post(&at).json(&body).await.is(201).json();
    assert_eq!((&made["sha"], &made["ref"]), (&json!(sha), &json!("main")));
    assert_eq!((&made["status"], &made["name"]), (&json!("pending"), &json!("build")));
    assert_eq!(made["target_url"], "https://ci.example/1");
    assert_eq!((&made["coverage"], &made["started_at"]), (&json!(50.5), &Value::Null));
    assert_eq!(made["author"]["username"], "dev");
    assert_eq!(shown().await, "pending");

    let set = |state: &str| dev.post(&at).json(&json!({"state": state, "name": "build"}));
    let run = set("running").await.is(201).json();
    assert_eq!((&run["id"], &run["description"]), (&made["id"], &json!("waits")));
    assert!(run["started_at"].is_string() && run["finished_at"].is_null(), "{run}");
    let said = set("running").await.is(400).json()["message"].as_str().unwrap().to_owned();
    assert!(said.starts_with("Cannot transition status via :run from :running"), "{said}");
    let done = set("success").await.is(201).json();
    assert!(done["finished_at"].is_string(), "{done}");
    assert_eq!(shown().await, "success");
    // What has ended begins anew.
    let anew = set("pending").await.is(201).json();
    assert_ne!(anew["id"], made["id"]);
    set("failed").await.is(201);
    let other = dev.post(&at).json(&json!({"state": "success"})).await.is(201).json();
    assert_eq!(other["name"], "default");
    assert_eq!(shown().await, "failed");

    let list = |query: &str| dev.get(format!("{commit}/statuses{query}"));
    assert_eq!(list("").await.is(200).each("status"), ["failed", "success"]);
    assert_eq!(list("?all=true").await.is(200).each("status"), ["success", "failed", "success"]);
    assert_eq!(list("?name=build").await.is(200).each("status"), ["failed"]);
    assert!(list("?ref=other").await.is(200).each("id").is_empty());
    assert_eq!(list("?per_page=1").await.is(200).header("x-total"), "2");

    for wrong in [
        json!({"state": "done"}),
        json!({}),
        json!({"state": "success", "target_url": "javascript:alert(1)"}),
        json!({"state": "success", "coverage": 101}),
        json!({"state": "success", "name": "a".repeat(256)}),
    ] {
        dev.post(&at).json(&wrong).await.is(400);
    }
    let body = json!({"state": "success"});
    dev.post(project.at("/statuses/nowhere")).json(&body).await.is(404);
    reporter.post(&at).json(&body).await.is(403);
    reporter.get(format!("{commit}/statuses")).await.is(200);
    olga.post(&at).json(&body).await.is(404);
    t.anonymous().post(&at).json(&body).await.is(401);
}

#[testkit::story]
async fn they_are_jobs_of_a_pipeline(t: TestServer) {
    let (project, sha) = pushed(&t).await;
    let at = project.at(&format!("/statuses/{sha}"));
    let say = |body: Value| t.admin().post(&at).json(&body);
    let first = say(json!({"state": "running", "name": "build"})).await.is(201).json();
    let pipeline = first["pipeline_id"].as_i64().unwrap();
    let shown = async || {
        let at = project.at(&format!("/pipelines/{pipeline}"));
        t.admin().get(at).await.is(200).json()
    };
    let begun = shown().await;
    assert_eq!(
        (&begun["source"], &begun["status"], &begun["ref"], &begun["sha"]),
        (&json!("external"), &json!("running"), &json!("main"), &json!(sha))
    );
    let second = say(json!({"state": "success", "name": "lint", "ref": "main"})).await;
    assert_eq!(second.is(201).json()["pipeline_id"], pipeline);
    assert_eq!(shown().await["status"], "running");
    say(json!({"state": "failed", "name": "build"})).await.is(201);
    assert_eq!(shown().await["status"], "failed");
    let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await.is(200);
    assert_eq!(jobs.each("stage"), ["external", "external"]);
    let id = jobs.each("id")[0].clone();
    t.admin().post(project.at(&format!("/jobs/{id}/retry"))).await.is(403);
    // Nobody here ends what is done elsewhere, or does it again.
    t.admin()
        .post(project.at(&format!("/pipelines/{pipeline}/retry")))
        .await
        .is(201);
    assert_eq!(shown().await["status"], "failed");
    let commit = project.at(&format!("/repository/commits/{sha}"));
    let commit = t.admin().get(commit).await.is(200).json();
    assert_eq!(
        (&commit["status"], &commit["last_pipeline"]["id"]),
        (&json!("failed"), &json!(pipeline))
    );

    // Another ref has a pipeline of its own, and a pipeline may be named.
    let other = say(json!({"state": "success", "ref": "other"})).await.is(201).json();
    assert_ne!(other["pipeline_id"], pipeline);
    let named = json!({"state": "success", "name": "docs", "pipeline_id": pipeline});
    assert_eq!(say(named).await.is(201).json()["pipeline_id"], pipeline);
    say(json!({"state": "success", "pipeline_id": 99999})).await.is(404);
}

#[testkit::story]
async fn they_join_the_pipeline_that_is_there(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", "build: {script: make}").await;
    let shown = t
        .admin()
        .get(project.at(&format!("/pipelines/{pipeline}")))
        .await
        .is(200)
        .json();
    let at = project.at(&format!("/statuses/{}", shown["sha"].as_str().unwrap()));
    let say = |state: &str| t.admin().post(&at).json(&json!({"state": state, "name": "build"}));
    let made = say("pending").await.is(201).json();
    assert_eq!(made["pipeline_id"], pipeline, "a job of the file may have the same name");
    passes(&t, pipeline, "build").await;
    let status = async || {
        let at = project.at(&format!("/pipelines/{pipeline}"));
        t.admin().get(at).await.is(200).json()["status"].clone()
    };
    assert_ne!(status().await, "success", "one says that it is not done");
    say("success").await.is(201);
    assert_eq!(status().await, "success");
    let all = t.admin().get(
        project.at(&format!("/repository/commits/{}/statuses", shown["sha"].as_str().unwrap())),
    );
    let all = all.await.is(200);
    assert_eq!(all.each("name"), ["build", "build"]);
    assert!(all.json()[0]["target_url"].as_str().unwrap().contains("/-/jobs/"), "{all:?}");
}

#[testkit::story]
async fn of_many_at_once_one_wins(t: TestServer) {
    let (project, sha) = pushed(&t).await;
    let at = project.at(&format!("/statuses/{sha}"));
    let say = || async {
        let body = json!({"state": "running", "name": "build"});
        t.admin().post(&at).json(&body).await.status
    };
    let (a, b, c, d) = tokio::join!(say(), say(), say(), say());
    let mut all = [a, b, c, d];
    all.sort_unstable();
    assert_eq!(all, [201, 400, 400, 400]);
    let pipelines = t.admin().get(project.at("/pipelines")).await.is(200);
    assert_eq!(pipelines.each("id").len(), 1);
}
