//! The packages of a group's projects, as each reader may see them.

use super::{described, nuspec, package};
use serde_json::json;

#[testkit::story]
async fn a_group_tells_where_its_things_are(t: testkit::TestServer) {
    let group = t.group("acme").await;
    let base = format!("{}/api/v4{}", t.app().base_url(), group.at("/-/packages/nuget"));
    let index = t.anonymous().get(group.at("/-/packages/nuget/index.json")).await.is(200).json();
    let resources = index["resources"].as_array().expect("a list");
    let kinds: Vec<&str> = resources.iter().filter_map(|one| one["@type"].as_str()).collect();
    assert_eq!(
        kinds,
        [
            "SearchQueryService",
            "SearchQueryService/3.0.0-beta",
            "SearchQueryService/3.0.0-rc",
            "RegistrationsBaseUrl",
            "RegistrationsBaseUrl/3.0.0-beta",
            "RegistrationsBaseUrl/3.0.0-rc",
            "PackageBaseAddress/3.0.0"
        ]
    );
    assert!(
        resources
            .iter()
            .all(|one| one["@id"].as_str().is_some_and(|id| id.starts_with(&base)))
    );
}

#[testkit::story]
async fn a_group_shows_what_its_reader_may_see(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/deep/forge").await);
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    anvil.add(&jane, 20).await;
    let old = package("Hammer", "1.0.0");
    old.to(&t.admin(), &anvil).await.is(201);
    let newer = described(&nuspec("hammer", "1.0", "<summary>Other</summary>"));
    newer.to(&t.admin(), &forge).await.is(201);
    package("hammer", "2.0.0").to(&t.admin(), &forge).await.is(201);
    package("secret", "1.0.0").to(&t.admin(), &forge).await.is(201);
    let at = |rest: &str| group.at(&format!("/-/packages/nuget/{rest}"));
    let base = t.app().base_url().to_owned();

    let all = t.admin().get(at("metadata/hammer/index.json")).await.is(200).json();
    let page = &all["items"][0];
    assert_eq!(
        (&page["count"], &page["lower"], &page["upper"]),
        (&json!(2), &json!("1.0"), &json!("2.0.0"))
    );
    let first = &page["items"][0];
    // Documents of a group lead to each other, and to files of projects.
    assert_eq!(first["@id"], format!("{base}/api/v4{}", at("metadata/hammer/1.0.0.json")));
    let content = "/packages/nuget/download/hammer/1.0.0/hammer.1.0.0.nupkg";
    assert_eq!(first["packageContent"], format!("{base}/api/v4{}", forge.at(content)));
    assert_eq!(&t.admin().get(at("metadata/hammer/1.0.0.json")).await.is(200).json(), first);
    let file = at("download/hammer/1.0.0/hammer.1.0.0.nupkg");
    assert_eq!(t.admin().get(&file).await.is(200).body, newer.bytes);
    assert_eq!(
        t.admin().get(at("download/hammer/index.json")).await.is(200).json(),
        json!({"versions": ["1.0.0", "2.0.0"]})
    );

    assert_eq!(
        jane.get(at("download/hammer/index.json")).await.is(200).json(),
        json!({"versions": ["1.0.0"]})
    );
    assert_eq!(jane.get(&file).await.is(200).body, old.bytes);
    jane.get(at("metadata/secret/index.json")).await.is(404);
    jane.get(at("metadata/hammer/2.0.0.json")).await.is(404);
    let found = jane.get(at("query?q=")).await.is(200).json();
    assert_eq!((&found["totalHits"], &found["data"][0]["id"]), (&json!(1), &json!("Hammer")));
    assert_eq!(t.admin().get(at("query?q=")).await.is(200).json()["totalHits"], 2);
    let outsider = t.user("outsider").await;
    for rest in ["query", "metadata/hammer/index.json", "download/hammer/index.json"] {
        outsider.get(at(rest)).await.is(404);
        t.anonymous().get(at(rest)).await.is(401);
    }
    for rest in ["", "/v2", "/symbolpackage"] {
        let reply = t.admin().put(group.at(&format!("/-/packages/nuget{rest}"))).bytes("x").await;
        assert!([404, 405].contains(&reply.status), "{reply:?}");
    }
}

#[testkit::story]
async fn a_stranger_is_asked_where_that_may_show_more(t: testkit::TestServer) {
    let open = t.project_with("plaza/fountain", "public").await;
    package("water", "1.0.0").to(&t.admin(), &open).await.is(201);
    let group = t.group("plaza").await;
    t.admin().put(group.at("")).json(&json!({"visibility": "public"})).await.is(200);
    let at = |name: &str| group.at(&format!("/-/packages/nuget/metadata/{name}/index.json"));
    t.anonymous().get(at("water")).await.is(200);
    t.anonymous().get(at("stone")).await.is(404);
    let closed = t.project("plaza/cellar").await;
    package("stone", "1.0.0").to(&t.admin(), &closed).await.is(201);
    // The same for what is there and for what is not.
    t.anonymous().get(at("stone")).await.is(401);
    t.anonymous().get(at("dust")).await.is(401);
}
