//! Issues that become epics.

use super::made;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn an_issue_becomes_an_epic_with_all_it_has(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    for user in [&jane, &joe, &ann] {
        group.add(user, 20).await;
    }
    made(&jane, &group, json!({"title": "Above"})).await;
    jane.post(group.at("/labels"))
        .json(&json!({"name": "plan", "color": "red"}))
        .await
        .is(201);
    jane.post(project.at("/labels"))
        .json(&json!({"name": "own", "color": "red"}))
        .await
        .is(201);
    joe.post(project.at("/issues")).json(&json!({"title": "Other"})).await.is(201);
    let body = json!({"title": "Grew large", "description": "See #1 and `#1`.",
        "labels": "plan,own", "epic_id": made_id(&jane, &group).await});
    joe.post(project.at("/issues")).json(&body).await.is(201);
    let at = |rest: &str| project.at(&format!("/issues/2{rest}"));
    let thread = json!({"body": "Why? #1"});
    let thread = ann.post(at("/discussions")).json(&thread).await.is(201).json();
    let answer = at(&format!("/discussions/{}/notes", thread["id"].as_str().unwrap()));
    jane.post(answer).json(&json!({"body": "Because."})).await.is(201);
    jane.post(at("/notes"))
        .json(&json!({"body": "Among us", "internal": true}))
        .await
        .is(201);
    ann.post(at("/award_emoji")).json(&json!({"name": "thumbsup"})).await.is(201);
    for word in ["subscribe", "unsubscribe"] {
        ann.post(at(&format!("/{word}"))).await.is(201);
    }
    t.settle().await;
    let known = t.app().mailer().sent().len();

    let done = jane.post(at("/notes")).json(&json!({"body": "/promote"})).await.is(202).json();
    assert_eq!(done["summary"], json!(["Promoted this issue to the epic &2."]));

    let epic = jane.get(group.at("/epics/2")).await.is(200).json();
    for (field, value) in [
        ("title", json!("Grew large")),
        ("description", json!("See acme/anvil#1 and `#1`.")),
        ("labels", json!(["plan"])),
        ("upvotes", json!(1)),
        ("parent_iid", json!(1)),
        ("state", json!("opened")),
        ("confidential", json!(false)),
    ] {
        assert_eq!(epic[field], value, "{field}");
    }
    assert_eq!(epic["author"]["username"], "jane");
    let notes = format!("/epics/{}/notes?sort=asc", epic["id"]);
    let notes = jane.get(group.at(&notes)).await.is(200).json();
    let said: Vec<(&Value, &Value)> = notes
        .as_array()
        .expect("notes")
        .iter()
        .filter(|note| note["system"] == json!(false))
        .map(|note| (&note["body"], &note["author"]["username"]))
        .collect();
    assert_eq!(
        said,
        [
            (&json!("Why? acme/anvil#1"), &json!("ann")),
            (&json!("Because."), &json!("jane")),
            (&json!("Among us"), &json!("jane"))
        ]
    );
    let told = |notes: &Value, text: &str| {
        notes
            .as_array()
            .expect("notes")
            .iter()
            .filter(|note| note["body"] == text)
            .count()
    };
    assert_eq!(told(&notes, "promoted from issue acme/anvil#2"), 1, "{notes}");
    let issue = jane.get(at("")).await.is(200).json();
    assert_eq!(issue["state"], "closed");
    let notes = jane.get(at("/notes")).await.is(200).json();
    assert_eq!(told(&notes, "promoted to epic acme&2"), 1, "{notes}");

    // Who was told of the issue is told of the epic, but for who left it.
    t.settle().await;
    let sent = t.app().mailer().sent().split_off(known);
    let to =
        |name: &str| sent.iter().filter(|mail| mail.to == format!("{name}@example.com")).count();
    assert_eq!((to("joe"), to("ann"), to("jane")), (1, 0, 0), "{sent:?}");
    assert_eq!(sent[0].subject, "acme | Grew large (&2)");

    // It is done once.
    let again = jane.post(at("/notes")).json(&json!({"body": "/promote"})).await.is(202).json();
    assert_eq!(again["summary"], json!([]));
}

