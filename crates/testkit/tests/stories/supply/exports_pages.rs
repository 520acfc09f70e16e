//! Exports in the browser.

use super::exports::{all_turns, bom, go_on, list, report};
use crate::delivery::runner_jobs::runner;
use crate::delivery::running::begun;
use kernel::mail::Message;
use serde_json::json;
use testkit::TestServer;

#[testkit::story(noon)]
async fn exports_are_made_on_a_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    list(&t, &project, &bom()).await;
    let browser = t.browser("ada").await;
    let url = "/acme/anvil/-/dependencies/exports";
    assert!(browser.get(url).await.is(200).text().contains("No exports"));
    let turns = all_turns(&t);
    let (to, text) = browser.submit(url, &[("export_type", "csv"), ("send_email", "on")]).await;
    assert!(to == url && text.contains("The export is being written."), "{to}: {text}");
    let page = browser.get(url).await.is(200);
    assert_eq!(page.header("refresh"), "5");
    assert!(page.text().contains("Look again") && !page.text().contains("/download\""));

    go_on(&t, turns).await;
    let is_told = |mail: &Message| mail.subject == "The dependencies of acme/anvil are exported";
    assert!(t.app().mailer().sent().iter().any(is_told));
    let page = browser.get(url).await.is(200);
    assert_eq!(page.header("refresh"), "");
    let text = page.text();
    let link = text
        .split("href=\"")
        .find(|rest| rest.starts_with(url) && rest.contains("/download\""));
    let link = link.and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let file = browser.get(&link).await.is(200);
    assert!(file.text().starts_with("Name,Version,"), "{}", file.text());

    browser.get(url).await.is(200);
    let wrong = browser.post(url, &[("export_type", "json_array")]).await.is(422);
    assert!(wrong.text().contains("Is not included in the list"));
    let wrong = browser.post(url, &[("export_type", "sbom"), ("pipeline_id", "99999")]).await;
    assert!(wrong.is(422).text().contains("Is no pipeline of this project"));
    let ben = t.user("ben").await;
    project.add(&ben, 30).await;
    let ben = t.browser("ben").await;
    assert!(ben.get(url).await.is(200).text().contains("No exports"), "they are others'");
    ben.get(&link).await.is(403);
    t.user("out").await;
    t.browser("out").await.get(url).await.is(404);
}

#[testkit::story(noon)]
async fn pipelines_and_groups_are_exported_on_pages(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let own = runner(&t, json!({})).await;
    report(&t, &own, &bom()).await;
    let (group, ada) = (t.group("acme").await, t.user("ada").await);
    group.add(&ada, 30).await;
    let ada = t.browser("ada").await;
    let url = "/acme/anvil/-/dependencies/exports";
    let number = format!("#{pipeline}");
    ada.submit(url, &[("export_type", "sbom"), ("pipeline_id", &number)]).await;
    t.settle().await;
    assert!(ada.get(url).await.is(200).text().contains("SBOM of a pipeline"));
    let url = "/groups/acme/-/dependencies/exports";
    ada.submit(url, &[("export_type", "json_array")]).await;
    t.settle().await;
    let page = ada.get(url).await.is(200).text();
    assert!(page.contains("/groups/acme/-/dependencies/exports/"), "{page}");
    let listed = t.admin().get(project.at("/dependencies")).await.is(200);
    assert_eq!(listed.each("name"), ["left-pad", "wrappy"]);
}
