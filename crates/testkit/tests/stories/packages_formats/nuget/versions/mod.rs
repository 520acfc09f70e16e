//! What is published, and what version 3 of the protocol tells of it.

mod search;

use super::{described, listed, nuspec, package, told};
use serde_json::json;
use testkit::{TestProject, TestServer};

const DEPENDENCIES: &str = "<title>The Hammer</title><summary>Strikes &lt;hard&gt;</summary>\
    <tags>iron tools</tags><projectUrl>https://example.com/hammer</projectUrl>\
    <dependencies><group targetFramework=\"net45\"><dependency id=\"Nail\" version=\"[1.0, 2.0)\"/>\
    <dependency id=\"Iron\"/></group><group targetFramework=\"net20\"/></dependencies>";

async fn publish(t: &TestServer, project: &TestProject, all: &[(&str, &str)]) {
    for (name, version) in all {
        package(name, version).to(&t.admin(), project).await.is(201);
    }
}

/// What a search finds: names, each with its versions, and how many in all.
async fn found(t: &TestServer, project: &TestProject, query: &str) -> (Vec<String>, i64) {
    let found = told(&t.admin(), project, &format!("query{query}")).await;
    let shown = found["data"].as_array().expect("a list").iter().map(|one| {
        let versions = one["versions"].as_array().expect("a list").iter();
        let versions: Vec<&str> = versions.filter_map(|it| it["version"].as_str()).collect();
        assert_eq!(one["version"].as_str(), versions.last().copied());
        format!("{} {}", one["id"].as_str().unwrap_or_default(), versions.join(" "))
    });
    (shown.collect(), found["totalHits"].as_i64().expect("a number"))
}

#[testkit::story]
async fn clients_are_told_where_everything_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let base = format!("{}/api/v4{}", t.app().base_url(), project.at("/packages/nuget"));
    let reply = t.anonymous().get(project.at("/packages/nuget/index.json")).await.is(200);
    let index = reply.json();
    assert_eq!(index["version"], "3.0.0");
    let resources = index["resources"].as_array().expect("a list").iter();
    let resources: Vec<(String, String)> = resources
        .map(|one| {
            let text = |field: &str| one[field].as_str().expect("a text").to_owned();
            assert!(!text("comment").is_empty());
            (text("@type"), text("@id").replace(&base, ""))
        })
        .collect();
    let wanted = [
        ("SearchQueryService", "/query"),
        ("SearchQueryService/3.0.0-beta", "/query"),
        ("SearchQueryService/3.0.0-rc", "/query"),
        ("RegistrationsBaseUrl", "/metadata"),
        ("RegistrationsBaseUrl/3.0.0-beta", "/metadata"),
        ("RegistrationsBaseUrl/3.0.0-rc", "/metadata"),
        ("PackageBaseAddress/3.0.0", "/download"),
        ("PackagePublish/2.0.0", ""),
        ("SymbolPackagePublish/4.9.0", "/symbolpackage"),
    ];
    assert_eq!(resources, wanted.map(|(kind, id)| (kind.to_owned(), id.to_owned())));
    // It is the same for what is not there, so it tells nothing.
    let unknown = t.anonymous().get("/projects/987654/packages/nuget/index.json").await.is(200);
    assert_eq!(unknown.text().replace("987654", &project.id.to_string()), reply.text());
}

