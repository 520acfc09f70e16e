//! Who may publish and install.

use super::{sources, wheel};
use base64::Engine as _;
use serde_json::json;
use testkit::{Client, Request, TestProject};

fn basic(request: Request, name: &str, secret: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{secret}"));
    request.header("authorization", &format!("Basic {both}"))
}

/// What a client is answered for the index of a name, its file, and an upload.
async fn statuses(client: &Client, project: &TestProject) -> [u16; 3] {
    let upload = wheel("hammer", "1.0");
    [
        client.get(project.at("/packages/pypi/simple/hammer/")).await.status,
        client.get(project.at(&upload.address())).await.status,
        sources("hammer", "1.0").to(client, project).await.status,
    ]
}

#[testkit::story]
async fn roles_decide_in_a_private_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    wheel("hammer", "1.0").to(&t.admin(), &project).await.is(201);
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
    let reply = t.anonymous().get(project.at("/packages/pypi/simple/hammer/")).await;
    assert!(reply.header("www-authenticate").starts_with("Basic realm="), "{reply:?}");
    let unknown = t.anonymous().get("/projects/999999/packages/pypi/simple/hammer/").await;
    assert_eq!(unknown.is(401).json(), reply.json());
}

#[testkit::story]
async fn a_public_project_is_read_by_all(t: testkit::TestServer) {
    let project = t.project_with("plaza/fountain", "public").await;
    wheel("hammer", "1.0").to(&t.admin(), &project).await.is(201);
    assert_eq!(statuses(&t.anonymous(), &project).await, [200, 200, 401]);
    let group = "/groups/plaza/-/packages/pypi/simple/hammer";
    t.anonymous().get(group).await.is(200);

    let internal = t.project_with("hall/desk", "internal").await;
    wheel("hammer", "1.0").to(&t.admin(), &internal).await.is(201);
    assert_eq!(statuses(&t.anonymous(), &internal).await, [401, 401, 401]);
    let somebody = t.user("somebody").await;
    assert_eq!(statuses(&somebody, &internal).await, [200, 200, 403]);
}

#[testkit::story]
async fn clients_send_tokens_by_basic(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let token = jane.token().expect("a token").to_owned();
    let upload = wheel("hammer", "1.0");
    basic(upload.to(&t.anonymous(), &project), "__token__", &token).await.is(201);
    let address = project.at("/packages/pypi/simple/hammer/");
    basic(t.anonymous().get(&address), "anyone", &token).await.is(200);
    basic(t.anonymous().get(&address), "anyone", "wrong").await.is(401);

    let deploy = async |scopes: &[&str]| {
        let body = json!({"name": "machine", "scopes": scopes});
        let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
        let text = |field: &str| made[field].as_str().expect("a text").to_owned();
        (text("username"), text("token"))
    };
    let (reader, secret) = deploy(&["read_package_registry"]).await;
    basic(t.anonymous().get(&address), &reader, &secret).await.is(200);
    basic(t.anonymous().get(project.at(&upload.address())), &reader, &secret)
        .await
        .is(200);
    let other = sources("hammer", "1.0");
    basic(other.to(&t.anonymous(), &project), &reader, &secret).await.is(403);
    let (writer, secret) = deploy(&["write_package_registry"]).await;
    basic(other.to(&t.anonymous(), &project), &writer, &secret).await.is(201);
    let elsewhere = t.project("apex/anvil").await;
    basic(other.to(&t.anonymous(), &elsewhere), &writer, &secret).await.is(404);
}

#[testkit::story]
async fn narrow_tokens_do_not_publish(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let reader = t.token_of(1, &["read_api"]).await;
    wheel("hammer", "1.0").to(&reader, &project).await.is(403);
    wheel("hammer", "1.0").to(&t.admin(), &project).await.is(201);
    reader.get(project.at("/packages/pypi/simple/hammer")).await.is(200);
}

#[testkit::story]
async fn a_closed_registry_and_an_archived_project_refuse(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    wheel("hammer", "1.0").to(&t.admin(), &project).await.is(201);
    t.admin().post(project.at("/archive")).await.is(201);
    assert_eq!(statuses(&t.admin(), &project).await, [200, 200, 403]);
    t.admin().post(project.at("/unarchive")).await.is(201);
    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    assert_eq!(statuses(&t.admin(), &project).await, [403, 403, 403]);
}

#[testkit::story]
async fn another_spelling_does_not_go_round_a_rule(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let rule = json!({"package_name_pattern": "claw-*", "package_type": "pypi",
        "minimum_access_level_for_push": "maintainer"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);

    for name in ["claw_hammer", "Claw.Hammer"] {
        let reply = wheel(name, "1.0").to(&jane, &project).await.is(403);
        assert!(reply.text().contains("Package protected."), "{reply:?}");
    }
    wheel("hammer", "1.0").to(&jane, &project).await.is(201);
    wheel("claw_hammer", "1.0").to(&t.admin(), &project).await.is(201);
}
