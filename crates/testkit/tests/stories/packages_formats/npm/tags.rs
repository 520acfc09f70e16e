//! Tags, which move between versions.

use super::{at, publish, refusal, send};
use crate::packages_formats::registry::{Registry, deploy_token};
use serde_json::json;
use testkit::npm;

#[testkit::story]
async fn tags_are_listed_set_moved_and_removed(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    for version in ["1.0.0", "1.1.0"] {
        publish(&developer, &r, "@acme/hammer", version).await.is(200);
    }
    let tags = r.at("/npm/-/package/@acme%2fhammer/dist-tags");
    let next = format!("{tags}/next");

    assert_eq!(developer.get(&tags).await.is(200).json(), json!({"latest": "1.1.0"}));
    developer.put(&next).json(&json!("1.0.0")).await.is(204);
    assert_eq!(developer.get(&tags).await.json(), json!({"latest": "1.1.0", "next": "1.0.0"}));
    developer.put(&next).json(&json!("1.1.0")).await.is(204);
    let packument = developer.get(at(&r, "@acme/hammer")).await.json();
    assert_eq!(packument["dist-tags"], json!({"latest": "1.1.0", "next": "1.1.0"}));

    developer.delete(&next).await.is(403);
    maintainer.delete(&next).await.is(204);
    maintainer.delete(&next).await.is(404);
    let packument = developer.get(at(&r, "@acme/hammer")).await.json();
    assert_eq!(packument["dist-tags"], json!({"latest": "1.1.0"}));
    let plain = r.at("/npm/-/package/@acme/hammer/dist-tags");
    assert_eq!(developer.get(plain).await.is(200).json(), json!({"latest": "1.1.0"}));

    developer.put(&next).json(&json!("9.9.9")).await.is(404);
    for (path, body) in [
        (format!("{tags}/1.x"), json!("1.0.0")),
        (format!("{tags}/a%20b"), json!("1.0.0")),
        (next.clone(), json!({"version": "1.0.0"})),
        (next.clone(), json!("1.0")),
        (next.clone(), json!("1.0.0".repeat(500))),
    ] {
        developer.put(&path).json(&body).await.is(400);
    }
    let refused = developer.put(format!("{tags}/1.x")).json(&json!("1.0.0")).await;
    assert_eq!(
        refused.json(),
        refusal(400, "Bad request", "a dist-tag must not be a valid SemVer range")
    );
    developer.get(r.at("/npm/-/package/unknown/dist-tags")).await.is(404);
}

#[testkit::story]
async fn tags_are_reached_through_groups_and_scopes(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let reporter = r.person(&t, "reporter", 20).await;
    publish(&developer, &r, "@acme/hammer", "1.0.0").await.is(200);
    publish(&developer, &r, "@acme/hammer", "1.1.0").await.is(200);
    let group = format!("/groups/{}/-/packages/npm", r.namespace);
    for (number, base) in [group, "/packages/npm".to_owned()].into_iter().enumerate() {
        let tags = format!("{base}/-/package/@acme%2fhammer/dist-tags");
        let tag = format!("{tags}/tag{number}x");
        developer.put(&tag).json(&json!("1.0.0")).await.is(204);
        assert_eq!(reporter.get(&tags).await.is(200).json()[format!("tag{number}x")], "1.0.0");
        reporter.put(&tag).json(&json!("1.1.0")).await.is(403);
        developer.delete(&tag).await.is(403);
        t.anonymous().put(&tag).json(&json!("1.1.0")).await.is(401);
        t.anonymous().delete(&tag).await.is(401);
        t.admin().delete(&tag).await.is(204);
    }
}

#[testkit::story]
async fn a_tag_of_publishing_moves(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    for version in ["1.0.0", "2.0.0-beta"] {
        let manifest = json!({"name": "hammer", "version": version});
        let body = npm::publication(&manifest, &npm::archive_of(&manifest), "next");
        send(&t.admin(), &r, "hammer", &body).await.is(200);
    }
    let tags = t.admin().get(r.at("/npm/-/package/hammer/dist-tags")).await.is(200).json();
    assert_eq!(tags, json!({"latest": "1.0.0", "next": "2.0.0-beta"}));
    let writer = deploy_token(&t, ("Project", r.id), "write_package_registry").await;
    let path = r.at("/npm/-/package/hammer/dist-tags/next");
    let moved = t.anonymous().put(&path).header("authorization", &format!("Bearer {writer}"));
    moved.json(&json!("1.0.0")).await.is(204);
}
