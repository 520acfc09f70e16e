//! Who may do what.

use super::{at, publish, refusal};
use crate::packages_formats::registry::{Registry, deploy_token};
use serde_json::json;

#[testkit::story]
async fn roles_decide_on_a_private_project(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    let file = r.at("/npm/hammer/-/hammer-1.0.0.tgz");
    let outsider = r.person(&t, "outsider", 0).await;
    let guest = r.person(&t, "guest", 10).await;
    let reporter = r.person(&t, "reporter", 20).await;
    let developer = r.person(&t, "developer", 30).await;

    for path in [
        &at(&r, "hammer"),
        &file,
        &r.at("/npm/-/package/hammer/dist-tags"),
        &r.at("/npm/-/ping"),
        &r.at("/npm/-/v1/search"),
        &r.at("/npm/-/whoami"),
    ] {
        let asked = t.anonymous().get(path).await.is(401);
        assert!(asked.header("www-authenticate").starts_with("Basic realm="));
        outsider.get(path).await.is(404);
        guest.get(path).await.is(403);
        reporter.get(path).await.is(200);
    }
    let refused = publish(&reporter, &r, "hammer", "1.1.0").await.is(403);
    assert_eq!(refused.json(), refusal(403, "Forbidden", "Unauthorized"));
    publish(&t.anonymous(), &r, "hammer", "1.1.0").await.is(401);
    publish(&outsider, &r, "hammer", "1.1.0").await.is(404);
    publish(&developer, &r, "hammer", "1.1.0").await.is(200);
}

#[testkit::story]
async fn public_and_internal_projects_are_read_by_their_audience(t: testkit::TestServer) {
    let public = Registry::new(&t, "acme/anvil", 20).await;
    let internal = Registry::new(&t, "acme/forge", 10).await;
    for r in [&public, &internal] {
        publish(&t.admin(), r, "hammer", "1.0.0").await.is(200);
    }
    let stranger = public.person(&t, "stranger", 0).await;
    t.anonymous().get(at(&public, "hammer")).await.is(200);
    t.anonymous().get(public.at("/npm/hammer/-/hammer-1.0.0.tgz")).await.is(200);
    t.anonymous().get(public.at("/npm/-/whoami")).await.is(401);
    t.anonymous().get(at(&public, "unknown")).await.is(404);
    t.anonymous().get(at(&internal, "hammer")).await.is(401);
    stranger.get(at(&internal, "hammer")).await.is(200);
    publish(&stranger, &public, "hammer", "1.1.0").await.is(403);
}

#[testkit::story]
async fn a_registry_that_is_off_refuses(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    let maintainer = r.person(&t, "maintainer", 40).await;
    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(format!("/projects/{}", r.id)).json(&off).await.is(200);
    maintainer.get(at(&r, "hammer")).await.is(403);
    publish(&maintainer, &r, "hammer", "1.1.0").await.is(403);
}

#[testkit::story]
async fn an_archived_project_is_read_only(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    t.admin().post(format!("/projects/{}/archive", r.id)).await.is(201);
    t.admin().get(at(&r, "hammer")).await.is(200);
    publish(&t.admin(), &r, "hammer", "1.1.0").await.is(403);
    let tag = r.at("/npm/-/package/hammer/dist-tags/next");
    t.admin().put(&tag).json(&json!("1.0.0")).await.is(403);
}

#[testkit::story]
async fn deploy_tokens_act_within_their_scopes(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let other = Registry::new(&t, "acme/forge", 0).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    let bearer = |token: String| format!("Bearer {token}");
    let reads = bearer(deploy_token(&t, ("Project", r.id), "read_package_registry").await);
    let writes = bearer(deploy_token(&t, ("Project", r.id), "write_package_registry").await);
    let elsewhere = bearer(
        deploy_token(&t, ("Project", other.id), "read_package_registry write_package_registry")
            .await,
    );
    let get = |token: &str| t.anonymous().get(at(&r, "hammer")).header("authorization", token);
    let put = |token: &str, version: &str| {
        t.anonymous()
            .put(at(&r, "hammer"))
            .header("authorization", token)
            .json(&testkit::npm::plain("hammer", version))
    };

    get(&reads).await.is(200);
    get(&writes).await.is(200);
    get(&elsewhere).await.is(404);
    put(&reads, "1.1.0").await.is(403);
    put(&elsewhere, "1.1.0").await.is(404);
    put(&writes, "1.1.0").await.is(200);
    let who = t.anonymous().get(r.at("/npm/-/whoami")).header("authorization", &reads);
    assert_eq!(who.await.is(200).json(), json!({"username": "deployer"}));
    get("Bearer wrong").await.is(401);
}

#[testkit::story]
async fn the_instance_says_who_asks(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let person = r.person(&t, "person", 10).await;
    let who = person.get("/packages/npm/-/whoami").await.is(200);
    assert_eq!(who.json(), json!({"username": "person"}));
    let group = format!("/groups/{}/-/packages/npm/-/whoami", r.namespace);
    assert_eq!(person.get(group).await.is(200).json(), json!({"username": "person"}));
    t.anonymous().get("/packages/npm/-/whoami").await.is(401);
    assert_eq!(t.anonymous().get("/packages/npm/-/ping").await.is(200).json(), json!({}));
}
