//! Issues that move to another project or are copied.

use serde_json::{Value, json};

#[testkit::story]
async fn a_moved_issue_leaves_a_closed_one(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/forge").await);
    let (admin, jane) = (t.admin(), t.user("jane").await);
    anvil.add(&jane, 20).await;
    admin
        .post(forge.at("/labels"))
        .json(&json!({"name": "bug", "color": "blue"}))
        .await
        .is(201);
    let body = json!({"title": "Hinge", "description": "oil", "labels": "bug,door",
        "assignee_ids": [jane.id, 1], "weight": 2});
    let old = admin.post(anvil.at("/issues")).json(&body).await.is(201);

    let refused = jane
        .post(anvil.at("/issues/1/move"))
        .json(&json!({"to_project_id": anvil.id}))
        .await
        .is(400);
    assert!(refused.text().contains("Cannot move issue to project it originates from!"));
    jane.post(anvil.at("/issues/1/move"))
        .json(&json!({"to_project_id": forge.id}))
        .await
        .is(404);
    forge.add(&jane, 10).await;
    let refused = jane
        .post(anvil.at("/issues/1/move"))
        .json(&json!({"to_project_id": forge.id}))
        .await
        .is(400);
    assert!(refused.text().contains("insufficient permissions"));

    let moved = admin
        .post(anvil.at("/issues/1/move"))
        .json(&json!({"to_project_id": forge.id}))
        .await
        .is(201);
    let (new, left) = (moved.json(), admin.get(anvil.at("/issues/1")).await.is(200).json());
    assert_eq!(
        (&new["project_id"], &new["iid"], &new["description"]),
        (&json!(forge.id), &json!(1), &json!("oil"))
    );
    assert_eq!(
        (&new["labels"], &new["weight"], &new["state"]),
        (&json!(["bug"]), &json!(2), &json!("opened"))
    );
    assert_eq!((&left["state"], &left["moved_to_id"]), (&json!("closed"), &json!(moved.id())));
    assert_ne!(moved.id(), old.id());
    let marked = admin.get(forge.at("/issues/1/resource_label_events")).await.is(200).json();
    assert_eq!(
        (&marked[0]["action"], &marked[0]["label"]["name"], &marked[1]),
        (&json!("add"), &json!("bug"), &Value::Null)
    );
    let weighed = admin.get(forge.at("/issues/1/resource_weight_events")).await.is(200);
    assert_eq!(weighed.each("weight"), [json!(2)]);
    admin
        .post(anvil.at("/issues/1/move"))
        .json(&json!({"to_project_id": forge.id}))
        .await
        .is(400);
}

#[testkit::story]
async fn a_copy_leaves_the_first_as_it_is(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let body = json!({"title": "Hinge", "labels": "bug", "confidential": true});
    admin.post(project.at("/issues")).json(&body).await.is(201);
    let made = admin
        .post(project.at("/issues/1/clone"))
        .json(&json!({"to_project_id": project.id}))
        .await
        .is(201)
        .json();
    assert_eq!(
        (&made["iid"], &made["labels"], &made["confidential"]),
        (&json!(2), &json!(["bug"]), &json!(true))
    );
    let marked = admin.get(project.at("/issues/2/resource_label_events")).await.is(200);
    assert_eq!(marked.each("action"), [json!("add")]);
    let first = admin.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!((&first["state"], &first["moved_to_id"]), (&json!("opened"), &Value::Null));
}
