//! What packages need, and what formats tell of files.

use crate::graphql::{ask_with, data};
use crate::packages_formats::forms;
use serde_json::{Value, json};
use testkit::npm;

const CHART: &str = "apiVersion: v2\nname: hammer\nversion: 1.0.0\n\
    dependencies:\n- {name: nail, version: ~1.0, repository: 'https://charts.example'}\n";

/// The links of the newest package of a project, as they page.
async fn links(admin: &testkit::Client, page: &str) -> Value {
    let newest = "{project(fullPath:\"acme/anvil\"){packages(first:1){nodes{id}}}}";
    let found = data(admin, newest).await;
    let id = &found["project"]["packages"]["nodes"][0]["id"];
    let query = format!(
        "query($id:PackagesPackageID!){{package(id:$id){{dependencyLinks({page}){{\
         pageInfo{{hasNextPage hasPreviousPage endCursor startCursor}} \
         nodes{{id dependencyType dependency{{id name versionPattern}}}}}}}}}}"
    );
    let told = ask_with(admin, &query, json!({"id": id})).await;
    assert_eq!(told.get("errors"), None, "{told}");
    told["data"]["package"]["dependencyLinks"].clone()
}

fn names(links: &Value) -> Vec<String> {
    let nodes = links["nodes"].as_array().expect("links").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = |link: &Value| {
        let of = &link["dependency"];
        format!("{} {}", text(&of["name"]), text(&of["versionPattern"]))
    };
    nodes.map(name).collect()
}

#[testkit::story]
async fn a_package_tells_what_it_needs(t: testkit::TestServer) {
    let (project, admin) = (t.project("acme/anvil").await, t.admin());
    let manifest = json!({"name": "@acme/hammer", "version": "1.0.0",
        "dependencies": {"nail": "^1.0.0", "wood": "2.x"}, "devDependencies": {"saw": "*"}});
    let body = npm::publication(&manifest, &npm::archive_of(&manifest), "latest");
    let path = project.at(&format!("/packages/npm/{}", npm::escaped("@acme/hammer")));
    admin.put(path).json(&body).await.is(200);

    let all = links(&admin, "first:100").await;

    assert_eq!(names(&all), ["nail ^1.0.0", "wood 2.x", "saw *"]);
    let kinds: Vec<&Value> = all["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["dependencyType"])
        .collect();
    assert_eq!(kinds, ["DEPENDENCIES", "DEPENDENCIES", "DEV_DEPENDENCIES"]);
    let id = all["nodes"][0]["id"].as_str().unwrap();
    assert!(id.starts_with("gid://service/Packages::DependencyLink/"), "{id}");
    let first = links(&admin, "first:2").await;
    assert_eq!((names(&first).len(), &first["pageInfo"]["hasNextPage"]), (2, &json!(true)));
    let after = first["pageInfo"]["endCursor"].as_str().unwrap();
    let rest = links(&admin, &format!("after:\"{after}\"")).await;
    assert_eq!(names(&rest), ["saw *"]);
    assert_eq!(rest["pageInfo"]["hasPreviousPage"], true);
    let last = links(&admin, "last:1").await;
    assert_eq!(
        (names(&last), &last["pageInfo"]["hasPreviousPage"]),
        (vec!["saw *".to_owned()], &json!(true))
    );
    let before = last["pageInfo"]["startCursor"].as_str().unwrap();
    let back = links(&admin, &format!("last:1, before:\"{before}\"")).await;
    assert_eq!(names(&back), ["wood 2.x"]);
}

#[testkit::story]
async fn a_chart_tells_its_channel(t: testkit::TestServer) {
    let (project, admin) = (t.project("acme/anvil").await, t.admin());
    let chart = npm::archive(&[("hammer/Chart.yaml", CHART.as_bytes())]);
    let post = admin.post(project.at("/packages/helm/api/stable/charts"));
    forms::multipart(post, &[], &[("chart", "hammer-1.0.0.tgz", &chart)])
        .await
        .is(201);

    let query = "{project(fullPath:\"acme/anvil\"){packages{nodes{packageFiles{nodes{\
        fileMetadata{__typename ... on HelmFileMetadata{channel metadata}}}}}}}}";
    let found = data(&admin, query).await;
    let file =
        &found["project"]["packages"]["nodes"][0]["packageFiles"]["nodes"][0]["fileMetadata"];
    assert_eq!(
        (&file["__typename"], &file["channel"]),
        (&json!("HelmFileMetadata"), &json!("stable"))
    );
    assert_eq!(file["metadata"]["name"], "hammer");
    assert_eq!(names(&links(&admin, "first:9").await), ["nail ~1.0"]);
}
