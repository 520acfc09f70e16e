//! Notes, discussions, reactions.

use serde_json::{Value, json};

#[testkit::story]
async fn a_note_is_written_changed_and_removed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let notes = project.at("/issues/1/notes");
    let made = joe.post(&notes).json(&json!({"body": "Oil it"})).await.is(201);
    let note = made.json();
    assert_eq!(
        (&note["body"], &note["type"], &note["system"]),
        (&json!("Oil it"), &Value::Null, &json!(false))
    );
    assert_eq!((&note["noteable_type"], &note["noteable_iid"]), (&json!("Issue"), &json!(1)));
    assert_eq!(
        (&note["author"]["username"], &note["resolvable"]),
        (&json!("joe"), &json!(false))
    );
    assert_eq!(note["commands_changes"], json!({}));
    assert_eq!(jane.get(project.at("/issues/1")).await.json()["user_notes_count"], 1);

    let one = format!("{notes}/{}", made.id());
    jane.put(&one).json(&json!({"body": "mine"})).await.is(403);
    assert_eq!(
        joe.put(&one).json(&json!({"body": "Twice"})).await.is(200).json()["body"],
        "Twice"
    );
    let refused = joe.put(&one).json(&json!({"body": " "})).await.is(400);
    assert_eq!(
        refused.json()["message"],
        "400 Bad request - Note {\"note\"=>[\"can't be blank\"]}"
    );
    jane.delete(&one).await.is(403);
    t.admin().delete(&one).await.is(204);
    let gone = joe.get(&one).await.is(404);
    assert_eq!(gone.json()["message"], "404 Note Not Found");
    assert_eq!(jane.get(project.at("/issues/1")).await.json()["user_notes_count"], 0);
}

#[testkit::story]
async fn the_program_tells_what_happened(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let change = json!({"title": "Door", "confidential": true, "assignee_ids": [1], "due_date": "2031-02-01"});
    admin.put(project.at("/issues/1")).json(&change).await.is(200);
    let told = admin.get(project.at("/issues/1/notes?sort=asc")).await.is(200);
    assert_eq!(
        told.each("body"),
        [
            json!("changed title from **Hinge** to **Door**"),
            json!("made the issue confidential"),
            json!("changed due date to February 1, 2031"),
            json!("assigned to @root"),
        ]
    );
    assert!(told.each("system").iter().all(|system| system == &json!(true)));
    let id = told.json()[0]["id"].clone();
    admin
        .put(project.at(&format!("/issues/1/notes/{id}")))
        .json(&json!({"body": "x"}))
        .await
        .is(403);
    admin.delete(project.at(&format!("/issues/1/notes/{id}"))).await.is(403);
    assert_eq!(admin.get(project.at("/issues/1")).await.json()["user_notes_count"], 0);
    let people = admin
        .get(project.at("/issues/1/notes?activity_filter=only_comments"))
        .await
        .is(200);
    assert_eq!(people.json(), json!([]));
}

#[testkit::story]
async fn internal_notes_stay_among_reporters(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    guest.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let notes = project.at("/issues/1/notes");
    guest
        .post(&notes)
        .json(&json!({"body": "psst", "internal": true}))
        .await
        .is(403);
    let made = reporter
        .post(&notes)
        .json(&json!({"body": "psst @guest", "internal": true}))
        .await
        .is(201);
    let discussion =
        reporter.get(project.at("/issues/1/discussions")).await.json()[0]["id"].clone();
    let discussion = discussion.as_str().unwrap_or_default();
    guest.get(format!("{notes}/{}", made.id())).await.is(404);
    guest
        .get(project.at(&format!("/issues/1/discussions/{discussion}")))
        .await
        .is(404);
    for list in [notes.clone(), project.at("/issues/1/discussions")] {
        let seen = guest.get(&list).await.is(200);
        assert_eq!((seen.json(), seen.header("x-total")), (json!([]), "0"));
    }
    assert_eq!(guest.get(project.at("/issues/1")).await.json()["user_notes_count"], 0);
    assert_eq!(reporter.get(project.at("/issues/1")).await.json()["user_notes_count"], 1);
    assert_eq!(guest.get("/todos").await.is(200).json(), json!([]));
    let participants = guest.get(project.at("/issues/1/participants")).await.is(200);
    assert_eq!(participants.each("username"), [json!("guest")]);
}

