//! What pages refuse: foreign forms, curious guests, markup in names.

use http::Method;
use serde_json::json;
use testkit::PASSWORD;

/// Every form of a project, a group and a person that changes something.
const FORMS: &[&str] = &[
    "/projects",
    "/groups",
    "/acme/anvil/-/members",
    "/acme/anvil/-/settings",
    "/acme/anvil/-/settings/packages",
    "/acme/anvil/-/settings/packages/cleanup",
    "/acme/anvil/-/access_tokens",
    "/acme/anvil/-/issues",
    "/acme/anvil/-/issues/1",
    "/acme/anvil/-/issues/1/notes",
    "/acme/anvil/-/issues/1/discussions/0",
    "/acme/anvil/-/labels",
    "/acme/anvil/-/milestones",
    "/acme/anvil/-/boards",
    "/acme/anvil/-/boards/move",
    "/acme/anvil/-/boards/issues",
    "/groups/acme/-/boards",
    "/groups/acme/-/boards/move",
    "/groups/acme/-/boards/issues",
    "/groups/acme/-/labels",
    "/groups/acme/-/milestones",
    "/dashboard/todos",
    "/groups/acme/-/members",
    "/groups/acme/-/settings",
    "/groups/acme/-/settings/packages",
    "/groups/acme/-/settings/packages/cleanup",
    "/groups/acme/-/access_tokens",
    "/-/user_settings/profile",
    "/-/user_settings/password",
    "/-/user_settings/tokens",
    "/-/user_settings/sessions/revoke_others",
    "/users/sign_out",
];

#[testkit::story]
async fn no_form_is_taken_without_its_token(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    t.admin()
        .post("/groups/acme/members")
        .json(&json!({"user_id": jane.id, "access_level": 50}))
        .await
        .is(201);
    let browser = t.browser("jane").await;
    let stranger = t.browser("jane").await;
    for path in FORMS {
        let page = browser.post_bare(path, &[("name", "x")]).await.is(403).text();
        assert!(page.contains("This form has expired"), "{path}: {page}");
        let other = stranger.post_bare(path, &[("authenticity_token", "forged.token")]).await;
        other.is(403);
        t.anonymous().request(Method::POST, *path).form("name=x").await.is(401);
    }
    t.admin().get("/groups/acme").await.is(200);
}

#[testkit::story]
async fn a_guest_opens_no_settings(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, _) = (t.user("gus").await, t.user("olga").await);
    project.add(&guest, 10).await;
    let guest = t.browser("gus").await;
    let outsider = t.browser("olga").await;
    for section in ["settings", "access_tokens", "settings/packages"] {
        let path = format!("/acme/anvil/-/{section}");
        guest.get(&path).await.is(403);
        outsider.get(&path).await.is(404);
        t.anonymous().at(&path).await.is(401);
        guest.post(&path, &[("action", "delete"), ("confirm", "acme/anvil")]).await;
        let path = format!("/groups/acme/-/{section}");
        guest.get(&path).await.is(403);
        outsider.get(&path).await.is(404);
    }
    let first = guest.get("/acme/anvil").await.is(200).text();
    assert!(!first.contains("/-/settings") && !first.contains("/-/access_tokens"));
    guest.get("/acme/anvil/-/members").await.is(200);
    let add = [("action", "add"), ("username", "olga"), ("access_level", "10")];
    guest.post("/acme/anvil/-/members", &add).await.is(403);
    outsider.get("/acme/anvil/-/members").await.is(404);
    guest
        .post("/acme/anvil/-/settings", &[("action", "delete"), ("confirm", "acme/anvil")])
        .await
        .is(403);
    t.admin().get(project.at("")).await.is(200);
}

