//! Renames, transfers, redirects, archives and visibility.

use crate::spaces::{add, group, project};
use serde_json::{Value, json};

#[testkit::story]
async fn an_old_path_leads_to_the_project_until_it_is_taken(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    anvil.add(&jane, 40).await;
    jane.put(anvil.at("")).json(&json!({"path": "hammer"})).await.is(200);
    let old = "/projects/acme%2Fanvil";
    let to = jane.get(old).await.is(301);
    assert_eq!(to.header("location"), format!("{}/api/v4/projects/{}", t.url(), anvil.id));
    assert!(to.text().contains("This resource has been moved permanently to"), "{to:?}");
    let token = jane.token().expect("a token").to_owned();
    let to = jane.get(format!("{old}/members?query=j&private_token={token}")).await.is(301);
    assert_eq!(
        to.header("location"),
        format!("{}/api/v4/projects/{}/members?query=j", t.url(), anvil.id)
    );
    jane.get(to.header("location").split("/api/v4").nth(1).expect("ours"))
        .await
        .is(200);
    for reply in [
        jane.put(old).json(&json!({"name": "x"})).await,
        jane.delete(old).await,
        jane.post(format!("{old}/star")).await,
    ] {
        assert_eq!(
            (reply.status, &reply.json()["message"]),
            (405, &json!("Non GET methods are not allowed for moved projects"))
        );
    }
    outsider.get(old).await.is(404);
    t.anonymous().get(old).await.is(404);
    let acme = t.group("acme").await.id;
    let again = json!({"name": "Another anvil", "path": "anvil", "namespace_id": acme});
    let again = t.admin().post("/projects").json(&again).await.is(201);
    assert_eq!(jane.get(old).await.status, 404);
    assert_eq!(t.admin().get(old).await.is(200).id(), again.id());
}

#[testkit::story]
async fn a_group_takes_its_projects_along(t: testkit::TestServer) {
    let anvil = t.project("acme/tools/anvil").await;
    t.admin()
        .put("/groups/acme")
        .json(&json!({"path": "ajax", "name": "Ajax"}))
        .await
        .is(200);
    let moved = t.admin().get("/projects/acme%2Ftools%2Fanvil").await.is(301);
    assert!(moved.header("location").ends_with(&format!("/projects/{}", anvil.id)));
    let shown = t.admin().get(anvil.at("")).await.is(200).json();
    assert_eq!(
        (&shown["path_with_namespace"], &shown["name_with_namespace"]),
        (&json!("ajax/tools/anvil"), &json!("Ajax / tools / anvil"))
    );
    t.admin().get("/groups/acme").await.is(404);
    t.admin().get("/groups/acme%2Ftools").await.is(404);
    let tools = t.admin().get("/groups/ajax%2Ftools").await.is(200).id();
    let top = t.admin().post(format!("/groups/{tools}/transfer")).await.is(201).json();
    assert_eq!((&top["full_path"], &top["parent_id"]), (&json!("tools"), &json!(null)));
    assert_eq!(
        t.admin().get(anvil.at("")).await.is(200).json()["path_with_namespace"],
        "tools/anvil"
    );
    let back = json!({"group_id": t.admin().get("/groups/ajax").await.is(200).id()});
    let back = t.admin().post(format!("/groups/{tools}/transfer")).json(&back).await.is(201);
    assert_eq!(back.json()["full_path"], "ajax/tools");
    for old in ["acme%2Ftools%2Fanvil", "tools%2Fanvil"] {
        t.admin().get(format!("/projects/{old}")).await.is(301);
    }
    t.admin().get("/projects/ajax%2Ftools%2Fanvil").await.is(200);
}

#[testkit::story]
async fn a_group_moves_neither_into_itself_nor_too_deep(t: testkit::TestServer) {
    let low = t.group("a/b/c").await;
    let (top, middle) = (t.group("a").await, t.group("a/b").await);
    let other = t.group("other").await;
    let to = |from: i64, to: i64| {
        t.admin()
            .post(format!("/groups/{from}/transfer"))
            .json(&json!({"group_id": to}))
    };
    for (from, target) in
        [(top.id, low.id), (top.id, middle.id), (top.id, top.id), (middle.id, top.id)]
    {
        let refused = to(from, target).await.is(400);
        assert!(refused.text().contains("Transfer failed"), "{refused:?}");
    }
    to(top.id, 99999).await.is(404);
    let mut parent = other.id;
    for depth in 1..20 {
        parent = group(&t.admin(), &format!("d{depth}"), json!({"parent_id": parent}))
            .await
            .is(201)
            .id();
    }
    group(&t.admin(), "deeper", json!({"parent_id": parent})).await.is(400);
    to(top.id, parent).await.is(400);
    let taken = group(&t.admin(), "a", json!({"parent_id": other.id})).await.is(201).id();
    to(top.id, other.id).await.is(400);
    t.admin().delete(format!("/groups/{taken}")).await.is(202);
    to(top.id, other.id).await.is(201);
}

