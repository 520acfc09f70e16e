//! Pages of environments and of who deploys to them.

use super::running::{begun, commit, job, jobs_of, newest, passes};
use serde_json::json;
use testkit::TestServer;

const FILE: &str = "
ship: {script: e, environment: {name: production, url: 'https://shop.example/'}}
look: {script: e, environment: review/one}
";

#[testkit::story(noon)]
async fn environments_are_shown_made_stopped_and_deleted(t: TestServer) {
    let (project, id) = begun(&t, "acme/anvil", FILE).await;
    passes(&t, id, "ship").await;
    let (dev, mia) = (t.user("dev").await, t.user("mia").await);
    project.add(&dev, 30).await;
    project.add(&mia, 40).await;
    let url = "/acme/anvil/-/environments";
    let browser = t.browser("dev").await;
    let page = browser.get(url).await.is(200).text();
    for part in ["production", "https://shop.example/", "review/one", "Last deployment"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains(">review<"), "a folder of its own: {page}");
    let typed = [("action", "create"), ("name", "qa"), ("external_url", "https://qa.example")];
    let (to, page) = browser.submit(url, &typed).await;
    assert!(to == url && page.contains("qa is there."), "{page}");
    let again = browser.post(url, &typed).await.is(422).text();
    assert!(
        again.contains("Has already been taken") && again.contains("qa.example"),
        "{again}"
    );
    let wrong = [("action", "create"), ("name", "b"), ("external_url", "javascript:x")];
    let page = browser.post(url, &wrong).await.is(422).text();
    assert!(!page.contains("href=\"javascript"), "{page}");

    let all = t.admin().get(project.at("/environments?name=qa")).await.is(200).json();
    let one = format!("{url}/{}", all[0]["id"]);
    let save = [("action", "save"), ("tier", "other"), ("description", "<b>try</b>")];
    let (_, page) = browser.submit(&one, &save).await;
    assert!(page.contains("&#60;b&#62;try") || page.contains("&lt;b&gt;try"), "{page}");
    let (_, page) = browser.submit(&one, &[("action", "stop")]).await;
    assert!(page.contains("qa is stopped."), "{page}");
    browser.post(&one, &[("action", "delete")]).await.is(403);
    let (to, page) = t.browser("mia").await.submit(&one, &[("action", "delete")]).await;
    assert!(to == url && page.contains("qa is deleted."), "{page}");
    // Who may not see the project sees none of it.
    t.user("out").await;
    let stranger = t.browser("out").await;
    stranger.get(url).await.is(404);
    stranger.get(&one).await.is(404);
}

#[testkit::story(noon)]
async fn a_deployment_is_approved_on_its_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"name": "production", "deploy_access_levels": [{"access_level": 30}],
        "approval_rules": [{"access_level": 40}]});
    t.admin().post(project.at("/protected_environments")).json(&body).await.is(201);
    commit(&t, &project, ".gitlab-ci.yml", FILE, "Begin").await;
    let id = newest(&t, &project).await;
    let (dev, mia) = (t.user("dev").await, t.user("mia").await);
    project.add(&dev, 30).await;
    project.add(&mia, 40).await;
    let ship = job(&t, id, "ship").await;
    assert_eq!(ship.status.as_str(), "manual");
    let all = t.admin().get(project.at("/environments?name=production")).await.is(200).json();
    let url = format!("/acme/anvil/-/environments/{}", all[0]["id"]);
    let page = t.browser("dev").await.get(&url).await.is(200).text();
    assert!(
        page.contains("1 approval missing") && !page.contains("Approve deployment"),
        "{page}"
    );
    let deployments = t.admin().get(project.at("/deployments?environment=production")).await;
    let deployment = deployments.is(200).json()[0]["id"].to_string();
    let form = [
        ("action", "approve"),
        ("deployment_id", deployment.as_str()),
        ("comment", "<i>Go</i>"),
    ];
    t.browser("dev").await.post(&url, &form).await.is(403);
    let browser = t.browser("mia").await;
    assert!(browser.get(&url).await.is(200).text().contains("Approve deployment"));
    let (_, page) = browser.submit(&url, &form).await;
    assert!(
        page.contains("You approved the deployment.") && !page.contains("<i>Go"),
        "{page}"
    );
    assert!(jobs_of(&t, &project, id).await.contains(&"ship pending".to_owned()));
}

#[testkit::story]
async fn who_deploys_is_set_on_pages(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (keeper, dev) = (t.user("keeper").await, t.user("dev").await);
    project.add(&keeper, 40).await;
    group.add(&keeper, 50).await;
    project.add(&dev, 30).await;
    let browser = t.browser("keeper").await;
    for url in [
        "/acme/anvil/-/settings/protected_environments",
        "/groups/acme/-/settings/protected_environments",
    ] {
        let page = browser.get(url).await.is(200).text();
        assert!(page.contains("No environment is protected"), "{page}");
        let protect = [("action", "protect"), ("name", "production"), ("access_level", "40")];
        let (_, page) = browser.submit(url, &protect).await;
        assert!(
            page.contains("production is protected.") && page.contains("Maintainers"),
            "{page}"
        );
        let twice = browser.post(url, &protect).await.is(422).text();
        assert!(twice.contains("already"), "{twice}");
        let add = [
            ("action", "add"),
            ("deed", "approve"),
            ("name", "production"),
            ("username", "keeper"),
            ("required_approvals", "1"),
        ];
        let (_, page) = browser.submit(url, &add).await;
        assert!(page.contains("1 approval"), "{page}");
        let nobody = [("action", "add"), ("deed", "deploy"), ("name", "production")];
        browser.post(url, &nobody).await.is(422);
        let (_, page) =
            browser.submit(url, &[("action", "unprotect"), ("name", "production")]).await;
        assert!(page.contains("is not protected any more"), "{page}");
    }
    let developer = t.browser("dev").await;
    developer.get("/acme/anvil/-/settings/protected_environments").await.is(403);
}
