//! To-dos and mail.

use serde_json::{Value, json};
use testkit::TestServer;

/// Subjects of the mails sent to this address so far, sorted.
fn subjects(t: &TestServer, to: &str) -> Vec<String> {
    let sent = t.app().mailer().sent().into_iter();
    let mut subjects: Vec<String> = sent
        .filter(|mail| mail.to == to && mail.subject.contains(" | "))
        .map(|mail| mail.subject)
        .collect();
    subjects.sort();
    subjects
}

#[testkit::story]
async fn who_is_assigned_or_named_has_something_to_do(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, outsider) =
        (t.user("jane").await, t.user("joe").await, t.user("outsider").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let body = json!({"title": "Hinge", "description": "see @joe, @outsider and @nobody", "assignee_ids": [joe.id, jane.id]});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));
    assert_eq!(outsider.get("/todos").await.is(200).json(), json!([]));
    let todos = joe.get("/todos").await.is(200);
    assert_eq!(todos.each("action_name"), [json!("mentioned"), json!("assigned")]);
    let first = todos.json()[0].clone();
    assert_eq!((&first["target_type"], &first["target"]["iid"]), (&json!("Issue"), &json!(1)));
    assert_eq!((&first["target_url"], &first["body"]), (&issue["web_url"], &json!("Hinge")));
    assert_eq!(
        (&first["project"]["path_with_namespace"], &first["author"]["username"]),
        (&json!("acme/anvil"), &json!("jane"))
    );

    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "@joe please"}))
        .await
        .is(201);
    assert_eq!(
        joe.get("/todos?action=directly_addressed").await.is(200).each("body"),
        [json!("@joe please")]
    );
    assert_eq!(
        joe.get(format!("/todos?author_id={}&type=Issue&project_id={}", jane.id, project.id))
            .await
            .each("id")
            .len(),
        3
    );
    assert_eq!(joe.get("/todos?type=MergeRequest").await.is(200).json(), json!([]));
    // Answering is doing.
    joe.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "yes"}))
        .await
        .is(201);
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
    assert_eq!(joe.get("/todos?state=done").await.is(200).each("id").len(), 3);
}

#[testkit::story]
async fn a_todo_is_marked_and_done_by_its_owner(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let made = jane.post(project.at("/issues/1/todo")).await.is(201);
    assert_eq!(made.json()["action_name"], "marked");
    jane.post(project.at("/issues/1/todo")).await.is(304);
    joe.post(project.at("/issues/1/todo")).await.is(404);
    joe.post(format!("/todos/{}/mark_as_done", made.id())).await.is(404);
    let done = jane.post(format!("/todos/{}/mark_as_done", made.id())).await.is(200);
    assert_eq!(done.json()["state"], "done");
    jane.post(project.at("/issues/1/todo")).await.is(201);
    jane.post("/todos/mark_as_done").await.is(204);
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));
    t.anonymous().get("/todos").await.is(401);

    // What may no longer be seen is no longer told of.
    jane.post(project.at("/issues/1/todo")).await.is(201);
    t.admin().delete(project.at(&format!("/members/{}", jane.id))).await.is(204);
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));
    let hidden = jane.post(format!("/todos/{}/mark_as_done", made.id())).await.is(200).json();
    assert_eq!(
        (&hidden["target"], &hidden["body"], &hidden["project"]),
        (&Value::Null, &json!(""), &Value::Null)
    );
}

#[testkit::story]
async fn mail_goes_to_those_concerned(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, guest) = (t.user("jane").await, t.user("joe").await, t.user("guest").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    project.add(&guest, 10).await;
    let body = json!({"title": "Hinge", "assignee_ids": [joe.id], "description": "for @guest"});
    jane.post(project.at("/issues")).json(&body).await.is(201);
    t.settle().await;
    let subject = "anvil | Hinge (#1)".to_owned();
    assert_eq!(subjects(&t, "joe@example.com"), std::slice::from_ref(&subject));
    assert_eq!(subjects(&t, "guest@example.com"), std::slice::from_ref(&subject));
    assert!(subjects(&t, "jane@example.com").is_empty(), "nobody is told what they did");

    joe.post(project.at("/issues/1/unsubscribe")).await.is(201);
    guest
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "Oil it"}))
        .await
        .is(201);
    t.settle().await;
    assert_eq!(subjects(&t, "jane@example.com"), [format!("Re: {subject}")]);
    assert_eq!(subjects(&t, "joe@example.com").len(), 1, "who unsubscribed hears no more");
    let secret = json!({"body": "@guest and @joe", "internal": true});
    jane.post(project.at("/issues/1/notes")).json(&secret).await.is(201);
    t.settle().await;
    assert_eq!(subjects(&t, "guest@example.com").len(), 1, "internal notes are for reporters");
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    t.settle().await;
    assert_eq!(subjects(&t, "guest@example.com").len(), 2);
    let mails = t.app().mailer().sent();
    let text = mails
        .iter()
        .find(|mail| mail.to == "jane@example.com" && mail.subject.contains('#'))
        .map(|mail| mail.text.clone())
        .unwrap_or_default();
    assert!(text.starts_with("guest commented on acme/anvil#1:\n\nOil it\n"), "{text}");
    assert!(text.contains("You are told because you take part in it."), "{text}");
}

