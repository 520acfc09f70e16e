//! What is published, and the index that tells of it.

use super::{chart, described, entries, listed, of, packed};
use serde_json::json;

#[testkit::story]
async fn what_is_published_is_listed_with_its_digest(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let rest = "appVersion: 1.16\nkeywords: [iron]\nhome: https://example.com\n\
        annotations:\n  a/b: \"x\\u2028 <y>\"\nmaintainers:\n- name: Jane\n";
    let hammer = packed("hammer", "1.0.0", &described("hammer", "1.0.0", rest));

    let reply = hammer.to(&jane, &project, "stable").await.is(201);
    assert_eq!(reply.json(), json!({"message": "201 Created"}));

    let text = jane.get(project.at("/packages/helm/stable/index.yaml")).await.is(200).text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["apiVersion: v1", "entries:", "  \"hammer\":"]);
    let path =
        format!("serverInfo: {{\"contextPath\": \"/api/v4{}\"}}", project.at("/packages/helm"));
    assert_eq!(lines[5], path);
    assert_eq!(lines.len(), 6);
    let found = entries(&text)[0].1[0].clone();
    let created = found["created"].as_str().expect("a time").to_owned();
    assert!(created.len() == 30 && created.parse::<jiff::Timestamp>().is_ok(), "{created}");
    assert_eq!(
        found,
        json!({
            "apiVersion": "v2", "name": "hammer", "version": "1.0.0", "appVersion": "1.16",
            "keywords": ["iron"], "home": "https://example.com",
            "annotations": {"a/b": "x\u{2028} <y>"}, "maintainers": [{"name": "Jane"}],
            "created": created, "digest": hammer.digest(), "urls": ["charts/hammer-1.0.0.tgz"],
        })
    );

    let file = jane
        .get(project.at("/packages/helm/stable/charts/hammer-1.0.0.tgz"))
        .await
        .is(200);
    assert_eq!(file.body, hammer.bytes);
    assert_eq!(file.header("content-type"), "application/octet-stream");
    let shown = jane.get(project.at("/packages?package_type=helm")).await.is(200);
    assert_eq!(
        (shown.each("name"), shown.each("version")),
        (vec![json!("hammer")], vec![json!("1.0.0")])
    );
    assert!(t.admin().get("/audit_events").await.is(200).text().contains("hammer-1.0.0.tgz"));
}

#[testkit::story]
async fn channels_are_apart(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    chart("hammer", "2.0.0-rc.1").to(&t.admin(), &project, "edge").await.is(201);
    chart("hammer", "1.0.0").to(&t.admin(), &project, "edge").await.is(201);
    let at = |channel: &str| project.at(&format!("/packages/helm/{channel}/index.yaml"));

    assert_eq!(listed(&t.admin(), at("stable")).await, [of("hammer", &["1.0.0"])]);
    assert_eq!(listed(&t.admin(), at("edge")).await, [of("hammer", &["2.0.0-rc.1", "1.0.0"])]);
    let empty = t.admin().get(at("unknown")).await.is(200).text();
    assert!(empty.starts_with("apiVersion: v1\nentries: {}\n"), "{empty}");
    t.admin()
        .get(project.at("/packages/helm/stable/charts/hammer-2.0.0-rc.1.tgz"))
        .await
        .is(404);
    t.admin()
        .get(project.at("/packages/helm/edge/charts/hammer-2.0.0-rc.1.tgz"))
        .await
        .is(200);
}

#[testkit::story]
async fn versions_are_ordered_as_charts_are(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for (name, version) in [
        ("nail", "1.9.0"),
        ("nail", "v1.10.0"),
        ("nail", "1.10.0-rc.2"),
        ("anvil", "0.1.0+b.1"),
    ] {
        chart(name, version).to(&t.admin(), &project, "stable").await.is(201);
    }
    let found = listed(&t.admin(), project.at("/packages/helm/stable/index.yaml")).await;
    assert_eq!(
        found,
        [of("anvil", &["0.1.0+b.1"]), of("nail", &["v1.10.0", "1.10.0-rc.2", "1.9.0"])]
    );
    t.admin()
        .get(project.at("/packages/helm/stable/charts/anvil-0.1.0+b.1.tgz"))
        .await
        .is(200);
    t.admin()
        .get(project.at("/packages/helm/stable/charts/anvil-0.1.0%2Bb.1.tgz"))
        .await
        .is(200);
}

