//! Registries that are wider or narrower than their project.

use crate::packages::registry::{Registry, deploy_token, put};
use serde_json::json;
use testkit::TestServer;

async fn set(t: &TestServer, r: &Registry, access: &str) {
    let change = json!({"package_registry_access_level": access});
    t.admin().put(format!("/projects/{}", r.id)).json(&change).await.is(200);
}

#[testkit::story]
async fn a_public_registry_opens_a_private_project_for_reading(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "strike").await;
    let file = r.generic("hammer/1.0/a");
    let outsider = r.person(&t, "outsider", 0).await;
    let guest = r.person(&t, "guest", 10).await;
    set(&t, &r, "public").await;

    for client in [t.anonymous(), outsider.clone(), guest.clone()] {
        assert_eq!(client.get(&file).await.is(200).text(), "strike");
        assert_eq!(client.get(r.at("")).await.is(200).each("name"), ["hammer"]);
    }
    put(&t.anonymous(), &file, "x").await.is(401);
    put(&guest, &file, "x").await.is(403);
    let closed = put(&outsider, &file, "x").await;
    assert!(matches!(closed.status, 403 | 404), "{closed:?}");
    t.anonymous().get(format!("/projects/{}", r.id)).await.is(404);
    // The group's list has its packages, but not the path of a project
    // that is not theirs to see.
    let list = format!("/groups/{}/packages", r.namespace);
    let seen = t.anonymous().get(&list).await.is(200).json();
    assert_eq!((&seen[0]["name"], &seen[0]["project_path"]), (&json!("hammer"), &json!(null)));
    let seen = guest.get(&list).await.is(200).json();
    assert_eq!(seen[0]["project_path"], "acme/anvil");

    set(&t, &r, "enabled").await;
    t.anonymous().get(&file).await.is(401);
    outsider.get(&file).await.is(404);
    assert_eq!(t.anonymous().get(&list).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_public_registry_is_in_the_lists_of_private_groups(t: TestServer) {
    let open = t.project("acme/tools/anvil").await;
    let closed = t.project("acme/tools/forge").await;
    let file = open.generic_package("hammer", "1.0").await.file;
    closed.generic_package("classified", "1.0").await;
    let lists = ["/groups/acme/packages", "/groups/acme%2Ftools/packages"];
    for list in lists {
        t.anonymous().get(list).await.is(404);
    }

    let change = json!({"package_registry_access_level": "public"});
    t.admin().put(open.at("")).json(&change).await.is(200);

    for list in lists {
        assert_eq!(t.anonymous().get(list).await.is(200).each("name"), ["hammer"]);
    }
    t.anonymous().get(file).await.is(200);
    t.anonymous().get("/groups/acme").await.is(404);
    t.anonymous().get("/groups/unknown/packages").await.is(404);
}

#[testkit::story]
async fn a_private_registry_closes_a_public_project(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    r.publish(&t, "hammer/1.0/a", "strike").await;
    let file = r.generic("hammer/1.0/a");
    let outsider = r.person(&t, "outsider", 0).await;
    let reporter = r.person(&t, "reporter", 20).await;
    t.anonymous().get(&file).await.is(200);
    set(&t, &r, "private").await;

    t.anonymous().get(&file).await.is(401);
    outsider.get(&file).await.is(403);
    reporter.get(&file).await.is(200);
    t.anonymous().get(format!("/projects/{}", r.id)).await.is(200);
    let list = format!("/groups/{}/packages", r.namespace);
    assert_eq!(outsider.get(&list).await.is(200).json(), json!([]));
    assert_eq!(reporter.get(&list).await.is(200).each("name"), ["hammer"]);
}

#[testkit::story]
async fn a_disabled_registry_refuses_everyone(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    r.publish(&t, "hammer/1.0/a", "strike").await;
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let file = r.generic("hammer/1.0/a");
    let owner = r.person(&t, "owner", 50).await;
    let token = deploy_token(&t, ("Project", r.id), "write_package_registry").await;
    set(&t, &r, "disabled").await;

    for client in [owner, t.admin()] {
        for path in [&r.at(""), &package, &file, &r.at("/protection/rules")] {
            client.get(path).await.is(403);
        }
        put(&client, &file, "x").await.is(403);
        client.delete(&package).await.is(403);
    }
    t.anonymous().get(&file).header("deploy-token", &token).await.is(403);
    let list = format!("/groups/{}/packages", r.namespace);
    assert_eq!(t.admin().get(&list).await.is(200).json(), json!([]));

    set(&t, &r, "enabled").await;
    t.anonymous().get(&file).await.is(200);
}

#[testkit::story]
async fn an_archived_project_is_read_only(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    r.publish(&t, "hammer/1.0/a", "strike").await;
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let file = r.generic("hammer/1.0/a");
    t.admin().post(format!("/projects/{}/archive", r.id)).await.is(201);

    t.anonymous().get(&file).await.is(200);
    put(&t.admin(), &file, "x").await.is(403);
    t.admin().delete(&package).await.is(403);
}

#[testkit::story]
async fn private_names_are_in_no_list_of_a_group(t: TestServer) {
    let secret = Registry::new(&t, "acme/secret", 0).await;
    let open = Registry::new(&t, "acme/open", 20).await;
    secret.publish(&t, "classified/1.0/a", "x").await;
    open.publish(&t, "hammer/1.0/a", "x").await;
    let outsider = open.person(&t, "outsider", 0).await;
    let list = format!("/groups/{}/packages", open.namespace);

    for client in [t.anonymous(), outsider] {
        for query in [
            "",
            "?package_name=class",
            "?order_by=project_path",
            "?sort=desc",
            "?package_version=1.0",
            "?include_versionless=true",
            "?status=default",
            "?per_page=1&page=2",
        ] {
            let reply = client.get(format!("{list}{query}")).await.is(200);
            assert!(!reply.text().contains("classified"), "{reply:?}");
            assert!(!reply.text().contains("secret"), "{reply:?}");
            assert!(matches!(reply.header("x-total"), "0" | "1"), "{query}: {reply:?}");
        }
    }
}