#[testkit::story]
async fn a_discussion_is_answered(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let discussions = project.at("/issues/1/discussions");
    let begun = admin
        .post(&discussions)
        .json(&json!({"body": "Which oil?"}))
        .await
        .is(201)
        .json();
    let id = begun["id"].as_str().expect("an id").to_owned();
    assert_eq!((id.len(), &begun["individual_note"]), (40, &json!(false)));
    let answer = admin
        .post(format!("{discussions}/{id}/notes"))
        .json(&json!({"body": "Brown"}))
        .await
        .is(201)
        .json();
    assert_eq!(answer["type"], "DiscussionNote");
    let alone = admin
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "alone"}))
        .await
        .is(201)
        .json();
    let listed = admin.get(&discussions).await.is(200);
    assert_eq!(listed.each("individual_note"), [json!(false), json!(true)]);
    assert_eq!(listed.json()[0]["notes"].as_array().map(Vec::len), Some(2));
    admin.get(format!("{discussions}/{id}/notes/{}", alone["id"])).await.is(404);
    admin.delete(format!("{discussions}/{id}/notes/{}", answer["id"])).await.is(204);
    admin
        .post(format!("{discussions}/{}/notes", "0".repeat(40)))
        .json(&json!({"body": "x"}))
        .await
        .is(404);
}

#[testkit::story]
async fn a_locked_discussion_is_for_members(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (guest, outsider) = (t.user("guest").await, t.user("outsider").await);
    project.add(&guest, 10).await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let notes = project.at("/issues/1/notes");
    outsider.post(&notes).json(&json!({"body": "hello"})).await.is(201);
    t.anonymous().post(&notes).json(&json!({"body": "hello"})).await.is(401);
    t.admin()
        .put(project.at("/issues/1"))
        .json(&json!({"discussion_locked": true}))
        .await
        .is(200);
    outsider.post(&notes).json(&json!({"body": "hello"})).await.is(403);
    outsider
        .post(project.at("/issues/1/award_emoji"))
        .json(&json!({"name": "rocket"}))
        .await
        .is(403);
    guest.post(&notes).json(&json!({"body": "hello"})).await.is(201);
}

#[testkit::story]
async fn reactions_are_counted_once(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 10).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let awards = project.at("/issues/1/award_emoji");
    let made = jane.post(&awards).json(&json!({"name": "+1"})).await.is(201);
    assert_eq!(
        (&made.json()["name"], &made.json()["awardable_type"]),
        (&json!("thumbsup"), &json!("Issue"))
    );
    jane.post(&awards).json(&json!({"name": "thumbsup"})).await.is(404);
    jane.post(&awards).json(&json!({"name": "no_such_thing"})).await.is(404);
    joe.post(&awards).json(&json!({"name": "thumbsup"})).await.is(201);
    joe.post(&awards).json(&json!({"name": "thumbsdown"})).await.is(201);
    let issue = jane.get(project.at("/issues/1")).await.json();
    assert_eq!((&issue["upvotes"], &issue["downvotes"]), (&json!(2), &json!(1)));
    let one = format!("{awards}/{}", made.id());
    joe.delete(&one).await.is(401);
    jane.delete(&one).await.is(204);
    jane.get(&one).await.is(404);
    assert_eq!(jane.get(project.at("/issues/1")).await.json()["upvotes"], 1);
    t.admin().delete(format!("/users/{}", joe.id)).await.is(204);
    t.settle().await;
    let issue = jane.get(project.at("/issues/1")).await.json();
    assert_eq!((&issue["upvotes"], &issue["downvotes"]), (&json!(0), &json!(0)));
}

#[testkit::story]
async fn commands_are_carried_out_as_far_as_one_may(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let body = json!({"title": "Hinge", "description": "Oil it\n/label ~bug\n/assign @reporter\n/weight 3"});
    let made = reporter.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(
        (&made["description"], &made["labels"], &made["weight"]),
        (&json!("Oil it"), &json!(["bug"]), &json!(3))
    );
    assert_eq!(made["assignee"]["username"], "reporter");

    let notes = project.at("/issues/1/notes");
    let done = reporter
        .post(&notes)
        .json(&json!({"body": "/close\n/estimate 1d\n/due 2031-02-01\n/unlabel"}))
        .await
        .is(202)
        .json();
    assert_eq!(done["commands_changes"]["state_event"], "close");
    assert_eq!(done["summary"].as_array().map(Vec::len), Some(4));
    let issue = reporter.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (&issue["state"], &issue["labels"], &issue["due_date"]),
        (&json!("closed"), &json!([]), &json!("2031-02-01"))
    );
    assert_eq!(issue["time_stats"]["time_estimate"], 28_800);

    let said = guest
        .post(&notes)
        .json(&json!({"body": "Please\n/reopen\n/label ~mine\n/relate #1\n/title"}))
        .await
        .is(201)
        .json();
    assert_eq!((&said["body"], &said["commands_changes"]), (&json!("Please"), &json!({})));
    assert_eq!(reporter.get(project.at("/issues/1")).await.json()["state"], "closed");
    guest.post(&notes).json(&json!({"body": "```\n/close\n```"})).await.is(201);
    reporter.post(&notes).json(&json!({"body": ""})).await.is(400);
}
