//! Lists of releases, and addresses that lead to one of them.

use super::{fill, released, tagged};
use serde_json::{Value, json};

#[testkit::story(noon)]
async fn releases_are_listed_in_their_order(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    for (tag, at) in [("v2", "2020-02-01"), ("v3", "2099-01-01"), ("v1", "2020-01-01")] {
        let body = json!({"tag_name": tag, "ref": "main", "released_at": at});
        released(&t, &project, body).await;
    }
    let list = |query: &str| t.admin().get(project.at(&format!("/releases{query}")));
    for (query, tags) in [
        ("", vec!["v3", "v2", "v1"]),
        ("?sort=asc", vec!["v1", "v2", "v3"]),
        ("?order_by=created_at", vec!["v1", "v3", "v2"]),
        ("?per_page=1&page=2", vec!["v2"]),
        ("?updated_after=2999-01-01T00:00:00Z", vec![]),
        ("?updated_before=2999-01-01T00:00:00Z&per_page=2", vec!["v3", "v2"]),
    ] {
        assert_eq!(list(query).await.is(200).each("tag_name"), tags, "{query}");
    }
    assert_eq!(list("").await.header("x-total"), "3");
    assert_eq!(list("").await.each("upcoming_release"), [true, false, false]);
    let html = list("?include_html_description=true").await.is(200).each("description_html");
    assert_eq!(html, ["", "", ""]);
    let first = list("?pagination=keyset&per_page=2").await.is(200);
    let next = first.link("next").unwrap();
    let path = next.split_once("/api/v4").unwrap().1.to_owned();
    assert_eq!(t.admin().get(path).await.is(200).each("tag_name"), ["v1"]);
    list("?order_by=name").await.is(400);
}

#[testkit::story(noon)]
async fn the_last_release_has_an_address(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let latest =
        |rest: &str| t.admin().get(project.at(&format!("/releases/permalink/latest{rest}")));
    latest("").await.is(404);
    for (tag, at) in [("v/2", "2020-02-01"), ("v3", "2099-01-01"), ("v1", "2020-01-01")] {
        let body = json!({"tag_name": tag, "ref": "main", "released_at": at});
        released(&t, &project, body).await;
    }
    let link = json!({"name": "a", "url": "https://files.example/ä.zip?x=1", "filepath": "/a.zip"});
    t.admin()
        .post(project.at("/releases/v%2F2/assets/links"))
        .json(&link)
        .await
        .is(201);

    let base = format!("{}/api/v4/projects/{}/releases/v%2F2", t.app().base_url(), project.id);
    let with_token =
        format!("/assets/links?per_page=5&private_token={}", t.admin().token().unwrap());
    for (asked, led) in [
        ("", ""),
        ("/downloads/a.zip", "/downloads/a.zip"),
        ("?order_by=released_at&x=1", "?x=1"),
        (&with_token, "/assets/links?per_page=5"),
    ] {
        assert_eq!(latest(asked).await.is(302).header("location"), format!("{base}{led}"));
    }
    let download =
        |path: &str| t.admin().get(project.at(&format!("/releases/v%2F2/downloads{path}")));
    let led = download("/a.zip").await.is(302);
    assert_eq!(led.header("location"), "https://files.example/%C3%A4.zip?x=1");
    download("/b.zip").await.is(404);
}

#[testkit::story]
async fn a_group_lists_what_its_projects_released(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let below = tagged(&t, "acme/tools/hammer").await;
    released(&t, &below, json!({"tag_name": "v1", "name": "hammer"})).await;
    let open = t.project_with("plaza/fountain", "public").await;
    fill(&t, &open).await;
    released(&t, &open, json!({"tag_name": "v1"})).await;
    let group = t.group("acme").await;
    let list = |query: &str| t.admin().get(group.at(&format!("/releases{query}")));

    assert_eq!(list("").await.is(200).each("name"), ["hammer", "v1"]);
    assert_eq!(list("?sort=asc").await.is(200).each("name"), ["v1", "hammer"]);
    let simple = list("?simple=true&per_page=1").await.is(200).json();
    let keys: Vec<&String> = simple[0].as_object().unwrap().keys().collect();
    let wanted = [
        "created_at",
        "description",
        "name",
        "released_at",
        "tag_name",
        "upcoming_release",
    ];
    let mut sorted = keys.clone();
    sorted.sort();
    assert_eq!(sorted, wanted);

    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let seen = guest.get(group.at("/releases")).await.is(200).json();
    assert_eq!(seen.as_array().map(Vec::len), Some(1));
    assert_eq!((&seen[0]["tag_name"], seen[0].get("commit")), (&Value::Null, None));
    let off = json!({"releases_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    assert_eq!(guest.get(group.at("/releases")).await.is(200).json(), json!([]));
    let outsider = t.user("outsider").await;
    outsider.get(group.at("/releases")).await.is(404);
}

#[testkit::story]
async fn a_promoted_milestone_keeps_its_releases(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let old = t.admin().post(project.at("/milestones")).json(&json!({"title": "1.0"}));
    let old = old.await.is(201).id();
    released(&t, &project, json!({"tag_name": "v1", "milestones": ["1.0"]})).await;
    t.admin().post(project.at(&format!("/milestones/{old}/promote"))).await.is(200);
    let shown = t.admin().get(project.at("/releases/v1")).await.is(200).json();
    let goal = &shown["milestones"][0];
    assert_eq!(
        (&goal["title"], &goal["group_id"]),
        (&json!("1.0"), &json!(t.group("acme").await.id))
    );
}
