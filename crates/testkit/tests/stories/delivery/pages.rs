//! Variables on pages.

use serde_json::json;
use testkit::{Browser, TestServer};

/// The id that the form of an edit link names.
fn edited(page: &str) -> String {
    let id = page.split("?edit=").nth(1).and_then(|rest| rest.split('#').next());
    id.unwrap_or_default().to_owned()
}

async fn administrator(t: &TestServer) -> Browser {
    t.user("ada").await;
    let sql = "update users set is_admin = true where username = 'ada'";
    let risen = t.app().write(move |tx| Ok(tx.execute(sql, ())?));
    assert_eq!(risen.await.unwrap(), 1);
    t.browser("ada").await
}

#[testkit::story]
async fn variables_are_added_shown_changed_and_deleted_on_pages(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let user = t.user("keeper").await;
    project.add(&user, 40).await;
    group.add(&user, 50).await;
    let (keeper, admin) = (t.browser("keeper").await, administrator(&t).await);
    for (browser, url) in [
        (&keeper, "/acme/anvil/-/settings/ci_cd"),
        (&keeper, "/groups/acme/-/settings/ci_cd"),
        (&admin, "/admin/settings/ci_cd"),
    ] {
        let empty = browser.get(url).await.is(200).text();
        assert!(empty.contains("No variables") && empty.contains("Add a variable"), "{url}");
        let typed = [
            ("action", "create"),
            ("key", "TOKEN"),
            ("value", "hot-iron\r\nhammer"),
            ("description", "For the forge"),
            ("environment_scope", "*"),
            ("variable_type", "file"),
            ("visibility", "visible"),
            ("protected", "1"),
        ];
        let (to, page) = browser.submit(url, &typed).await;
        assert_eq!(to, url);
        assert!(page.contains("Variable added.") && page.contains("For the forge"), "{page}");
        assert!(page.contains("protected") && !page.contains("hot-iron"), "{page}");

        // A value is shown when it is asked for, and kept by no cache.
        let id = edited(&page);
        let reveal = [("action", "reveal"), ("variable_id", id.as_str())];
        let shown = browser.post(url, &reveal).await.is(200);
        assert!(shown.text().contains("hot-iron\nhammer"), "{shown:?}");
        assert_eq!(shown.header("cache-control"), "no-store");

        let form = browser.get(&format!("{url}?edit={id}")).await.is(200).text();
        assert!(form.contains("Edit TOKEN") && !form.contains("hot-iron"), "{form}");
        let typed = [
            ("action", "save"),
            ("variable_id", id.as_str()),
            ("value", ""),
            ("description", "Of old"),
            ("visibility", "masked"),
        ];
        let refused = browser.post(url, &typed).await.is(422).text();
        assert!(refused.contains("Cannot be masked") && refused.contains("Of old"), "{refused}");
        let mut fit = typed;
        fit[2].1 = "steel-hammer";
        let (_, page) = browser.submit(url, &fit).await;
        assert!(page.contains("Variable saved.") && page.contains("Of old"), "{page}");
        let shown = browser.post(url, &reveal).await.is(200).text();
        assert!(shown.contains("steel-hammer"), "{shown}");

        let hidden = [
            ("action", "create"),
            ("key", "HIDDEN"),
            ("value", "cold-iron-42"),
            ("visibility", "hidden"),
        ];
        let (_, page) = browser.submit(url, &hidden).await;
        assert!(!page.contains("cold-iron"), "{page}");
        let id = edited(&page);
        let reveal = [("action", "reveal"), ("variable_id", id.as_str())];
        assert!(!browser.post(url, &reveal).await.is(200).text().contains("cold-iron"));
        let form = browser.get(&format!("{url}?edit={id}")).await.is(200).text();
        assert!(form.contains("It is masked and hidden, and stays so."), "{form}");
        let save = [("action", "save"), ("variable_id", id.as_str()), ("description", "Kept")];
        let (_, page) = browser.submit(url, &save).await;
        assert!(page.contains("Kept"), "{page}");
        let delete = [("action", "delete"), ("variable_id", id.as_str())];
        let (_, page) = browser.submit(url, &delete).await;
        assert!(page.contains("Variable deleted.") && !page.contains("HIDDEN"), "{page}");
        browser.post(url, &delete).await.is(404);

        let wrong = [("action", "create"), ("key", "A-B"), ("value", "kept-as-typed")];
        let page = browser.post(url, &wrong).await.is(422).text();
        assert!(page.contains("kept-as-typed") && page.contains("Can contain only"), "{page}");
    }
    let below = keeper.get("/acme/anvil/-/settings/ci_cd").await.is(200).text();
    assert!(below.contains("Variables of groups above"), "{below}");
    assert!(below.contains("href=\"/groups/acme\""), "{below}");
}

#[testkit::story]
async fn only_who_may_sees_the_pages(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (maintainer, developer) = (t.user("mia").await, t.user("dev").await);
    group.add(&maintainer, 40).await;
    group.add(&developer, 30).await;
    t.user("stranger").await;
    let make = json!({"key": "A", "value": "hot-iron"});
    t.admin().post(project.at("/variables")).json(&make).await.is(201);
    t.admin().post(group.at("/variables")).json(&make).await.is(201);
    let (of_project, of_group, of_instance) = (
        "/acme/anvil/-/settings/ci_cd",
        "/groups/acme/-/settings/ci_cd",
        "/admin/settings/ci_cd",
    );
    for (login, statuses) in [
        ("mia", [200, 403, 403]),
        ("dev", [403, 403, 403]),
        ("stranger", [404, 404, 403]),
    ] {
        let browser = t.browser(login).await;
        for (url, status) in [of_project, of_group, of_instance].into_iter().zip(statuses) {
            browser.get(url).await.is(status);
            if status != 200 {
                let reveal = [("action", "reveal"), ("variable_id", "1")];
                assert!(!browser.post(url, &reveal).await.is(status).text().contains("hot-iron"));
            }
        }
    }
    // A variable of the group is no variable of the project.
    let browser = t.browser("mia").await;
    for id in ["2", "99"] {
        let reveal = [("action", "reveal"), ("variable_id", id)];
        browser.post(of_project, &reveal).await.is(404);
    }
}

#[testkit::story]
async fn the_role_for_pipelines_is_chosen_on_the_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let user = t.user("mia").await;
    project.add(&user, 40).await;
    let (browser, url) = (t.browser("mia").await, "/acme/anvil/-/settings/ci_cd");
    let role = |role| [("action", "role"), ("role", role)];
    let (_, page) = browser.submit(url, &role("developer")).await;
    assert!(page.contains("Settings saved."), "{page}");
    let shown = user.get(project.at("")).await.is(200).json();
    assert_eq!(shown["ci_pipeline_variables_minimum_override_role"], "developer");
    let refused = browser.post(url, &role("owner")).await.is(422).text();
    assert!(refused.contains("Only owners may change"), "{refused}");
    administrator(&t)
        .await
        .post("/admin/settings/ci_cd", &role("owner"))
        .await
        .is(404);
}
