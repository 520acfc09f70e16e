//! Parts of files in projects that are there.

use super::{Made, entries, exported, imported, issue, lines, note, of_lines};
use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer};

async fn send(client: &Client, path: &str, relation: &str, file: &[u8]) -> Reply {
    let request = client.post("/projects/import-relation");
    let texts = [("path", path), ("relation", relation)];
    multipart(request, &texts, &[("file", "file.tar.gz", file)]).await
}

/// The titles of the issues of a project, by letter.
async fn titles(t: &TestServer, project: i64) -> Vec<String> {
    let issues = t.admin().get(format!("/projects/{project}/issues")).await.is(200);
    let titles = issues.each("title");
    let mut titles: Vec<String> =
        titles.iter().filter_map(|title| title.as_str().map(str::to_owned)).collect();
    titles.sort();
    titles
}

fn file() -> Vec<u8> {
    let issues = of_lines(&[issue(1, "There"), issue(2, "New"), issue(3, "Newer")]);
    let notes = of_lines(&[note("1", 1, "of one"), note("2", 2, "of two"), note("3", 3, "three")]);
    Made::begin()
        .with("issues-000001.ndjson", &issues)
        .with("notes-000001.ndjson", &notes)
        .with("milestones-000001.ndjson", &of_lines(&[json!({
            "type": "milestone", "number": 4, "title": "1.0", "created_at": "2020-01-01T00:00:00Z",
            "updated_at": "2020-01-01T00:00:00Z",
        })]))
        .ended(4)
}

#[testkit::story]
async fn what_a_project_lacks_comes(t: TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Mine"}))
        .await
        .is(201);
    let made = send(&t.admin(), "acme/anvil", "issues", &file()).await.is(201).json();
    assert_eq!((&made["relation"], &made["status"]), (&json!("issues"), &json!("created")));
    assert_eq!(made["project_path"], "acme/anvil");
    t.settle().await;
    let all = t.admin().get(project.at("/relation-imports")).await.is(200).json();
    assert_eq!((&all[0]["id"], &all[0]["status"]), (&made["id"], &json!("finished")));
    assert_eq!(titles(&t, project.id).await, ["Mine", "New", "Newer"]);
    let notes = |number: i64| project.at(&format!("/issues/{number}/notes"));
    assert!(t.admin().get(notes(1)).await.is(200).each("body").is_empty());
    assert_eq!(t.admin().get(notes(3)).await.is(200).each("body"), [json!("three")]);
    let goals = t.admin().get(project.at("/milestones")).await.is(200);
    assert!(goals.each("title").is_empty(), "nothing else comes");

    send(&t.admin(), "acme/anvil", "milestones", &file()).await.is(201);
    t.settle().await;
    send(&t.admin(), "acme/anvil", "issues", &file()).await.is(201);
    t.settle().await;
    let goals = t.admin().get(project.at("/milestones")).await.is(200);
    assert_eq!(goals.each("iid"), [json!(4)]);
    let issues = t.admin().get(project.at("/issues")).await.is(200);
    assert_eq!(issues.each("iid").len(), 3, "nothing comes twice");
    let all = t.admin().get(project.at("/relation-imports")).await.is(200);
    assert_eq!(all.each("status"), ["finished", "finished", "finished"].map(Value::from));
    send(&t.admin(), "acme/anvil", "ci_pipelines", &file()).await.is(201);
    t.settle().await;
}

#[testkit::story]
async fn one_comes_after_the_other_and_only_for_who_maintains_the_project(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    project.add(&dev, 30).await;
    send(&t.anonymous(), "acme/anvil", "issues", &file()).await.is(401);
    send(&dev, "acme/anvil", "issues", &file()).await.is(403);
    let stranger = t.user("stranger").await;
    send(&stranger, "acme/anvil", "issues", &file()).await.is(404);
    send(&mia, "acme/anvil", "labels", &file()).await.is(400);
    dev.get(project.at("/relation-imports")).await.is(403);
    mia.get(project.at("/relation-imports")).await.is(200);
    let damaged = send(&mia, "acme/anvil", "issues", b"no file").await.is(400);
    assert!(damaged.text().contains("damaged"));
}

#[testkit::story]
async fn parts_of_a_file_that_we_wrote_come(t: TestServer) {
    let project = t.project("acme/source").await;
    for title in ["One", "Two"] {
        t.admin()
            .post(project.at("/issues"))
            .json(&json!({"title": title}))
            .await
            .is(201);
    }
    let file = exported(&t, &t.admin(), project.id).await;
    assert_eq!(lines(&entries(&file), "issues").len(), 2);
    let (id, _) = imported(&t, &t.admin(), "acme/whole", &file).await;
    assert_eq!(titles(&t, id).await, ["One", "Two"]);
    let target = t.project("acme/target").await;
    send(&t.admin(), "acme/target", "issues", &file).await.is(201);
    t.settle().await;
    assert_eq!(titles(&t, target.id).await, ["One", "Two"]);
}
