//! Who may deploy and resolve, and how clients are asked who they are.

use super::{at, list, put, sha1};
use base64::Engine as _;
use serde_json::json;
use testkit::{Client, Request, TestProject, TestServer};

const JAR: &str = "acme/forge/1.0/forge-1.0.jar";
const LIST: &str = "acme/forge/maven-metadata.xml";

fn basic(request: Request, username: &str, token: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{username}:{token}"));
    request.header("authorization", &format!("Basic {both}"))
}

/// The three addresses of a file.
fn everywhere(project: &TestProject, rest: &str) -> [String; 3] {
    let group = project.path.split('/').next().unwrap_or_default();
    [
        at(project, rest),
        format!("/groups/{group}/-/packages/maven/{rest}"),
        format!("/packages/maven/{rest}"),
    ]
}

async fn asked_for_credentials(client: &Client, path: &str) {
    let reply = client.get(path).await.is(401);
    assert!(reply.header("www-authenticate").starts_with("Basic realm="), "{reply:?}");
}

async fn deploy_token(t: &TestServer, path: String, scope: &str) -> (String, String) {
    let body = json!({"name": "robot", "scopes": [scope]});
    let made = t.admin().post(path).json(&body).await.is(201).json();
    let text = |field: &str| made[field].as_str().expect("it is shown").to_owned();
    (text("username"), text("token"))
}

#[testkit::story]
async fn clients_are_asked_before_they_are_refused(t: TestServer) {
    let project = t.project("acme/forge").await;
    put(&t.admin(), &at(&project, JAR), "a jar").await.is(200);
    let token = t.admin().token().expect("a token").to_owned();

    for rest in [JAR, LIST, "acme/forge/9.0/forge-9.0.jar"] {
        for path in everywhere(&project, rest) {
            asked_for_credentials(&t.anonymous(), &path).await;
        }
    }
    for unknown in ["/projects/99999", "/projects/acme%2Funknown", "/groups/unknown/-"] {
        let path = format!("{unknown}/packages/maven/{JAR}");
        asked_for_credentials(&t.anonymous(), &path).await;
    }
    let reply = put(&t.anonymous(), &at(&project, JAR), "x").await.is(401);
    assert!(reply.header("www-authenticate").starts_with("Basic realm="));

    for path in everywhere(&project, JAR) {
        basic(t.anonymous().get(path), "root", &token).await.is(200);
    }
    // Who has answered is told what is there.
    for path in everywhere(&project, LIST) {
        basic(t.anonymous().get(path), "root", &token).await.is(404);
    }
    basic(t.anonymous().get(at(&project, JAR)), "root", "wrong").await.is(401);
}

#[testkit::story]
async fn what_is_open_needs_no_credentials(t: TestServer) {
    let project = t.project_with("acme/forge", "public").await;
    put(&t.admin(), &at(&project, JAR), "a jar").await.is(200);

    for path in everywhere(&project, JAR) {
        assert_eq!(t.anonymous().get(path).await.is(200).text(), "a jar");
    }
    for path in everywhere(&project, LIST) {
        t.anonymous().get(path).await.is(404);
    }
    put(&t.anonymous(), &at(&project, JAR), "x").await.is(401);
}

#[testkit::story]
async fn an_open_group_asks_for_what_it_may_hide(t: TestServer) {
    let open = t.project_with("acme/forge", "public").await;
    let outsider = t.user("outsider").await;
    let group = |rest: &str| format!("/groups/acme/-/packages/maven/{rest}");
    put(&t.admin(), &at(&open, JAR), "a jar").await.is(200);
    t.anonymous().get(group("com/acme/vault/1.0/vault-1.0.jar")).await.is(404);

    let hidden = t.project("acme/vault").await;
    let secret = "com/acme/vault/1.0/vault-1.0.jar";
    put(&t.admin(), &at(&hidden, secret), "secret").await.is(200);

    asked_for_credentials(&t.anonymous(), &group(secret)).await;
    asked_for_credentials(&t.anonymous(), &group("com/acme/nothing/1.0/nothing.jar")).await;
    t.anonymous().get(group(JAR)).await.is(200);
    outsider.get(group(secret)).await.is(404);
    let member = t.user("member").await;
    hidden.add(&member, 20).await;
    assert_eq!(member.get(group(secret)).await.is(200).text(), "secret");
}

