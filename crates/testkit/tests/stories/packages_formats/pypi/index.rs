//! What is published, and the documents that tell of it.

use super::{JSON, index, metadata, sources, wheel};
use serde_json::json;

#[testkit::story]
async fn what_is_published_is_indexed_with_its_digest(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let (built, source) = (wheel("hammer", "1.0"), sources("hammer", "1.0"));

    let reply = built.to(&jane, &project).await.is(201);
    assert_eq!(reply.json(), json!({"message": "201 Created"}));
    source.to(&jane, &project).await.is(201);

    let found = index(&jane, project.at("/packages/pypi/simple/hammer/")).await;
    let url = |address: String| t.app().url(&format!("/api/v4{}", project.at(&address)));
    let own = testkit::sha256(metadata("hammer", "1.0"));
    let times: Vec<_> = (0..2).map(|at| found["files"][at]["upload-time"].clone()).collect();
    assert_eq!(
        found,
        json!({
            "meta": {"api-version": "1.1"},
            "name": "hammer",
            "versions": ["1.0"],
            "files": [
                {
                    "filename": "hammer-1.0-py3-none-any.whl",
                    "url": url(built.address()),
                    "hashes": {"sha256": built.digest()},
                    "requires-python": ">=3.9,<4",
                    "core-metadata": {"sha256": own},
                    "size": built.bytes.len(),
                    "upload-time": times[0],
                    "yanked": false,
                },
                {
                    "filename": "hammer-1.0.tar.gz",
                    "url": url(source.address()),
                    "hashes": {"sha256": source.digest()},
                    "requires-python": ">=3.9,<4",
                    "size": source.bytes.len(),
                    "upload-time": times[1],
                    "yanked": false,
                },
            ],
        })
    );
    let uploaded = times[0].as_str().expect("a time");
    assert!(uploaded.ends_with('Z') && uploaded.parse::<jiff::Timestamp>().is_ok());

    let page = jane.get(project.at("/packages/pypi/simple/hammer")).await.is(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("vary"), "Origin, Accept");
    let (built_at, source_at) = (url(built.address()), url(source.address()));
    let (built_is, source_is) = (built.digest(), source.digest());
    assert_eq!(
        page.text(),
        format!(
            "<!DOCTYPE html>
<html>
<head>
<meta name=\"pypi:repository-version\" content=\"1.1\">
<title>Links for hammer</title>
</head>
<body>
<h1>Links for hammer</h1>
<a href=\"{built_at}#sha256={built_is}\" data-requires-python=\"&gt;=3.9,&lt;4\" \
data-core-metadata=\"sha256={own}\" data-dist-info-metadata=\"sha256={own}\">\
hammer-1.0-py3-none-any.whl</a><br>
<a href=\"{source_at}#sha256={source_is}\" data-requires-python=\"&gt;=3.9,&lt;4\">\
hammer-1.0.tar.gz</a><br>
</body>
</html>
"
        )
    );

    let bytes = jane.get(project.at(&built.address())).await.is(200);
    assert_eq!(bytes.body, built.bytes);
    assert_eq!(bytes.header("content-type"), "application/octet-stream");
    let own = jane.get(project.at(&format!("{}.metadata", built.address()))).await.is(200);
    assert_eq!(own.text(), metadata("hammer", "1.0"));
    assert_eq!(own.header("content-disposition"), "attachment");
    jane.get(project.at(&format!("{}.metadata", source.address()))).await.is(404);

    let listed = jane.get(project.at("/packages?package_type=pypi")).await.is(200);
    assert_eq!(listed.each("version"), ["1.0"]);
    let records = t.admin().get("/audit_events").await.is(200).text();
    assert!(records.contains("hammer-1.0.tar.gz"));
}

