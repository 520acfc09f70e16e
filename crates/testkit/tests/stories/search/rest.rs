//! The endpoints.

use super::{found, issue, zebras};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn things_look_as_in_their_lists(t: TestServer) {
    let project = zebras(&t, "acme/zebra", "private").await;
    let admin = t.admin();
    let issues = admin.get(project.at("/issues")).await.is(200).json();
    let search = |scope: &str| project.at(&format!("/search?scope={scope}&search=zebra"));
    assert_eq!(admin.get(search("issues")).await.is(200).json(), issues);
    let milestones = admin.get(project.at("/milestones")).await.is(200).json();
    assert_eq!(admin.get(search("milestones")).await.is(200).json(), milestones);
    let notes = admin.get(search("notes")).await.is(200).json();
    let first = admin.get(project.at("/issues/2/notes")).await.is(200).json();
    assert_eq!((&notes[1], notes.as_array().map(Vec::len)), (&first[0], Some(3)));
    let everywhere = admin.get("/search?scope=projects&search=zebra").await.is(200).json();
    let listed = admin.get("/projects").await.is(200).json();
    assert_eq!(everywhere, listed);
    let user = t.user("zebra").await;
    let users = admin.get("/search?scope=users&search=zebra").await.is(200).json();
    assert_eq!((&users[0]["id"], &users[0]["username"]), (&json!(user.id), &json!("zebra")));
}

#[testkit::story]
async fn pages_order_and_filters_work(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    for n in 1..=5 {
        let body = json!({"title": format!("zebra {n}"), "confidential": n == 2});
        issue(&project, &admin, body).await;
    }
    admin
        .put(project.at("/issues/3"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    let at = |rest: &str| project.at(&format!("/search?scope=issues&search=zebra{rest}"));
    assert_eq!(found(&admin, &at(""), "iid").await, [5, 4, 3, 2, 1]);
    assert_eq!(
        found(&admin, &at("&order_by=created_at&sort=asc"), "iid").await,
        [1, 2, 3, 4, 5]
    );
    assert_eq!(found(&admin, &at("&state=closed"), "iid").await, [3]);
    assert_eq!(found(&admin, &at("&state=opened"), "iid").await, [5, 4, 2, 1]);
    assert_eq!(found(&admin, &at("&confidential=true"), "iid").await, [2]);
    let page = admin.get(at("&per_page=2&page=2")).await.is(200);
    assert_eq!(page.each("iid"), [3, 2]);
    assert_eq!((page.header("x-total"), page.header("x-next-page")), ("5", "3"));
    assert!(page.link("next").is_some_and(|link| link.contains("page=3")));
    let below = project.at("/-/search?scope=issues&search=zebra");
    assert_eq!(found(&admin, &below, "iid").await.len(), 5);
    let group = "/groups/acme/-/search?scope=issues&search=zebra";
    assert_eq!(found(&admin, group, "iid").await.len(), 5);

    admin.post(project.at("/archive")).await.is(201);
    let group = "/groups/acme/search?scope=issues&search=zebra";
    assert_eq!(found(&admin, group, "iid").await.len(), 0);
    assert_eq!(found(&admin, &format!("{group}&include_archived=true"), "iid").await.len(), 5);
    assert_eq!(found(&admin, &at(""), "iid").await.len(), 5);
}

#[testkit::story]
async fn pages_by_key_hold_everything_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    for n in 1..=5 {
        issue(&project, &admin, json!({"title": format!("zebra {n}")})).await;
        let note = json!({"body": "the zebra"});
        admin.post(project.at(&format!("/issues/{n}/notes"))).json(&note).await.is(201);
    }
    for (scope, rest, expected) in [
        ("issues", "", vec![5, 4, 3, 2, 1]),
        ("issues", "&sort=asc", vec![1, 2, 3, 4, 5]),
        ("notes", "", vec![5, 4, 3, 2, 1]),
    ] {
        let key = if scope == "issues" { "iid" } else { "noteable_iid" };
        let path = format!("/search?scope={scope}&search=zebra&pagination=keyset&per_page=2{rest}");
        let (mut next, mut found) = (Some(project.at(&path)), Vec::new());
        while let Some(path) = next {
            let page = admin.get(path).await.is(200);
            assert!(page.headers.get("x-total").is_none() && page.each(key).len() <= 2);
            found.extend(page.each(key));
            next = page.link("next").map(|link| link.split("/api/v4").nth(1).unwrap_or("").into());
        }
        assert_eq!(found, expected, "{scope}{rest}");
    }
    let path = "/search?scope=issues&search=zebra&pagination=keyset&cursor=x";
    admin.get(path).await.is(400);
}

#[testkit::story]
async fn wrong_input_is_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let user = t.user("user").await;
    project.add(&user, 10).await;
    for path in [
        "/search?search=x".to_owned(),
        "/search?scope=issues".into(),
        "/search?scope=nothing&search=x".into(),
        "/search?scope=issues&search=x&state=odd".into(),
        "/search?scope=issues&search=x&sort=up".into(),
        "/search?scope=issues&search=x&order_by=title".into(),
        format!("/search?scope=issues&search={}", "x".repeat(1001)),
        format!(
            "/search?scope=issues&search={}",
            (0..40).map(|n| format!("w{n}+")).collect::<String>()
        ),
        "/groups/acme/search?scope=snippet_titles&search=x".into(),
        project.at("/search?scope=projects&search=x"),
    ] {
        user.get(&path).await.is(400);
    }
    let refused = user.get("/search?scope=nothing&search=x").await.is(400);
    assert_eq!(refused.json()["error"], "scope does not have a valid value");
    // What clients may ask for and is not here is never found.
    let path = "/search?scope=wiki_blobs&search=x";
    assert_eq!(user.get(path).await.is(200).json(), json!([]));
    user.get("/projects/999/search?scope=issues&search=x").await.is(404);
}

#[testkit::story(noon)]
async fn too_many_searches_are_refused(t: TestServer) {
    let user = t.user("user").await;
    let limits = json!({"search_rate_limit": 2, "search_rate_limit_unauthenticated": 1});
    t.admin().put("/application/settings").json(&limits).await.is(200);
    let path = "/search?scope=issues&search=x";
    user.get(path).await.is(200);
    user.get(path).await.is(200);
    let refused = user.get(path).await.is(429);
    assert!(!refused.header("retry-after").is_empty());
    t.admin().get(path).await.is(200);
    t.new_browser().get("/search?q=x").await.is(200);
    t.new_browser().get("/search?q=x").await.is(429);
    t.new_browser().get("/search").await.is(200);
    t.advance(60);
    user.get(path).await.is(200);
    let body = json!({"search_rate_limit": -1});
    t.admin().put("/application/settings").json(&body).await.is(400);
}
