//! What moves a project's last activity, filters of what no project has, and
//! changes that say nothing.

use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

async fn last_activity(t: &TestServer, project: &TestProject) -> Value {
    t.admin().get(project.at("")).await.is(200).json()["last_activity_at"].clone()
}

#[testkit::story(noon)]
async fn work_moves_the_last_activity_and_settings_do_not(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let begun = last_activity(&t, &project).await;
    t.advance(60);
    admin.put(project.at("")).json(&json!({"description": "Heavy"})).await.is(200);
    admin.put(project.at("")).json(&json!({"name": "Anvil 2"})).await.is(200);
    assert_eq!(last_activity(&t, &project).await, begun);

    admin.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    assert_eq!(last_activity(&t, &project).await, "2031-05-06T12:01:00.000Z");
    t.advance(60);
    admin
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "Oil"}))
        .await
        .is(201);
    assert_eq!(last_activity(&t, &project).await, "2031-05-06T12:02:00.000Z");
    t.advance(60);
    admin
        .put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    assert_eq!(last_activity(&t, &project).await, "2031-05-06T12:03:00.000Z");
    t.advance(60);
    let file = project.at("/packages/generic/hammer/1.0/file.bin");
    admin.put(&file).bytes("bytes").await.is(201);
    assert_eq!(last_activity(&t, &project).await, "2031-05-06T12:04:00.000Z");
    admin.get(file).await.is(200);
    assert_eq!(last_activity(&t, &project).await, "2031-05-06T12:04:00.000Z");
}

#[testkit::story]
async fn filters_of_what_no_project_has_find_none(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    for (query, count) in [
        ("with_programming_language=Rust", 0),
        ("with_programming_language=", 1),
        ("imported=true", 0),
        ("imported=false", 1),
        ("marked_for_deletion_on=2031-05-06", 0),
    ] {
        for list in ["/projects", "/groups/acme/projects"] {
            let found = admin.get(format!("{list}?{query}")).await.is(200).each("id");
            assert_eq!(found, vec![json!(project.id); count], "{list}?{query}");
        }
    }
    for wrong in ["imported=perhaps", "marked_for_deletion_on=someday"] {
        admin.get(format!("/projects?{wrong}")).await.is(400);
    }
}

#[testkit::story]
async fn a_change_of_a_project_says_something(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, stranger) = (t.user("guest").await, t.user("stranger").await);
    project.add(&guest, 10).await;

    let empty = t.admin().put(project.at("")).await.is(400).json();

    let text = empty["error"].as_str().expect("a text");
    assert!(text.starts_with("name, path, description, "), "{text}");
    assert!(
        text.ends_with(" are missing, at least one parameter must be provided"),
        "{text}"
    );
    t.admin().put(project.at("")).json(&json!({})).await.is(400);
    guest.put(project.at("")).await.is(403);
    stranger.put(project.at("")).await.is(404);
    // What other versions know is ignored as before.
    t.admin().put(project.at("")).json(&json!({"lfs_enabled": true})).await.is(200);
}
