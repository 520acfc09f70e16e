//! Comments on things of all rooms are found by who sees what they are about.

use super::{found, member};
use crate::reviews::{commit, open};
use crate::spaces::run_job;
use serde_json::{Value, json};
use testkit::{Client, TestProject, TestServer};

const ANYWHERE: &str = "/search?scope=notes&search=zebra";
const NOTHING: [&str; 0] = [];

/// The texts of the comments that somebody finds, each of which is counted.
async fn texts(client: &Client, path: &str) -> Vec<String> {
    let reply = client.get(path).await.is(200);
    let bodies = reply.each("body");
    assert_eq!(reply.header("x-total"), bodies.len().to_string());
    let mut texts: Vec<String> =
        bodies.iter().map(|body| body.as_str().unwrap_or_default().to_owned()).collect();
    texts.sort();
    texts
}

/// Says something of a thing; the note.
async fn say(client: &Client, notes: String, body: Value) -> Value {
    client.post(notes).json(&body).await.is(201).json()
}

/// A private project with a comment on one thing of each kind, and internal ones, too. Of
/// the epics of its group the second is confidential.
async fn zoo(t: &TestServer) -> TestProject {
    let project = t.project("acme/zoo").await;
    let admin = t.admin();
    for branch in ["main", "stripes"] {
        commit(t, &project, branch, branch, "text").await;
    }
    open(&admin, &project, "stripes").await;
    let new = |path: &str, body: Value| admin.post(project.at(path)).json(&body);
    new("/issues", json!({"title": "Feed"})).await.is(201);
    let files = json!([{"file_path": "a.txt", "content": "text"}]);
    let snippet = json!({"title": "Diet", "visibility": "private", "files": files});
    let snippet = new("/snippets", snippet).await.is(201).id();
    let newest = admin.get(project.at("/repository/commits?per_page=1")).await.is(200);
    let sha = newest.json()[0]["id"].as_str().expect("a name").to_owned();
    for (kind, path) in [
        ("issue", "/issues/1/notes".to_owned()),
        ("request", "/merge_requests/1/notes".to_owned()),
        ("snippet", format!("/snippets/{snippet}/notes")),
        ("commit", format!("/repository/commits/{sha}/discussions")),
    ] {
        say(&admin, project.at(&path), json!({"body": format!("zebra of the {kind}")})).await;
    }
    let internal = json!({"body": "zebra inside the request", "internal": true});
    say(&admin, project.at("/merge_requests/1/notes"), internal).await;
    for (title, confidential) in [("plan", false), ("secret", true)] {
        let body = json!({"title": title, "confidential": confidential});
        let epic = admin.post("/groups/acme/epics").json(&body).await.is(201).id();
        let notes = format!("/groups/acme/epics/{epic}/notes");
        say(&admin, notes.clone(), json!({"body": format!("zebra of the {title}")})).await;
        let internal = json!({"body": format!("zebra inside the {title}"), "internal": true});
        say(&admin, notes, internal).await;
    }
    t.settle().await;
    project
}

#[testkit::story]
async fn comments_on_everything_are_found_by_who_sees_it(t: TestServer) {
    let project = zoo(&t).await;
    let stranger = t.user("stranger").await;
    let guest = member(&t, &project, "guest", 10).await;
    let reporter = member(&t, &project, "reporter", 20).await;
    let planner = t.user("planner").await;
    t.group("acme").await.add(&planner, 20).await;

    assert_eq!(texts(&stranger, ANYWHERE).await, NOTHING);
    let open = ["zebra of the issue", "zebra of the plan", "zebra of the snippet"];
    assert_eq!(texts(&guest, ANYWHERE).await, open);
    let of_code = [
        "zebra inside the request",
        "zebra of the commit",
        "zebra of the issue",
        "zebra of the plan",
        "zebra of the request",
        "zebra of the snippet",
    ];
    assert_eq!(texts(&reporter, ANYWHERE).await, of_code);
    assert_eq!(texts(&planner, ANYWHERE).await.len(), 9);
    assert_eq!(texts(&t.admin(), ANYWHERE).await.len(), 9);

    // The same in a project and a group, where epics are of the group alone.
    let (there, above) = (
        project.at("/search?scope=notes&search=zebra"),
        "/groups/acme/search?scope=notes&search=zebra",
    );
    assert_eq!(texts(&guest, &there).await, ["zebra of the issue", "zebra of the snippet"]);
    assert_eq!(texts(&planner, &there).await.len(), 5);
    assert_eq!(texts(&guest, above).await, open);
    assert_eq!(texts(&planner, above).await.len(), 9);
    stranger.get(&there).await.is(404);
    stranger.get(above).await.is(404);
}

#[testkit::story]
async fn comments_look_as_in_their_lists(t: TestServer) {
    let project = zoo(&t).await;
    let admin = t.admin();
    for (word, list) in [
        (
            "zebra of the request",
            "/merge_requests/1/notes?activity_filter=only_comments&sort=asc",
        ),
        ("zebra of the issue", "/issues/1/notes"),
    ] {
        let found = admin
            .get(project.at(&format!("/search?scope=notes&search={}", word.replace(' ', "+"))))
            .await
            .is(200);
        let listed = admin.get(project.at(list)).await.is(200);
        assert_eq!(found.json()[0], listed.json()[0], "{word}");
    }
    let of_commit = project.at("/search?scope=notes&search=commit");
    let note = admin.get(of_commit).await.is(200).json()[0].clone();
    assert_eq!((&note["noteable_type"], &note["noteable_id"]), (&json!("Commit"), &Value::Null));
    let by_key = format!("{ANYWHERE}&pagination=keyset&per_page=4");
    let mut seen = Vec::new();
    let mut next = Some(by_key);
    while let Some(path) = next {
        let page = admin.get(&path).await.is(200);
        seen.extend(page.each("id"));
        next = page
            .link("next")
            .and_then(|link| Some(link.split_once("/api/v4")?.1.to_owned()));
    }
    let mut once = seen.clone();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (9, 9));
}

