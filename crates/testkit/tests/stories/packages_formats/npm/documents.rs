//! Packuments in their forms and places.

use super::{at, publish, versions};
use crate::packages_formats::registry::Registry;
use serde_json::json;
use testkit::npm;

const SHORT: &str = "application/vnd.npm.install-v1+json";

#[testkit::story]
async fn installers_get_the_short_form_once(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    let get = || {
        t.admin()
            .get(at(&r, "hammer"))
            .header("accept", &format!("{SHORT}; q=1.0, */*"))
    };

    let short = get().await.is(200);
    assert_eq!(short.header("content-type"), SHORT);
    assert!(short.header("vary").contains("Accept"));
    let (document, tag) = (short.json(), short.header("etag").to_owned());
    assert_eq!(
        document,
        json!({
            "name": "hammer",
            "dist-tags": {"latest": "1.0.0"},
            "versions": {"1.0.0": {
                "name": "hammer",
                "version": "1.0.0",
                "_hasShrinkwrap": false,
                "dist": document["versions"]["1.0.0"]["dist"],
            }},
            "modified": document["modified"],
        })
    );
    let same = get().header("if-none-match", &tag).await.is(304);
    assert!(same.text().is_empty());
    let full = t.admin().get(at(&r, "hammer")).await.is(200);
    assert_ne!(full.header("etag"), tag);
    let same = t.admin().get(at(&r, "hammer")).header("if-none-match", full.header("etag"));
    same.await.is(304);

    publish(&t.admin(), &r, "hammer", "1.1.0").await.is(200);
    let newer = get().header("if-none-match", &tag).await.is(200);
    assert_eq!(versions(&newer.json()), ["1.0.0", "1.1.0"]);
}

#[testkit::story]
async fn groups_and_scopes_lead_to_projects(t: testkit::TestServer) {
    let one = Registry::new(&t, "acme/anvil", 0).await;
    let two = Registry::new(&t, "acme/forge", 0).await;
    let foreign = Registry::new(&t, "other/thing", 20).await;
    for name in ["@acme/hammer", "hammer"] {
        publish(&t.admin(), &one, name, "1.0.0").await.is(200);
        publish(&t.admin(), &two, name, "1.1.0").await.is(200);
        publish(&t.admin(), &foreign, name, "9.0.0").await.is(200);
    }
    let reporter = one.person(&t, "reporter", 20).await;
    let group = format!("/groups/{}/-/packages/npm", one.namespace);

    for path in [
        format!("{group}/@acme%2fhammer"),
        format!("{group}/hammer"),
        "/packages/npm/@acme%2fhammer".to_owned(),
    ] {
        let seen = reporter.get(&path).await.is(200).json();
        assert_eq!(versions(&seen), ["1.0.0"], "{path}");
        assert_eq!(seen["dist-tags"], json!({"latest": "1.0.0"}));
        let all = t.admin().get(&path).await.is(200).json();
        assert_eq!(versions(&all), ["1.0.0", "1.1.0"], "{path}");
        let file = all["versions"]["1.1.0"]["dist"]["tarball"].as_str().unwrap_or_default();
        assert!(file.contains(&format!("/projects/{}/packages/npm/", two.id)), "{file}");
    }
    t.admin().get("/packages/npm/hammer").await.is(404);
    reporter.get("/packages/npm/@nobody%2fhammer").await.is(404);
    t.anonymous().get("/packages/npm/@acme%2fhammer").await.is(404);
    t.anonymous().get(format!("{group}/hammer")).await.is(404);
    reporter.put(format!("{group}/hammer")).json(&json!({})).await.is(405);
    reporter.get(format!("{group}/hammer/-/hammer-1.0.0.tgz")).await.is(404);
}

#[testkit::story]
async fn hidden_versions_are_not_shown(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    publish(&t.admin(), &r, "hammer", "1.1.0").await.is(200);
    let newest = t.admin().get(r.at("?package_version=1.1.0")).await.json()[0]["id"].clone();
    t.admin().delete(r.at(&format!("/{newest}"))).await.is(204);
    let packument = t.admin().get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(versions(&packument), ["1.0.0"]);
    assert_eq!(packument["dist-tags"], json!({"latest": "1.0.0"}));
    t.admin().get(r.at("/npm/hammer/-/hammer-1.1.0.tgz")).await.is(404);
    publish(&t.admin(), &r, "hammer", "1.1.0").await.is(200);
    let tags = t.admin().get(at(&r, "hammer")).await.is(200).json()["dist-tags"].clone();
    assert_eq!(tags, json!({"latest": "1.1.0"}));
}

#[testkit::story]
async fn names_are_found(t: testkit::TestServer) {
    let one = Registry::new(&t, "acme/anvil", 0).await;
    let two = Registry::new(&t, "acme/forge", 20).await;
    let manifest = json!({"name": "@acme/hammer", "version": "1.0.0", "description": "Hits",
        "keywords": ["tool", 5]});
    let body = npm::publication(&manifest, &npm::archive_of(&manifest), "latest");
    t.admin().put(at(&one, "@acme/hammer")).json(&body).await.is(200);
    publish(&t.admin(), &one, "@acme/hammer", "1.1.0-beta").await.is(200);
    t.admin()
        .put(one.at("/npm/-/package/@acme%2fhammer/dist-tags/latest"))
        .json(&json!("1.0.0"))
        .await
        .is(204);
    publish(&t.admin(), &two, "hammer_2", "1.0.0").await.is(200);
    publish(&t.admin(), &two, "hammerx2", "1.0.0").await.is(200);
    let found = |reply: testkit::Reply| -> Vec<String> {
        let objects = reply.is(200).json()["objects"].clone();
        let objects = objects.as_array().cloned().unwrap_or_default();
        let names = objects.iter().map(|one| one["package"]["name"].as_str().map(str::to_owned));
        names.flatten().collect()
    };
    let search = |q: &str| t.admin().get(format!("/packages/npm/-/v1/search?text={q}"));

    assert_eq!(found(search("HAMMER").await), ["@acme/hammer", "hammer_2", "hammerx2"]);
    assert_eq!(found(search("hammer_").await), ["hammer_2"]);
    assert_eq!(found(search("%25").await), Vec::<String>::new());
    assert_eq!(found(search("scope:acme").await), ["@acme/hammer"]);
    assert_eq!(found(search("hammer&size=1&from=1").await), ["hammer_2"]);
    assert_eq!(search("hammer&size=1").await.json()["total"], 3);
    let shown = search("acme/").await.json()["objects"][0]["package"].clone();
    assert_eq!(shown["version"], "1.0.0");
    assert_eq!(shown["scope"], "acme");
    assert_eq!(shown["description"], "Hits");
    assert_eq!(shown["keywords"], json!(["tool"]));
    let anonymous = t.anonymous().get("/packages/npm/-/v1/search?text=hammer").await;
    assert_eq!(found(anonymous), ["hammer_2", "hammerx2"]);
    let here = t.admin().get(one.at("/npm/-/v1/search?text=hammer")).await;
    assert_eq!(found(here), ["@acme/hammer"]);
    let group = format!("/groups/{}/-/packages/npm/-/v1/search", one.namespace);
    assert_eq!(found(t.admin().get(group).await).len(), 3);
}