#[testkit::story]
async fn programs_ping_nobody(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let joe = t.user("joe").await;
    project.add(&joe, 10).await;
    let token = json!({"name": "robot", "scopes": ["api"], "access_level": 40});
    let made = t.admin().post(project.at("/access_tokens")).json(&token).await.is(201).json();
    let bot = t.with_token(made["token"].as_str().unwrap_or_default());
    let body = json!({"title": "Hinge", "description": "@joe\n/close"});
    let issue = bot.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(
        (&issue["state"], &issue["description"]),
        (&json!("opened"), &json!("@joe\n/close"))
    );
    let note = bot
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "@joe\n/close"}))
        .await
        .is(201)
        .json();
    assert_eq!(note["body"], "@joe\n/close");
    t.settle().await;
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
    assert!(subjects(&t, "joe@example.com").is_empty());
}

#[testkit::story]
async fn groups_and_all_are_named_at_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, ann, outsider) = (
        t.user("jane").await,
        t.user("joe").await,
        t.user("ann").await,
        t.user("outsider").await,
    );
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let tools = t
        .admin()
        .post("/groups")
        .json(&json!({"name": "tools", "path": "tools", "visibility": "public"}))
        .await
        .is(201)
        .id();
    for user in [&ann, &outsider] {
        let member = json!({"user_id": user.id, "access_level": 30});
        t.admin().post(format!("/groups/{tools}/members")).json(&member).await.is(201);
    }
    project.add(&ann, 10).await;
    jane.post(project.at("/issues"))
        .json(&json!({"title": "one", "description": "see @tools"}))
        .await
        .is(201);
    assert_eq!(ann.get("/todos").await.is(200).each("action_name"), [json!("mentioned")]);
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
    assert_eq!(
        outsider.get("/todos").await.is(200).json(),
        json!([]),
        "who sees no issue is not told of it"
    );
    jane.post(project.at("/issues"))
        .json(&json!({"title": "two", "description": "@all come"}))
        .await
        .is(201);
    assert_eq!(
        (
            ann.get("/todos").await.each("id").len(),
            joe.get("/todos").await.each("id").len()
        ),
        (2, 1)
    );
    t.admin()
        .put(format!("/groups/{tools}"))
        .json(&json!({"mentions_disabled": true}))
        .await
        .is(200);
    jane.post(project.at("/issues"))
        .json(&json!({"title": "three", "description": "@tools again, `@all`"}))
        .await
        .is(201);
    assert_eq!(
        (
            ann.get("/todos").await.each("id").len(),
            joe.get("/todos").await.each("id").len()
        ),
        (2, 1)
    );
}

#[testkit::story]
async fn mail_about_an_issue_is_one_conversation(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let body = json!({"title": "Hinge", "assignee_ids": [joe.id]});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).id();
    t.settle().await;
    let note = jane
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "b"}))
        .await
        .is(201)
        .id();
    t.settle().await;
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    t.settle().await;
    let threads: Vec<_> = t.app().mailer().threads().into_iter().flatten().collect();
    let first = format!("issue_{issue}");
    let follows = vec![first.clone()];
    assert_eq!((&threads[0].id, &threads[0].follows), (&first, &Vec::new()));
    assert_eq!((&threads[1].id, &threads[1].follows), (&format!("note_{note}"), &follows));
    assert!(threads[2].id.len() == 24 && threads[2].follows == follows);
    assert!(
        threads
            .iter()
            .all(|thread| thread.list == "acme/anvil" && !thread.host.is_empty())
    );
}

#[testkit::story]
async fn a_group_that_is_named_tells_its_own_members(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let (forge, tools) = (t.group("forge").await, t.group("forge/tools").await);
    let (above, inside, gone) =
        (t.user("above").await, t.user("inside").await, t.user("gone").await);
    forge.add(&above, 30).await;
    forge.add(&jane, 10).await;
    tools.add(&inside, 10).await;
    tools.add(&gone, 10).await;
    t.admin().delete(tools.at(&format!("/members/{}", gone.id))).await.is(204);
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let note = json!({"body": "@forge/tools, look at it"});
    let note = jane.post(project.at("/issues/1/notes")).json(&note).await.is(201).id();
    let todos = inside.get("/todos").await.is(200).json();
    assert_eq!(
        (&todos[0]["action_name"], &todos[0]["author"]["username"]),
        (&json!("mentioned"), &json!("jane"))
    );
    assert!(
        todos[0]["target_url"]
            .as_str()
            .is_some_and(|url| url.ends_with(&format!("#note_{note}")))
    );
    for other in [&above, &gone] {
        assert_eq!(other.get("/todos").await.is(200).json(), json!([]));
    }
    t.settle().await;
    assert_eq!(subjects(&t, "inside@example.com").len(), 1);
    assert!(subjects(&t, "above@example.com").is_empty());
    // Who does not see a group names nobody by it.
    let stranger = t.user("stranger").await;
    stranger
        .post(project.at("/issues"))
        .json(&json!({"title": "Door", "description": "@forge/tools"}))
        .await
        .is(201);
    assert_eq!(inside.get("/todos").await.each("id").len(), 1);
}
