//! Groups and projects made and managed on their pages.

use serde_json::json;

/// The token a page shows once.
fn secret(page: &str) -> String {
    let at = page.find("svpat-").unwrap_or_else(|| panic!("no token: {page}"));
    let rest = page[at..].chars();
    rest.take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

#[testkit::story]
async fn a_group_and_a_project_are_made_on_their_pages(t: testkit::TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    let (to, page) = jane
        .submit(
            "/groups",
            &[
                ("name", "Acme Tools"),
                ("path", ""),
                ("parent_id", ""),
                ("description", "For every chase."),
                ("visibility", "public"),
            ],
        )
        .await;
    assert_eq!(to, "/groups/acme-tools");
    assert!(page.contains("Group Acme Tools is ready.") && page.contains("For every chase."));
    assert!(!jane.get(&to).await.text().contains("is ready."), "said once");

    let group = t.admin().get("/groups/acme-tools").await.is(200);
    let id = group.id().to_string();
    let form = jane.get(&format!("/projects/new?namespace_id={id}")).await.is(200).text();
    assert!(form.contains(&format!("<option value=\"{id}\" selected>acme-tools")), "{form}");
    let (to, page) = jane
        .submit(
            "/projects",
            &[
                ("name", "Anvil"),
                ("path", "anvil"),
                ("namespace_id", &id),
                ("description", ""),
                ("visibility", "internal"),
            ],
        )
        .await;
    assert_eq!(to, "/acme-tools/anvil");
    assert!(page.contains("First steps") && page.contains("Internal"));
    let made = t.admin().get("/projects/acme-tools%2Fanvil").await.is(200).json();
    assert_eq!(made["visibility"], "internal");
    let rows = jane.get("/groups").await.text();
    assert!(rows.contains("1 project, 1 member"), "{rows}");
}

#[testkit::story]
async fn a_refused_form_keeps_what_was_typed(t: testkit::TestServer) {
    t.user("jane").await;
    t.group("acme").await;
    let jane = t.browser("jane").await;
    let page = jane
        .post(
            "/groups",
            &[
                ("name", "Mine \"&"),
                ("path", "acme"),
                ("parent_id", ""),
                ("description", "kept"),
                ("visibility", "internal"),
            ],
        )
        .await
        .is(422)
        .text();
    assert!(page.contains("aria-invalid=\"true\""), "{page}");
    assert!(page.contains("Mine &#34;&#38;") && page.contains(">kept<"), "{page}");
    assert!(page.contains("<option value=\"internal\" selected>"), "{page}");

    let page = jane
        .post(
            "/projects",
            &[
                ("name", "x"),
                ("path", "-bad"),
                ("namespace_id", ""),
                ("description", ""),
                ("visibility", "private"),
            ],
        )
        .await
        .is(422)
        .text();
    assert!(page.contains("id=\"e-path\""), "{page}");
    // A private group holds nothing that all may see.
    let own = t.group("acme/own").await;
    let jane_id = t.admin().get("/users?username=jane").await.json()[0]["id"].clone();
    t.admin()
        .post(own.at("/members"))
        .json(&json!({"user_id": jane_id, "access_level": 50}))
        .await
        .is(201);
    let page = jane
        .post(
            "/projects",
            &[
                ("name", "x"),
                ("path", "x"),
                ("namespace_id", &own.id.to_string()),
                ("description", ""),
                ("visibility", "public"),
            ],
        )
        .await
        .is(422)
        .text();
    assert!(page.contains("id=\"e-visibility\""), "{page}");
}

#[testkit::story]
async fn members_come_change_and_go_on_their_page(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, _) = (t.user("jane").await, t.user("bob").await);
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let members = "/acme/anvil/-/members";
    let add = |name: &'static str, level: &'static str| {
        [
            ("action", "add"),
            ("username", name),
            ("access_level", level),
            ("expires_at", ""),
        ]
    };
    let (to, page) = browser.submit(members, &add("@bob", "30")).await;
    assert_eq!(to, members);
    assert!(page.contains("bob is now a member: Developer.") && page.contains("@root"));
    // Root is inherited from the group, which jane may see by her project.
    assert!(page.contains("<a href=\"/groups/acme\">acme</a>"), "{page}");

    let again = browser.post(members, &add("bob", "30")).await.is(422).text();
    assert!(again.contains("Is a member already") && again.contains("value=\"bob\""));
    let nobody = browser.post(members, &add("nobody", "30")).await.is(422).text();
    assert!(nobody.contains("Is not the name of a user"));
    browser.post(members, &add("bob", "50")).await.is(403);

    let id = t.admin().get("/users?username=bob").await.json()[0]["id"].to_string();
    let change = [
        ("action", "change"),
        ("user_id", id.as_str()),
        ("access_level", "20"),
        ("expires_at", "2999-01-01"),
    ];
    let (_, page) = browser.submit(members, &change).await;
    assert!(page.contains("bob is now Reporter.") && page.contains("2999-01-01"));
    let remove = [("action", "remove"), ("user_id", id.as_str())];
    let (_, page) = browser.submit(members, &remove).await;
    assert!(page.contains("Member removed.") && !page.contains("@bob"));
    let own = [("action", "remove"), ("user_id", &jane.id.to_string())];
    let left = browser.post(members, &own).await.is(303);
    assert_eq!(left.header("location"), "/");
    browser.get("/acme/anvil").await.is(404);
}