#[testkit::story]
async fn what_is_published_is_told_and_downloaded(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let hammer = described(&nuspec("Acme.Hammer", "1.2.0-Beta.1+sha", DEPENDENCIES));

    let reply = hammer.to(&jane, &project).await.is(201);
    assert_eq!(reply.json(), json!({"message": "201 Created"}));

    let base = format!("{}/api/v4{}", t.app().base_url(), project.at("/packages/nuget"));
    let leaf_at = format!("{base}/metadata/acme.hammer/1.2.0-beta.1.json");
    let content =
        format!("{base}/download/acme.hammer/1.2.0-beta.1/acme.hammer.1.2.0-beta.1.nupkg");
    let leaf = told(&jane, &project, "metadata/ACME.Hammer/1.2.0-BETA.1.json").await;
    let published = leaf["catalogEntry"]["published"].as_str().expect("a time").to_owned();
    assert!(
        published.len() == 24 && published.parse::<jiff::Timestamp>().is_ok(),
        "{published}"
    );
    assert_eq!(
        leaf,
        json!({
            "@id": leaf_at, "packageContent": content,
            "catalogEntry": {
                "@id": leaf_at, "packageContent": content, "authors": "Jane",
                "id": "Acme.Hammer", "version": "1.2.0-Beta.1+sha", "tags": "iron tools",
                "description": "Strikes", "summary": "Strikes <hard>", "published": published,
                "title": "The Hammer", "projectUrl": "https://example.com/hammer",
                "dependencyGroups": [
                    {"@id": format!("{leaf_at}#dependencygroup/net45"), "@type": "PackageDependencyGroup",
                        "targetFramework": "net45", "dependencies": [
                        {"@id": format!("{leaf_at}#dependencygroup/net45/nail"),
                            "@type": "PackageDependency", "id": "Nail", "range": "[1.0, 2.0)"},
                        {"@id": format!("{leaf_at}#dependencygroup/net45/iron"),
                            "@type": "PackageDependency", "id": "Iron"}]},
                    {"@id": format!("{leaf_at}#dependencygroup/net20"), "@type": "PackageDependencyGroup",
                        "targetFramework": "net20", "dependencies": []},
                ],
            },
        })
    );
    let registration = told(&jane, &project, "metadata/acme.hammer/index.json").await;
    assert_eq!(
        registration,
        json!({"count": 1, "items": [{
            "@id": format!("{base}/metadata/acme.hammer/index.json"),
            "lower": "1.2.0-Beta.1+sha", "upper": "1.2.0-Beta.1+sha", "count": 1, "items": [leaf],
        }]})
    );
    assert_eq!(listed(&jane, &project, "acme.hammer").await, ["1.2.0-beta.1"]);

    let at = |rest: &str| project.at(&format!("/packages/nuget/download/acme.hammer/{rest}"));
    let file = jane.get(at("1.2.0-beta.1/acme.hammer.1.2.0-beta.1.nupkg")).await.is(200);
    assert_eq!(file.body, hammer.bytes);
    assert_eq!(file.header("content-type"), "application/octet-stream");
    jane.get(at("1.2.0-Beta.1+sha/Acme.Hammer.1.2.0-Beta.1+sha.nupkg"))
        .await
        .is(200);
    let own = jane.get(at("1.2.0-beta.1/acme.hammer.nuspec")).await.is(200);
    assert!(own.text().starts_with("<?xml") && own.text().contains("<id>Acme.Hammer</id>"));
    for unknown in [
        "1.2.0/acme.hammer.1.2.0.nupkg",
        "1.2.0-beta.1/other.nupkg",
        "1.2.0-beta.1/acme.hammer.1.2.0-beta.1.snupkg",
        "1.2.0-beta.1/acme.hammer.1.2.0-beta.1.dll",
    ] {
        jane.get(at(unknown)).await.is(404);
    }
    let shown = jane.get(project.at("/packages?package_type=nuget")).await.is(200);
    assert_eq!(
        (shown.each("name"), shown.each("version")),
        (vec![json!("Acme.Hammer")], vec![json!("1.2.0-Beta.1+sha")])
    );
    assert!(
        t.admin()
            .get("/audit_events")
            .await
            .is(200)
            .text()
            .contains("acme.hammer.1.2.0-beta.1.nupkg")
    );
}

#[testkit::story]
async fn versions_are_one_however_they_are_written(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(
        &t,
        &project,
        &[
            ("Hammer", "1.10"),
            ("hammer", "1.9.0"),
            ("HAMMER", "01.10.0-rc.2"),
            ("hammer", "1.10.0.0"),
            ("hammer", "1.10.0+build"),
            ("hammer", "1.10.0-rc.10"),
        ],
    )
    .await;
    assert_eq!(
        listed(&t.admin(), &project, "HamMer").await,
        ["1.9.0", "1.10.0-rc.2", "1.10.0-rc.10", "1.10.0"]
    );
    let shown = t
        .admin()
        .get(project.at("/packages?package_type=nuget&order_by=version"))
        .await
        .is(200);
    assert_eq!(shown.each("version").len(), 4);
    for version in ["1.10", "1.10.0", "1.10.0.0", "01.10.0+x"] {
        told(&t.admin(), &project, &format!("metadata/hammer/{version}.json")).await;
        let path = format!("/packages/nuget/download/hammer/{version}/hammer.{version}.nupkg");
        t.admin().get(project.at(&path)).await.is(200);
    }
    t.admin()
        .get(project.at("/packages/nuget/metadata/hammer/1.10.1.json"))
        .await
        .is(404);
    t.admin()
        .get(project.at("/packages/nuget/metadata/nail/index.json"))
        .await
        .is(404);
    t.admin()
        .get(project.at("/packages/nuget/download/nail/index.json"))
        .await
        .is(404);
}

