//! What people did, told with a project of two people.

mod feeds;
mod members;
mod merge_requests;
mod pages;
mod paging;
mod seen;

use serde_json::{Value, json};
use testkit::{Client, TestServer};
use testkit::{TestProject, TestUser};

/// What was done, by its words, and to what, the newest first.
async fn deeds(client: &Client, path: &str) -> Vec<(String, String)> {
    let events = client.get(path).await.is(200).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let deed = |event: &Value| (text(&event["action_name"]), text(&event["target_title"]));
    events.as_array().expect("a list").iter().map(deed).collect()
}

fn deed(action: &str, title: &str) -> (String, String) {
    (action.to_owned(), title.to_owned())
}

async fn workshop(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    project.add(&joe, 10).await;
    (project, jane, joe)
}

#[testkit::story]
async fn each_deed_is_written_down_with_it(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let issue = jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "Bent."}))
        .await
        .is(201);
    let close = |event: &str| json!({"state_event": event});
    jane.put(project.at("/issues/1")).json(&close("close")).await.is(200);
    jane.put(project.at("/issues/1")).json(&close("reopen")).await.is(200);
    // A new title is no deed.
    jane.put(project.at("/issues/1"))
        .json(&json!({"title": "A hinge"}))
        .await
        .is(200);
    let milestone = jane.post(project.at("/milestones")).json(&json!({"title": "1.0"})).await;
    let milestone = project.at(&format!("/milestones/{}", milestone.is(201).id()));
    jane.put(&milestone).json(&json!({"state_event": "close"})).await.is(200);
    jane.delete(&milestone).await.is(204);

    let expected = [
        deed("destroyed", "1.0"),
        deed("closed", "1.0"),
        deed("opened", "1.0"),
        deed("opened", "A hinge"),
        deed("closed", "A hinge"),
        deed("commented on", "A hinge"),
        deed("opened", "A hinge"),
        deed("joined", ""),
    ];
    assert_eq!(deeds(&jane, "/events").await, expected);
    assert_eq!(deeds(&jane, &format!("/users/{}/events", jane.id)).await, expected);
    assert_eq!(deeds(&jane, "/users/jane/events").await, expected);
    // Joe joined besides, and somebody made the project.
    let all = deeds(&jane, &project.at("/events")).await;
    assert_eq!(all[..7], expected[..7]);
    assert_eq!(all[7..], [deed("joined", ""), deed("joined", ""), deed("created", "")]);
    assert_eq!(deeds(&jane, "/events?scope=all").await, all);

    let events = jane.get("/events").await.is(200).json();
    let opened = &events[6];
    let keys: Vec<&String> = opened.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "title",
            "project_id",
            "action_name",
            "target_id",
            "target_iid",
            "target_type",
            "author_id",
            "target_title",
            "created_at",
            "author",
            "imported",
            "imported_from",
            "author_username",
            "data",
        ]
    );
    assert_eq!(
        (&opened["target_type"], &opened["target_id"], &opened["target_iid"]),
        (&json!("Issue"), &json!(issue.id()), &json!(1))
    );
    assert_eq!(
        (&opened["project_id"], &opened["author"]["username"], &opened["imported_from"]),
        (&json!(project.id), &json!("jane"), &json!("none"))
    );
    let comment = &events[5];
    assert_eq!(
        (
            &comment["target_type"],
            &comment["note"]["body"],
            &comment["note"]["noteable_iid"]
        ),
        (&json!("Note"), &json!("Bent."), &json!(1))
    );
    assert_eq!(comment["target_iid"], comment["target_id"]);
    let joined = &events[7];
    assert_eq!((&joined["target_type"], &joined["target_id"]), (&Value::Null, &Value::Null));
}

