//! Releases are made, shown, changed and deleted.

use super::{released, tagged};
use serde_json::{Value, json};

#[testkit::story(noon)]
async fn a_release_is_made_of_a_tag(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let base = t.app().base_url().to_owned();
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let issue = json!({"title": "horn", "milestone_id": 1});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    let body = json!({
        "tag_name": "v1", "name": "The first", "description": "It *rings*.",
        "milestones": ["1.0"],
        "assets": {"links": [
            {"name": "hammer", "url": "https://files.example/hammer.zip",
                "direct_asset_path": "/bin/hammer.zip", "link_type": "package"},
            {"name": "notes", "url": "https://files.example/notes"},
        ]},
    });

    let made = released(&t, &project, body).await.json();

    let sha = made["commit"]["id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(made["commit"]["message"], "Begin\n\nmore");
    assert_eq!(made["commit"]["title"], "Begin");
    assert_eq!(made["commit"]["web_url"], format!("{base}/acme/anvil/-/commit/{sha}"));
    assert_eq!((&made["name"], &made["tag_name"]), (&json!("The first"), &json!("v1")));
    assert_eq!(made["created_at"], made["released_at"]);
    assert_eq!(made["upcoming_release"], false);
    assert_eq!(made["author"]["username"], "root");
    assert_eq!(made["milestones"][0]["title"], "1.0");
    assert_eq!(made["milestones"][0]["issue_stats"], json!({"total": 1, "closed": 0}));
    assert_eq!(made["commit_path"], format!("/acme/anvil/-/commit/{sha}"));
    assert_eq!(made["tag_path"], "/acme/anvil/-/tags/v1");
    assert_eq!(made["assets"]["count"], 6);
    let archive = format!("{base}/acme/anvil/-/archive/v1/anvil-v1");
    let sources = ["zip", "tar.gz", "tar.bz2", "tar"]
        .map(|format| json!({"format": format, "url": format!("{archive}.{format}")}));
    assert_eq!(made["assets"]["sources"], json!(sources));
    let links = &made["assets"]["links"];
    assert_eq!(links[0]["name"], "hammer");
    let direct = format!("{base}/acme/anvil/-/releases/v1/downloads/bin/hammer.zip");
    assert_eq!(links[0]["direct_asset_url"], direct);
    assert_eq!(links[0]["link_type"], "package");
    assert_eq!(links[1]["direct_asset_url"], "https://files.example/notes");
    assert_eq!(links[1]["link_type"], "other");
    let page = format!("{base}/acme/anvil/-/releases/v1");
    assert_eq!(made["_links"]["self"], page);
    assert_eq!(made["_links"]["edit_url"], format!("{page}/edit"));
    let closed = format!("{base}/acme/anvil/-/issues?release_tag=v1&scope=all&state=closed");
    assert_eq!(made["_links"]["closed_issues_url"], closed);
    assert!(made.get("description_html").is_none());

    let shown = t.admin().get(project.at("/releases/v1?include_html_description=true")).await;
    let mut shown = shown.is(200).json();
    let html = shown["description_html"].take();
    assert_eq!(html.as_str().unwrap_or_default().trim(), "<p>It <em>rings</em>.</p>");
    shown.as_object_mut().unwrap().remove("description_html");
    assert_eq!(shown, made);
    let missing = t.admin().get(project.at("/releases/none")).await.is(404).json();
    assert_eq!(missing, json!({"message": "404 Not found"}));
}

#[testkit::story]
async fn a_release_makes_the_tag_it_lacks(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let post = |body: Value| t.admin().post(project.at("/releases")).json(&body);
    let refused =
        async |status: u16, body: Value| post(body).await.is(status).json()["message"].clone();

    assert_eq!(refused(422, json!({"tag_name": "v2"})).await, "Ref is not specified");
    let wrong = json!({"tag_name": "v2", "ref": "nowhere"});
    assert_eq!(refused(422, wrong).await, "Target nowhere is invalid");
    let wrong = json!({"tag_name": "a..b", "ref": "main"});
    assert_eq!(refused(422, wrong).await, "Tag name invalid");
    let body = json!({"tag_name": "v/2", "ref": "main", "tag_message": "second"});
    let made = post(body.clone()).await.is(201).json();
    assert_eq!((&made["name"], &made["description"]), (&json!("v/2"), &Value::Null));
    assert_eq!(refused(409, body).await, "Release already exists");

    let tag = t.admin().get(project.at("/repository/tags/v%2F2")).await.is(200).json();
    assert_eq!(tag["message"], "second");
    assert_eq!(tag["release"], json!({"tag_name": "v/2", "description": null}));
    assert_eq!(made["commit"]["id"], tag["commit"]["id"]);
    let found = t.admin().get(project.at("/releases/v%2F2")).await.is(200).json();
    let base = t.app().base_url();
    assert_eq!(found["_links"]["self"], format!("{base}/acme/anvil/-/releases/v%2F2"));
    assert_eq!(
        found["assets"]["sources"][0]["url"],
        format!("{base}/acme/anvil/-/archive/v/2/anvil-v-2.zip")
    );
}

#[testkit::story]
async fn what_is_wrong_with_a_release_is_said(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let other = t.project("acme/other").await;
    let elsewhere = t.admin().post(other.at("/milestones")).json(&json!({"title": "x"}));
    let elsewhere = elsewhere.await.is(201).id();
    let long = "a".repeat(256);
    for (body, status, message) in [
        (
            json!({"milestones": ["1.0", "a", "b"]}),
            400,
            json!("Milestone(s) not found: a, b"),
        ),
        (
            json!({"milestone_ids": [elsewhere]}),
            400,
            json!(format!("Milestone id(s) not found: {elsewhere}")),
        ),
        (
            json!({"milestone_ids": [1], "milestones": ["1.0"]}),
            400,
            json!("Cannot specify milestones and milestone_ids at the same time"),
        ),
        (
            json!({"name": long}),
            400,
            json!({"name": ["is too long (maximum is 255 characters)"]}),
        ),
        (
            json!({"assets": {"links": [{"name": "a", "url": "javascript:alert(1)"}]}}),
            400,
            json!({"url": ["is blocked: Only allowed schemes are http, https, ftp"]}),
        ),
        (
            json!({"assets": {"links": [
                {"name": "a", "url": "https://a.example"}, {"name": "a", "url": "https://b.example"},
            ]}}),
            400,
            json!({"name": ["has already been taken"]}),
        ),
    ] {
        let mut body = body;
        body["tag_name"] = json!("v9");
        body["ref"] = json!("main");
        let refused = t.admin().post(project.at("/releases")).json(&body).await.is(status);
        assert_eq!(refused.json()["message"], message, "{body}");
    }
    t.admin().get(project.at("/repository/tags/v9")).await.is(404);
    let wrong = t.admin().post(project.at("/releases")).json(&json!({})).await.is(400);
    assert_eq!(wrong.json()["error"], "tag_name is missing");
}

#[testkit::story(noon)]
async fn a_release_is_changed_and_deleted(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let one = project.at("/releases/v1");
    let put = |body: Value| t.admin().put(&one).json(&body);
    let refused = put(json!({"name": "x"})).await.is(404).json();
    assert_eq!(refused["message"], "Release does not exist");
    let refused = t.admin().put(project.at("/releases/v2")).json(&json!({"name": "x"}));
    assert_eq!(refused.await.is(404).json()["message"], "Tag does not exist");
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    released(&t, &project, json!({"tag_name": "v1", "milestone_ids": [1]})).await;
    assert_eq!(put(json!({})).await.is(400).json()["message"], "params is empty");

    let body = json!({"name": "One", "description": "new", "released_at": "2020-01-02T03:04:05Z"});
    let changed = put(body).await.is(200).json();
    assert_eq!((&changed["name"], &changed["description"]), (&json!("One"), &json!("new")));
    assert_eq!(changed["released_at"], "2020-01-02T03:04:05.000Z");
    assert_eq!(changed["milestones"][0]["title"], "1.0");
    let cleared = put(json!({"milestones": [], "name": null})).await.is(200).json();
    assert_eq!((&cleared["milestones"], &cleared["name"]), (&json!([]), &json!("v1")));
    assert_eq!(cleared["description"], "new");

    let gone = t.admin().delete(&one).await.is(200).json();
    assert_eq!((&gone["tag_name"], &gone["description"]), (&json!("v1"), &json!("new")));
    t.admin().get(&one).await.is(404);
    t.admin().delete(&one).await.is(404);
    let tag = t.admin().get(project.at("/repository/tags/v1")).await.is(200).json();
    assert_eq!(tag["release"], Value::Null);
    let audit = t.admin().get("/audit_events").await.is(200).text();
    for action in ["create", "update", "destroy"] {
        assert!(audit.contains(&format!("release.{action}")), "{action}");
    }
}
