//! Dependencies in GraphQL.

use super::{FILE, bom, mit, npm, of, scan, send};
use crate::delivery::graph::data;
use crate::delivery::runner_jobs::runner;
use crate::delivery::running::begun;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn dependencies_are_asked_for(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let all = vec![
        npm("hammer", "1.0.0", mit()),
        npm("tongs", "2.0.0", json!([])),
        npm("saw", "3.0.0", json!([{"expression": "MIT OR Zlib"}])),
    ];
    scan(&t, &own, of(&bom("web/a.lock", all))).await;
    let (developer, reporter) = (t.user("dev").await, t.user("rita").await);
    t.group("acme").await.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    let fields = "{count nodes{id name version packager reachability vulnerabilityCount
        location{blobPath path} licenses{name spdxIdentifier url}} pageInfo{hasNextPage}}";
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{
            first:dependencies(first:1,sort:NAME_DESC){fields}
            some:dependencies(packageManagers:[NPM],componentNames:[\"saw\"]){{count nodes{{name}}}}
            none:dependencies(sourceTypes:[CONTAINER_SCANNING]){{count}}}}
           group(fullPath:\"acme\"){{dependencies(sort:PACKAGER_ASC){{count nodes{{name}}}}}}}}"
    );
    let seen = data(&developer, &query).await;
    let first = &seen["project"]["first"];
    assert_eq!((&first["count"], &first["pageInfo"]["hasNextPage"]), (&json!(3), &json!(true)));
    let one = &first["nodes"][0];
    let sha = t.admin().get(project.at("/pipelines")).await.is(200).json()[0]["sha"].clone();
    let blob = format!("/acme/anvil/-/blob/{}/web/a.lock", sha.as_str().unwrap());
    assert_eq!(
        (&one["name"], &one["version"], &one["packager"], &one["vulnerabilityCount"]),
        (&json!("tongs"), &json!("2.0.0"), &json!("NPM"), &json!(0))
    );
    assert_eq!(one["location"], json!({"blobPath": blob, "path": "web/a.lock"}));
    let unknown = json!([{"name": "unknown", "spdxIdentifier": "unknown", "url": null}]);
    assert_eq!(one["licenses"], unknown);
    assert_eq!(seen["project"]["some"], json!({"count": 1, "nodes": [{"name": "saw"}]}));
    assert_eq!(seen["project"]["none"], json!({"count": 0}));
    assert_eq!(seen["group"]["dependencies"]["count"], json!(3));

    let id = one["id"].as_str().unwrap();
    assert!(id.contains("/Sbom::Occurrence/"), "{id}");
    let query = format!("{{dependency(id:\"{id}\"){{name}} node(id:\"{id}\"){{id}}}}");
    assert_eq!(data(&developer, &query).await["dependency"], json!({"name": "tongs"}));
    assert_eq!(data(&reporter, &query).await, json!({"dependency": null, "node": null}));
}

#[testkit::story]
async fn who_may_not_read_them_finds_null(t: TestServer) {
    let project = t.project("acme/anvil").await;
    send(&t, &project, &bom("a.lock", vec![npm("hammer", "1.0.0", mit())]))
        .await
        .is(202);
    let reporter = t.user("rita").await;
    t.group("acme").await.add(&reporter, 20).await;
    let query = "{project(fullPath:\"acme/anvil\"){dependencies{nodes{name}}}
        group(fullPath:\"acme\"){dependencies{nodes{name}}}}";
    let none = json!({"project": {"dependencies": null}, "group": {"dependencies": null}});
    assert_eq!(data(&reporter, query).await, none);
    t.admin()
        .put("/application/settings")
        .json(&json!({"dependency_exports_enabled": false}))
        .await
        .is(200);
    assert_eq!(data(&t.admin(), query).await, none);
    let seen: Value = data(&reporter, "{project(fullPath:\"acme/anvil\"){name}}").await;
    assert_eq!(seen["project"]["name"], "anvil");
}
