//! Dependencies as people see them.

use super::{FILE, bom, mit, npm, packed, scan, send};
use crate::delivery::runner_jobs::runner;
use crate::delivery::running::begun;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn dependencies_are_found_on_pages(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let mut saw = npm("saw", "3.0.0", json!([{"license": {"id": "Apache-2.0"}}]));
    saw["properties"] =
        json!([{"name": "service:dependency_scanning:category", "value": "development"}]);
    let all = vec![npm("hammer", "1.0.0", mit()), npm("<handle>", "2.0.0", json!([])), saw];
    let list = bom("web/a.lock", all).to_string();
    scan(&t, &own, packed(&[("a.json", list.as_bytes())])).await;
    let developer = t.user("dev").await;
    t.group("acme").await.add(&developer, 30).await;
    let dev = t.browser("dev").await;

    let front = dev.get("/acme/anvil").await.is(200).text();
    assert!(
        front.contains("href=\"/acme/anvil/-/dependencies\""),
        "the navigation leads there"
    );
    let page = dev.get("/acme/anvil/-/dependencies").await.is(200).text();
    let sha = t.admin().get(project.at("/pipelines")).await.is(200).json()[0]["sha"].clone();
    let blob = format!("href=\"/acme/anvil/-/blob/{}/web/a.lock\"", sha.as_str().unwrap());
    for part in [
        "hammer <span class=\"mono\">1.0.0</span>",
        "&#60;handle&#62;",
        "?license=MIT",
        "?packager=npm",
        "?category=development",
        "<ol class=\"dependency-path\"",
        "href=\"/acme/anvil/-/dependencies/exports\"",
        blob.as_str(),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // The last one is needed by the other two.
    let path = page.rsplit("<ol class=\"dependency-path\"").next().unwrap();
    let path = path.split("</ol>").next().unwrap();
    assert!(path.contains("anvil") && path.contains("hammer"), "{path}");
    let narrow = "/acme/anvil/-/dependencies?license=MIT&search=ham";
    let narrow = dev.get(narrow).await.is(200).text();
    assert!(narrow.contains("hammer <span") && !narrow.contains("saw <span"), "{narrow}");
    assert!(narrow.contains("aria-label=\"Remove MIT\""), "{narrow}");
    let none = dev.get("/acme/anvil/-/dependencies?search=nothing").await.is(200).text();
    assert!(none.contains("No dependency found"), "{none}");
    let group = dev.get("/groups/acme/-/dependencies").await.is(200).text();
    assert!(group.contains("href=\"/acme/anvil/-/dependencies\">acme/anvil</a>"), "{group}");
}

#[testkit::story]
async fn an_empty_page_says_how_to_get_a_list(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (developer, reporter) = (t.user("dev").await, t.user("rita").await);
    project.add(&developer, 30).await;
    project.add(&reporter, 20).await;
    let dev = t.browser("dev").await;
    let page = dev.get("/acme/anvil/-/dependencies").await.is(200).text();
    for part in ["artifacts:reports:cyclonedx", "/sboms", "cyclonedx: bom.json"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let rita = t.browser("rita").await;
    rita.get("/acme/anvil/-/dependencies").await.is(403);
    let front = rita.get("/acme/anvil").await.is(200).text();
    assert!(!front.contains("/-/dependencies"), "nothing leads there: {front}");
    send(&t, &project, &bom("a.lock", vec![npm("hammer", "1.0.0", mit())]))
        .await
        .is(202);
    let off = json!({"dependency_exports_enabled": false});
    t.admin().put(project.at("")).json(&off).await.is(200);
    let page = dev.get("/acme/anvil/-/dependencies").await.is(200).text();
    assert!(page.contains("switched off here") && !page.contains("hammer"), "{page}");
}

#[testkit::story]
async fn what_is_wrong_is_said_on_pages(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let job = scan(&t, &own, packed(&[("<b>.json", b"{}")])).await;
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    let dev = t.browser("dev").await;
    for at in [format!("pipelines/{pipeline}"), format!("jobs/{job}")] {
        let page = dev.get(&format!("/acme/anvil/-/{at}")).await.is(200).text();
        assert!(page.contains("Lists of components that were left out"), "{at}: {page}");
        assert!(page.contains("&#60;b&#62;.json: "), "{at}: {page}");
    }
}
