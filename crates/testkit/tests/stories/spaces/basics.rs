//! Groups, projects and members as callers meet them.

use serde_json::json;

#[testkit::story]
async fn a_group_and_a_project_are_made_found_and_renamed(t: testkit::TestServer) {
    let admin = t.admin();
    let group = admin
        .post("/groups")
        .json(&json!({"name": "Acme", "path": "acme"}))
        .await
        .is(201);
    assert_eq!(group.json()["full_path"], "acme");
    assert_eq!(group.json()["visibility"], "private");
    let sub = json!({"name": "Tools", "path": "tools", "parent_id": group.id()});
    let sub = admin.post("/groups").json(&sub).await.is(201);
    assert_eq!(sub.json()["full_path"], "acme/tools");
    let project = json!({"name": "Anvil", "namespace_id": sub.id()});
    let project = admin.post("/projects").json(&project).await.is(201);
    assert_eq!(project.json()["path_with_namespace"], "acme/tools/anvil");
    assert_eq!(project.json()["name_with_namespace"], "Acme / Tools / Anvil");

    let renamed = admin.put("/groups/acme").json(&json!({"path": "ajax"})).await.is(200);
    assert_eq!(renamed.json()["full_path"], "ajax");
    let by_path = admin.get("/projects/ajax%2Ftools%2Fanvil").await.is(200);
    assert_eq!(by_path.id(), project.id());
    let moved = admin.get("/projects/acme%2Ftools%2Fanvil").await.is(301);
    assert!(
        moved
            .header("location")
            .ends_with(&format!("/api/v4/projects/{}", project.id()))
    );
    admin
        .put("/projects/acme%2Ftools%2Fanvil")
        .json(&json!({"name": "x"}))
        .await
        .is(405);
    admin.get("/groups/acme").await.is(404);
}

#[testkit::story]
async fn members_inherit_and_shares_count(t: testkit::TestServer) {
    let admin = t.admin();
    let jane = t.user("jane").await;
    let project = t.project("acme/tools/anvil").await;
    let id = project.id;
    jane.get(format!("/projects/{id}")).await.is(404);
    let group = admin.get("/groups/acme").await.is(200).id();
    let member = json!({"user_id": jane.id, "access_level": 30});
    admin.post(format!("/groups/{group}/members")).json(&member).await.is(201);
    let again = admin.post(format!("/groups/{group}/members")).json(&member).await.is(409);
    assert_eq!(again.json()["message"], "Member already exists");
    let seen = jane.get(format!("/projects/{id}")).await.is(200);
    assert_eq!(seen.json()["permissions"]["group_access"]["access_level"], 30);
    assert_eq!(jane.get("/projects?membership=true").await.is(200).each("id"), [json!(id)]);
    let all = admin.get(format!("/projects/{id}/members/all")).await.is(200);
    assert!(all.each("username").contains(&json!("jane")));
    admin.delete(format!("/groups/{group}/members/{}", jane.id)).await.is(204);
    jane.get(format!("/projects/{id}")).await.is(404);

    let friends = admin
        .post("/groups")
        .json(&json!({"name": "f", "path": "friends"}))
        .await
        .is(201)
        .id();
    admin.post(format!("/groups/{friends}/members")).json(&member).await.is(201);
    let share = json!({"group_id": friends, "group_access": 20});
    admin.post(format!("/groups/{group}/share")).json(&share).await.is(201);
    jane.get(format!("/projects/{id}")).await.is(200);
    let held = admin.get(format!("/projects/{id}/members/all/{}", jane.id)).await.is(200);
    assert_eq!(held.json()["access_level"], 20);
}

#[testkit::story]
async fn lists_of_projects_page_by_number_and_key(t: testkit::TestServer) {
    let admin = t.admin();
    for number in 0..5 {
        t.project(&format!("acme/p{number}")).await;
    }
    let page = admin.get("/projects?per_page=2&page=2&order_by=id&sort=asc").await.is(200);
    assert_eq!(page.each("path"), [json!("p2"), json!("p3")]);
    assert_eq!((page.header("x-total"), page.header("x-total-pages")), ("5", "3"));
    assert_eq!((page.header("x-next-page"), page.header("x-prev-page")), ("3", "1"));
    let mut seen = Vec::new();
    let mut next = Some("/projects?pagination=keyset&per_page=2&order_by=id&sort=asc".to_owned());
    while let Some(path) = next {
        let page = admin.get(&path).await.is(200);
        assert_eq!(page.header("x-total"), "");
        seen.extend(page.each("path"));
        next = page
            .link("next")
            .map(|url| url.split("/api/v4").nth(1).expect("ours").to_owned());
    }
    assert_eq!(seen, [json!("p0"), json!("p1"), json!("p2"), json!("p3"), json!("p4")]);
}

#[testkit::story]
async fn the_last_owner_stays(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let group = jane
        .post("/groups")
        .json(&json!({"name": "g", "path": "janes"}))
        .await
        .is(201)
        .id();
    let me = format!("/groups/{group}/members/{}", jane.id);
    jane.delete(&me).await.is(403);
    jane.put(&me).json(&json!({"access_level": 30})).await.is(403);
}

#[testkit::story]
async fn visibility_is_the_same_everywhere(t: testkit::TestServer) {
    let admin = t.admin();
    let outsider = t.user("outsider").await;
    let guest = t.user("guest").await;
    for visibility in ["private", "internal", "public"] {
        let body = json!({"name": visibility, "path": format!("{visibility}-group"), "visibility": visibility});
        let group = admin.post("/groups").json(&body).await.is(201).id();
        let body = json!({"name": "p", "namespace_id": group, "visibility": visibility});
        let project = admin.post("/projects").json(&body).await.is(201).id();
        let member = json!({"user_id": guest.id, "access_level": 10});
        admin.post(format!("/projects/{project}/members")).json(&member).await.is(201);
        for (client, sees) in [
            (t.anonymous(), visibility == "public"),
            ((*outsider).clone(), visibility != "private"),
            ((*guest).clone(), true),
        ] {
            let status = if sees { 200 } else { 404 };
            client.get(format!("/projects/{project}")).await.is(status);
            client.get(format!("/groups/{group}")).await.is(status);
            let listed = client.get("/projects").await.is(200).each("id");
            assert_eq!(listed.contains(&json!(project)), sees, "{visibility}");
        }
    }
}

#[testkit::story]
async fn a_deleted_project_is_gone_and_its_path_free(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin.delete(format!("/projects/{}", project.id)).await.is(202);
    admin.get(format!("/projects/{}", project.id)).await.is(404);
    let again = t.project("acme/anvil").await;
    assert_ne!(again.id, project.id);
    admin.delete("/groups/acme").await.is(202);
    admin.get("/groups/acme").await.is(404);
    t.settle().await;
    t.project("acme/anvil").await;
}

#[testkit::story]
async fn bad_names_are_told(t: testkit::TestServer) {
    let admin = t.admin();
    let bad = admin.post("/groups").json(&json!({"name": "x", "path": "a b"})).await.is(400);
    assert!(bad.json()["message"]["path"].is_array());
    admin.post("/groups").json(&json!({"name": "x", "path": "admin"})).await.is(400);
    let missing = admin.post("/groups").json(&json!({"name": "x"})).await.is(400);
    assert_eq!(missing.json()["error"], "path is missing");
    t.project("acme/anvil").await;
    let group = admin.get("/groups/acme").await.is(200).id();
    let taken = json!({"name": "Anvil", "namespace_id": group});
    let taken = admin.post("/projects").json(&taken).await.is(400);
    assert_eq!(taken.json()["message"]["path"], json!(["has already been taken"]));
}
