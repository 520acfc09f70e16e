//! Who may not do what: stories of people trying to get further than their
//! role lets them.

use serde_json::{Value, json};
use testkit::{Client, Reply};

/// Makes a group as this person.
async fn group(client: &Client, path: &str, more: Value) -> Reply {
    let mut body = json!({"name": path, "path": path});
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    client.post("/groups").json(&body).await
}

#[testkit::story]
async fn a_group_cannot_move_onto_a_reserved_path(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let top = group(&jane, "acme", json!({})).await.is(201).id();
    let api = group(&jane, "api", json!({"parent_id": top})).await.is(201).id();
    jane.post(format!("/groups/{api}/transfer")).await.is(400);
    let tree = group(&jane, "tree", json!({})).await.is(201).id();
    jane.post(format!("/groups/{tree}/transfer"))
        .json(&json!({"group_id": top}))
        .await
        .is(400);
    let users = json!({"username": "static", "name": "x", "email": "x@example.com",
        "password": "correct horse battery"});
    t.admin().post("/users").json(&users).await.is(400);
}

#[testkit::story]
async fn an_external_user_gets_no_group_of_their_own_by_moving_one(t: testkit::TestServer) {
    let acme = t.group("acme/tools").await;
    let jane = t.user("jane").await;
    acme.add(&jane, 50).await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"external": true}))
        .await
        .is(200);
    group(&jane, "own", json!({})).await.is(403);
    jane.post(acme.at("/transfer")).await.is(403);
}

#[testkit::story]
async fn only_reporters_learn_how_big_a_project_is(t: testkit::TestServer) {
    let anvil = t.project_with("acme/anvil", "public").await;
    anvil.generic_package("hammer", "1.0").await;
    let guest = t.user("guest").await;
    let reporter = t.user("reporter").await;
    anvil.add(&guest, 10).await;
    anvil.add(&reporter, 20).await;
    for client in [&t.anonymous(), &*guest] {
        let list = client.get("/projects?statistics=true").await.is(200);
        assert_eq!(list.each("statistics"), [Value::Null], "{list:?}");
    }
    for client in [&t.admin(), &*reporter] {
        let list = client.get("/projects?statistics=true").await.is(200);
        assert!(list.json()[0]["statistics"]["packages_size"].is_i64(), "{list:?}");
    }
}

#[testkit::story]
async fn a_private_profile_hides_its_projects(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let joe = t.user("joe").await;
    jane.post("/projects")
        .json(&json!({"name": "diary", "visibility": "public"}))
        .await
        .is(201);
    let list = format!("/users/{}/projects", jane.id);
    assert_eq!(joe.get(&list).await.is(200).each("name"), ["diary"]);
    let private = json!({"private_profile": true});
    t.admin().put(format!("/users/{}", jane.id)).json(&private).await.is(200);
    joe.get(&list).await.is(404);
    t.anonymous().get(&list).await.is(404);
    assert_eq!(jane.get(&list).await.is(200).each("name"), ["diary"]);
    assert_eq!(t.admin().get(&list).await.is(200).each("name"), ["diary"]);
}

#[testkit::story]
async fn asking_whether_a_path_is_taken_tells_nothing_hidden(t: testkit::TestServer) {
    let secret = t.group("acme/secret").await;
    let plan = t.project("acme/plan").await;
    let jane = t.user("jane").await;
    let acme = t.admin().get("/groups/acme").await.is(200).id();
    for path in [
        format!("secret/exists?parent_id={acme}"),
        "acme%2Fsecret/exists".into(),
        "acme%2Fplan/exists".into(),
    ] {
        let told = jane.get(format!("/namespaces/{path}")).await.is(200);
        assert_eq!(told.json(), json!({"exists": false, "suggests": []}), "{path}");
    }
    plan.add(&jane, 10).await;
    secret.add(&jane, 10).await;
    let owner = t.admin().get(format!("/namespaces/secret/exists?parent_id={acme}"));
    assert_eq!(owner.await.is(200).json()["exists"], true);
}

#[testkit::story]
async fn shares_do_not_name_hidden_groups(t: testkit::TestServer) {
    let anvil = t.project_with("acme/anvil", "public").await;
    let merger = t.group("merger").await;
    let member = t.user("member").await;
    merger.add(&member, 10).await;
    let jane = t.user("jane").await;
    let acme = t.admin().get("/groups/acme").await.is(200).id();
    let share = json!({"group_id": merger.id, "group_access": 30});
    t.admin().post(anvil.at("/share")).json(&share).await.is(201);
    t.admin().post(format!("/groups/{acme}/share")).json(&share).await.is(201);
    let places = [anvil.at(""), "/groups/acme".to_owned()];
    for place in &places {
        for client in [&t.anonymous(), &*jane] {
            let shown = client.get(place).await.is(200);
            assert_eq!(shown.json()["shared_with_groups"], json!([]), "{shown:?}");
        }
        let shown = member.get(place).await.is(200);
        assert_eq!(shown.json()["shared_with_groups"][0]["group_full_path"], "merger");
    }
    let list = jane.get("/projects").await.is(200);
    assert_eq!(list.each("shared_with_groups"), [json!([])]);
}

#[testkit::story]
async fn sudo_is_recorded_under_the_administrators_name(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let admin = t.admin().get("/user").await.is(200).id();
    let body = json!({"name": "acme", "path": "acme"});
    t.admin().post("/groups").header("sudo", "jane").json(&body).await.is(201);
    let events = t.admin().get("/audit_events?per_page=100").await.is(200);
    let made = events
        .json()
        .as_array()
        .into_iter()
        .flatten()
        .find(|event| event.to_string().contains("group.create"))
        .cloned();
    assert_eq!(made.expect("it is recorded")["author_id"], json!(admin), "{}", jane.id);
}
