//! Who may publish and install.

use super::{basic, package};
use serde_json::json;
use testkit::{Client, Request, TestProject};

/// What a client is answered for an index of a name, a search, the feed, a
/// file and an upload.
async fn statuses(client: &Client, project: &TestProject) -> [u16; 5] {
    let at = |rest: &str| client.get(project.at(&format!("/packages/nuget/{rest}")));
    [
        at("metadata/hammer/index.json").await.status,
        at("query").await.status,
        at("v2/FindPackagesById()?id='hammer'").await.status,
        at("download/hammer/1.0.0/hammer.1.0.0.nupkg").await.status,
        package("nail", "1.0.0").to(client, project).await.status,
    ]
}

#[testkit::story]
async fn roles_decide_in_a_private_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    for (name, level, wanted) in [
        ("guest", 10, [403; 5]),
        ("reporter", 20, [200, 200, 200, 200, 403]),
        ("developer", 30, [200, 200, 200, 200, 201]),
    ] {
        let person = t.user(name).await;
        project.add(&person, level).await;
        assert_eq!(statuses(&person, &project).await, wanted, "{name}");
    }
    let outsider = t.user("outsider").await;
    assert_eq!(statuses(&outsider, &project).await, [404; 5]);
    assert_eq!(statuses(&t.anonymous(), &project).await, [401; 5]);
    let reply = t.anonymous().get(project.at("/packages/nuget/query")).await.is(401);
    assert!(reply.header("www-authenticate").starts_with("Basic realm="));
}

#[testkit::story]
async fn projects_are_as_open_as_they_say(t: testkit::TestServer) {
    let public = t.project_with("plaza/fountain", "public").await;
    let internal = t.project_with("hall/desk", "internal").await;
    for project in [&public, &internal] {
        package("hammer", "1.0.0").to(&t.admin(), project).await.is(201);
    }
    assert_eq!(statuses(&t.anonymous(), &public).await, [200, 200, 200, 200, 401]);
    assert_eq!(statuses(&t.anonymous(), &internal).await, [401; 5]);
    let somebody = t.user("somebody").await;
    assert_eq!(statuses(&somebody, &internal).await, [200, 200, 200, 200, 403]);

    t.admin().post(public.at("/archive")).await.is(201);
    assert_eq!(statuses(&t.admin(), &public).await, [200, 200, 200, 200, 403]);
    t.admin().delete(public.at("/packages/nuget/hammer/1.0.0")).await.is(403);
    t.admin().post(public.at("/unarchive")).await.is(201);
    let off = json!({"package_registry_access_level": "disabled"});
    t.admin().put(public.at("")).json(&off).await.is(200);
    assert_eq!(statuses(&t.admin(), &public).await, [403; 5]);
    let symbols = "/packages/nuget/symbolfiles/a.pdb/ff/a.pdb";
    t.admin()
        .get(public.at(symbols))
        .header("symbolchecksum", "SHA256:00")
        .await
        .is(403);
}

#[testkit::story]
async fn tokens_of_machines_read_or_write(t: testkit::TestServer) {
    let (project, elsewhere) = (t.project("acme/anvil").await, t.project("apex/anvil").await);
    let deploy = async |scopes: &[&str]| {
        let body = json!({"name": "machine", "scopes": scopes});
        let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
        let text = |field: &str| made[field].as_str().expect("a text").to_owned();
        (text("username"), text("token"))
    };
    let keyed = |request: Request, key: &str| request.header("X-NuGet-ApiKey", key);
    let (writer, secret) = deploy(&["write_package_registry"]).await;
    let hammer = package("hammer", "1.0.0");
    basic(hammer.to(&t.anonymous(), &project), &writer, &secret).await.is(201);
    keyed(hammer.to(&t.anonymous(), &project), &secret).await.is(201);
    keyed(hammer.to(&t.anonymous(), &project), "wrong").await.is(401);
    basic(hammer.to(&t.anonymous(), &elsewhere), &writer, &secret).await.is(404);
    keyed(hammer.to(&t.anonymous(), &elsewhere), &secret).await.is(404);
    let (reader, secret) = deploy(&["read_package_registry"]).await;
    let index = project.at("/packages/nuget/metadata/hammer/index.json");
    basic(t.anonymous().get(&index), &reader, &secret).await.is(200);
    basic(t.anonymous().get(&index), &writer, &secret).await.is(401);
    basic(t.anonymous().get(&index), &reader, "wrong").await.is(401);
    keyed(t.anonymous().get(&index), &secret).await.is(200);
    basic(hammer.to(&t.anonymous(), &project), &reader, &secret).await.is(403);
    keyed(t.anonymous().delete(project.at("/packages/nuget/hammer/1.0.0")), &secret)
        .await
        .is(403);
    let narrow = t.token_of(1, &["read_api"]).await;
    assert_eq!(statuses(&narrow, &project).await, [200, 200, 200, 200, 403]);
}

#[testkit::story]
async fn a_token_counts_under_its_owners_name(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    let made = async |path: String, body| {
        let made = t.admin().post(path).json(&body).await.is(201).json();
        made["token"].as_str().expect("a text").to_owned()
    };
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let own = json!({"name": "own", "scopes": ["api"]});
    let own = made(format!("/users/{}/personal_access_tokens", jane.id), own).await;
    let bots = json!({"name": "robot", "scopes": ["api"], "access_level": 30});
    let bots = made(project.at("/access_tokens"), bots).await;
    let index = project.at("/packages/nuget/metadata/hammer/index.json");
    basic(t.anonymous().get(&index), "JANE", &own).await.is(200);
    basic(t.anonymous().get(&index), "root", &own).await.is(401);
    basic(package("hammer", "2.0.0").to(&t.anonymous(), &project), "root", &own)
        .await
        .is(401);
    basic(package("hammer", "2.0.0").to(&t.anonymous(), &project), "jane", &own)
        .await
        .is(201);
    basic(t.anonymous().get(&index), "any", &bots).await.is(200);
    // Elsewhere any name will do.
    let simple = project.at("/packages/pypi/simple");
    basic(t.anonymous().get(simple), "any", &own).await.is(200);
}

#[testkit::story]
async fn a_protected_name_is_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let rule = json!({"package_name_pattern": "ham*", "package_type": "nuget",
        "minimum_access_level_for_push": "maintainer", "minimum_access_level_for_delete": "admin"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    let reply = package("Hammer", "1.0.0").to(&jane, &project).await.is(403);
    assert_eq!(reply.json()["message"], "403 Forbidden - Package protected.");
    package("nail", "1.0.0").to(&jane, &project).await.is(201);
    package("Hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    let owner = t.user("owner").await;
    project.add(&owner, 50).await;
    owner.delete(project.at("/packages/nuget/hammer/1.0.0")).await.is(403);
    owner.delete(project.at("/packages/nuget/nail/1.0.0")).await.is(204);
}