#[testkit::story]
async fn moving_needs_rights_at_both_ends(t: testkit::TestServer) {
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    let acme = group(&jane, "acme", json!({})).await.is(201).id();
    let inner = group(&jane, "inner", json!({"parent_id": acme})).await.is(201).id();
    let joes = group(&joe, "joes", json!({})).await.is(201).id();
    let anvil = project(&jane, "anvil", json!({"namespace_id": acme})).await.is(201).id();
    let anvil = format!("/projects/{anvil}");
    let put = |client: &testkit::Client, to: Value| {
        client.put(format!("{anvil}/transfer")).json(&json!({"namespace": to}))
    };
    put(&jane, json!(joes)).await.is(404);
    jane.post(format!("/groups/{inner}/transfer"))
        .json(&json!({"group_id": joes}))
        .await
        .is(404);
    add(&joe, &format!("/groups/{joes}"), &jane, 20).await.is(201);
    put(&jane, json!(joes)).await.is(403);
    jane.post(format!("/groups/{inner}/transfer"))
        .json(&json!({"group_id": joes}))
        .await
        .is(403);
    put(&jane, json!("joe")).await.is(403);
    put(&jane, json!(acme)).await.is(400);
    put(&jane, json!("nowhere")).await.is(404);
    add(&jane, &anvil, &joe, 40).await.is(201);
    put(&joe, json!(joes)).await.is(403);
    joe.put(format!("/groups/{joes}/members/{}", jane.id))
        .json(&json!({"access_level": 30}))
        .await
        .is(200);
    let moved = put(&jane, json!("joes")).await.is(200).json();
    assert_eq!(moved["path_with_namespace"], "joes/anvil");
    joe.get("/projects/acme%2Fanvil").await.is(301);
    let home = joe
        .put(format!("{anvil}/transfer"))
        .json(&json!({"namespace": "joe"}))
        .await
        .is(200);
    assert_eq!(home.json()["owner"]["username"], "joe");
}

#[testkit::story]
async fn nothing_is_wider_than_what_it_stands_in(t: testkit::TestServer) {
    let admin = t.admin();
    let private = group(&admin, "private", json!({})).await.is(201).id();
    let internal = group(&admin, "internal", json!({"visibility": "internal"})).await.is(201).id();
    let message = |reply: &testkit::Reply| reply.text();
    for (parent, wider) in [(private, "internal"), (private, "public"), (internal, "public")] {
        let sub = group(&admin, "sub", json!({"parent_id": parent, "visibility": wider}))
            .await
            .is(400);
        assert!(message(&sub).contains("visibility_level"), "{sub:?}");
        project(&admin, "p", json!({"namespace_id": parent, "visibility": wider}))
            .await
            .is(400);
    }
    let p = project(&admin, "p", json!({"namespace_id": internal, "visibility": "internal"}))
        .await
        .is(201)
        .id();
    admin
        .put(format!("/projects/{p}"))
        .json(&json!({"visibility": "public"}))
        .await
        .is(400);
    let narrower = admin
        .put(format!("/groups/{internal}"))
        .json(&json!({"visibility": "private"}))
        .await
        .is(400);
    assert!(narrower.json()["message"]["visibility_level"].is_array(), "{narrower:?}");
    admin
        .put(format!("/projects/{p}/transfer"))
        .json(&json!({"namespace": private}))
        .await
        .is(400);
    let to = json!({"group_id": private});
    admin.post(format!("/groups/{internal}/transfer")).json(&to).await.is(400);
    admin
        .put(format!("/projects/{p}"))
        .json(&json!({"visibility": "private"}))
        .await
        .is(200);
    admin
        .put(format!("/groups/{internal}"))
        .json(&json!({"visibility": "private"}))
        .await
        .is(200);
    admin.post(format!("/groups/{internal}/transfer")).json(&to).await.is(201);
    for wrong in ["secret", "10", ""] {
        let body = json!({"name": "x", "path": "x", "visibility": wrong});
        let expected = if wrong.is_empty() { 201 } else { 400 };
        admin.post("/groups").json(&body).await.is(expected);
    }
}

#[testkit::story]
async fn an_archived_project_takes_nothing_new(t: testkit::TestServer) {
    let anvil = t.project("acme/anvil").await;
    let package = anvil.generic_package("hammer", "1.0").await;
    let (owner, maintainer) = (t.user("owner").await, t.user("maint").await);
    anvil.add(&owner, 50).await;
    anvil.add(&maintainer, 40).await;
    maintainer.post(anvil.at("/archive")).await.is(403);
    assert_eq!(owner.post(anvil.at("/archive")).await.is(201).json()["archived"], true);
    owner.post(anvil.at("/archive")).await.is(201);
    for client in [&*owner, &t.admin()] {
        client.put(anvil.at("/packages/generic/new/1.0/f.txt")).bytes("f").await.is(403);
        client.delete(&package.path).await.is(403);
        let rule = json!({"package_name_pattern": "a*", "package_type": "generic",
            "minimum_access_level_for_push": "owner"});
        client.post(anvil.at("/packages/protection/rules")).json(&rule).await.is(403);
        client.get(&package.file).await.is(200);
        client.get(anvil.at("/packages")).await.is(200);
    }
    assert_eq!(owner.get("/projects?archived=true").await.is(200).each("id"), [json!(anvil.id)]);
    assert_eq!(owner.get("/projects?archived=false").await.is(200).json(), json!([]));
    assert_eq!(owner.post(anvil.at("/unarchive")).await.is(201).json()["archived"], false);
    owner.put(anvil.at("/packages/generic/new/1.0/f.txt")).bytes("f").await.is(201);
}