#[testkit::story]
async fn settings_rename_move_archive_and_delete(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let (acme, labs) = (t.group("acme").await, t.group("labs").await);
    acme.add(&jane, 50).await;
    labs.add(&jane, 50).await;
    t.project("acme/anvil").await;
    let browser = t.browser("jane").await;
    let settings = "/acme/anvil/-/settings";
    let (_, page) = browser
        .submit(
            settings,
            &[
                ("action", "save"),
                ("name", "Anvil 2"),
                ("description", "heavy"),
                ("visibility", "private"),
                ("topics", "iron, , drop"),
            ],
        )
        .await;
    assert!(page.contains("Settings saved.") && page.contains("iron, drop"));
    let stored = t.admin().get("/projects/acme%2Fanvil").await.is(200).json();
    assert_eq!(stored["topics"], json!(["iron", "drop"]));
    assert_eq!(stored["request_access_enabled"], false, "a box that is not ticked");

    let features = [
        ("action", "features"),
        ("issues_access_level", "disabled"),
        ("package_registry_access_level", "private"),
        ("wiki_access_level", "private"),
    ];
    let (_, page) = browser.submit(settings, &features).await;
    assert!(page.contains("Features saved.") && !page.contains("/-/issues\""), "{page}");
    let stored = t.admin().get("/projects/acme%2Fanvil").await.is(200).json();
    for (field, value) in &features[1..] {
        assert_eq!(stored[field], *value, "{field}");
    }
    assert_eq!(stored["name"], "Anvil 2", "nothing else changes");
    let wrong = [("action", "features"), ("issues_access_level", "most")];
    browser.post(settings, &wrong).await.is(400);

    let (to, _) = browser.submit(settings, &[("action", "rename"), ("path", "hammer")]).await;
    assert_eq!(to, "/acme/hammer/-/settings");
    let moved = browser.get("/acme/anvil").await.is(302);
    assert_eq!(moved.header("location"), "/acme/hammer");
    browser.get("/acme/anvil/-/members").await.is(200);
    let id = labs.id.to_string();
    let to_labs = [("action", "move"), ("to", id.as_str())];
    let refused = browser.post(&to, &to_labs).await.is(422).text();
    assert!(refused.contains("Must be acme/hammer"), "the path is typed first: {refused}");
    let to_labs = [to_labs[0], to_labs[1], ("confirm_move", "acme/hammer")];
    let (to, page) = browser.submit(&to, &to_labs).await;
    assert_eq!(to, "/labs/hammer/-/settings");
    assert!(page.contains("The project is now at labs/hammer."));
    let nowhere = [("action", "move"), ("to", ""), ("confirm_move", "labs/hammer")];
    let refused = browser.post(&to, &nowhere).await.is(422).text();
    assert!(refused.contains("Must be chosen"), "{refused}");
    let (_, page) = browser.submit(&to, &[("action", "archive")]).await;
    assert!(page.contains("archived") && page.contains("Unarchive"));

    let wrong = [("action", "delete"), ("confirm", "hammer")];
    let page = browser.post(&to, &wrong).await.is(422).text();
    assert!(
        page.contains("Must be labs/hammer") && page.contains("<details class=\"confirm\" open")
    );
    let (_, page) = browser.submit(&to, &[("action", "delete"), ("confirm", "labs/hammer")]).await;
    assert!(page.contains("labs/hammer is deleted."));
    browser.get("/labs/hammer").await.is(404);
    let gone = [("action", "delete"), ("confirm", "labs")];
    let (to, _) = browser.submit("/groups/labs/-/settings", &gone).await;
    assert_eq!(to, "/groups");
}