#[testkit::story]
async fn lists_are_narrowed(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    for title in ["One", "Two"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    jane.post(project.at("/issues/2/notes"))
        .json(&json!({"body": "Yes."}))
        .await
        .is(201);

    for (query, expected) in [
        (
            "action=created&target_type=issue",
            vec![deed("opened", "Two"), deed("opened", "One")],
        ),
        ("action=closed", vec![deed("closed", "One")]),
        ("target_type=note", vec![deed("commented on", "Two")]),
        ("action=commented", vec![deed("commented on", "Two")]),
        ("target_type=user", vec![deed("joined", "")]),
        ("target_type=epic", vec![]),
        ("target_type=merge_request", vec![]),
        ("action=pushed", vec![]),
        ("action=created&sort=asc", vec![deed("opened", "One"), deed("opened", "Two")]),
    ] {
        assert_eq!(deeds(&jane, &format!("/events?{query}")).await, expected, "{query}");
    }
    for wrong in [
        "action=opened",
        "target_type=Issue",
        "before=abc",
        "after=2026-13-01",
        "sort=up",
        "scope=mine",
    ] {
        jane.get(format!("/events?{wrong}")).await.is(400);
    }
}

#[testkit::story(noon)]
async fn both_days_are_left_out(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let days: Vec<String> = (0..3)
        .map(|ahead| {
            let at = t.now() + std::time::Duration::from_secs(ahead * 86_400);
            at.to_string()[..10].to_owned()
        })
        .collect();
    for (number, title) in ["First", "Second", "Third"].into_iter().enumerate() {
        if number > 0 {
            t.advance(86_400);
        }
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    let titles = async |query: String| -> Vec<String> {
        let path = format!("/events?target_type=issue&{query}");
        deeds(&jane, &path).await.into_iter().map(|(_, title)| title).collect()
    };
    assert_eq!(titles(format!("before={}", days[1])).await, ["First"]);
    assert_eq!(titles(format!("after={}", days[1])).await, ["Third"]);
    assert_eq!(titles(format!("after={}&before={}", days[0], days[2])).await, ["Second"]);
    assert_eq!(titles(format!("after={}&before={}", days[2], days[0])).await, [""; 0]);
    assert_eq!(titles("before=1970-01-01".into()).await, [""; 0]);
    assert_eq!(titles("after=9999-12-31".into()).await, [""; 0]);
    assert_eq!(titles("before=9999-12-31&after=0001-01-01".into()).await.len(), 3);
}

#[testkit::story]
async fn packages_are_told_of_where_they_are_asked_for(t: TestServer) {
    let (project, jane, joe) = workshop(&t).await;
    let package = project.generic_package("hammer", "1.0").await;
    assert_eq!(
        deeds(&jane, &project.at("/events?target_type=package")).await,
        [deed("opened", "hammer 1.0")]
    );
    assert_eq!(deeds(&jane, &project.at("/events?action=created&target_type=issue")).await, []);
    // A guest of a private project reads no packages.
    assert_eq!(deeds(&joe, &project.at("/events?target_type=package")).await, []);
    t.admin().delete(project.at(&format!("/packages/{}", package.id))).await.is(204);
    assert_eq!(
        deeds(&jane, &project.at("/events?target_type=package")).await,
        [deed("destroyed", "hammer 1.0"), deed("opened", "hammer 1.0")]
    );
}

#[testkit::story]
async fn what_is_gone_is_told_no_more(t: TestServer) {
    let (project, jane, _) = workshop(&t).await;
    let owner = t.admin();
    for title in ["Stays", "Goes"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    for number in [1, 2] {
        let notes = project.at(&format!("/issues/{number}/notes"));
        jane.post(&notes).json(&json!({"body": "Yes."})).await.is(201);
    }
    owner.delete(project.at("/issues/2")).await.is(204);
    let expected = [deed("commented on", "Stays"), deed("opened", "Stays"), deed("joined", "")];
    assert_eq!(deeds(&jane, "/events").await, expected);
    let note = jane.get(project.at("/issues/1/notes")).await.is(200).json()[0]["id"].clone();
    jane.delete(project.at(&format!("/issues/1/notes/{note}"))).await.is(204);
    assert_eq!(deeds(&jane, "/events").await, expected[1..]);
    owner.delete(format!("/users/{}?hard_delete=true", jane.id)).await.is(204);
    t.settle().await;
    assert_eq!(deeds(&owner, &project.at("/events?target_type=issue")).await, []);
}
