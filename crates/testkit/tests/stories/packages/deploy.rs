//! Deploy tokens: what machines read and publish by.

use crate::packages::registry::{Registry, deploy_token, put};
use base64::Engine as _;
use serde_json::json;
use testkit::{Request, TestServer};

const READ: &str = "read_package_registry";
const WRITE: &str = "write_package_registry";

fn basic(request: Request, username: &str, token: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{username}:{token}"));
    request.header("authorization", &format!("Basic {both}"))
}

fn get(t: &TestServer, path: &str, token: &str) -> Request {
    t.anonymous().get(path).header("Deploy-Token", token)
}

#[testkit::story]
async fn a_reading_token_reads_its_project_only(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let other = Registry::new(&t, "acme/forge", 0).await;
    r.publish(&t, "hammer/1.0/a", "strike").await;
    other.publish(&t, "hammer/1.0/a", "strike").await;
    let token = deploy_token(&t, ("Project", r.id), READ).await;
    let file = r.generic("hammer/1.0/a");

    assert_eq!(get(&t, &file, &token).await.is(200).text(), "strike");
    basic(t.anonymous().get(&file), "deployer", &token).await.is(200);
    basic(t.anonymous().get(&file), "somebody", &token).await.is(401);
    get(&t, &file, "deploy-unknown").await.is(401);
    assert_eq!(get(&t, &r.at(""), &token).await.is(200).each("name"), ["hammer"]);
    get(&t, &other.generic("hammer/1.0/a"), &token).await.is(404);
    get(&t, &other.at(""), &token).await.is(404);
    put(&t.anonymous(), &file, "x").header("deploy-token", &token).await.is(403);
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    t.anonymous().delete(&package).header("deploy-token", &token).await.is(403);
    get(&t, &r.at("/protection/rules"), &token).await.is(401);
    // Beyond the registries the token is nothing.
    get(&t, &format!("/projects/{}", r.id), &token).await.is(404);
}

#[testkit::story]
async fn a_writing_token_of_a_project_publishes_and_deletes(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let token = deploy_token(&t, ("Project", r.id), WRITE).await;
    let file = r.generic("hammer/1.0/a");

    basic(put(&t.anonymous(), &file, "x"), "deployer", &token).await.is(201);
    get(&t, &file, &token).await.is(200);
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let shown = get(&t, &package, &token).await.is(200).json();
    assert!(shown["_links"]["delete_api_path"].is_string());
    t.anonymous().delete(&package).header("deploy-token", &token).await.is(204);
}

#[testkit::story]
async fn a_token_of_a_group_serves_all_below_but_deletes_nothing(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let elsewhere = Registry::new(&t, "apex/anvil", 0).await;
    let token = deploy_token(&t, ("Group", r.namespace), WRITE).await;
    let file = r.generic("hammer/1.0/a");

    put(&t.anonymous(), &file, "x").header("deploy-token", &token).await.is(201);
    get(&t, &file, &token).await.is(200);
    let list = get(&t, &format!("/groups/{}/packages", r.namespace), &token).await.is(200);
    assert_eq!(list.each("name"), ["hammer"]);
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    t.anonymous().delete(&package).header("deploy-token", &token).await.is(403);
    let hidden = elsewhere.generic("hammer/1.0/a");
    put(&t.anonymous(), &hidden, "x").header("deploy-token", &token).await.is(404);
}

#[testkit::story]
async fn what_is_revoked_or_expired_opens_nothing(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    r.publish(&t, "hammer/1.0/a", "x").await;
    let token = deploy_token(&t, ("Project", r.id), READ).await;
    let file = r.generic("hammer/1.0/a");
    get(&t, &file, &token).await.is(200);
    for change in [
        "update deploy_tokens set revoked = true",
        "update deploy_tokens set revoked = false, expires_at = created_at",
    ] {
        t.app().write(move |tx| Ok(tx.execute(change, ())?)).await.expect("changed");
        get(&t, &file, &token).await.is(401);
    }
}

#[testkit::story]
async fn tokens_count_as_roles_where_names_are_protected(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let token = deploy_token(&t, ("Project", r.id), WRITE).await;
    let file = r.generic("hammer/1.0/a");
    let publish = || put(&t.anonymous(), &file, "x").header("deploy-token", &token);
    publish().await.is(201);
    let rule = json!({"package_name_pattern": "ham*", "package_type": "generic",
        "minimum_access_level_for_push": "maintainer",
        "minimum_access_level_for_delete": "owner"});
    t.admin().post(r.at("/protection/rules")).json(&rule).await.is(201);

    publish().await.is(403);
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    t.anonymous().delete(&package).header("deploy-token", &token).await.is(403);
}
