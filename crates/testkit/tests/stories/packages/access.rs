//! Who gets in, and how the others are turned away.

use crate::packages::registry::{Registry, put};
use serde_json::json;

#[testkit::story]
async fn roles_decide_on_a_private_project(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let package = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let file = r.generic("hammer/1.0/a.txt");
    let outsider = r.person(&t, "outsider", 0).await;
    let guest = r.person(&t, "guest", 10).await;
    let reporter = r.person(&t, "reporter", 20).await;
    let developer = r.person(&t, "developer", 30).await;
    let maintainer = r.person(&t, "maintainer", 40).await;

    for path in [&r.at(""), &package, &file] {
        let hidden = outsider.get(path).await.is(404);
        assert_eq!(hidden.json(), json!({"message": "404 Project Not Found"}));
        guest.get(path).await.is(403);
        reporter.get(path).await.is(200);
    }
    put(&outsider, &file, "x").await.is(404);
    put(&reporter, &file, "x").await.is(403);
    put(&developer, &file, "x").await.is(201);
    outsider.delete(&package).await.is(404);
    developer.delete(&package).await.is(403);
    maintainer.delete(&package).await.is(204);
}

#[testkit::story]
async fn nobody_is_asked_for_credentials_by_client_paths(t: testkit::TestServer) {
    let private = Registry::new(&t, "acme/anvil", 0).await;
    let public = Registry::new(&t, "acme/forge", 20).await;
    private.publish(&t, "hammer/1.0/a.txt", "a").await;
    public.publish(&t, "hammer/1.0/a.txt", "a").await;
    let unknown = "/projects/999999/packages/generic/hammer/1.0/a.txt".to_owned();

    t.anonymous().get(public.generic("hammer/1.0/a.txt")).await.is(200);
    t.anonymous().get(public.generic("hammer/1.0/none")).await.is(404);
    let mut refusals = Vec::new();
    for path in [private.generic("hammer/1.0/a.txt"), unknown] {
        let reply = t.anonymous().get(&path).await.is(401);
        assert!(reply.header("www-authenticate").starts_with("Basic realm="));
        refusals.push(reply.json());
        let reply = put(&t.anonymous(), &path, "x").await.is(401);
        assert!(reply.header("www-authenticate").starts_with("Basic realm="));
    }
    assert_eq!(refusals[0], refusals[1]);
    t.anonymous().get(private.at("")).await.is(404);
    t.anonymous().get(public.at("")).await.is(200);
    put(&t.anonymous(), &public.generic("hammer/1.0/a.txt"), "x").await.is(401);
    t.anonymous().delete(public.at("/1")).await.is(401);
}

#[testkit::story]
async fn basic_credentials_carry_a_token(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let token = t.admin().token().expect("a token").to_owned();
    use base64::Engine as _;
    let encode = |text: String| base64::engine::general_purpose::STANDARD.encode(text);
    let good = format!("Basic {}", encode(format!("anyone:{token}")));
    let bad = format!("Basic {}", encode("anyone:wrong".to_owned()));
    let get = || t.anonymous().get(r.generic("hammer/1.0/a.txt"));

    get().header("authorization", &good).await.is(200);
    get().header("authorization", &bad).await.is(401);
    get().header("authorization", &format!("Bearer {token}")).await.is(200);
}

#[testkit::story]
async fn pages_show_the_list_and_a_package(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    let private = Registry::new(&t, "acme/forge", 0).await;
    let list = t.anonymous().at("/acme/anvil/-/packages").await.is(200);
    assert!(list.text().contains("No packages yet"));
    r.publish(&t, "hammer/1.0/docs/a.txt", "a").await;
    private.publish(&t, "hammer/1.0/a.txt", "a").await;

    let list = t.anonymous().at("/acme/anvil/-/packages?search=ham").await.is(200);
    assert!(list.text().contains("hammer"));
    let id = r.id_of(&t, "hammer").await;
    let page = t.anonymous().at(format!("/acme/anvil/-/packages/{id}")).await.is(200);
    assert!(page.text().contains("docs/a.txt"));
    t.user("jane").await;
    let jane = t.browser("jane").await;
    for hidden in ["/acme/anvil/-/packages/999999", "/acme/forge/-/packages"] {
        jane.get(hidden).await.is(404);
        t.anonymous().at(hidden).await.is(302);
    }
}
