//! Links of releases.

use super::{released, tagged};
use serde_json::{Value, json};

#[testkit::story]
async fn links_are_added_changed_and_removed(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let all = project.at("/releases/v1/assets/links");
    let body = json!({"name": "hammer", "url": "https://files.example/h.zip",
        "filepath": "/h.zip", "link_type": "image"});
    let made = t.admin().post(&all).json(&body).await.is(201);
    let one = format!("{all}/{}", made.id());
    let base = t.app().base_url();
    let direct = format!("{base}/acme/anvil/-/releases/v1/downloads/h.zip");
    let whole = json!({"id": made.id(), "name": "hammer", "url": "https://files.example/h.zip",
        "direct_asset_url": direct, "link_type": "image"});
    assert_eq!(made.json(), whole);
    assert_eq!(t.admin().get(&one).await.is(200).json(), whole);
    let other = json!({"name": "other", "url": "ftp://files.example/o"});
    t.admin().post(&all).json(&other).await.is(201);
    assert_eq!(t.admin().get(&all).await.is(200).each("name"), ["other", "hammer"]);
    assert_eq!(t.admin().get(format!("{all}?per_page=1")).await.is(200).each("name"), ["other"]);

    let put = |body: Value| t.admin().put(&one).json(&body);
    let changed = put(json!({"name": "Hammer", "link_type": "package"})).await.is(200).json();
    assert_eq!((&changed["name"], &changed["link_type"]), (&json!("Hammer"), &json!("package")));
    assert_eq!(changed["direct_asset_url"], direct);
    let moved = put(json!({"direct_asset_path": null})).await.is(200).json();
    assert_eq!(moved["direct_asset_url"], "https://files.example/h.zip");
    put(json!({})).await.is(400);
    put(json!({"link_type": "nothing"})).await.is(400);

    assert_eq!(t.admin().delete(&one).await.is(200).json()["name"], "Hammer");
    t.admin().get(&one).await.is(404);
    t.admin().delete(&one).await.is(404);
}

#[testkit::story]
async fn links_of_a_release_are_told_apart(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let all = project.at("/releases/v1/assets/links");
    let first = json!({"name": "a", "url": "https://a.example", "filepath": "/a"});
    t.admin().post(&all).json(&first).await.is(201);
    let taken = json!(["has already been taken"]);
    for (body, problems) in [
        (json!({"name": "a", "url": "https://b.example"}), json!({"name": taken})),
        (json!({"name": "b", "url": "https://a.example"}), json!({"url": taken})),
        (
            json!({"name": "b", "url": "https://b.example", "filepath": "/a"}),
            json!({"filepath": taken}),
        ),
        (
            json!({"name": "b", "url": "https://b.example", "filepath": "../a"}),
            json!({"filepath": ["is invalid"]}),
        ),
        (
            json!({"name": "", "url": "//host"}),
            json!({"name": ["can't be blank"], "url": ["must be a valid URL"]}),
        ),
    ] {
        let refused = t.admin().post(&all).json(&body).await.is(400).json();
        assert_eq!(refused["message"], problems, "{body}");
    }
    let second = json!({"name": "b", "url": "https://b.example"});
    let second = t.admin().post(&all).json(&second).await.is(201).id();
    let refused = t.admin().put(format!("{all}/{second}")).json(&json!({"name": "a"}));
    assert_eq!(refused.await.is(400).json()["message"], json!({"name": taken}));
    let missing = project.at("/releases/none/assets/links");
    t.admin().post(missing).json(&first).await.is(404);
}
