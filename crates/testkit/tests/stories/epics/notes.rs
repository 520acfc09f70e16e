//! Notes, discussions, reactions and events of epics.

use super::{made, several};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn notes_and_discussions_take_the_id_of_an_epic(t: TestServer) {
    let (other, group) = (t.group("other").await, t.group("acme").await);
    let admin = t.admin();
    several(&admin, &other, &["x", "y", "z"]).await;
    let jane = t.user("jane").await;
    group.add(&jane, 10).await;
    let epic = made(&admin, &group, json!({"title": "Ship it"})).await;
    let id = epic["id"].as_i64().unwrap();
    assert_ne!(id, 1);
    let at = |rest: &str| group.at(&format!("/epics/{id}{rest}"));

    let note = jane.post(at("/notes")).json(&json!({"body": "hello"})).await.is(201).json();
    assert_eq!((&note["noteable_type"], &note["noteable_id"]), (&json!("Epic"), &json!(id)));
    assert_eq!((&note["project_id"], note.get("noteable_iid")), (&Value::Null, None));
    assert_eq!(jane.get(at("/notes")).await.is(200).each("body"), ["hello"]);
    // The number does as well, where no epic of the group has it as its id.
    assert_eq!(jane.get(group.at("/epics/1/notes")).await.is(200).each("body"), ["hello"]);
    // Another group's epic has that id.
    assert_eq!(
        jane.get(group.at("/epics/2/notes")).await.is(404).json()["message"],
        "404 Not found"
    );
    let one = at(&format!("/notes/{}", note["id"]));
    let changed = jane.put(&one).json(&json!({"body": "bye"})).await.is(200).json();
    assert_eq!(changed["body"], "bye");
    jane.get(at("/notes/999999")).await.is(404);
    let blank = jane.post(at("/notes")).json(&json!({"body": " "})).await.is(400);
    assert!(blank.text().contains("can't be blank"));

    let begun = jane
        .post(at("/discussions"))
        .json(&json!({"body": "why?"}))
        .await
        .is(201)
        .json();
    let thread = begun["id"].as_str().unwrap().to_owned();
    assert_eq!(thread.len(), 40);
    let answer = at(&format!("/discussions/{thread}/notes"));
    admin.post(&answer).json(&json!({"body": "because"})).await.is(201);
    let shown = jane.get(at(&format!("/discussions/{thread}"))).await.is(200).json();
    assert_eq!(
        (&shown["individual_note"], &shown["resolvable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(shown["notes"].as_array().map(Vec::len), Some(2));
    let refused = admin.put(at(&format!("/discussions/{thread}?resolved=true"))).await;
    assert!([400, 403].contains(&refused.status), "{refused:?}");
    assert_eq!(
        jane.get(at("/discussions")).await.is(200).json().as_array().map(Vec::len),
        Some(2)
    );
    jane.delete(&one).await.is(204);
    assert_eq!(
        jane.get(at("/discussions")).await.is(200).json().as_array().map(Vec::len),
        Some(1)
    );

    // What is internal is for reporters.
    let inside = json!({"body": "between us", "internal": true});
    jane.post(at("/notes")).json(&inside).await.is(403);
    admin.post(at("/notes")).json(&inside).await.is(201);
    assert!(!jane.get(at("/notes")).await.is(200).text().contains("between us"));
    assert!(admin.get(at("/notes")).await.is(200).text().contains("between us"));
    assert_eq!(t.anonymous().get(at("/notes")).await.status, 404);
}

#[testkit::story]
async fn a_name_in_a_note_is_something_to_do(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    group.add(&jane, 10).await;
    let epic = made(&t.admin(), &group, json!({"title": "x"})).await;
    let path = group.at(&format!("/epics/{}/notes", epic["id"]));
    let body = json!({"body": "@jane @outsider look"});
    let note = t.admin().post(path).json(&body).await.is(201);
    let todos = jane.get("/todos").await.is(200).json();
    assert_eq!(todos[0]["action_name"], "directly_addressed");
    assert_eq!(
        todos[0]["target_url"],
        format!("{}#note_{}", epic["web_url"].as_str().unwrap(), note.id())
    );
    assert_eq!(outsider.get("/todos").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn reactions_are_counted(t: TestServer) {
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 10).await;
    let epic = made(&t.admin(), &group, json!({"title": "x"})).await;
    let id = &epic["id"];
    let awards = group.at("/epics/1/award_emoji");
    let up = jane.post(&awards).json(&json!({"name": "thumbsup"})).await.is(201);
    assert_eq!((&up.json()["awardable_type"], &up.json()["awardable_id"]), (&json!("Epic"), id));
    jane.post(&awards).json(&json!({"name": "thumbsup"})).await.is(404);
    jane.post(&awards).json(&json!({"name": "no such"})).await.is(404);
    jane.post(&awards).json(&json!({"name": "thumbsdown"})).await.is(201);
    let seen = jane.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!((&seen["upvotes"], &seen["downvotes"]), (&json!(1), &json!(1)));
    assert_eq!(jane.get(&awards).await.is(200).each("name"), ["thumbsup", "thumbsdown"]);
    jane.get(format!("{awards}/{}", up.id())).await.is(200);
    jane.delete(format!("{awards}/{}", up.id())).await.is(204);
    assert_eq!(jane.get(group.at("/epics/1")).await.is(200).json()["upvotes"], 0);

    let note = group.at(&format!("/epics/{id}/notes"));
    let note = jane.post(note).json(&json!({"body": "x"})).await.is(201).id();
    let on_note = group.at(&format!("/epics/{id}/notes/{note}/award_emoji"));
    jane.post(&on_note).json(&json!({"name": "rocket"})).await.is(201);
    assert_eq!(jane.get(&on_note).await.is(200).each("name"), ["rocket"]);
}

#[testkit::story]
async fn labels_and_states_are_told_as_events(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    let epic = made(&admin, &group, json!({"title": "x", "labels": "bug"})).await;
    admin
        .put(group.at("/epics/1?remove_labels=bug&state_event=close"))
        .await
        .is(200);
    admin
        .put(group.at("/epics/1?state_event=reopen&description=text"))
        .await
        .is(200);
    let at = |kind: &str| group.at(&format!("/epics/{}/resource_{kind}_events", epic["id"]));

    let labels = admin.get(at("label")).await.is(200);
    assert_eq!(labels.each("action"), ["add", "remove"]);
    let first = &labels.json()[0];
    assert_eq!((&first["resource_type"], &first["resource_id"]), (&json!("Epic"), &epic["id"]));
    assert_eq!(first["label"]["name"], "bug");
    assert_eq!(first["user"]["username"], "root");
    admin.get(format!("{}/{}", at("label"), first["id"])).await.is(200);
    admin.get(format!("{}/999999", at("label"))).await.is(404);
    let states = admin.get(at("state")).await.is(200);
    assert_eq!(states.each("state"), ["closed", "reopened"]);
    assert_eq!(states.each("resource_type"), ["Epic", "Epic"]);
    let told = admin.get(group.at("/epics/1/notes")).await.is(200).each("body");
    assert_eq!(told, ["changed the description"]);
}