#[testkit::story]
async fn every_spelling_of_a_name_and_version_is_the_same(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    wheel("Claw_Hammer", "1.0").to(&t.admin(), &project).await.is(201);
    sources("claw.hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    wheel("claw_hammer", "1.1a1").to(&t.admin(), &project).await.is(201);

    for name in ["claw-hammer", "Claw_Hammer", "CLAW.-HAMMER", "claw%2Dhammer"] {
        let found = index(&t.admin(), project.at(&format!("/packages/pypi/simple/{name}/"))).await;
        assert_eq!(found["name"], "claw-hammer");
        assert_eq!(found["versions"], json!(["1.0", "1.1a1"]));
        assert_eq!(found["files"].as_array().map(Vec::len), Some(3));
    }
    let listed = t.admin().get(project.at("/packages?order_by=version")).await.is(200);
    assert_eq!(listed.each("version"), ["1.0", "1.1a1"]);
    let all = t.admin().get(project.at("/packages/pypi/simple/")).header("accept", JSON).await;
    assert_eq!(
        all.is(200).json(),
        json!({
            "meta": {"api-version": "1.1"},
            "projects": [{"name": "Claw_Hammer"}],
        })
    );
    let page = t.admin().get(project.at("/packages/pypi/simple")).await.is(200).text();
    let link = t
        .app()
        .url(&format!("/api/v4{}", project.at("/packages/pypi/simple/claw-hammer/")));
    assert!(page.contains(&format!("<a href=\"{link}\">Claw_Hammer</a>")), "{page}");
}

#[testkit::story]
async fn an_index_changes_with_what_is_published_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let address = project.at("/packages/pypi/simple/hammer/");
    t.admin().get(&address).await.is(404);
    let (first, second) = (wheel("hammer", "1.0"), wheel("hammer", "2.0"));
    first.to(&t.admin(), &project).await.is(201);
    let before = t.admin().get(&address).await.is(200);
    let tag = before.header("etag").to_owned();
    t.admin().get(&address).header("if-none-match", &tag).await.is(304);

    second.to(&t.admin(), &project).await.is(201);
    t.admin().get(&address).header("if-none-match", &tag).await.is(200);
    let found = index(&t.admin(), address.clone()).await;
    assert_eq!(found["versions"], json!(["1.0", "2.0"]));

    let listed = t.admin().get(project.at("/packages?package_version=1.0")).await.is(200);
    let package = listed.each("id")[0].clone();
    t.admin().delete(project.at(&format!("/packages/{package}"))).await.is(204);
    let found = index(&t.admin(), address.clone()).await;
    assert_eq!(found["versions"], json!(["2.0"]));
    t.admin().get(project.at(&first.address())).await.is(404);
    t.admin()
        .get(project.at(&format!("{}.metadata", first.address())))
        .await
        .is(404);
    first.to(&t.admin(), &project).await.is(201);
    t.admin().get(project.at(&first.address())).await.is(200);
}

#[testkit::story]
async fn a_group_shows_what_its_reader_may_see(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/deep/forge").await);
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    anvil.add(&jane, 20).await;
    let (open, hidden) = (wheel("hammer", "1.0"), wheel("hammer", "2.0"));
    open.to(&t.admin(), &anvil).await.is(201);
    hidden.to(&t.admin(), &forge).await.is(201);
    wheel("secret", "1.0").to(&t.admin(), &forge).await.is(201);
    let at = |rest: &str| group.at(&format!("/-/packages/pypi{rest}"));

    let all = index(&t.admin(), at("/simple/hammer/")).await;
    assert_eq!(all["versions"], json!(["1.0", "2.0"]));
    let address = all["files"][1]["url"].as_str().expect("an address").to_owned();
    let below = group.at(&format!("/-{}", hidden.address()));
    assert_eq!(address, t.app().url(&format!("/api/v4{below}")));
    assert_eq!(t.admin().request(http::Method::GET, address).await.is(200).body, hidden.bytes);
    let by_path =
        index(&t.admin(), "/groups/acme%2Fdeep/-/packages/pypi/simple/hammer".into()).await;
    let address = by_path["files"][0]["url"].as_str().expect("an address").to_owned();
    t.admin().request(http::Method::GET, address).await.is(200);

    let some = index(&jane, at("/simple/hammer/")).await;
    assert_eq!(some["versions"], json!(["1.0"]));
    jane.get(at("/simple/secret/")).await.is(404);
    jane.get(group.at(&format!("/-{}", hidden.address()))).await.is(404);
    jane.get(group.at(&format!("/-{}", open.address()))).await.is(200);
    let names = jane.get(at("/simple")).header("accept", JSON).await.is(200);
    assert_eq!(names.json()["projects"], json!([{"name": "hammer"}]));
}

#[testkit::story]
async fn a_digest_and_a_name_belong_together(t: testkit::TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("acme/forge").await);
    let (one, two) = (wheel("hammer", "1.0"), wheel("hammer", "2.0"));
    one.to(&t.admin(), &project).await.is(201);
    two.to(&t.admin(), &project).await.is(201);
    let files = project.at("/packages/pypi/files");

    t.admin().head(project.at(&one.address())).await.is(200);
    let (digest, upper) = (one.digest(), one.digest().to_uppercase());
    t.admin().get(format!("{files}/{upper}/{}", one.file)).await.is(200);
    for wrong in [
        format!("{files}/{digest}/{}", two.file),
        format!("{files}/{}/{}", "0".repeat(64), one.file),
        format!("{files}/{digest}/..%2f{}", one.file),
        format!("{files}/{digest}/%252e%252e"),
        format!("{files}/x/{}", one.file),
        other.at(&one.address()),
    ] {
        t.admin().get(&wrong).await.is(404);
    }
    t.admin().get(format!("{files}/{digest}/%00")).await.is(400);
}

#[testkit::story]
async fn an_index_costs_the_same_for_one_file_and_for_many(t: testkit::TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    for number in 0..12 {
        wheel("many", &format!("1.{number}")).to(&t.admin(), &project).await.is(201);
    }
    wheel("few", "1.0").to(&t.admin(), &project).await.is(201);
    let route = "/groups/{id}/-/packages/pypi/simple/{package_name}";
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let sent = || {
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
        count.unwrap_or(0)
    };
    let mut costs = Vec::new();
    for name in ["few", "many"] {
        let before = sent();
        t.admin()
            .get(group.at(&format!("/-/packages/pypi/simple/{name}")))
            .await
            .is(200);
        costs.push(sent() - before);
    }
    assert!(costs[0] > 0 && costs[0] == costs[1], "{costs:?}");
}
