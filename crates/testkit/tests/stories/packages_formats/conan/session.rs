//! How clients make themselves known.

use super::{RREV, hammer, text};
use base64::Engine as _;
use serde_json::json;
use testkit::{Client, Request};

pub fn basic(request: Request, name: &str, secret: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{secret}"));
    request.header("authorization", &format!("Basic {both}"))
}

pub fn bearer(request: Request, pass: &str) -> Request {
    request.header("authorization", &format!("Bearer {pass}"))
}

/// A pass for this prefix.
async fn pass(anyone: &Client, base: &str, secret: &str) -> String {
    let path = format!("{base}/v2/users/authenticate");
    let reply = basic(anyone.get(path), "jane", secret).await.is(200);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    reply.text()
}

#[testkit::story]
async fn clients_ask_what_the_remote_can_do_first(t: testkit::TestServer) {
    for base in [
        "/packages/conan",
        "/projects/404/packages/conan",
        "/groups/404/-/packages/conan",
    ] {
        let ping = format!("{base}/v1/ping");
        let reply = bearer(t.anonymous().get(ping), "stale").await.is(200);
        assert_eq!(reply.header("x-conan-server-capabilities"), "revisions");
        assert_eq!(reply.text(), "\"\"");
    }
}

#[testkit::story]
async fn a_password_is_exchanged_for_a_pass(t: testkit::TestServer) {
    let (project, jane) = (t.project("acme/anvil").await, t.user("jane").await);
    project.add(&jane, 30).await;
    let elsewhere = t.project("acme/forge").await;
    elsewhere.add(&jane, 30).await;
    let (here, there) = (hammer(&project.at("")), hammer(&elsewhere.at("")));
    let anyone = t.anonymous();
    let secret = jane.token().expect("she has one");
    let pass = pass(&anyone, &here.base, secret).await;

    for version in ["v1", "v2"] {
        let check = format!("{}/{version}/users/check_credentials", here.base);
        assert_eq!(bearer(anyone.get(&check), &pass).await.is(200).text(), "ok");
        anyone.get(&check).await.is(401);
        bearer(anyone.get(&check), "unset").await.is(401);
    }
    let file = "/files/conanfile.py";
    bearer(anyone.put(here.in_recipe(RREV, file)).bytes("x"), &pass).await.is(200);
    assert_eq!(bearer(anyone.get(here.in_recipe(RREV, file)), &pass).await.is(200).text(), "x");
    // It opens nothing else.
    bearer(anyone.put(there.in_recipe(RREV, file)).bytes("x"), &pass).await.is(401);
    bearer(anyone.get("/user"), &pass).await.is(401);
}

#[testkit::story]
async fn a_wrong_password_gets_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let path = project.at("/packages/conan/v2/users/authenticate");
    t.anonymous().get(&path).await.is(401);
    basic(t.anonymous().get(&path), "jane", "wrong").await.is(401);
    let outsider = t.user("outsider").await;
    outsider.get(&path).await.is(404);
}

#[testkit::story(noon)]
async fn a_pass_ends_with_its_hour_and_with_its_credential(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let base = hammer(&project.at("")).base;
    let body = json!({"name": "machine", "scopes": ["read_package_registry"]});
    let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201);
    let (name, secret) = (text(&made.json()["username"]), text(&made.json()["token"]));
    let path = format!("{base}/v1/users/authenticate");
    let anyone = t.anonymous();
    let authenticate = async || basic(anyone.get(&path), &name, &secret).await.is(200).text();
    let check = async |pass: &str| {
        let path = format!("{base}/v1/users/check_credentials");
        bearer(anyone.get(path), pass).await.status
    };

    let first = authenticate().await;
    assert_eq!(check(&first).await, 200);
    // A pass does not outlive itself by another.
    bearer(anyone.get(&path), &first).await.is(401);
    t.advance(3_590);
    assert_eq!(check(&first).await, 200);
    t.advance(20);
    assert_eq!(check(&first).await, 401);

    let second = authenticate().await;
    let token = project.at(&format!("/deploy_tokens/{}", made.id()));
    t.admin().delete(token).await.is(204);
    assert_eq!(check(&second).await, 401);
}
