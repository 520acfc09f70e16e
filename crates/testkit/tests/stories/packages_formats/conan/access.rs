//! Who may publish, install and delete.

use super::session::basic;
use super::{At, RREV, hammer, recipe_at, text};
use serde_json::json;
use testkit::Client;

/// What a client is answered for a list, a file, an upload and a deletion of
/// what there is not.
async fn statuses(client: &Client, at: &At) -> [u16; 4] {
    [
        client.get(at.v2("latest")).await.status,
        client.get(at.in_recipe(RREV, "/files/conanfile.py")).await.status,
        at.put(client, RREV, "metadata/a.txt", b"x").await.status,
        client.delete(at.in_recipe("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "")).await.status,
    ]
}

#[testkit::story]
async fn roles_decide_in_a_private_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let at = hammer(&project.at(""));
    at.recipe(&t.admin(), RREV).await;
    for (name, level, wanted) in [
        ("guest", 10, [403, 403, 403, 403]),
        ("reporter", 20, [200, 200, 403, 403]),
        ("developer", 30, [200, 200, 200, 403]),
        ("maintainer", 40, [200, 200, 200, 404]),
    ] {
        let person = t.user(name).await;
        project.add(&person, level).await;
        assert_eq!(statuses(&person, &at).await, wanted, "{name}");
    }
    let outsider = t.user("outsider").await;
    assert_eq!(statuses(&outsider, &at).await, [404; 4]);
    assert_eq!(statuses(&t.anonymous(), &at).await, [401; 4]);
}

#[testkit::story]
async fn projects_are_as_open_as_they_say(t: testkit::TestServer) {
    let public = t.project_with("plaza/fountain", "public").await;
    let internal = t.project_with("hall/desk", "internal").await;
    let (open, inner) = (hammer(&public.at("")), hammer(&internal.at("")));
    for at in [&open, &inner] {
        at.recipe(&t.admin(), RREV).await;
    }
    assert_eq!(statuses(&t.anonymous(), &open).await, [200, 200, 401, 401]);
    assert_eq!(statuses(&t.anonymous(), &inner).await, [401; 4]);
    let somebody = t.user("somebody").await;
    assert_eq!(statuses(&somebody, &inner).await, [200, 200, 403, 403]);
    let check = public.at("/packages/conan/v2/users/check_credentials");
    t.anonymous().get(check).await.is(401);

    t.admin().post(public.at("/archive")).await.is(201);
    assert_eq!(statuses(&t.admin(), &open).await, [200, 200, 403, 403]);
    t.admin().post(public.at("/unarchive")).await.is(201);
    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(public.at("")).json(&off).await.is(200);
    assert_eq!(statuses(&t.admin(), &open).await, [403; 4]);
}

#[testkit::story]
async fn tokens_of_machines_read_or_write(t: testkit::TestServer) {
    let (project, elsewhere) = (t.project("acme/anvil").await, t.project("apex/anvil").await);
    let (here, there) = (hammer(&project.at("")), hammer(&elsewhere.at("")));
    here.recipe(&t.admin(), RREV).await;
    let deploy = async |scopes: &[&str]| {
        let body = json!({"name": "machine", "scopes": scopes});
        let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
        (text(&made["username"]), text(&made["token"]))
    };
    let log = "/files/metadata/log.txt";
    let (writer, secret) = deploy(&["write_package_registry"]).await;
    let put = |at: &At| t.anonymous().put(at.in_recipe(RREV, log)).bytes("x");
    basic(put(&here), &writer, &secret).await.is(200);
    basic(put(&there), &writer, &secret).await.is(404);
    let (reader, secret) = deploy(&["read_package_registry"]).await;
    basic(t.anonymous().get(here.v2("latest")), &reader, &secret).await.is(200);
    basic(t.anonymous().get(here.v2("latest")), &reader, "wrong").await.is(401);
    basic(put(&here), &reader, &secret).await.is(403);
    let narrow = t.token_of(1, &["read_api"]).await;
    assert_eq!(statuses(&narrow, &here).await, [200, 200, 403, 403]);
}

#[testkit::story]
async fn a_protected_recipe_is_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, keeper) = (t.user("jane").await, t.user("keeper").await);
    project.add(&jane, 30).await;
    project.add(&keeper, 40).await;
    let rule = json!({"package_name_pattern": "ham*", "package_type": "conan",
        "minimum_access_level_for_push": "maintainer", "minimum_access_level_for_delete": "owner"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    let at = hammer(&project.at(""));
    at.put(&jane, RREV, "conanfile.py", b"x").await.is(403);
    jane.post(at.v1("/upload_urls")).json(&json!({"conanfile.py": 1})).await.is(403);
    recipe_at(&project.at(""), "nail/1.0/_/_").recipe(&jane, RREV).await;
    at.recipe(&keeper, RREV).await;
    keeper.delete(at.in_recipe(RREV, "")).await.is(403);
    keeper.delete(at.v1("")).await.is(403);
    t.admin().delete(at.in_recipe(RREV, "")).await.is(200);
}
