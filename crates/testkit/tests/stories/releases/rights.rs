//! Who sees releases, and who writes them.

use super::{fill, released, tagged};
use serde_json::{Value, json};

#[testkit::story]
async fn developers_write_and_maintainers_delete(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let people = ["guest", "reporter", "developer", "maintainer"];
    let mut users = Vec::new();
    for (name, level) in people.iter().zip([10, 20, 30, 40]) {
        let user = t.user(name).await;
        project.add(&user, level).await;
        users.push(user);
    }
    let [guest, reporter, developer, maintainer] = &users[..] else {
        unreachable!("there are four of them")
    };
    let (all, one) = (project.at("/releases"), project.at("/releases/v1"));
    let body = json!({"tag_name": "v1", "description": "x"});

    for user in [guest, reporter] {
        let refused = user.post(&all).json(&body).await.is(403).json();
        assert_eq!(refused, json!({"message": "Access Denied"}));
    }
    t.anonymous().post(&all).json(&body).await.is(401);
    developer.post(&all).json(&body).await.is(201);
    let link = json!({"name": "a", "url": "https://a.example"});
    let links = format!("{one}/assets/links");
    reporter.post(&links).json(&link).await.is(403);
    let link = developer.post(&links).json(&link).await.is(201).id();
    reporter.put(&one).json(&json!({"name": "x"})).await.is(403);
    reporter.post(format!("{one}/evidence")).await.is(403);
    reporter.get(&one).await.is(200);
    developer.put(&one).json(&json!({"name": "One"})).await.is(200);
    developer.delete(format!("{links}/{link}")).await.is(200);
    developer.delete(&one).await.is(403);
    maintainer.delete(&one).await.is(200);
    t.admin().post(project.at("/archive")).await.is(201);
    developer.post(&all).json(&body).await.is(403);
}

#[testkit::story]
async fn guests_of_private_projects_read_without_source(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let link = json!({"name": "a", "url": "https://a.example", "filepath": "/a"});
    let body = json!({"tag_name": "v1", "description": "x", "assets": {"links": [link]}});
    released(&t, &project, body).await;

    let seen = guest.get(project.at("/releases")).await.is(200);
    let told = seen.text();
    let seen = &seen.json()[0];
    for key in ["tag_name", "commit", "evidences", "tag_path", "commit_path"] {
        assert!(seen.get(key).is_none(), "{key}");
    }
    assert_eq!(seen["assets"].get("sources"), None);
    assert_eq!((&seen["assets"]["count"], &seen["description"]), (&json!(1), &json!("x")));
    assert_eq!(seen["assets"]["links"][0]["direct_asset_url"], "https://a.example");
    assert_eq!(seen["_links"], json!({}));
    assert!(!told.contains("v1"), "{told}");
    assert!(seen["name"].as_str().unwrap_or_default().starts_with("Release-"));
    guest.get(project.at("/releases/v1")).await.is(403);
    guest.get(project.at("/releases/v1/assets/links")).await.is(403);
    guest.get(project.at("/releases/permalink/latest")).await.is(403);
}

#[testkit::story]
async fn releases_may_be_for_members_or_off(t: testkit::TestServer) {
    let project = t.project_with("plaza/fountain", "public").await;
    fill(&t, &project).await;
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let (list, tag) = (project.at("/releases"), project.at("/repository/tags/v1"));
    let set = async |level: &str| {
        let body = json!({"releases_access_level": level});
        t.admin().put(project.at("")).json(&body).await.is(200);
    };
    assert_eq!(t.anonymous().get(&list).await.is(200).each("tag_name"), ["v1"]);
    assert_eq!(t.anonymous().get(&tag).await.is(200).json()["release"]["tag_name"], "v1");
    set("private").await;
    t.anonymous().get(&list).await.is(403);
    assert_eq!(t.anonymous().get(&tag).await.is(200).json().get("release"), None);
    t.admin().get(&list).await.is(200);
    set("disabled").await;
    t.admin().get(&list).await.is(403);
    let body = json!({"tag_name": "v2", "ref": "main"});
    t.admin().post(&list).json(&body).await.is(403);
}

#[testkit::story]
async fn a_protected_tag_guards_its_release(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let developer = t.user("developer").await;
    project.add(&developer, 30).await;
    let rule = json!({"name": "v*", "create_access_level": 40});
    t.admin().post(project.at("/protected_tags")).json(&rule).await.is(201);
    let all = project.at("/releases");
    let text = "You are not allowed to create this tag as it is protected.";
    for tag in ["v1", "v2"] {
        let body = json!({"tag_name": tag, "ref": "main"});
        let refused = developer.post(&all).json(&body).await.is(403).json();
        assert_eq!(refused, json!({"message": text}), "{tag}");
    }
    t.admin().get(project.at("/repository/tags/v2")).await.is(404);
    developer
        .post(&all)
        .json(&json!({"tag_name": "x1", "ref": "main"}))
        .await
        .is(201);
    released(&t, &project, json!({"tag_name": "v1"})).await;
    let one = project.at("/releases/v1");
    developer.put(&one).json(&json!({"name": "x"})).await.is(403);
    let link = json!({"name": "a", "url": "https://a.example"});
    developer.post(format!("{one}/assets/links")).json(&link).await.is(403);
}

#[testkit::story]
async fn a_token_may_read_without_writing(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let reader = t.token_of(1, &["read_api"]).await;
    reader.get(project.at("/releases")).await.is(200);
    reader
        .post(project.at("/releases"))
        .json(&json!({"tag_name": "v1"}))
        .await
        .is(403);
    let with = t.anonymous().get(project.at("/releases")).header("job-token", "x");
    with.await.is(401);
    let gone = t.user("leaver").await;
    project.add(&gone, 40).await;
    gone.post(project.at("/releases"))
        .json(&json!({"tag_name": "v1"}))
        .await
        .is(201);
    t.admin().delete(format!("/users/{}", gone.id)).await.is(204);
    t.settle().await;
    let shown = t.admin().get(project.at("/releases/v1")).await.is(200).json();
    assert_ne!(shown["author"]["username"], "leaver");
    assert!(shown["author"] == Value::Null || shown["author"]["username"].is_string());
}
