//! What strangers see first.

use super::admin::administrator;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn strangers_read_the_administrators_text_and_find_public_projects(t: TestServer) {
    t.project_with("open/anvil", "public").await;
    t.project("acme/secret").await;
    let plain = t.anonymous().at("/").await.is(200).text();
    assert!(plain.contains("<h1>tenon</h1>") && !plain.contains("/users/sign_up"));
    let ada = administrator(&t).await;
    let form = [
        ("instance_name", "The <b>Forge</b>"),
        ("front_page_text", "Ask **Ada**\r\n\r\n<script>x()</script>"),
    ];
    let (_, page) = ada.submit("/admin/settings/general", &form).await;
    assert!(page.contains("<span>The &#60;b&#62;Forge&#60;/b&#62;</span>"), "{page}");
    t.admin()
        .put("/application/settings")
        .json(&json!({"signup_enabled": true}))
        .await
        .is(200);
    let front = t.anonymous().at("/").await.is(200).text();
    assert!(
        front.contains("<strong>Ada</strong>") && !front.contains("<script>x"),
        "{front}"
    );
    assert!(front.contains("<h1>The &#60;b&#62;Forge&#60;/b&#62;</h1>"));
    assert!(front.contains("Forge&#60;/b&#62;</title>"), "in the window's title");
    assert!(front.contains("href=\"/users/sign_in\"") && front.contains("/users/sign_up"));
    assert!(front.contains("href=\"/open/anvil\"") && !front.contains("secret"));
    assert!(front.contains("Public projects <span class=\"tally\">1</span>"));
    let none = t.anonymous().at("/?search=hammer").await.is(200).text();
    assert!(none.contains("No public project has this name."));
    // Doors and refusals have the name, too.
    for (path, status) in [("/users/sign_in", 200), ("/admin", 401)] {
        let page = t.anonymous().at(path).await.is(status).text();
        assert!(page.contains("Forge&#60;/b&#62;</span>"), "{path}: {page}");
    }
    let home = ada.get("/").await.is(200).text();
    assert!(!home.contains("<strong>Ada</strong>"), "who is signed in works");
}

#[testkit::story]
async fn name_and_text_have_their_bounds(t: TestServer) {
    let set = |body: serde_json::Value| t.admin().put("/application/settings").json(&body);
    set(json!({"instance_name": "x".repeat(40), "front_page_text": "é".repeat(20_000)}))
        .await
        .is(200);
    for wrong in [
        json!({"instance_name": "x".repeat(41)}),
        json!({"instance_name": "a\nb"}),
        json!({"front_page_text": "x".repeat(20_001)}),
    ] {
        set(wrong).await.is(400);
    }
    let shown = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(shown["instance_name"], "x".repeat(40));
    t.user("jane").await;
    let jane = t.browser("jane").await;
    jane.post("/admin/settings/general", &[("front_page_text", "mine")])
        .await
        .is(403);
}

#[testkit::story]
async fn refusals_advise_what_helps_there(t: TestServer) {
    let closed = t.anonymous().at("/users/sign_up").await.is(403).text();
    assert!(closed.contains("ask an administrator for an account"), "{closed}");
    assert!(closed.contains("href=\"/users/sign_in?return_to="));
    assert!(!closed.contains("owner of the project"));
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 10).await;
    let jane = t.browser("jane").await;
    let admin = jane.get("/admin").await.is(403).text();
    assert!(admin.contains("Only administrators may.") && !admin.contains("owner of the"));
    let settings = jane.get("/acme/anvil/-/settings").await.is(403).text();
    assert!(settings.contains("owner of the project or group"));
    let nothing = jane.get("/acme/nothing").await.is(404).text();
    assert!(!nothing.contains("not signed in") && !nothing.contains("/users/sign_in"));
}
