//! What an issue tells of its own changes.

use super::*;

#[testkit::story]
async fn what_happened_is_told_by_events(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let goal = admin
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id();
    let one = project.at("/issues/1");
    admin
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge", "labels": "a"}))
        .await
        .is(201);
    let body = json!({"labels": "b", "milestone_id": goal, "weight": 5, "state_event": "close"});
    admin.put(&one).json(&body).await.is(200);
    admin
        .put(&one)
        .json(&json!({"milestone_id": 0, "state_event": "reopen"}))
        .await
        .is(200);

    let told = async |kind: &str| admin.get(format!("{one}/resource_{kind}_events")).await.is(200);
    let states = told("state").await;
    assert_eq!(states.each("state"), [json!("closed"), json!("reopened")]);
    assert_eq!(states.each("resource_type"), [json!("Issue"), json!("Issue")]);
    let labels = told("label").await;
    let steps = labels
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["action"].as_str().unwrap(),
                one["label"]["name"].as_str().unwrap()
            )
        })
        .collect::<Vec<_>>();
    assert_eq!(steps, ["add a", "add b", "remove a"]);
    let goals = told("milestone").await;
    assert_eq!(goals.each("action"), [json!("add"), json!("remove")]);
    let weights = told("weight").await;
    assert_eq!(weights.each("weight"), [json!(5)]);
    let id = weights.json()[0]["id"].clone();
    admin.get(format!("{one}/resource_weight_events/{id}")).await.is(200);
    admin.get(format!("{one}/resource_state_events/{id}")).await.is(404);
}

#[testkit::story]
async fn what_an_issue_begins_with_is_told_too(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (owner, joe) = (t.user("owner").await, t.user("joe").await);
    project.add(&owner, 50).await;
    project.add(&joe, 10).await;
    let goal = owner
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id();
    let body = json!({"title": "Hinge", "labels": "bug,door", "milestone_id": goal, "weight": 5, "assignee_ids": [joe.id],
        "due_date": "2031-02-01", "created_at": "2001-02-03T04:05:06Z", "discussion_locked": true});
    owner.post(project.at("/issues")).json(&body).await.is(201);
    let told = async |kind: &str| {
        owner
            .get(project.at(&format!("/issues/1/resource_{kind}_events")))
            .await
            .is(200)
    };
    let labels = told("label").await;
    assert_eq!(labels.each("action"), [json!("add"), json!("add")]);
    let names = labels
        .each("label")
        .iter()
        .map(|label| label["name"].clone())
        .collect::<Vec<_>>();
    assert_eq!(names, [json!("bug"), json!("door")]);
    assert_eq!(
        labels.each("created_at"),
        [json!("2001-02-03T04:05:06.000Z"), json!("2001-02-03T04:05:06.000Z")]
    );
    let goals = told("milestone").await.json();
    assert_eq!(
        (&goals[0]["action"], &goals[0]["milestone"]["title"]),
        (&json!("add"), &json!("1.0"))
    );
    assert_eq!(goals[0]["user"]["username"], "owner");
    assert_eq!(told("weight").await.each("weight"), [json!(5)]);
    assert_eq!(told("state").await.json(), json!([]), "it was never closed");
    let notes = owner.get(project.at("/issues/1/notes?sort=asc")).await.is(200);
    assert_eq!(
        notes.each("body"),
        [json!("changed due date to February 1, 2031"), json!("assigned to @joe")]
    );
    assert_eq!(notes.each("system"), [json!(true), json!(true)]);
    assert_eq!(notes.each("created_at")[0], "2001-02-03T04:05:06.000Z");

    owner.post(project.at("/issues")).json(&json!({"title": "Plain"})).await.is(201);
    assert_eq!(owner.get(project.at("/issues/2/notes")).await.is(200).json(), json!([]));
    assert_eq!(
        owner.get(project.at("/issues/2/resource_label_events")).await.is(200).json(),
        json!([])
    );
}
