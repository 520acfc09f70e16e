//! Nothing is found by whom it does not show to: not as a row, not as a count.

use super::{found, issue, member, zebras};
use serde_json::json;
use testkit::TestServer;

const NOTHING: [&str; 0] = [];

/// What each scope of REST finds of the zebras.
async fn all(client: &testkit::Client) -> Vec<(&'static str, usize, String)> {
    let mut all = Vec::new();
    for scope in ["projects", "issues", "epics", "milestones", "notes", "merge_requests"] {
        let reply = client.get(format!("/search?scope={scope}&search=zebra")).await.is(200);
        all.push((scope, reply.each("id").len(), reply.header("x-total").to_owned()));
    }
    all
}

/// The same in numbers.
fn counts(found: [usize; 6]) -> Vec<(&'static str, usize, String)> {
    let scopes = ["projects", "issues", "epics", "milestones", "notes", "merge_requests"];
    let told = scopes.into_iter().zip(found);
    told.map(|(scope, count)| (scope, count, count.to_string())).collect()
}

#[testkit::story]
async fn rest_finds_what_lists_show(t: TestServer) {
    let private = zebras(&t, "hidden/zebra", "private").await;
    zebras(&t, "open/zebra", "public").await;
    let outsider = t.user("outsider").await;
    let guest = member(&t, &private, "guest", 10).await;
    let reporter = member(&t, &private, "reporter", 20).await;

    assert_eq!(all(&outsider).await, counts([1, 1, 1, 1, 1, 1]));
    assert_eq!(all(&guest).await, counts([2, 2, 2, 2, 2, 1]));
    assert_eq!(all(&reporter).await, counts([2, 3, 2, 2, 4, 2]));
    assert_eq!(all(&t.admin()).await, counts([2, 4, 4, 2, 6, 2]));

    // Who wrote a confidential issue, or is assigned to it, finds it.
    let body = json!({"title": "zebra of mine", "confidential": true});
    issue(&private, &guest, body).await;
    assert_eq!(all(&guest).await, counts([2, 3, 2, 2, 2, 1]));
    t.admin()
        .put(private.at("/issues/2"))
        .json(&json!({"assignee_ids": [guest.id]}))
        .await
        .is(200);
    assert_eq!(all(&guest).await, counts([2, 4, 2, 2, 3, 1]));

    // A reporter of the group sees its confidential epics.
    let planner = t.user("planner").await;
    t.group("hidden").await.add(&planner, 20).await;
    let found = planner.get("/search?scope=epics&search=zebra+plan").await.is(200);
    assert_eq!(found.each("title"), ["zebra plan"]);

    // Places that do not show are not there.
    for (user, status) in [(&outsider, 404), (&guest, 200)] {
        let there = private.at("/search?scope=issues&search=zebra");
        user.get(there).await.is(status);
        user.get("/groups/hidden/search?scope=issues&search=zebra").await.is(status);
    }
    t.anonymous().get("/search?scope=issues&search=zebra").await.is(401);
}