#[testkit::story]
async fn a_token_of_a_project_is_shown_once(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let project = t.project("acme/anvil").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let tokens = "/acme/anvil/-/access_tokens";
    let form = [
        ("name", "deploy <1>"),
        ("access_level", "30"),
        ("expires_at", ""),
        ("scopes[]", "api"),
    ];
    let made = browser.post(tokens, &form).await.is(200).text();
    assert!(made.contains("deploy &#60;1&#62;") && !made.contains("deploy <1>"));
    let token = secret(&made);
    t.with_token(token.clone()).get(project.at("")).await.is(200);
    let list = browser.get(tokens).await.is(200).text();
    assert!(!list.contains(&token) && list.contains("Developer"));

    let id = t.admin().get(project.at("/access_tokens")).await.json()[0]["id"].to_string();
    let turned = browser.post(&format!("{tokens}?action=rotate&token_id={id}"), &[]).await;
    let newer = secret(&turned.is(200).text());
    assert_ne!(token, newer);
    t.with_token(token).get(project.at("")).await.is(401);
    let all = t.admin().get(project.at("/access_tokens?state=active")).await.json();
    let id = all[0]["id"].to_string();
    let (_, page) = browser.submit(&format!("{tokens}?action=revoke&token_id={id}"), &[]).await;
    assert!(page.contains("Token revoked."));
    t.with_token(newer).get(project.at("")).await.is(401);

    let above = [("name", "x"), ("access_level", "50"), ("scopes[]", "api")];
    browser.post(tokens, &above).await.is(422);
    let without = browser.post(tokens, &[("name", ""), ("access_level", "30")]).await.is(422);
    assert!(without.text().contains("id=\"e-name\""));
}

#[testkit::story]
async fn a_token_rotated_twice_on_its_page_ends_those_after_it(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let project = t.project("acme/anvil").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let tokens = "/acme/anvil/-/access_tokens";
    let form = [("name", "x"), ("access_level", "30"), ("scopes[]", "api")];
    browser.post(tokens, &form).await.is(200);
    let id = t.admin().get(project.at("/access_tokens")).await.json()[0]["id"].to_string();
    let rotate = format!("{tokens}?action=rotate&token_id={id}");
    let newer = secret(&browser.post(&rotate, &[]).await.is(200).text());
    let works = t.with_token(newer.clone());
    works.get(project.at("")).await.is(200);

    let again = browser.post(&rotate, &[]).await.is(422).text();
    assert!(again.contains("This token has ended and cannot be rotated."));
    works.get(project.at("")).await.is(401);
}

#[testkit::story]
async fn packages_of_a_group_are_those_the_viewer_may_see(t: testkit::TestServer) {
    let (jane, _) = (t.user("jane").await, t.user("olga").await);
    let open = t.project_with("acme/anvil", "public").await;
    open.generic_package("hammer", "1.0").await;
    let closed = t.project("acme/inner/secret").await;
    closed.generic_package("plan", "2.0").await;
    closed.add(&jane, 30).await;
    let (jane, olga) = (t.browser("jane").await, t.browser("olga").await);
    let all = jane.get("/groups/acme/-/packages").await.is(200).text();
    assert!(all.contains(">hammer</a>") && all.contains(">plan</a>"), "{all}");
    let some = olga.get("/groups/acme/-/packages").await.is(200).text();
    assert!(some.contains(">hammer</a>") && !some.contains("plan"), "{some}");
    let anyone = t.anonymous().at("/groups/acme/-/packages").await.is(200).text();
    assert!(anyone.contains(">hammer</a>") && !anyone.contains("plan"));
}