#[testkit::story]
async fn what_hides_a_thing_hides_what_is_said_of_it(t: TestServer) {
    let project = zoo(&t).await;
    let admin = t.admin();
    let reporter = member(&t, &project, "reporter", 20).await;
    let author = member(&t, &project, "author", 30).await;
    commit(&t, &project, "spots", "spots", "text").await;
    let iid = open(&author, &project, "spots").await.json()["iid"].clone();
    let notes = project.at(&format!("/merge_requests/{iid}/notes"));
    let note = say(&admin, notes.clone(), json!({"body": "quagga"})).await;
    let quagga = "/search?scope=notes&search=quagga";
    assert_eq!(texts(&reporter, quagga).await, ["quagga"]);

    admin.post(format!("/users/{}/ban", author.id)).await.is(201);
    assert_eq!(texts(&reporter, quagga).await, NOTHING);
    assert_eq!(texts(&admin, quagga).await, ["quagga"]);
    admin.post(format!("/users/{}/unban", author.id)).await.is(201);

    // It is found by what it became.
    let one = format!("{notes}/{}", note["id"]);
    admin.put(&one).json(&json!({"body": "okapi"})).await.is(200);
    assert_eq!(texts(&reporter, quagga).await, NOTHING);
    let okapi = "/search?scope=notes&search=okapi";
    assert_eq!(texts(&reporter, okapi).await, ["okapi"]);
    for (level, seen) in [("disabled", 0), ("enabled", 1)] {
        let body = json!({"merge_requests_access_level": level});
        admin.put(project.at("")).json(&body).await.is(200);
        assert_eq!(texts(&reporter, okapi).await.len(), seen, "{level}");
    }
    admin.delete(&one).await.is(204);
    assert_eq!(texts(&reporter, okapi).await, NOTHING);

    admin.post(project.at("/archive")).await.is(201);
    let plan = ["zebra inside the plan", "zebra of the plan"];
    let archived = "/groups/acme/search?scope=notes&search=zebra+plan";
    assert_eq!(texts(&admin, archived).await, plan);
    assert_eq!(texts(&reporter, ANYWHERE).await, ["zebra of the plan"]);
    assert_eq!(texts(&reporter, &format!("{ANYWHERE}&include_archived=true")).await.len(), 6);
}

#[testkit::story]
async fn comments_on_snippets_of_people_are_in_no_place(t: TestServer) {
    t.group("acme").await;
    let (ada, bob) = (t.user("ada").await, t.user("bob").await);
    let files = json!([{"file_path": "a.txt", "content": "text"}]);
    for (visibility, seen) in [("internal", 1), ("private", 0)] {
        let body = json!({"title": "mine", "visibility": visibility, "files": files});
        let snippet = ada.post("/snippets").json(&body).await.is(201).id();
        let text = json!({"body": format!("zebra {visibility}")});
        say(&ada, format!("/snippets/{snippet}/notes"), text).await;
        let path = format!("{ANYWHERE}+{visibility}");
        assert_eq!(texts(&ada, &path).await.len(), 1);
        assert_eq!(texts(&bob, &path).await.len(), seen, "{visibility}");
        let page = t.browser("bob").await;
        let page = page.get(&format!("/search?q=zebra+{visibility}&type=notes")).await.is(200);
        let row = format!("href=\"/-/snippets/{snippet}#note_");
        assert_eq!(page.text().contains(&row), seen == 1, "{visibility}");
    }
    let there = "/groups/acme/search?scope=notes&search=zebra";
    assert_eq!(texts(&t.admin(), there).await, NOTHING);
}

#[testkit::story]
async fn the_page_leads_to_each_comment(t: TestServer) {
    let project = zoo(&t).await;
    member(&t, &project, "reporter", 20).await;
    let browser = t.browser("reporter").await;
    let page = browser.get("/search?q=zebra&type=notes").await.is(200).text();
    assert!(page.contains("Comments <span class=\"tally\">6</span>"), "{page}");
    for row in [
        "/acme/zoo/-/issues/1#note_",
        "/acme/zoo/-/merge_requests/1#note_",
        "/acme/zoo/-/commit/",
        "/acme/zoo/-/snippets/",
        "/groups/acme/-/epics/1#note_",
    ] {
        assert!(page.contains(&format!("<a href=\"{row}")), "{row}");
    }
    for told in ["!1</span>", "#1</span>", "&#38;1</span>"] {
        assert!(page.contains(told), "{told}");
    }
    assert!(!page.contains("epics/2#note_"));
}

#[testkit::story]
async fn comments_from_before_are_indexed_by_the_job(t: TestServer) {
    let project = zoo(&t).await;
    let lost = t.app().write(|tx| {
        tx.execute("delete from search_notes", ())?;
        Ok(tx.execute("delete from search_fills where name = 'search_notes'", ())?)
    });
    lost.await.unwrap();
    let there = project.at("/search?scope=notes&search=zebra");
    assert_eq!(found(&t.admin(), &there, "id").await.len(), 0);
    run_job(&t, "search.fill").await;
    assert_eq!(found(&t.admin(), &there, "id").await.len(), 5);
    assert_eq!(found(&t.admin(), ANYWHERE, "id").await.len(), 9);
}
