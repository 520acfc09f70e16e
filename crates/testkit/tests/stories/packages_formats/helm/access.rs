//! Who may publish and install.

use super::chart;
use base64::Engine as _;
use serde_json::json;
use testkit::{Client, Request, TestProject};

fn basic(request: Request, name: &str, secret: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{secret}"));
    request.header("authorization", &format!("Basic {both}"))
}

/// What a client is answered for an index, a chart and an upload.
async fn statuses(client: &Client, project: &TestProject) -> [u16; 3] {
    let at = |rest: &str| project.at(&format!("/packages/helm/stable/{rest}"));
    [
        client.get(at("index.yaml")).await.status,
        client.get(at("charts/hammer-1.0.0.tgz")).await.status,
        chart("nail", "1.0.0").to(client, project, "stable").await.status,
    ]
}

#[testkit::story]
async fn roles_decide_in_a_private_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    for (name, level, wanted) in [
        ("guest", 10, [403, 403, 403]),
        ("reporter", 20, [200, 200, 403]),
        ("developer", 30, [200, 200, 201]),
    ] {
        let person = t.user(name).await;
        project.add(&person, level).await;
        assert_eq!(statuses(&person, &project).await, wanted, "{name}");
    }
    let outsider = t.user("outsider").await;
    assert_eq!(statuses(&outsider, &project).await, [404, 404, 404]);
    assert_eq!(statuses(&t.anonymous(), &project).await, [401, 401, 401]);
    let group = "/groups/acme/-/packages/helm/stable/index.yaml";
    t.anonymous().get(group).await.is(401);
}

#[testkit::story]
async fn projects_are_as_open_as_they_say(t: testkit::TestServer) {
    let public = t.project_with("plaza/fountain", "public").await;
    let internal = t.project_with("hall/desk", "internal").await;
    for project in [&public, &internal] {
        chart("hammer", "1.0.0").to(&t.admin(), project, "stable").await.is(201);
    }
    assert_eq!(statuses(&t.anonymous(), &public).await, [200, 200, 401]);
    assert_eq!(statuses(&t.anonymous(), &internal).await, [401, 401, 401]);
    let somebody = t.user("somebody").await;
    assert_eq!(statuses(&somebody, &internal).await, [200, 200, 403]);

    t.admin().post(public.at("/archive")).await.is(201);
    assert_eq!(statuses(&t.admin(), &public).await, [200, 200, 403]);
    t.admin().post(public.at("/unarchive")).await.is(201);
    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(public.at("")).json(&off).await.is(200);
    assert_eq!(statuses(&t.admin(), &public).await, [403, 403, 403]);
}

#[testkit::story]
async fn tokens_of_machines_read_or_write(t: testkit::TestServer) {
    let (project, elsewhere) = (t.project("acme/anvil").await, t.project("apex/anvil").await);
    let deploy = async |scopes: &[&str]| {
        let body = json!({"name": "machine", "scopes": scopes});
        let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
        let text = |field: &str| made[field].as_str().expect("a text").to_owned();
        (text("username"), text("token"))
    };
    let (writer, secret) = deploy(&["write_package_registry"]).await;
    let hammer = chart("hammer", "1.0.0");
    basic(hammer.to(&t.anonymous(), &project, "stable"), &writer, &secret)
        .await
        .is(201);
    basic(hammer.to(&t.anonymous(), &elsewhere, "stable"), &writer, &secret)
        .await
        .is(404);
    let (reader, secret) = deploy(&["read_package_registry"]).await;
    let index = project.at("/packages/helm/stable/index.yaml");
    basic(t.anonymous().get(&index), &reader, &secret).await.is(200);
    basic(t.anonymous().get(&index), &reader, "wrong").await.is(401);
    basic(hammer.to(&t.anonymous(), &project, "stable"), &reader, &secret)
        .await
        .is(403);
    let narrow = t.token_of(1, &["read_api"]).await;
    assert_eq!(statuses(&narrow, &project).await, [200, 200, 403]);
}

#[testkit::story]
async fn a_protected_chart_is_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let rule = json!({"package_name_pattern": "ham*", "package_type": "helm",
        "minimum_access_level_for_push": "maintainer"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    chart("hammer", "1.0.0").to(&jane, &project, "stable").await.is(403);
    chart("nail", "1.0.0").to(&jane, &project, "stable").await.is(201);
    chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
}