#[testkit::story]
async fn roles_read_and_publish(t: TestServer) {
    let project = t.project("acme/forge").await;
    put(&t.admin(), &at(&project, JAR), "a jar").await.is(200);
    for (name, level, read, published) in [
        ("outsider", 0, 404, 404),
        ("guest", 10, 403, 403),
        ("reporter", 20, 200, 403),
        ("developer", 30, 200, 200),
    ] {
        let person = t.user(name).await;
        if level > 0 {
            project.add(&person, level).await;
        }
        person.get(at(&project, JAR)).await.is(read);
        put(&person, &at(&project, JAR), "again").await.is(published);
        let sum = format!("{}.sha1", at(&project, JAR));
        let reply = put(&person, &sum, &sha1("again")).await;
        assert_eq!(reply.status, if published == 200 { 204 } else { published });
        let hidden = if level == 0 { 403 } else { read };
        person.get(format!("/packages/maven/{JAR}")).await.is(hidden);
    }
    let internal = t.project_with("apex/press", "internal").await;
    put(&t.admin(), &at(&internal, JAR), "a jar").await.is(200);
    t.user("somebody").await.get(at(&internal, JAR)).await.is(200);
    asked_for_credentials(&t.anonymous(), &at(&internal, JAR)).await;
}

#[testkit::story]
async fn deploy_tokens_serve_their_own_project(t: TestServer) {
    let project = t.project("acme/forge").await;
    let other = t.project("apex/press").await;
    put(&t.admin(), &at(&other, JAR), "not theirs").await.is(200);
    let tokens = project.at("/deploy_tokens");
    let (writer, write) = deploy_token(&t, tokens.clone(), "write_package_registry").await;
    let (reader, read) = deploy_token(&t, tokens, "read_package_registry").await;
    let jar = at(&project, JAR);
    let sent = || t.anonymous().put(&jar).bytes("a jar");

    basic(sent(), &writer, &write).await.is(200);
    sent().header("Deploy-Token", &write).await.is(200);
    basic(sent(), &reader, &read).await.is(403);
    let [in_project, in_group, anywhere] = everywhere(&project, JAR);
    for path in [&in_project, &anywhere] {
        basic(t.anonymous().get(path), &reader, &read).await.is(200);
        t.anonymous().get(path).header("deploy-token", &read).await.is(200);
    }
    // The group is for the tokens of the group.
    basic(t.anonymous().get(&in_group), &reader, &read).await.is(404);
    let tokens = "/groups/acme/deploy_tokens".to_owned();
    let (reader, read) = deploy_token(&t, tokens, "read_package_registry").await;
    for path in [&in_project, &in_group, &anywhere] {
        basic(t.anonymous().get(path), &reader, &read).await.is(200);
    }
    basic(t.anonymous().get(at(&other, JAR)), &reader, &read).await.is(404);
    basic(t.anonymous().put(at(&other, JAR)).bytes("x"), &writer, &write)
        .await
        .is(404);
}

#[testkit::story]
async fn protected_names_closed_registries_and_archives_stay_as_they_are(t: TestServer) {
    let project = t.project_with("acme/forge", "public").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    put(&jane, &at(&project, JAR), "a jar").await.is(200);
    let rule = json!({"package_name_pattern": "acme/*", "package_type": "maven",
        "minimum_access_level_for_push": "maintainer"});
    let rules = project.at("/packages/protection/rules");
    t.admin().post(rules).json(&rule).await.is(201);

    let reply = put(&jane, &at(&project, JAR), "x").await.is(403);
    assert!(reply.text().contains("Package protected."), "{reply:?}");
    put(&jane, &format!("{}.sha1", at(&project, JAR)), "x").await.is(403);
    put(&jane, &at(&project, "com/acme/free/1.0/free-1.0.jar"), "x").await.is(200);

    t.admin().post(project.at("/archive")).await.is(201);
    put(&t.admin(), &at(&project, JAR), "x").await.is(403);
    jane.get(at(&project, JAR)).await.is(200);
    t.admin().post(project.at("/unarchive")).await.is(201);

    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    jane.get(at(&project, JAR)).await.is(403);
    put(&t.admin(), &at(&project, JAR), "x").await.is(403);
    jane.get(format!("/groups/acme/-/packages/maven/{JAR}")).await.is(404);
}

#[testkit::story]
async fn tokens_need_the_scope(t: TestServer) {
    let project = t.project("acme/forge").await;
    put(&t.admin(), &at(&project, LIST), &list(&["1.0"])).await.is(200);
    for (scope, read, published) in [
        ("read_api", 200, 403),
        ("read_package_registry", 200, 403),
        ("write_package_registry", 200, 200),
        ("read_user", 403, 403),
    ] {
        let made = json!({"name": "x", "scopes": [scope], "access_level": 30});
        let made = t.admin().post(project.at("/access_tokens")).json(&made).await;
        if made.status != 201 {
            continue;
        }
        let bot = t.with_token(made.json()["token"].as_str().expect("a token"));
        bot.get(at(&project, LIST)).await.is(read);
        put(&bot, &at(&project, LIST), "<metadata/>").await.is(published);
    }
}