#[testkit::story]
async fn of_a_version_published_again_the_newest_counts(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let first = package("hammer", "1.0.0");
    first.to(&t.admin(), &project).await.is(201);
    let address = project.at("/packages/nuget/metadata/hammer/index.json");
    let before = t.admin().get(&address).await.is(200);
    let tag = before.header("etag").to_owned();
    t.admin().get(&address).header("if-none-match", &tag).await.is(304);

    let again = described(&nuspec("Hammer", "1.0", "<summary>Harder</summary>"));
    again.to(&t.admin(), &project).await.is(201);

    let reply = t.admin().get(&address).header("if-none-match", &tag).await.is(200).json();
    assert_eq!(reply["items"][0]["items"][0]["catalogEntry"]["summary"], "Harder");
    let file = project.at("/packages/nuget/download/hammer/1.0.0/hammer.1.0.0.nupkg");
    assert_eq!(t.admin().get(file).await.is(200).body, again.bytes);
    assert_eq!(t.admin().get(project.at("/packages")).await.is(200).each("version"), ["1.0.0"]);
}

#[testkit::story]
async fn a_namespace_may_refuse_duplicates(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let settings = json!({"nuget_duplicates_allowed": false,
        "nuget_duplicate_exception_regex": "nail|.*-dev"});
    t.admin().put("/groups/acme/package_settings").json(&settings).await.is(200);
    publish(
        &t,
        &project,
        &[
            ("hammer", "1.0.0"),
            ("nail", "1.0.0"),
            ("nail", "1.0.0"),
            ("hammer", "2.0.0-dev"),
            ("hammer", "2.0.0-dev"),
        ],
    )
    .await;
    for again in ["1.0.0", "1.0", "1.0.0.0+x"] {
        let reply = package("HAMMER", again).to(&t.admin(), &project).await.is(409);
        assert_eq!(reply.json(), json!({"message": "409 Conflict"}));
    }
    // What is gone may come again.
    t.admin().delete(project.at("/packages/nuget/hammer/1.0.0")).await.is(204);
    publish(&t, &project, &[("hammer", "1.0.0")]).await;
}

#[testkit::story]
async fn what_is_deleted_is_gone(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, maria) = (t.user("jane").await, t.user("maria").await);
    project.add(&jane, 30).await;
    project.add(&maria, 40).await;
    publish(&t, &project, &[("Hammer", "1.0.0"), ("Hammer", "2.0.0")]).await;
    let at = |rest: &str| project.at(&format!("/packages/nuget/{rest}"));

    jane.delete(at("hammer/1.0.0")).await.is(403);
    t.anonymous().delete(at("hammer/1.0.0")).await.is(401);
    maria.delete(at("hammer/1.0.1")).await.is(404);
    maria.delete(at("nail/1.0.0")).await.is(404);
    assert_eq!(maria.delete(at("HAMMER/1.0")).await.is(204).text(), "");
    assert_eq!(listed(&maria, &project, "hammer").await, ["2.0.0"]);
    maria.delete(at("hammer/1.0.0")).await.is(404);
    maria.get(at("download/hammer/1.0.0/hammer.1.0.0.nupkg")).await.is(404);
    // As older clients do.
    maria.delete(at("v2/Hammer/2.0.0")).await.is(204);
    maria.get(at("metadata/hammer/index.json")).await.is(404);
}

#[testkit::story]
async fn a_version_without_its_archive_is_not_offered(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, &[("hammer", "1.0.0"), ("hammer", "1.1.0")]).await;
    let shown = t.admin().get(project.at("/packages")).await.is(200).json();
    let first = shown.as_array().expect("a list").iter().find(|one| one["version"] == "1.0.0");
    let path = project.at(&format!("/packages/{}/package_files", first.expect("listed")["id"]));
    let file = t.admin().get(&path).await.is(200).each("id");
    t.admin().delete(format!("{path}/{}", file[0])).await.is(204);
    assert_eq!(listed(&t.admin(), &project, "hammer").await, ["1.1.0"]);
    t.admin()
        .get(project.at("/packages/nuget/metadata/hammer/1.0.0.json"))
        .await
        .is(404);
}

#[testkit::story]
async fn documents_cost_the_same_for_one_version_and_for_many(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let route = "/projects/{id}/packages/nuget/";
    let sent = |path: &str| {
        let line = format!(
            "http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}{path}\"}} "
        );
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
        count.unwrap_or(0)
    };
    let all = [
        ("query", "query"),
        ("metadata/{nuget_name}/index.json", "metadata/hammer/index.json"),
        ("v2/{odata}", "v2/Packages()"),
    ];
    let mut costs: Vec<Vec<u64>> = Vec::new();
    for upto in [1, 12] {
        for number in 0..upto {
            let version = format!("1.{number}.0");
            publish(&t, &project, &[("hammer", &version), (&format!("n{number}"), &version)]).await;
        }
        let mut cost = Vec::new();
        for (template, path) in all {
            let before = sent(template);
            t.admin().get(project.at(&format!("/packages/nuget/{path}"))).await.is(200);
            cost.push(sent(template) - before);
        }
        costs.push(cost);
    }
    assert!(costs[0].iter().all(|cost| *cost > 0) && costs[0] == costs[1], "{costs:?}");
}
