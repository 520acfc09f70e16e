//! Deploy tokens: made once, good for registries only.

use serde_json::json;
use testkit::{Reply, TestServer};

fn text(made: &Reply) -> String {
    made.json()["token"].as_str().expect("a new token is shown once").to_owned()
}

async fn read(t: &TestServer, path: &str, token: &str) -> u16 {
    t.anonymous().get(path).header("deploy-token", token).await.status
}

#[testkit::story]
async fn a_deploy_token_opens_the_registry_of_its_project(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let other = t.project("acme/other").await;
    let package = anvil.generic_package("hammer", "1.0").await;
    let body = json!({"name": "ci", "scopes": ["read_package_registry"]});
    let made = t.admin().post(anvil.at("/deploy_tokens")).json(&body).await.is(201);
    let shown = made.json();
    assert_eq!(shown["username"], json!(format!("service+deploy-token-{}", made.id())));
    assert_eq!(
        (&shown["expires_at"], &shown["revoked"], &shown["expired"]),
        (&json!(null), &json!(false), &json!(false))
    );
    let token = text(&made);
    assert!(token.starts_with("svdt-"), "{token}");
    assert_eq!(read(&t, &package.file, &token).await, 200);
    assert_eq!(read(&t, &package.file, "svdt-wrong").await, 401);
    let put = |project: &testkit::TestProject| {
        t.anonymous()
            .put(project.at("/packages/generic/new/1.0/f.txt"))
            .header("deploy-token", &token)
            .bytes("f")
    };
    put(&anvil).await.is(403);
    put(&other).await.is(404);
    let one = anvil.at(&format!("/deploy_tokens/{}", made.id()));
    let again = t.admin().get(&one).await.is(200).json();
    assert_eq!(
        (&again["token"], &again["scopes"]),
        (&json!(null), &json!(["read_package_registry"]))
    );
    assert_eq!(
        t.admin().get(anvil.at("/deploy_tokens?active=true")).await.is(200).each("id"),
        [json!(made.id())]
    );
    assert_eq!(
        t.admin().get(anvil.at("/deploy_tokens?active=false")).await.is(200).json(),
        json!([])
    );
    assert_eq!(t.admin().get("/deploy_tokens").await.is(200).each("name"), [json!("ci")]);
    t.admin().get(other.at(&format!("/deploy_tokens/{}", made.id()))).await.is(404);
    t.admin().delete(&one).await.is(204);
    t.admin().delete(&one).await.is(404);
    assert_eq!(read(&t, &package.file, &token).await, 401);
}

#[testkit::story]
async fn a_groups_token_reaches_all_below_and_publishes(t: TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    let package = anvil.generic_package("hammer", "1.0").await;
    let other = t.project("other/thing").await;
    let body = json!({"name": "ci", "scopes": ["read_package_registry", "write_package_registry"],
        "username": "robot", "expires_at": "2999-01-01T00:00:00Z"});
    let made = t.admin().post("/groups/acme/deploy_tokens").json(&body).await.is(201);
    assert_eq!(
        (&made.json()["username"], &made.json()["expires_at"]),
        (&json!("robot"), &json!("2999-01-01T00:00:00.000Z"))
    );
    let token = text(&made);
    assert_eq!(read(&t, &package.file, &token).await, 200);
    let put = |path: String| t.anonymous().put(path).header("deploy-token", &token).bytes("f");
    put(anvil.at("/packages/generic/new/1.0/f.txt")).await.is(201);
    put(other.at("/packages/generic/new/1.0/f.txt")).await.is(404);
    t.admin().delete("/groups/acme").await.is(202);
    assert_ne!(read(&t, &package.file, &token).await, 200);
    t.settle().await;
    assert_eq!(t.admin().get("/deploy_tokens").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn only_maintainers_make_them_and_only_of_known_scopes(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (dev, maintainer) = (t.user("dev").await, t.user("maint").await);
    anvil.add(&dev, 30).await;
    anvil.add(&maintainer, 40).await;
    let at = anvil.at("/deploy_tokens");
    let body = json!({"name": "ci", "scopes": ["read_repository"]});
    dev.post(&at).json(&body).await.is(403);
    dev.get(&at).await.is(403);
    t.anonymous().get(&at).await.is(401);
    t.user("outsider").await.get(&at).await.is(404);
    maintainer.post("/groups/acme/deploy_tokens").json(&body).await.is(403);
    maintainer.get("/deploy_tokens").await.is(403);
    maintainer.post(&at).json(&body).await.is(201);
    let group = t.admin().get("/groups/acme").await.is(200).id();
    let level = json!({"user_id": maintainer.id, "access_level": 40});
    t.admin().post(format!("/groups/{group}/members")).json(&level).await.is(201);
    maintainer.get("/groups/acme/deploy_tokens").await.is(200);
    maintainer.post("/groups/acme/deploy_tokens").json(&body).await.is(403);
    for wrong in [
        json!({"name": "ci"}),
        json!({"scopes": ["read_repository"]}),
        json!({"name": "ci", "scopes": []}),
        json!({"name": "ci", "scopes": ["api"]}),
        json!({"name": "ci", "scopes": ["read_virtual_registry"]}),
        json!({"name": " ", "scopes": ["read_repository"]}),
        json!({"name": "x".repeat(256), "scopes": ["read_repository"]}),
        json!({"name": "a\nb", "scopes": ["read_repository"]}),
        json!({"name": "ci", "scopes": ["read_repository"], "username": "a:b"}),
        json!({"name": "ci", "scopes": ["read_repository"], "expires_at": "2001-01-01"}),
        json!({"name": "ci", "scopes": ["read_repository"], "expires_at": "soon"}),
    ] {
        maintainer.post(&at).json(&wrong).await.is(400);
    }
}
