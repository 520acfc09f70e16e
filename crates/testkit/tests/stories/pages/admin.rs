//! One's own sessions, and what administrators see.

use testkit::Browser;
use testkit::TestServer;

async fn administrator(t: &TestServer) -> Browser {
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
#[testkit::story]
async fn settings_are_changed_on_their_page(t: TestServer) {
    let ada = administrator(&t).await;
    let path = "/admin/settings";
    let page = ada.get(path).await.is(200).text();
    assert!(page.contains("name=\"max_personal_access_token_lifetime\" value=\"365\""));
    let (_, page) = ada
        .submit(
            path,
            &[
                ("max_login_attempts", "7"),
                ("can_create_group", "0"),
                ("remember_me_enabled", "0"),
                ("remember_me_enabled", "1"),
                ("personal_access_token_prefix", "acme-"),
            ],
        )
        .await;
    assert!(page.contains("Settings saved.") && page.contains("value=\"acme-\""));
    let stored = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(stored["max_login_attempts"], 7);
    assert_eq!(
        (&stored["can_create_group"], &stored["remember_me_enabled"]),
        (&false.into(), &true.into())
    );
    assert_eq!(stored["default_projects_limit"], 100_000, "what was not sent stays");
    let wrong = [("max_login_attempts", "0"), ("personal_access_token_prefix", "kept")];
    let page = ada.post(path, &wrong).await.is(422).text();
    assert!(page.contains("id=\"e-max_login_attempts\"") && page.contains("value=\"kept\""));
    t.user("jane").await;
    let jane = t.browser("jane").await;
    for path in [path, "/admin/package_limits"] {
        jane.get(path).await.is(403);
        jane.post(path, &[("max_login_attempts", "1")]).await.is(403);
    }

    let limits = "/admin/package_limits";
    let (_, page) = ada.submit(limits, &[("helm_max_file_size", "1048576")]).await;
    assert!(page.contains("Now 1 MiB."), "{page}");
    ada.post(limits, &[("helm_max_file_size", "-1")]).await.is(422);
    let stored = t.admin().get("/application/plan_limits").await.is(200).json();
    assert_eq!(stored["helm_max_file_size"], 1_048_576);
}
