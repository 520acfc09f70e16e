//! Who sees and does what with epics, and groups that have none.

use super::made;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn planners_write_epics_and_owners_remove_them(t: TestServer) {
    let group = t.group("acme").await;
    let mut people = Vec::new();
    for (name, level) in [
        ("guest", 10),
        ("planner", 15),
        ("reporter", 20),
        ("maintainer", 40),
        ("owner", 50),
    ] {
        let user = t.user(name).await;
        group.add(&user, level).await;
        people.push((user, level));
    }
    for (user, level) in &people {
        let may = |yes: bool, status: u16| if yes { status } else { 403 };
        let epic = made(&t.admin(), &group, json!({"title": "x"})).await;
        let one = group.at(&format!("/epics/{}", epic["iid"]));
        user.get(&one).await.is(200);
        let body = json!({"title": "mine"});
        user.post(group.at("/epics")).json(&body).await.is(may(*level >= 15, 201));
        user.put(&one).json(&body).await.is(may(*level >= 15, 200));
        // Who hides an epic sees it then.
        user.put(format!("{one}?confidential=true")).await.is(may(*level >= 20, 200));
        user.put(format!("{one}?confidential=false")).await.is(may(*level >= 15, 200));
        user.delete(&one).await.is(may([15, 50].contains(level), 204));
    }
}

#[testkit::story]
async fn hidden_epics_are_not_found(t: TestServer) {
    let (open, vault) = (t.group("plaza").await, t.group("vault").await);
    let admin = t.admin();
    admin.put(open.at("?visibility=public")).await.is(200);
    made(&admin, &open, json!({"title": "seen"})).await;
    made(&admin, &open, json!({"title": "hidden", "confidential": true})).await;
    made(&admin, &vault, json!({"title": "secret"})).await;
    let (guest, stranger) = (t.user("guest").await, t.user("stranger").await);
    open.add(&guest, 10).await;

    for client in [t.anonymous(), (*stranger).clone(), (*guest).clone()] {
        let listed = client.get(open.at("/epics")).await.is(200);
        assert_eq!((listed.each("title"), listed.header("x-total")), (vec![json!("seen")], "1"));
        client.get(open.at("/epics/1")).await.is(200);
        let refused = client.get(open.at("/epics/2")).await.is(404);
        assert_eq!(refused.json()["message"], "404 Not found");
        for rest in ["/issues", "/epics", "/related_epics", "/notes", "/award_emoji"] {
            client.get(open.at(&format!("/epics/2{rest}"))).await.is(404);
        }
        let refused = client.get(vault.at("/epics")).await.is(404);
        assert_eq!(refused.json()["message"], "404 Group Not Found");
        client.get(vault.at("/epics/1")).await.is(404);
    }
    for (client, status) in [(t.anonymous(), 401), ((*stranger).clone(), 403)] {
        client.post(open.at("/epics")).json(&json!({"title": "x"})).await.is(status);
        client.put(open.at("/epics/1?title=x")).await.is(status);
        client.delete(open.at("/epics/1")).await.is(status);
        client.post(open.at("/epics/1/issues/1")).await.is(status);
        client.post(open.at("/epics/1/epics/2")).await.is(status);
    }
    // Users comment where they read.
    let id = admin.get(open.at("/epics/1")).await.is(200).id();
    let notes = open.at(&format!("/epics/{id}/notes"));
    stranger.post(&notes).json(&json!({"body": "hello"})).await.is(201);
    t.anonymous().post(&notes).json(&json!({"body": "hello"})).await.is(401);
}

#[testkit::story]
async fn a_group_may_have_no_epics(t: TestServer) {
    let project = t.project("acme/tools/anvil").await;
    let (top, group) = (t.group("acme").await, t.group("acme/tools").await);
    let (admin, owner) = (t.admin(), t.user("owner").await);
    group.add(&owner, 50).await;
    let epic = made(&owner, &group, json!({"title": "x", "description": "ask @owner"})).await;
    let body = json!({"title": "work", "epic_id": epic["id"]});
    owner.post(project.at("/issues")).json(&body).await.is(201);
    owner.post(group.at("/epics/1/todo")).await.is(201);

    let off = admin.put(top.at("?epics_enabled=false")).await.is(200).json();
    assert_eq!(off["epics_enabled"], false);
    let text = json!({"message": "403 Forbidden - This feature is switched off"});
    for path in [
        "/epics",
        "/epics/1",
        "/epics/1/issues",
        "/epics/1/epics",
        "/epics/1/related_epics",
        "/epics/1/notes",
        "/epics/1/discussions",
        "/related_epic_links",
    ] {
        assert_eq!(owner.get(group.at(path)).await.is(403).json(), text, "{path}");
    }
    owner.post(group.at("/epics")).json(&json!({"title": "y"})).await.is(403);
    // Its own switch is as it was, and so are its data.
    assert_eq!(owner.get(group.at("")).await.is(200).json()["epics_enabled"], true);
    let issue = owner.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(issue["epic"], Value::Null);
    assert_eq!(owner.get("/todos").await.is(200).json(), json!([]));
    // Who may not know of the group is told nothing else.
    let outsider = t.user("outsider").await;
    outsider.get(group.at("/epics")).await.is(404);
    t.anonymous().post(group.at("/epics?title=x")).await.is(401);

    admin.put(top.at("?epics_enabled=true")).await.is(200);
    owner.get(group.at("/epics/1")).await.is(200);
    assert_eq!(owner.get(project.at("/issues/1")).await.is(200).json()["epic"]["iid"], 1);

    // The whole instance, too.
    owner.put("/application/settings?epics_enabled=false").await.is(403);
    admin.put("/application/settings?epics_enabled=false").await.is(200);
    assert_eq!(owner.get(group.at("/epics")).await.is(403).json(), text);
    admin.put("/application/settings?epics_enabled=true").await.is(200);
    owner.get(group.at("/epics")).await.is(200);
}

#[testkit::story]
async fn with_a_group_go_its_epics(t: TestServer) {
    let (top, group) = (t.group("acme").await, t.group("acme/tools").await);
    let (admin, jane) = (t.admin(), t.user("jane").await);
    top.add(&jane, 30).await;
    let parent = made(&admin, &group, json!({"title": "parent"})).await;
    made(&admin, &top, json!({"title": "child", "parent_id": parent["id"]})).await;
    jane.post(group.at("/epics/1/todo")).await.is(201);
    admin.delete(group.at("")).await;
    t.settle().await;
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));
    let left = jane.get(top.at("/epics/1")).await.is(200).json();
    assert_eq!(left["parent_id"], Value::Null);
}
