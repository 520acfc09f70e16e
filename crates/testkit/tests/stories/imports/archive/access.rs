//! Who has files of projects written and brought, and how often.

use super::{Made, exported, send};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn files_are_for_who_maintains_the_project(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    project.add(&dev, 30).await;
    for path in ["/export", "/export/download"] {
        t.anonymous().get(project.at(path)).await.is(401);
        dev.get(project.at(path)).await.is(403);
    }
    t.anonymous().post(project.at("/export")).await.is(401);
    dev.post(project.at("/export")).await.is(403);
    let shown = mia.get(project.at("/export")).await.is(200).json();
    assert_eq!((&shown["export_status"], &shown["_links"]), (&json!("none"), &Value::Null));
    mia.get(project.at("/export/download")).await.is(404);
    let accepted = mia.post(project.at("/export")).await.is(202).json();
    assert_eq!(accepted, json!({"message": "202 Accepted"}));
    t.settle().await;
    let shown = mia.get(project.at("/export")).await.is(200).json();
    assert_eq!(shown["export_status"], "finished");
    for link in ["api_url", "web_url"] {
        assert!(shown["_links"][link].as_str().is_some_and(|it| it.ends_with("/download")));
    }
    let file = mia.get(project.at("/export/download")).await.is(200);
    assert_eq!(file.header("content-type"), "application/gzip");
    assert!(file.header("content-disposition").contains("acme_anvil_export.tar.gz"));
    dev.get(project.at("/export/download")).await.is(403);
    let hidden = t.project("acme/hidden").await;
    dev.post(hidden.at("/export")).await.is(404);
}

#[testkit::story]
async fn who_loses_the_project_gets_no_file(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let mia = t.user("mia").await;
    project.add(&mia, 40).await;
    mia.post(project.at("/export")).await.is(202);
    t.admin().delete(project.at(&format!("/members/{}", mia.id))).await.is(204);
    t.settle().await;
    mia.get(project.at("/export")).await.is(404);
}

#[testkit::story]
async fn projects_come_where_one_may_make_them(t: TestServer) {
    let file = Made::begin().ended(1);
    let (dev, group) = (t.user("dev").await, t.group("acme").await);
    group.add(&dev, 20).await;
    let texts = [("path", "anvil"), ("namespace", "acme")];
    send(&t.anonymous(), &texts, &file).await.is(401);
    send(&dev, &texts, &file).await.is(403);
    send(&dev, &[("path", "anvil"), ("namespace", "nowhere")], &file).await.is(404);
    send(&dev, &[("namespace", "acme")], &file).await.is(400);
    let made = send(&dev, &[("path", "anvil")], &file).await.is(201).json();
    assert_eq!(made["path_with_namespace"], "dev/anvil", "one's own namespace is the usual one");
    assert_eq!(made["import_type"], "project_file");
    let id = group.id.to_string();
    send(&t.admin(), &[("path", "by-id"), ("namespace", &id)], &file).await.is(201);
    t.settle().await;
    let off = json!({"import_sources": []});
    t.admin().put("/application/settings").json(&off).await.is(200);
    let refused = send(&dev, &[("path", "again")], &file).await.is(403).text();
    assert!(refused.contains("project_file import source is disabled"), "{refused}");
}

#[testkit::story(noon)]
async fn so_and_so_many_in_a_minute(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let limits = json!({
        "project_export_limit": 2, "project_download_export_limit": 1, "project_import_limit": 1,
    });
    t.admin().put("/application/settings").json(&limits).await.is(200);
    let file = exported(&t, &t.admin(), project.id).await;
    t.admin().post(project.at("/export")).await.is(202);
    let told = json!({"message": {"error":
        "This endpoint has been requested too many times. Try again later."}});
    let all = [
        t.admin().post(project.at("/export")).await.is(429),
        t.admin().get(project.at("/export/download")).await.is(429),
    ];
    assert!(all.iter().all(|reply| reply.json() == told));
    let texts = [("path", "copy"), ("namespace", "acme")];
    send(&t.admin(), &texts, &file).await.is(201);
    assert_eq!(send(&t.admin(), &texts, &file).await.is(429).json(), told);
    t.settle().await;
    t.advance(60);
    t.admin().get(project.at("/export/download")).await.is(200);
    let wrong = json!({"project_export_limit": -1});
    t.admin().put("/application/settings").json(&wrong).await.is(400);
}
