//! The pages of keys.

use serde_json::json;
use testkit::TestServer;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const PATH: &str = "/-/user_settings/ssh_keys";

#[testkit::story]
async fn one_adds_and_removes_a_key(t: TestServer) {
    let ada = t.user("ada").await;
    let browser = t.browser("ada").await;
    let page = browser.get(PATH).await.is(200).text();
    assert!(page.contains("No SSH keys"), "{page}");
    let led = browser.get("/-/profile/keys").await;
    assert_eq!(led.header("location"), PATH);
    let wrong = [("title", "laptop"), ("key", "ssh-rsa AAAA"), ("expires_at", "soon")];
    let wrong = browser.post(PATH, &wrong).await.is(422).text();
    assert!(wrong.contains("Is not a date") && wrong.contains("laptop"), "{wrong}");
    let wrong = [("title", "laptop"), ("key", "ssh-rsa AAAA")];
    let wrong = browser.post(PATH, &wrong).await.is(422).text();
    assert!(wrong.contains("Is invalid"), "{wrong}");
    let good = [("title", "laptop"), ("key", KEY), ("expires_at", "2099-01-02")];
    let (to, page) = browser.submit(PATH, &good).await;
    assert_eq!(to, PATH);
    assert!(page.contains("Key added.") && page.contains("laptop"), "{page}");
    assert!(page.contains("SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ"), "{page}");
    let taken = browser.post(PATH, &good).await.is(422).text();
    assert!(taken.contains("Has already been taken"), "{taken}");
    let keys = ada.get("/user/keys").await.is(200);
    assert_eq!(keys.each("expires_at"), [json!("2099-01-02T00:00:00.000Z")]);
    let id = keys.each("id")[0].clone();
    let (_, page) = browser.submit(&format!("{PATH}/{id}/remove"), &[]).await;
    assert!(page.contains("Key removed."), "{page}");
}

#[testkit::story]
async fn a_maintainer_settles_the_keys_of_a_project(t: TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (ada, eve) = (t.user("ada").await, t.user("eve").await);
    anvil.add(&ada, 40).await;
    anvil.add(&eve, 30).await;
    let browser = t.browser("ada").await;
    let path = "/acme/anvil/-/deploy_keys";
    let page = browser.get(path).await.is(200).text();
    assert!(page.contains("No deploy keys"), "{page}");
    let (_, page) = browser.submit(path, &[("title", "ci"), ("key", KEY)]).await;
    assert!(page.contains("Deploy key added.") && page.contains("reads"), "{page}");
    let id = ada.get(anvil.at("/deploy_keys")).await.is(200).each("id")[0].to_string();
    let switch = [("action", "switch"), ("key_id", &id), ("can_push", "true")];
    let (_, page) = browser.submit(path, &switch).await;
    assert!(page.contains("may push"), "{page}");
    let wrong = browser.post(path, &[("title", ""), ("key", "x")]).await.is(422).text();
    assert!(wrong.contains("Is invalid"), "{wrong}");
    t.browser("eve").await.get(path).await.is(403);
    let (_, page) = browser.submit(path, &[("action", "remove"), ("key_id", &id)]).await;
    assert!(page.contains("Deploy key removed."), "{page}");
}
