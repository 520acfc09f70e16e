//! Pages of releases.

use super::{fill, maintainer, released, tagged};
use serde_json::json;

#[testkit::story]
async fn releases_are_made_changed_and_deleted_on_pages(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let browser = maintainer(&t, &project).await;
    let all = "/acme/anvil/-/releases";
    let empty = browser.get(all).await.is(200).text();
    assert!(empty.contains("No releases yet") && empty.contains("/-/releases/new"));
    let form = browser.get("/acme/anvil/-/releases/new").await.is(200).text();
    assert!(form.contains("value=\"main\""), "the branch that HEAD stands for");

    let fields = [
        ("tag_name", "v2"),
        ("ref", "main"),
        ("name", "Second <b>"),
        ("description", "It **rings**."),
        ("milestones", "1.0\r\n"),
    ];
    let (to, page) = browser.submit("/acme/anvil/-/releases/new", &fields).await;
    assert_eq!(to, "/acme/anvil/-/releases/v2");
    assert!(page.contains("Release created.") && page.contains("<strong>rings</strong>"));
    assert!(page.contains("Second &#60;b&#62;") && page.contains("/-/archive/v2/anvil-v2.zip"));
    assert!(page.contains("/-/milestones/1") && page.contains("evidences/"));

    let edit = "/acme/anvil/-/releases/v2/edit";
    let fields = [
        ("action", "add_link"),
        ("link_name", "hammer"),
        ("link_url", "https://files.example/h.zip"),
        ("link_filepath", "/h.zip"),
        ("link_type", "package"),
    ];
    let (to, page) = browser.submit(edit, &fields).await;
    assert_eq!(to, edit);
    assert!(page.contains("Link added.") && page.contains("/h.zip"));
    let refused = browser.post(edit, &fields).await.is(422).text();
    assert!(refused.contains("Has already been taken"));
    let link = t.admin().get(project.at("/releases/v2/assets/links")).await.is(200).each("id");
    let link = link[0].to_string();
    let led = browser.get("/acme/anvil/-/releases/v2/downloads/h.zip").await.is(302);
    assert_eq!(led.header("location"), "https://files.example/h.zip");
    browser.submit(edit, &[("action", "remove_link"), ("link_id", &link)]).await;
    let (_, page) = browser.submit(edit, &[("action", "collect")]).await;
    assert_eq!(page.matches("Evidence collected").count(), 3, "two of them, and what was done");

    let fields = [("action", "update"), ("name", ""), ("released_on", "2099-01-01")];
    let (_, page) = browser.submit(edit, &fields).await;
    assert!(page.contains("upcoming") && page.contains("<h1>v2"));
    let wrong = [("action", "update"), ("milestones", "none")];
    let refused = browser.post(edit, &wrong).await.is(422).text();
    assert!(refused.contains("Milestone(s) not found: none"));
    let (to, page) = browser.submit(edit, &[("action", "remove")]).await;
    assert_eq!(to, all);
    assert!(page.contains("Release deleted."));
    t.admin().get(project.at("/repository/tags/v2")).await.is(200);
}

#[testkit::story]
async fn a_refused_release_is_shown_as_it_was_typed(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let browser = maintainer(&t, &project).await;
    let new = "/acme/anvil/-/releases/new";
    browser.get(new).await.is(200);
    for (fields, said) in [
        (vec![("tag_name", "v1"), ("name", "typed")], "Release already exists"),
        (vec![("tag_name", "v9"), ("name", "typed")], "Ref is not specified"),
        (
            vec![("tag_name", "v9"), ("ref", "no"), ("name", "typed")],
            "Target no is invalid",
        ),
        (
            vec![("tag_name", "a..b"), ("ref", "main"), ("name", "typed")],
            "Tag name invalid",
        ),
        (vec![("tag_name", "v9"), ("released_on", "x"), ("name", "typed")], "Is no date"),
    ] {
        let page = browser.post(new, &fields).await.is(422).text();
        assert!(page.contains(said) && page.contains("value=\"typed\""), "{said}");
    }
}

#[testkit::story]
async fn pages_of_releases_show_what_their_reader_may_see(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let body = json!({"tag_name": "v1", "description": "for all"});
    released(&t, &project, body).await;
    for (name, level) in [("guest", 10), ("developer", 30)] {
        let user = t.user(name).await;
        project.add(&user, level).await;
    }
    let guest = t.browser("guest").await;
    let list = guest.get("/acme/anvil/-/releases").await.is(200).text();
    assert!(list.contains("for all") && !list.contains(">v1<") && !list.contains("archive"));
    guest.get("/acme/anvil/-/releases/v1").await.is(403);
    guest.get("/acme/anvil/-/releases/new").await.is(403);
    let developer = t.browser("developer").await;
    let page = developer.get("/acme/anvil/-/releases/v1").await.is(200).text();
    assert!(page.contains("/edit") && !page.contains("The tag stays"));
    developer.get("/acme/anvil/-/releases/v1/edit").await.is(200);
    let refused = [("action", "remove")];
    developer.post("/acme/anvil/-/releases/v1/edit", &refused).await.is(403);
    t.new_browser().get("/acme/anvil/-/releases").await.is(302);
    developer.get("/acme/anvil/-/releases/none").await.is(404);

    let open = t.project_with("plaza/fountain", "public").await;
    fill(&t, &open).await;
    released(&t, &open, json!({"tag_name": "v1", "description": "open"})).await;
    let stranger = t.new_browser();
    let page = stranger.get("/plaza/fountain/-/releases").await.is(200).text();
    assert!(page.contains("open") && page.contains("/-/releases/v1") && !page.contains("/new"));
    let led = stranger
        .get("/plaza/fountain/-/releases/permalink/latest/downloads/x?a=1")
        .await;
    assert_eq!(led.is(302).header("location"), "/plaza/fountain/-/releases/v1/downloads/x?a=1");
    let front = stranger.get("/plaza/fountain").await.is(200).text();
    assert!(front.contains("href=\"/plaza/fountain/-/releases\""));
    let off = json!({"releases_access_level": "disabled"});
    t.admin().put(open.at("")).json(&off).await.is(200);
    let front = stranger.get("/plaza/fountain").await.is(200).text();
    assert!(!front.contains("/-/releases"));
}