#[testkit::story]
async fn pages_find_what_other_pages_show(t: TestServer) {
    let private = zebras(&t, "hidden/zebra", "private").await;
    t.user("outsider").await;
    member(&t, &private, "guest", 10).await;
    member(&t, &private, "reporter", 20).await;
    member(&t, &private, "developer", 30).await;
    let kinds = [
        "issues",
        "notes",
        "projects",
        "packages",
        "milestones",
        "labels",
        "alerts",
        "errors",
        "epics",
        "merge_requests",
    ];
    for (name, seen) in [
        ("outsider", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("guest", [1, 1, 1, 0, 1, 1, 0, 0, 1, 0]),
        ("reporter", [2, 3, 1, 1, 1, 1, 0, 0, 1, 1]),
        ("developer", [2, 3, 1, 1, 1, 1, 1, 1, 1, 1]),
    ] {
        let browser = t.browser(name).await;
        for (kind, count) in kinds.into_iter().zip(seen) {
            let page = browser.get(&format!("/search?q=zebra&type={kind}")).await.is(200).text();
            let rows = page.matches("<li>\n      <span class=\"lead\"").count();
            assert_eq!(rows, count, "{kind} of {name}");
            let others = kinds.iter().zip(seen).filter(|(other, _)| **other != kind);
            for (other, count) in others {
                let tab = page.contains(&format!("type={other}\""));
                assert_eq!(tab, count > 0, "the tab {other} of {name}");
            }
        }
        // A project that does not show cannot be told from none.
        let there = browser.get("/search?q=zebra&project=hidden%2Fzebra").await.is(200).text();
        let nowhere = browser.get("/search?q=zebra&project=no%2Fwhere").await.is(200).text();
        assert_eq!(there.contains("in hidden/zebra"), name != "outsider");
        if name == "outsider" {
            let plain = |text: &str| text.replace("hidden%2Fzebra", "").replace("no%2Fwhere", "");
            assert_eq!(plain(&there).len(), plain(&nowhere).len());
            let direct = browser.get("/search?q=hidden%2Fzebra%231").await;
            assert_eq!(direct.status, 200);
        }
    }
}

#[testkit::story]
async fn strangers_find_what_is_public_and_nobody(t: TestServer) {
    zebras(&t, "hidden/zebra", "private").await;
    zebras(&t, "inside/zebra", "internal").await;
    zebras(&t, "open/zebra", "public").await;
    t.user("zebra").await;
    let browser = t.new_browser();
    let page = browser.get("/search?q=zebra&type=projects").await.is(200).text();
    assert!(page.contains("open/zebra"));
    for hidden in ["hidden/zebra", "inside/zebra", "type=people", "type=alerts", "type=errors"] {
        assert!(!page.contains(hidden), "{hidden}");
    }
    let people = browser.get("/search?q=zebra&type=people").await.is(200).text();
    assert!(people.contains("Nothing found"));
}

#[testkit::story]
async fn features_that_are_off_hide_what_they_hold(t: TestServer) {
    let project = zebras(&t, "open/zebra", "public").await;
    let (outsider, guest) = (t.user("outsider").await, member(&t, &project, "guest", 10).await);
    let issues = "/search?scope=issues&search=zebra";
    let notes = "/search?scope=notes&search=zebra";
    let requests = "/search?scope=merge_requests&search=zebra";
    let set = |level: &str| {
        let body = json!({"issues_access_level": level, "package_registry_access_level": level,
            "merge_requests_access_level": level});
        let (admin, path) = (t.admin(), project.at(""));
        async move { admin.put(path).json(&body).await.is(200) }
    };
    set("private").await;
    let packages = "/search?q=zebra&type=packages";
    for path in [issues, notes, requests] {
        assert_eq!(found(&outsider, path, "id").await, NOTHING);
        assert_eq!(found(&guest, path, "id").await.len(), 1);
        let there = path.replacen("/search", &project.at("/search"), 1);
        assert_eq!(found(&outsider, &there, "id").await, NOTHING);
    }
    let page = t.browser("outsider").await.get(packages).await.is(200).text();
    assert!(!page.contains("/-/packages/"), "the registry is private");
    set("disabled").await;
    for path in [issues, notes, requests] {
        assert_eq!(found(&guest, path, "id").await, NOTHING);
    }
}

#[testkit::story]
async fn what_is_open_in_a_hidden_project_does_not_tell_its_path(t: TestServer) {
    let project = zebras(&t, "hidden/zebra", "private").await;
    let body = json!({"package_registry_access_level": "public"});
    t.admin().put(project.at("")).json(&body).await.is(200);
    t.user("outsider").await;
    let page = t.browser("outsider").await.get("/search?q=zebra&type=packages").await.is(200);
    assert!(!page.text().contains("hidden/zebra"));
}

#[testkit::story]
async fn blocked_and_leaving_people_are_not_found(t: TestServer) {
    let (viewer, zebra) = (t.user("viewer").await, t.user("zebra").await);
    let path = "/search?scope=users&search=zeb";
    assert_eq!(found(&viewer, path, "username").await, ["zebra"]);
    t.admin().post(format!("/users/{}/block", zebra.id)).await.is(201);
    assert_eq!(found(&viewer, path, "id").await, NOTHING);
    t.admin().post(format!("/users/{}/unblock", zebra.id)).await.is(201);
    assert_eq!(found(&viewer, path, "id").await.len(), 1);
    t.admin().delete(format!("/users/{}", zebra.id)).await.is(204);
    t.settle().await;
    assert_eq!(found(&viewer, path, "id").await, NOTHING);
}

#[testkit::story]
async fn people_of_a_place_are_its_members(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let member = member(&t, &project, "zebra_in", 30).await;
    t.user("zebra_out").await;
    let path = project.at("/search?scope=users&search=zebra");
    assert_eq!(found(&member, &path, "username").await, ["zebra_in"]);
    assert_eq!(found(&member, "/search?scope=users&search=zebra", "id").await.len(), 2);
}

#[testkit::story]
async fn epics_are_found_as_far_as_there_are_any(t: TestServer) {
    let project = zebras(&t, "acme/zebra", "private").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let search = |query: &str| group.at(&format!("/search?scope=epics&search={query}"));
    assert_eq!(found(&jane, &search("zebra"), "title").await, ["zebra plan", "zebra hunt"]);
    assert_eq!(found(&jane, &search("zebra&confidential=true"), "title").await, ["zebra plan"]);
    // What is written anew is found by that, and no longer by what it was.
    let body = json!({"title": "lion", "description": "It roars.", "state_event": "close"});
    jane.put(group.at("/epics/1")).json(&body).await.is(200);
    assert_eq!(found(&jane, &search("hunt"), "title").await, NOTHING);
    assert_eq!(found(&jane, &search("roar&state=closed"), "title").await, ["lion"]);
    assert_eq!(found(&jane, &search("roar&state=opened"), "title").await, NOTHING);
    assert_eq!(found(&jane, &search("roar&state=merged"), "title").await, NOTHING);
    jane.get(project.at("/search?scope=epics&search=lion")).await.is(400);
    t.admin().delete(group.at("/epics/1")).await.is(204);
    assert_eq!(found(&jane, &search("lion"), "title").await, NOTHING);

    // The job writes what is missing.
    let lost = t.app().write(|tx| Ok(tx.execute("delete from search_epics", ())?));
    lost.await.unwrap();
    assert_eq!(found(&jane, &search("plan"), "title").await, NOTHING);
    let again = t.app().write(|tx| Ok(tx.execute("delete from search_fills", ())?));
    again.await.unwrap();
    crate::spaces::run_job(&t, "search.fill").await;
    assert_eq!(found(&jane, &search("plan"), "title").await, ["zebra plan"]);

    // Where epics are off there are none, in groups and on the whole instance.
    let (admin, browser) = (t.admin(), t.browser("jane").await);
    let (direct, page) = ("/search?q=acme%262", "/search?q=plan");
    assert_eq!(browser.get(direct).await.is(303).header("location"), "/groups/acme/-/epics/2");
    let switch = |path: String, on: bool| {
        let admin = admin.clone();
        async move { admin.put(path).json(&json!({"epics_enabled": on})).await.is(200) }
    };
    for path in [group.at(""), "/application/settings".to_owned()] {
        switch(path.clone(), false).await;
        assert_eq!(found(&jane, &search("plan"), "title").await, NOTHING);
        assert!(!browser.get(page).await.is(200).text().contains("<mark>plan</mark>"));
        browser.get(direct).await.is(200);
        switch(path, true).await;
        assert_eq!(found(&jane, &search("plan"), "title").await, ["zebra plan"]);
        assert!(browser.get(page).await.is(200).text().contains("<mark>plan</mark>"));
    }
}