/// The id of the first epic of a group.
async fn made_id(client: &testkit::Client, group: &testkit::TestGroup) -> Value {
    client.get(group.at("/epics/1")).await.is(200).json()["id"].clone()
}

#[testkit::story]
async fn only_who_plans_in_both_promotes(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    project.add(&jane, 30).await;
    group.add(&guest, 10).await;
    let issue = json!({"title": "Mine"});
    guest.post(project.at("/issues")).json(&issue).await.is(201);
    let promote = async |by: &testkit::Client, iid: i64| {
        let path = project.at(&format!("/issues/{iid}/notes"));
        by.post(path).json(&json!({"body": "/promote"})).await.is(202).json()["summary"].clone()
    };
    // A developer of the project alone, and a guest of the group.
    assert_eq!(promote(&jane, 1).await, json!([]));
    assert_eq!(promote(&guest, 1).await, json!([]));
    // Incidents stay incidents, and a person's project has no epics.
    let admin = t.admin();
    let incident = json!({"title": "Fire", "issue_type": "incident"});
    admin.post(project.at("/issues")).json(&incident).await.is(201);
    assert_eq!(promote(&admin, 2).await, json!([]));
    admin.put(group.at("?epics_enabled=false")).await.is(200);
    assert_eq!(promote(&admin, 1).await, json!([]));
    admin.put(group.at("?epics_enabled=true")).await.is(200);
    let own = jane.post("/projects").json(&json!({"name": "own"})).await.is(201).id();
    let notes = format!("/projects/{own}/issues/1/notes");
    jane.post(format!("/projects/{own}/issues")).json(&issue).await.is(201);
    let skipped = jane.post(notes).json(&json!({"body": "/promote"})).await.is(202).json();
    assert_eq!(skipped["summary"], json!([]));
    assert_eq!(admin.get(group.at("/epics")).await.is(200).json(), json!([]));

    // What is confidential stays so, and its note shows to who sees the epic.
    let secret = json!({"title": "Hush", "confidential": true});
    guest.post(project.at("/issues")).json(&secret).await.is(201);
    let planner = t.user("planner").await;
    project.add(&planner, 20).await;
    group.add(&planner, 15).await;
    assert_eq!(promote(&planner, 3).await, json!([]));
    assert_eq!(promote(&admin, 3).await.as_array().map(Vec::len), Some(1));
    let epic = admin.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!(epic["confidential"], true);
    guest.get(group.at("/epics/1")).await.is(404);
    let notes = project.at("/issues/3/notes");
    assert!(!guest.get(&notes).await.is(200).text().contains("promoted"));
    assert!(admin.get(&notes).await.is(200).text().contains("promoted to epic acme&1"));
    let page = t.browser("guest").await.get("/acme/anvil/-/issues/3").await.is(200).text();
    assert!(!page.contains("promoted"), "{page}");
}

#[testkit::story]
async fn the_page_of_an_issue_promotes_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, dev) = (t.user("jane").await, t.user("dev").await);
    group.add(&jane, 20).await;
    project.add(&dev, 30).await;
    dev.post(project.at("/issues")).json(&json!({"title": "Large"})).await.is(201);
    let page = "/acme/anvil/-/issues/1";
    let promote = [("action", "promote")];
    // A developer of the project alone is not offered it, and is refused.
    let browser = t.browser("dev").await;
    assert!(!browser.get(page).await.is(200).text().contains("Promote to epic"));
    let refused = browser.post(page, &promote).await;
    assert!(refused.status >= 400, "{refused:?}");
    let browser = t.browser("jane").await;
    let shown = browser.get(page).await.is(200).text();
    assert!(
        shown.contains("Promote to epic") && shown.contains("which is closed."),
        "{shown}"
    );
    let done = browser.post(page, &promote).await.is(303);
    assert_eq!(done.header("location"), "/groups/acme/-/epics/1");
    let shown = browser.get(page).await.is(200).text();
    assert!(!shown.contains("Promote to epic"), "{shown}");
    assert!(shown.contains("href=\"/groups/acme/-/epics/1\""), "{shown}");
    let again = browser.post(page, &promote).await;
    assert!(again.status >= 400, "{again:?}");
}
