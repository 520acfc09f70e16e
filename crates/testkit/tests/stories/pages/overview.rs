//! The first pages of projects and groups: what they show, to whom, and what
//! they do not tell.

use serde_json::json;
use testkit::{Client, TestProject, TestServer};

/// Where `text` stands in a page; it is there.
fn at(page: &str, text: &str) -> usize {
    page.find(text).unwrap_or_else(|| panic!("no {text}: {page}"))
}

async fn post(client: &Client, path: String, body: serde_json::Value) -> testkit::Reply {
    client.post(path).json(&body).await
}

/// A project of everything that an overview shows.
async fn busy(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    t.admin().put(group.at("")).json(&json!({"visibility": "public"})).await.is(200);
    let about = json!({"description": "Drop-**forged**, see [the book](https://book.example).",
        "visibility": "public"});
    t.admin().put(project.at("")).json(&about).await.is(200);
    let on = json!({"active": true, "integrated": true});
    t.admin().put(project.at("/error_tracking/settings")).json(&on).await.is(200);
    let key = t.admin().post(project.at("/error_tracking/client_keys")).await.is(201).json();
    let key = key["public_key"].as_str().unwrap_or_default();
    let collector = format!("/error_tracking/collector/api/{}", project.id);
    let event = json!({"message": "Mould is empty"});
    t.anonymous()
        .post(format!("{collector}/store?sentry_key={key}"))
        .json(&event)
        .await
        .is(200);
    let area = project.at("/alert_management");
    let integration = json!({"name": "i", "active": true});
    post(&t.admin(), format!("{area}/http_integrations"), integration).await.is(201);
    let alert = json!({"payload": {"title": "Furnace is cold"}});
    post(&t.admin(), format!("{area}/http_integrations/1/test"), alert)
        .await
        .is(200);
    for (title, confidential) in [("Rings flat", false), ("Cracks in the horn", true)] {
        let issue = json!({"title": title, "confidential": confidential});
        post(&t.admin(), project.at("/issues"), issue).await.is(201);
    }
    project.generic_package("hammer", "1.0").await;
    project
}

#[testkit::story]
async fn an_overview_shows_what_is_newest_to_who_may_see_it(t: TestServer) {
    let project = busy(&t).await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    let page = browser.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("Drop-<strong>forged</strong>"), "{page}");
    assert!(page.contains("<a href=\"https://book.example\""), "{page}");
    for (panel, row, all) in [
        ("Open alerts", "Furnace is cold", "/acme/anvil/-/alert_management\">All alerts"),
        ("Open errors", "Mould is empty", "/acme/anvil/-/error_tracking\">All errors"),
        ("Latest issues", "Cracks in the horn", "/-/issues?state=all\">All issues"),
        ("Packages", ">hammer</a>", "/acme/anvil/-/packages\">All packages"),
    ] {
        let begins = at(&page, &format!("\">{panel}</h2>"));
        let part = &page[begins..];
        let part = &part[..at(part, "</section>")];
        assert!(part.contains(row) && part.contains(all), "{panel}: {part}");
        assert!(!part.contains("class=\"tally\""), "no panel counts: {part}");
    }
    assert!(
        page.contains("\">Members</h2>") && page.contains("<span class=\"hush\">jane</span>"),
        "{page}"
    );
    assert!(!page.contains("First steps") && !page.contains("--upload-file"), "{page}");

    let (to, page) = browser.submit("/acme/anvil/-/star", &[("starred", "1")]).await;
    assert_eq!(to, "/acme/anvil");
    assert!(page.contains("Unstar") && page.contains("aria-label=\"1 star\""), "{page}");
    let list = browser.get("/projects").await.is(200).text();
    assert!(list.contains("Drop-forged, see the book."), "a line without markup: {list}");
    assert!(list.contains("title=\"1 star\""), "{list}");
}