#[testkit::story]
async fn of_a_version_published_again_the_newest_counts(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let address = project.at("/packages/helm/stable/index.yaml");
    let first = chart("hammer", "1.0.0");
    first.signed(&t.admin(), &project, &first.provenance()).await.is(201);
    let prov = project.at("/packages/helm/stable/charts/hammer-1.0.0.tgz.prov");
    assert_eq!(t.admin().get(&prov).await.is(200).text(), first.provenance());
    let before = t.admin().get(&address).await.is(200);
    let tag = before.header("etag").to_owned();
    t.admin().get(&address).header("if-none-match", &tag).await.is(304);

    let again = packed("hammer", "1.0.0", &described("hammer", "1.0.0", "description: Harder\n"));
    again.to(&t.admin(), &project, "stable").await.is(201);

    let text = t.admin().get(&address).header("if-none-match", &tag).await.is(200).text();
    let charts = entries(&text)[0].1.clone();
    assert_eq!(charts.len(), 1);
    assert_eq!(
        (&charts[0]["digest"], &charts[0]["description"]),
        (&json!(again.digest()), &json!("Harder"))
    );
    let file = project.at("/packages/helm/stable/charts/hammer-1.0.0.tgz");
    assert_eq!(t.admin().get(file).await.is(200).body, again.bytes);
    // What was signed is not what is there now.
    t.admin().get(&prov).await.is(404);
    assert_eq!(t.admin().get(project.at("/packages")).await.is(200).each("version"), ["1.0.0"]);
}

#[testkit::story]
async fn what_is_deleted_leaves_the_index(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let address = project.at("/packages/helm/stable/index.yaml");
    chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    chart("nail", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    assert_eq!(listed(&t.admin(), address.clone()).await.len(), 2);
    let found = t.admin().get(project.at("/packages?package_name=hammer")).await.is(200);
    t.admin()
        .delete(project.at(&format!("/packages/{}", found.each("id")[0])))
        .await
        .is(204);

    assert_eq!(listed(&t.admin(), address.clone()).await, [of("nail", &["1.0.0"])]);
    t.admin()
        .get(project.at("/packages/helm/stable/charts/hammer-1.0.0.tgz"))
        .await
        .is(404);
    chart("hammer", "1.0.0").to(&t.admin(), &project, "stable").await.is(201);
    assert_eq!(listed(&t.admin(), address).await.len(), 2);
}

#[testkit::story]
async fn a_group_lists_what_its_reader_may_see(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/deep/forge").await);
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    anvil.add(&jane, 20).await;
    chart("hammer", "1.0.0").to(&t.admin(), &anvil, "stable").await.is(201);
    let newer = packed("hammer", "1.0.0", &described("hammer", "1.0.0", "description: Other\n"));
    newer.to(&t.admin(), &forge, "stable").await.is(201);
    chart("secret", "1.0.0").to(&t.admin(), &forge, "stable").await.is(201);
    let at = |rest: &str| group.at(&format!("/-/packages/helm/stable{rest}"));

    let text = t.admin().get(at("/index.yaml")).await.is(200).text();
    assert!(!text.contains("serverInfo"));
    let found = entries(&text);
    assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("hammer", "secret"));
    // Index and address agree on which of two is meant.
    assert_eq!(found[0].1[0]["digest"], newer.digest());
    assert_eq!(t.admin().get(at("/charts/hammer-1.0.0.tgz")).await.is(200).body, newer.bytes);

    assert_eq!(listed(&jane, at("/index.yaml")).await, [of("hammer", &["1.0.0"])]);
    assert_ne!(jane.get(at("/charts/hammer-1.0.0.tgz")).await.is(200).body, newer.bytes);
    jane.get(at("/charts/secret-1.0.0.tgz")).await.is(404);
}

#[testkit::story]
async fn an_index_costs_the_same_for_one_chart_and_for_many(t: testkit::TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let route = "/groups/{id}/-/packages/helm/{channel}/index.yaml";
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let sent = || {
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
        count.unwrap_or(0)
    };
    let mut costs = Vec::new();
    for upto in [1, 12] {
        for number in 0..upto {
            chart(&format!("c{number}"), "1.0.0")
                .to(&t.admin(), &project, "stable")
                .await
                .is(201);
        }
        let before = sent();
        t.admin().get(group.at("/-/packages/helm/stable/index.yaml")).await.is(200);
        costs.push(sent() - before);
    }
    assert!(costs[0] > 0 && costs[0] == costs[1], "{costs:?}");
}
