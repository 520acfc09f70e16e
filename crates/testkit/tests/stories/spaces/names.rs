//! Names and paths that somebody has already, and how that is told.

use crate::spaces::{group, project};
use futures_util::future::join_all;
use serde_json::json;

const TAKEN: &str = "has already been taken";

#[testkit::story]
async fn a_name_is_given_once_in_a_namespace(t: testkit::TestServer) {
    let admin = t.admin();
    let acme = group(&admin, "acme", json!({})).await.is(201).id();
    let inside = |name: &str, path: &str| {
        let body = json!({"name": name, "path": path, "namespace_id": acme});
        admin.post("/projects").json(&body)
    };
    let anvil = inside("Anvil", "anvil").await.is(201).id();

    let name = inside("Anvil", "other").await.is(400).json();
    let both = inside("Anvil", "ANVIL").await.is(400).json();
    let path = inside("Other", "anvil").await.is(400).json();

    assert_eq!(name, json!({"message": {"name": [TAKEN]}}));
    assert_eq!(both, json!({"message": {"name": [TAKEN], "path": [TAKEN]}}));
    assert_eq!(path, json!({"message": {"path": [TAKEN]}}));
    // Elsewhere the name is free, and so it is once its project is gone.
    project(&admin, "elsewhere", json!({"name": "Anvil"})).await.is(201);
    let hammer = inside("Hammer", "hammer").await.is(201).id();
    let renamed = admin.put(format!("/projects/{hammer}")).json(&json!({"name": "Anvil"}));
    assert_eq!(renamed.await.is(400).json(), name);
    let same = json!({"name": "Anvil", "description": "Heavy"});
    admin.put(format!("/projects/{anvil}")).json(&same).await.is(200);
    admin.delete(format!("/projects/{anvil}")).await.is(202);
    inside("Anvil", "other").await.is(201);
}

#[testkit::story]
async fn a_project_moves_only_where_its_name_is_free(t: testkit::TestServer) {
    let admin = t.admin();
    let acme = group(&admin, "acme", json!({})).await.is(201).id();
    project(&admin, "anvil", json!({"name": "Anvil", "namespace_id": acme}))
        .await
        .is(201);
    let own = project(&admin, "mine", json!({"name": "Anvil"})).await.is(201).id();
    let to = format!("/projects/{own}/transfer");

    let refused = admin.put(&to).json(&json!({"namespace": acme})).await.is(400).text();

    assert!(refused.contains("Project with same name or path"), "{refused}");
    admin
        .put(format!("/projects/{own}"))
        .json(&json!({"name": "Mine"}))
        .await
        .is(200);
    admin.put(&to).json(&json!({"namespace": acme})).await.is(200);
    let again = json!({"name": "Mine", "namespace_id": acme});
    admin.post("/projects").json(&again).await.is(400);
}

#[testkit::story]
async fn groups_of_one_parent_have_names_of_their_own(t: testkit::TestServer) {
    let admin = t.admin();
    let acme = group(&admin, "acme", json!({})).await.is(201).id();
    // At the top only paths tell groups apart.
    group(&admin, "acme2", json!({"name": "acme"})).await.is(201);
    group(&admin, "tools", json!({"name": "Tools", "parent_id": acme}))
        .await
        .is(201);

    let same = group(&admin, "more", json!({"name": "Tools", "parent_id": acme})).await.is(400);

    assert_eq!(same.json(), json!({"message": {"name": [TAKEN]}}));
    let more = group(&admin, "more", json!({"parent_id": acme})).await.is(201).id();
    let renamed = admin.put(format!("/groups/{more}")).json(&json!({"name": "Tools"}));
    assert_eq!(renamed.await.is(400).json(), same.json());
    let top = group(&admin, "top", json!({"name": "Tools"})).await.is(201).id();
    let moved = admin.post(format!("/groups/{top}/transfer")).json(&json!({"group_id": acme}));
    let moved = moved.await.is(400).text();
    assert!(moved.contains("The name has already been taken there."), "{moved}");
    // A project may be called like a group beside it.
    project(&admin, "t", json!({"name": "Tools", "namespace_id": acme}))
        .await
        .is(201);
}

#[testkit::story]
async fn of_many_of_one_name_at_once_one_is_made(t: testkit::TestServer) {
    let admin = t.admin();
    let acme = group(&admin, "acme", json!({})).await.is(201).id();
    let projects = join_all((0..10).map(|turn| {
        let body = json!({"name": "Anvil", "path": format!("a{turn}"), "namespace_id": acme});
        admin.post("/projects").json(&body).into_future()
    }));
    let groups = join_all((0..10).map(|turn| {
        let body = json!({"name": "Anvil", "path": format!("g{turn}"), "parent_id": acme});
        admin.post("/groups").json(&body).into_future()
    }));

    let (projects, groups) = (projects.await, groups.await);

    for replies in [projects, groups] {
        let made = replies.iter().filter(|reply| reply.status == 201).count();
        let refused = replies.iter().filter(|reply| reply.status == 400).count();
        assert_eq!((made, refused), (1, 9), "{replies:#?}");
    }
}

#[testkit::story]
async fn an_unusable_group_is_told_field_by_field(t: testkit::TestServer) {
    let admin = t.admin();
    let shape = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or \
        '.', end in '.', '.git' or '.atom'";

    let bad = group(&admin, "a b", json!({"name": ""})).await.is(400).json();

    assert_eq!(bad, json!({"message": {"name": ["can't be blank"], "path": [shape]}}));
    group(&admin, "acme", json!({})).await.is(201);
    let taken = group(&admin, "Acme", json!({})).await.is(400).json();
    assert_eq!(taken, json!({"message": {"path": [TAKEN]}}));
    let changed = admin.put("/groups/acme").json(&json!({"path": "a b"})).await.is(400).json();
    assert_eq!(changed, json!({"message": {"path": [shape]}}));
}