#[testkit::story]
async fn an_overview_tells_nothing_of_what_is_hidden(t: TestServer) {
    let project = busy(&t).await;
    let joe = t.user("joe").await;
    project.add(&joe, 10).await;
    t.user("bob").await;
    let page = t.browser("joe").await.get("/acme/anvil").await.is(200).text();
    for hidden in ["Furnace is cold", "Mould is empty", "Cracks in the horn"] {
        assert!(!page.contains(hidden), "{hidden}: {page}");
    }
    for panel in ["Open alerts", "Open errors"] {
        assert!(!page.contains(panel), "{panel}: {page}");
    }
    assert!(page.contains("Rings flat") && page.contains(">hammer</a>"), "{page}");
    let stranger = t.new_browser().get("/acme/anvil").await.is(200).text();
    assert!(
        stranger.contains("Rings flat") && !stranger.contains(">Members</h2>"),
        "{stranger}"
    );
    assert!(!stranger.contains("aria-label=\"joe\""), "{stranger}");

    let off =
        json!({"issues_access_level": "private", "package_registry_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    let page = t.browser("bob").await.get("/acme/anvil").await.is(200).text();
    assert!(!page.contains("Rings flat") && !page.contains(">hammer</a>"), "{page}");
    assert!(page.contains("Nothing here yet"), "{page}");
}

#[testkit::story]
async fn a_project_that_holds_nothing_says_how_to_begin(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let browser = t.browser("jane").await;
    let page = browser.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("First steps") && page.contains("--upload-file"), "{page}");
    let title = json!({"title": "Rings flat"});
    post(&t.admin(), project.at("/issues"), title).await.is(201);
    t.admin()
        .put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    let page = browser.get("/acme/anvil").await.is(200).text();
    assert!(!page.contains("First steps") && page.contains("Rings flat"), "{page}");
}

#[testkit::story]
async fn groups_unfold_as_a_tree_without_a_script(t: TestServer) {
    let (acme, tools) = (t.group("acme").await, t.group("acme/tools").await);
    let secret = t.group("acme/secret").await;
    t.project("acme/tools/deep/anvil").await;
    t.project("acme/secret/plan").await;
    for group in ["acme", "acme%2Ftools", "acme%2Ftools%2Fdeep"] {
        let public = json!({"visibility": "public"});
        t.admin().put(format!("/groups/{group}")).json(&public).await.is(200);
    }
    let anvil = "/projects/acme%2Ftools%2Fdeep%2Fanvil";
    t.admin().put(anvil).json(&json!({"visibility": "public"})).await.is(200);
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let folded = browser.get("/groups").await.is(200).text();
    let toggle = format!("/groups?page=1&#38;open={}#group-{}", acme.id, acme.id);
    assert!(
        folded.contains(&toggle) && folded.contains("1 subgroup, 0 projects"),
        "{folded}"
    );
    assert!(!folded.contains("/groups/acme/tools\""), "{folded}");

    let deep = t.admin().get("/groups/acme%2Ftools%2Fdeep").await.is(200).id();
    let open = format!("/groups?open={},{},{deep},{}", acme.id, tools.id, secret.id);
    let unfolded = browser.get(&open).await.is(200).text();
    let rows = ["/groups/acme\"", "/groups/acme/tools\"", "/acme/tools/deep/anvil\""];
    let rows = rows.map(|row| at(&unfolded, row));
    assert!(rows.is_sorted(), "{rows:?}");
    assert!(unfolded.matches("aria-expanded=\"true\"").count() == 3, "{unfolded}");
    assert!(!unfolded.contains("secret") && !unfolded.contains("plan"), "{unfolded}");

    let page = browser.get(&format!("/groups/acme?open={}", tools.id)).await.is(200).text();
    assert!(page.contains("/groups/acme/tools/deep\"") && !page.contains("secret"), "{page}");
    let found = browser.get("/groups/acme?search=anv").await.is(200).text();
    assert!(found.contains("/acme/tools/deep/anvil\""), "{found}");
    let found = browser.get("/groups/acme?search=deep").await.is(200).text();
    assert!(found.contains("/groups/acme/tools/deep\""), "{found}");
    let none = browser.get("/groups/acme?search=plan").await.is(200).text();
    assert!(none.contains("No project found") && !none.contains("acme/secret"), "{none}");
    // What is no number opens nothing, and no more is opened than fits.
    let many: Vec<String> = (0..500).map(|id| id.to_string()).collect();
    browser.get(&format!("/groups?open=x,-1,{}", many.join(","))).await.is(200);
}

#[testkit::story]
async fn a_group_shows_its_latest_issues(t: TestServer) {
    busy(&t).await;
    let group = t.group("acme").await;
    let about = json!({"description": "Makers of *anvils*."});
    t.admin().put(group.at("")).json(&about).await.is(200);
    t.user("jane").await;
    let page = t.browser("jane").await.get("/groups/acme").await.is(200).text();
    assert!(page.contains("Makers of <em>anvils</em>."), "{page}");
    assert!(page.contains("acme/anvil#1") && page.contains("Rings flat"), "{page}");
    assert!(!page.contains("Cracks in the horn"), "{page}");
}

#[testkit::story]
async fn what_a_list_does_not_offer_is_refused(t: TestServer) {
    busy(&t).await;
    let ada = super::admin::administrator(&t).await;
    let area = "/acme/anvil/-";
    for list in [
        format!("{area}/issues?state="),
        format!("{area}/issues?sort="),
        format!("{area}/milestones?state="),
        format!("{area}/alert_management?status="),
        format!("{area}/alert_management?sort="),
        format!("{area}/error_tracking?status="),
        format!("{area}/error_tracking?sort="),
        format!("{area}/error_tracking?span="),
        format!("{area}/packages?type="),
        format!("{area}/packages?sort="),
        "/projects?scope=".into(),
        "/projects?visibility=".into(),
        "/projects?sort=".into(),
        "/dashboard/todos?state=".into(),
        "/admin/users?filter=".into(),
        "/admin/users?sort=".into(),
        "/admin/jobs?state=".into(),
    ] {
        ada.get(&list).await.is(200);
        let page = ada.get(&format!("{list}zzz")).await.is(400).text();
        assert!(page.contains("does not have a valid value"), "{list}: {page}");
    }
}

#[testkit::story]
async fn a_label_that_narrows_a_list_keeps_its_colour(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let label = json!({"name": "bug", "color": "#d9534f"});
    t.admin().post(project.at("/labels")).json(&label).await.is(201);
    let ada = super::admin::administrator(&t).await;
    for list in ["/acme/anvil/-/issues", "/groups/acme/-/issues"] {
        let page = ada.get(&format!("{list}?labels=bug&search=x")).await.is(200).text();
        let chips = &page[at(&page, "chips applied")..];
        let chips = &chips[..at(chips, "</p>")];
        assert!(chips.contains("Label: bug"), "{chips}");
        // The group has no label of this name.
        let colours = chips.matches("fill=\"#d9534f\"").count();
        assert_eq!(colours, usize::from(!list.contains("groups")), "{chips}");
    }
}

#[testkit::story]
async fn alerts_and_who_is_paged_stand_beside_each_other(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    for page in ["alert_management", "oncall_schedules", "escalation_policies"] {
        let html = browser.get(&format!("/acme/anvil/-/{page}")).await.is(200).text();
        let tabs = &html[at(&html, "aria-label=\"Alerts and who is paged\"")..];
        let tabs = &tabs[..at(tabs, "</nav>")];
        for other in ["alert_management", "oncall_schedules", "escalation_policies"] {
            assert!(tabs.contains(&format!("/acme/anvil/-/{other}\"")), "{tabs}");
        }
        let current = &tabs[at(tabs, "aria-current")..];
        assert!(current.len() < tabs.len(), "{tabs}");
    }
}
