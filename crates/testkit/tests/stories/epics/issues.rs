//! Issues of epics.

use super::{made, several};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn issues_are_put_in_ordered_and_taken_out(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let admin = t.admin();
    several(&admin, &group, &["one", "two"]).await;
    let mut issues = Vec::new();
    for title in ["a", "b", "c"] {
        let body = json!({"title": title});
        issues.push(admin.post(project.at("/issues")).json(&body).await.is(201).id());
    }
    let at = |rest: &str| group.at(&format!("/epics/1/issues{rest}"));
    let mut places = Vec::new();
    for id in &issues {
        let put = admin.post(at(&format!("/{id}"))).await.is(201).json();
        assert_eq!(put["epic"]["iid"], 1);
        assert_eq!(put["issue"]["id"], *id);
        assert_eq!(put["issue"]["epic"]["iid"], 1);
        assert!(put["relative_position"].is_i64());
        places.push(put["id"].as_i64().unwrap());
    }
    let again = admin.post(at(&format!("/{}", issues[0]))).await.is(409);
    assert_eq!(again.json(), json!({"message": "Issue(s) already assigned"}));
    let listed = admin.get(at("")).await.is(200);
    assert_eq!(listed.each("title"), ["a", "b", "c"]);
    assert_eq!(
        listed.each("epic_issue_id"),
        places.iter().map(|id| json!(id)).collect::<Vec<_>>()
    );

    // c between a and b: a comes before it.
    let moved = admin.put(at(&format!("/{}?move_before_id={}", places[2], places[0]))).await;
    assert_eq!(moved.is(200).each("title"), ["a", "c", "b"]);
    let moved = admin.put(at(&format!("/{}?move_after_id={}", places[1], places[0]))).await;
    assert_eq!(moved.is(200).each("title"), ["b", "a", "c"]);
    // However often they change places.
    for _ in 0..15 {
        let query = format!("/{}?move_before_id={}", places[2], places[1]);
        admin.put(at(&query)).await.is(200);
        let query = format!("/{}?move_before_id={}", places[0], places[1]);
        admin.put(at(&query)).await.is(200);
    }
    assert_eq!(admin.get(at("")).await.is(200).each("title"), ["b", "a", "c"]);
    for query in ["?move_before_id=999999", ""] {
        let refused = admin.put(at(&format!("/{}{query}", places[0]))).await.is(400);
        assert_eq!(refused.json(), json!({"message": {"error": "Issue could not be moved!"}}));
    }

    // An issue of another epic moves.
    let there = group.at(&format!("/epics/2/issues/{}", issues[0]));
    let put = admin.post(there).await.is(201).json();
    assert_eq!(put["epic"]["iid"], 2);
    assert_eq!(admin.get(at("")).await.is(200).each("title"), ["b", "c"]);
    admin.delete(at(&format!("/{}", places[0]))).await.is(404);
    let gone = admin.delete(at(&format!("/{}", places[1]))).await.is(200).json();
    assert_eq!(gone["issue"]["title"], "b");
    assert_eq!(gone["issue"]["epic"], Value::Null);
    assert_eq!(admin.get(at("")).await.is(200).each("title"), ["c"]);
    for id in ["999999", "-1", "99999999999999999999", "x"] {
        let reply = admin.post(at(&format!("/{id}"))).await;
        assert!([400, 404].contains(&reply.status), "{id}: {reply:?}");
    }
    let notes = admin.get(group.at("/epics/1/notes?sort=asc")).await.is(200).each("body");
    assert_eq!(notes[0], "added issue acme/anvil#1");
    let told = admin.get(project.at("/issues/2/notes?sort=asc")).await.is(200).each("body");
    assert_eq!(told, ["added to epic acme&1", "removed from epic acme&1"]);
}

#[testkit::story]
async fn an_issue_names_its_epic(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    group.add(&jane, 30).await;
    group.add(&guest, 10).await;
    let epic = made(&jane, &group, json!({"title": "Ship it"})).await;
    let id = epic["id"].as_i64().unwrap();
    let body = json!({"title": "work", "epic_id": id});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(
        issue["epic"],
        json!({"id": id, "iid": 1, "title": "Ship it", "url": "/groups/acme/-/epics/1",
            "group_id": group.id})
    );
    assert_eq!(issue["epic_iid"], 1);
    jane.post(project.at("/issues")).json(&json!({"title": "other"})).await.is(201);
    for (query, expected) in [
        (format!("?epic_id={id}"), vec!["work"]),
        ("?epic_id=Any".to_owned(), vec!["work"]),
        ("?epic_id=None".to_owned(), vec!["other"]),
        ("?epic_id=999999".to_owned(), vec![]),
    ] {
        let listed = jane.get(project.at(&format!("/issues{query}"))).await.is(200);
        assert_eq!(listed.each("title"), expected, "{query}");
    }
    for wrong in ["999999", "-1"] {
        let path = project.at(&format!("/issues/2?epic_id={wrong}"));
        let refused = jane.put(path).await.is(400).json();
        assert_eq!(refused["message"]["epic_id"], json!(["is invalid"]));
    }

    // Who does not see the epic is not told of it.
    let hidden = json!({"title": "Secret", "confidential": true});
    let hidden = made(&jane, &group, hidden).await["id"].as_i64().unwrap();
    let query = format!("/issues/2?confidential=true&epic_id={hidden}");
    let put = jane.put(project.at(&query)).await.is(200).json();
    assert_eq!(put["epic"]["title"], "Secret");
    jane.put(project.at("/issues/2?confidential=false")).await.is(200);
    let seen = guest.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!((&seen["epic"], &seen["epic_iid"]), (&Value::Null, &Value::Null));
    let by_epic = guest.get(project.at(&format!("/issues?epic_id={hidden}"))).await.is(200);
    assert_eq!(by_epic.json(), json!([]));
    let without = guest.get(project.at("/issues?epic_id=None")).await.is(200);
    assert_eq!(without.each("title"), ["other"]);
    let told = guest.get(project.at("/issues/2/notes")).await.is(200).text();
    assert!(!told.contains("epic"), "{told}");
    // Only who sets marks on an issue puts it anywhere.
    guest.put(project.at(&format!("/issues/1?epic_id={id}"))).await.is(403);
}