#[testkit::story]
async fn what_is_hidden_is_not_there(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    t.user("olga").await;
    let olga = t.browser("olga").await;
    let paths = [
        "/acme/anvil",
        "/groups/acme",
        "/acme",
        "/groups/acme/-/packages",
        "/acme/anvil/-/packages",
        "/nobody/nothing",
        "/groups/nobody",
        "/-/nowhere",
        "/acme/anvil/-/nowhere",
        "/groups/acme/-/nowhere",
        "/oauth/nowhere",
        "/users/nowhere",
        "/a.php",
    ];
    for path in paths {
        let hidden = olga.get(path).await.is(404).text();
        let missing = olga.get("/nobody/at-all").await.is(404).text();
        let plain = |text: &str| {
            text.split("<p class=\"muted\">Request").next().unwrap_or_default().to_owned()
        };
        assert_eq!(plain(&hidden), plain(&missing), "{path}");
        assert!(hidden.contains("@olga"), "{path} knows who looks: {hidden}");
        let stranger = t.anonymous().at(path).await.is(302);
        assert!(stranger.header("location").starts_with("/users/sign_in?return_to="), "{path}");
    }
    for root in [t.anonymous().at("/root").await, olga.get("/root").await] {
        let root = root.is(200).text();
        assert!(root.contains("@root") && !root.contains("admin@example.com"));
    }
    assert!(!olga.get("/groups").await.text().contains("acme"));
    assert!(!olga.get("/?search=anvil").await.text().contains("acme/"));
    // A place that is not for them is not offered, and not told apart.
    let id = t.admin().get("/groups/acme").await.id();
    let form = olga.get(&format!("/projects/new?namespace_id={id}")).await.is(200).text();
    assert!(!form.contains("acme"));
}

#[testkit::story]
async fn markup_in_names_stays_text(t: testkit::TestServer) {
    let evil = "<img src=x onerror=alert(1)>";
    let made = json!({"username": "eve", "name": evil, "email": "eve@example.com",
        "password": PASSWORD, "skip_confirmation": true});
    let eve = t.admin().post("/users").json(&made).await.is(201).id();
    let project = t.project("acme/anvil").await;
    for path in ["/groups/acme/members".to_owned(), project.at("/members")] {
        let member = json!({"user_id": eve, "access_level": 50});
        t.admin().post(path).json(&member).await.is(201);
    }
    let change = json!({"description": evil, "topics": [evil]});
    t.admin().put(project.at("")).json(&change).await.is(200);
    t.admin().put("/groups/acme").json(&json!({"description": evil})).await.is(200);
    let token = json!({"name": evil, "scopes": ["api"], "access_level": 30});
    t.admin().post(project.at("/access_tokens")).json(&token).await.is(201);
    let done = t
        .app()
        .write(|tx| Ok(tx.execute("update users set is_admin = true where username = 'eve'", ())?))
        .await;
    assert_eq!(done.ok(), Some(1));
    let browser = t.browser("eve").await;
    browser
        .post(
            "/acme/anvil/-/settings/packages",
            &[
                ("action", "add"),
                ("pattern", evil),
                ("package_type", "generic"),
                ("push", "owner"),
                ("delete", ""),
            ],
        )
        .await
        .is(303);
    for path in [
        "/",
        "/groups",
        "/groups/acme",
        "/groups/acme/-/members",
        "/acme/anvil",
        "/acme/anvil/-/members",
        "/acme/anvil/-/settings",
        "/acme/anvil/-/access_tokens",
        "/acme/anvil/-/settings/packages",
        "/acme/anvil/-/settings/packages/cleanup",
        "/groups/acme/-/settings",
        "/admin/users",
        "/admin/users/eve",
        "/admin/audit",
        "/-/user_settings/profile",
        "/?search=%3Cimg%20src%3Dx%3E",
        "/groups?search=%3Cimg%20src%3Dx%3E",
    ] {
        let page = browser.get(path).await.is(200);
        let policy = page.header("content-security-policy").to_owned();
        assert!(policy.contains("default-src 'self'"), "{path}: {policy}");
        let text = page.text();
        assert!(!text.contains("<img src=x"), "{path}: {text}");
        assert!(!text.contains("&#38;lt;"), "{path}: escaped twice");
    }
}

#[testkit::story]
async fn a_message_cannot_be_put_into_a_page(t: testkit::TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    jane.submit("/-/user_settings/profile", &[("name", "Jane")]).await;
    let page = t
        .anonymous()
        .at("/")
        .header("cookie", "_service_flash=Z29vZAp5b3UgaGF2ZSB3b24.x")
        .await
        .is(200);
    assert!(!page.text().contains("class=\"flash"));
}
