//! Who sees and changes issues.

use serde_json::{Value, json};

#[testkit::story]
async fn confidential_issues_show_to_few(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (author, helper) = (t.user("author").await, t.user("helper").await);
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    for user in [&author, &helper, &guest] {
        project.add(user, 10).await;
    }
    project.add(&reporter, 20).await;
    let outsider = t.user("outsider").await;
    author.post(project.at("/issues")).json(&json!({"title": "open"})).await.is(201);
    let body = json!({"title": "hush", "confidential": true});
    author.post(project.at("/issues")).json(&body).await.is(201);
    reporter
        .put(project.at("/issues/2"))
        .json(&json!({"assignee_ids": [helper.id], "labels": "bug"}))
        .await
        .is(200);

    for (client, sees) in [
        (t.admin(), true),
        ((*author).clone(), true),
        ((*helper).clone(), true),
        ((*reporter).clone(), true),
        ((*guest).clone(), false),
        ((*outsider).clone(), false),
        (t.anonymous(), false),
    ] {
        client.get(project.at("/issues/2")).await.is(if sees { 200 } else { 404 });
        client
            .get(project.at("/issues/2/participants"))
            .await
            .is(if sees { 200 } else { 404 });
        let expected = if sees { vec![json!(2), json!(1)] } else { vec![json!(1)] };
        for list in
            [project.at("/issues"), "/groups/acme/issues".into(), "/issues?scope=all".into()]
        {
            let found = client.get(&list).await.is(200);
            assert_eq!(found.each("iid"), expected, "{list}");
            assert_eq!(found.header("x-total"), expected.len().to_string());
        }
        let found = client.get(project.at("/issues?labels=bug")).await.is(200);
        assert_eq!(found.json().as_array().map(Vec::len), Some(usize::from(sees)));
        let label = client.get(project.at("/labels/bug")).await.is(200).json();
        assert_eq!(label["open_issues_count"], i64::from(sees));
    }
    let project = t.anonymous().get(project.at("")).await.is(200).json();
    assert_eq!(project["open_issues_count"], 1);
}

#[testkit::story]
async fn guests_make_issues_and_reporters_sort_them(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, other) = (t.user("guest").await, t.user("other").await);
    let reporter = t.user("reporter").await;
    project.add(&guest, 10).await;
    project.add(&other, 10).await;
    project.add(&reporter, 20).await;
    let body = json!({"title": "Hinge", "labels": "bug", "assignee_ids": [other.id], "weight": 3,
        "confidential": true, "issue_type": "incident"});
    let made = guest.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(
        (&made["labels"], &made["assignees"], &made["weight"]),
        (&json!([]), &json!([]), &Value::Null)
    );
    assert_eq!((&made["confidential"], &made["issue_type"]), (&json!(true), &json!("issue")));
    assert_eq!(guest.get(project.at("/labels")).await.is(200).json(), json!([]));

    let one = project.at("/issues/1");
    let edit = json!({"title": "Door", "labels": "bug", "state_event": "close"});
    let changed = guest.put(&one).json(&edit).await.is(200).json();
    assert_eq!(
        (&changed["title"], &changed["labels"], &changed["state"]),
        (&json!("Door"), &json!([]), &json!("closed"))
    );
    guest.put(&one).json(&json!({"labels": "bug"})).await.is(403);
    guest.put(&one).json(&json!({"confidential": false})).await.is(403);
    reporter.put(&one).json(&json!({"confidential": false})).await.is(200);
    other.put(&one).json(&json!({"title": "mine"})).await.is(403);
    guest.post(project.at("/issues/1/time_estimate?duration=1h")).await.is(403);
    guest.delete(&one).await.is(403);
    reporter.delete(&one).await.is(403);
    t.admin().delete(&one).await.is(204);
}

#[testkit::story]
async fn a_projects_issues_can_be_switched_off(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (guest, outsider) = (t.user("guest").await, t.user("outsider").await);
    project.add(&guest, 10).await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let level = |level: &str| json!({"issues_access_level": level});

    t.admin().put(project.at("")).json(&level("private")).await.is(200);
    guest.get(project.at("/issues/1")).await.is(200);
    outsider.get(project.at("/issues/1")).await.is(403);
    outsider.get(project.at("/issues")).await.is(403);
    assert_eq!(outsider.get("/groups/acme/issues").await.is(200).json(), json!([]));
    assert_eq!(guest.get("/groups/acme/issues").await.is(200).each("iid"), [json!(1)]);
    assert_eq!(outsider.get(project.at("")).await.is(200).json()["open_issues_count"], 0);

    t.admin().put(project.at("")).json(&level("disabled")).await.is(200);
    guest.get(project.at("/issues/1")).await.is(403);
    guest.post(project.at("/issues")).json(&json!({"title": "x"})).await.is(403);
    assert_eq!(t.admin().get("/issues?scope=all").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn strangers_and_archived_projects_change_nothing(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let issue = json!({"title": "Hinge"});
    t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    let nobody = t.anonymous();
    nobody.get(project.at("/issues/1")).await.is(200);
    nobody.post(project.at("/issues")).json(&issue).await.is(401);
    nobody.put(project.at("/issues/1")).json(&issue).await.is(401);
    nobody.delete(project.at("/issues/1")).await.is(401);
    nobody.post(project.at("/issues/1/subscribe")).await.is(401);
    nobody.get("/issues").await.is(401);
    nobody.get("/issues?scope=assigned_to_me").await.is(401);
    // Who sees the project may report what is wrong with it.
    let outsider = t.user("outsider").await;
    outsider.post(project.at("/issues")).json(&issue).await.is(201);
    t.admin().post(project.at("/archive")).await.is(201);
    t.admin()
        .put(project.at("/issues/1"))
        .json(&json!({"title": "x"}))
        .await
        .is(403);
    t.admin().get(project.at("/issues/1")).await.is(200);
}

#[testkit::story]
async fn who_may_not_see_a_project_is_not_assigned(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let outsider = t.user("outsider").await;
    let body = json!({"title": "Hinge", "assignee_ids": [outsider.id]});
    let made = t.admin().post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(made["assignees"], json!([]));
}