#[testkit::story]
async fn a_moved_issue_stays_in_its_epic(t: TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/forge").await);
    let group = t.group("acme").await;
    let admin = t.admin();
    let epic = made(&admin, &group, json!({"title": "x"})).await;
    let body = json!({"title": "work", "epic_id": epic["id"]});
    admin.post(anvil.at("/issues")).json(&body).await.is(201);
    let to = json!({"to_project_id": forge.id});
    let moved = admin.post(anvil.at("/issues/1/move")).json(&to).await.is(201).json();
    assert_eq!(moved["epic"]["id"], epic["id"]);
    let listed = admin.get(group.at("/epics/1/issues")).await.is(200);
    assert_eq!(listed.each("id"), [moved["id"].clone()]);
}

#[testkit::story]
async fn hidden_issues_of_an_epic_do_not_show(t: TestServer) {
    let (open, vault) = (
        t.project_with("plaza/fountain", "public").await,
        t.project("vault/secret").await,
    );
    let group = t.group("plaza").await;
    let (admin, stranger) = (t.admin(), t.user("stranger").await);
    let epic = made(&admin, &group, json!({"title": "x"})).await;
    for project in [&open, &vault] {
        let body = json!({"title": "work", "epic_id": epic["id"], "due_date": "2031-01-01"});
        admin.post(project.at("/issues")).json(&body).await.is(201);
    }
    let seen = stranger.get(group.at("/epics/1/issues")).await.is(200);
    assert_eq!(seen.each("project_id"), [json!(open.id)]);
    assert_eq!(seen.header("x-total"), "1");
    let notes = stranger.get(group.at("/epics/1/notes")).await.is(200);
    assert!(!notes.text().contains("vault"), "{notes:?}");
    assert_eq!(admin.get(group.at("/epics/1/notes")).await.is(200).each("body").len(), 2);
}

#[testkit::story]
async fn a_hidden_epic_holds_hidden_issues(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let admin = t.admin();
    made(&admin, &group, json!({"title": "x", "confidential": true})).await;
    made(&admin, &group, json!({"title": "y"})).await;
    let issue = admin.post(project.at("/issues")).json(&json!({"title": "work"})).await.is(201);
    let refused = admin.post(group.at(&format!("/epics/1/issues/{}", issue.id()))).await.is(400);
    assert_eq!(
        refused.json()["message"]["confidential"],
        json!(["A non-confidential issue cannot be assigned to a confidential epic"])
    );
    admin.post(group.at(&format!("/epics/2/issues/{}", issue.id()))).await.is(201);
    let refused = admin.put(group.at("/epics/2?confidential=true")).await.is(400);
    let text = "Cannot make the epic confidential if it contains non-confidential issues";
    assert_eq!(refused.json()["message"]["confidential"], json!([text]));
}

#[testkit::story]
async fn commands_put_issues_into_epics(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (group, other) = (t.group("acme").await, t.group("other").await);
    let jane = t.user("jane").await;
    group.add(&jane, 30).await;
    made(&jane, &group, json!({"title": "near"})).await;
    made(&t.admin(), &other, json!({"title": "far"})).await;
    let body = json!({"title": "work", "description": "/epic &1"});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(issue["epic"]["title"], "near");
    let note = async |text: &str| {
        jane.post(project.at("/issues/1/notes"))
            .json(&json!({"body": text}))
            .await
            .is(202)
            .json()
    };
    let gone = note("/remove_epic").await;
    assert_eq!(gone["commands_changes"], json!({"epic_id": null}));
    assert_eq!(jane.get(project.at("/issues/1")).await.is(200).json()["epic"], Value::Null);
    // What she does not see is not there.
    for name in ["other&1", "&99", "nothing", "&"] {
        let skipped = note(&format!("/epic {name}")).await;
        assert_eq!(skipped["commands_changes"], json!({}), "{name}");
    }
    note("/epic acme&1").await;
    let shown = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(shown["epic"]["title"], "near");
}
