//! Deprecating and unpublishing, as npm does it.

use super::{at, publish, refusal, versions};
use crate::packages_formats::registry::Registry;
use serde_json::json;

#[testkit::story]
async fn versions_are_deprecated_and_no_longer(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    for version in ["1.0.0", "1.1.0"] {
        publish(&developer, &r, "hammer", version).await.is(200);
    }
    let deprecate = |client: &testkit::Client, body: &serde_json::Value| {
        client.put(at(&r, "hammer")).header("npm-command", "deprecate").json(body)
    };
    let mut packument = maintainer.get(format!("{}?write=true", at(&r, "hammer"))).await.json();
    packument["versions"]["1.0.0"]["deprecated"] = json!("use \"1.1.0\"");

    deprecate(&developer, &packument).await.is(403);
    deprecate(&maintainer, &packument).await.is(200);
    let shown = developer.get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(shown["versions"]["1.0.0"]["deprecated"], "use \"1.1.0\"");
    assert_eq!(shown["versions"]["1.1.0"].get("deprecated"), None);
    let listed = developer.get(r.at("?status=deprecated")).await.is(200).json();
    assert_eq!(listed[0]["version"], "1.0.0");
    developer.get(r.at("/npm/hammer/-/hammer-1.0.0.tgz")).await.is(200);

    packument["versions"]["1.0.0"]["deprecated"] = json!("");
    deprecate(&maintainer, &packument).await.is(200);
    let shown = developer.get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(shown["versions"]["1.0.0"].get("deprecated"), None);
    assert_eq!(developer.get(r.at("")).await.json()[0]["status"], "default");

    let nothing = json!({"name": "hammer", "versions": {"1.0.0": {}}});
    let refused = deprecate(&maintainer, &nothing).await.is(400);
    assert!(
        refused.text().contains("\\\"package versions to deprecate\\\" not given"),
        "{refused:?}"
    );
    let unknown = maintainer
        .put(at(&r, "anvil"))
        .header("npm-command", "deprecate")
        .json(&json!({"versions": {"1.0.0": {"deprecated": "x"}}}));
    unknown.await.is(404);
}

#[testkit::story]
async fn one_version_is_unpublished(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    for version in ["1.0.0", "1.1.0"] {
        publish(&developer, &r, "@acme/hammer", version).await.is(200);
    }
    let mut packument = maintainer.get(at(&r, "@acme/hammer")).await.json();
    let seen = packument["_rev"].as_str().unwrap_or_default().to_owned();
    packument["versions"].as_object_mut().unwrap().remove("1.1.0");
    let there = format!("{}/-rev/{seen}", at(&r, "@acme/hammer"));
    developer.put(&there).json(&packument).await.is(403);

    publish(&developer, &r, "@acme/hammer", "1.2.0").await.is(200);
    let stale = maintainer.put(&there).json(&packument).await.is(409);
    assert!(stale.text().contains("changed meanwhile"));

    let mut packument = maintainer.get(at(&r, "@acme/hammer")).await.json();
    let seen = packument["_rev"].as_str().unwrap_or_default().to_owned();
    packument["versions"].as_object_mut().unwrap().remove("1.1.0");
    let there = format!("{}/-rev/{seen}", at(&r, "@acme/hammer"));
    maintainer.put(&there).json(&packument).await.is(200);
    let packument = maintainer.get(at(&r, "@acme/hammer")).await.json();
    assert_eq!(versions(&packument), ["1.0.0", "1.2.0"]);
    let file = r.at("/npm/@acme/hammer/-/@acme/hammer-1.1.0.tgz");
    maintainer.get(&file).await.is(404);
    maintainer
        .delete(format!("{file}/-rev/{}", packument["_rev"].as_str().unwrap()))
        .await
        .is(200);

    let file = r.at("/npm/@acme/hammer/-/@acme/hammer-1.2.0.tgz/-rev/x");
    developer.delete(&file).await.is(403);
    maintainer.delete(&file).await.is(200);
    let packument = maintainer.get(at(&r, "@acme/hammer")).await.json();
    assert_eq!(versions(&packument), ["1.0.0"]);
    assert_eq!(packument["dist-tags"], json!({"latest": "1.0.0"}));
}

#[testkit::story]
async fn a_whole_package_is_unpublished(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let maintainer = r.person(&t, "maintainer", 40).await;
    let rule = json!({"package_name_pattern": "anvil", "package_type": "npm",
        "minimum_access_level_for_delete": "owner"});
    t.admin().post(r.at("/protection/rules")).json(&rule).await.is(201);
    for name in ["hammer", "anvil"] {
        publish(&maintainer, &r, name, "1.0.0").await.is(200);
        publish(&maintainer, &r, name, "1.1.0").await.is(200);
    }
    let revision = |packument: serde_json::Value| packument["_rev"].as_str().unwrap().to_owned();

    let seen = revision(maintainer.get(at(&r, "hammer")).await.json());
    maintainer.delete(format!("{}/-rev/{seen}0", at(&r, "hammer"))).await.is(409);
    maintainer.delete(format!("{}/-rev/{seen}", at(&r, "hammer"))).await.is(200);
    maintainer.get(at(&r, "hammer")).await.is(404);
    let seen = revision(maintainer.get(at(&r, "anvil")).await.json());
    let refused = maintainer.delete(format!("{}/-rev/{seen}", at(&r, "anvil"))).await.is(403);
    assert_eq!(refused.json(), refusal(403, "Forbidden", "Package is deletion protected."));
    maintainer.delete(format!("{}/-rev/0", at(&r, "unknown"))).await.is(404);
    publish(&maintainer, &r, "hammer", "1.0.0").await.is(200);
    t.settle().await;
    let packument = maintainer.get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(versions(&packument), ["1.0.0"]);
    assert_eq!(packument["dist-tags"], json!({"latest": "1.0.0"}));
}
