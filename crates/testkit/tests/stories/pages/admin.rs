//! One's own sessions, and what administrators see.

use testkit::Browser;
use testkit::TestServer;

pub async fn administrator(t: &TestServer) -> Browser {
    t.user("ada").await;
    let done = t
        .app()
        .write(|tx| {
            let sql = "update users set is_admin = true where username = 'ada'";
            Ok(tx.execute(sql, ())?)
        })
        .await;
    assert_eq!(done.ok(), Some(1));
    t.browser("ada").await
}

#[testkit::story]
async fn the_overview_counts_what_there_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("hammer", "1.0").await;
    let ada = administrator(&t).await;
    let page = ada.get("/admin").await.is(200).text();
    for count in [
        "2</p>\n    <p><a href=\"/admin/users?filter=active\">",
        "1</p>\n    <p><a href=\"/groups\">",
        "1</p>\n    <p><a href=\"/\">",
        "1</p>\n    <p>Packages",
    ] {
        assert!(page.contains(count), "{count}: {page}");
    }
    assert!(page.contains("No job has given up.") && page.contains(&t.url()));
    t.user("jane").await;
    let jane = t.browser("jane").await;
    for path in ["/admin", "/admin/users", "/admin/jobs", "/admin/audit"] {
        jane.get(path).await.is(403);
        t.anonymous().at(path).await.is(401);
    }
    let home = jane.get("/").await.text();
    assert!(!home.contains("href=\"/admin\""));
}

#[testkit::story]
async fn a_lost_browser_is_signed_out_from_another(t: TestServer) {
    t.user("jane").await;
    let (lost, here) = (t.browser("jane").await, t.browser("jane").await);
    let sessions = "/-/user_settings/sessions";
    let page = here.get(sessions).await.is(200).text();
    assert!(page.contains("127.0.0.1") && page.contains("this one"));
    let at = page.find("/revoke\"").expect("the other can be ended");
    let id = page[..at].rsplit('/').next().unwrap_or_default().to_owned();
    let (_, page) = here.submit(&format!("{sessions}/{id}/revoke"), &[]).await;
    assert!(page.contains("The session has ended.") && !page.contains("/revoke\""));
    lost.get(sessions).await.is(401);
    here.post(&format!("{sessions}/{id}/revoke"), &[]).await.is(404);

    let other = t.browser("jane").await;
    here.submit(&format!("{sessions}/revoke_others"), &[]).await;
    other.get(sessions).await.is(401);
    here.get(sessions).await.is(200);
}

#[testkit::story]
async fn blocking_somebody_is_said(t: TestServer) {
    t.user("jane").await;
    let ada = administrator(&t).await;
    let (to, page) = ada.submit("/admin/users/jane/block", &[]).await;
    assert_eq!(to, "/admin/users/jane");
    assert!(page.contains("jane is blocked and signed out everywhere."));
    let list = ada.get("/admin/users").await.is(200).text();
    assert!(!list.contains("/admin/users/ada/block"), "nobody blocks themselves");
}
