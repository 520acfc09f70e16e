//! The registry protocol: finding modules by their namespace.

use super::{below, in_project, module, publish};
use serde_json::json;
use testkit::{Reply, TestServer};

/// The address that Terraform is told.
fn told(reply: &Reply) -> String {
    reply.header("x-terraform-get").to_owned()
}

/// What Terraform fetches of it: without the part that is for itself.
fn fetched(address: &str) -> String {
    address
        .strip_prefix("/api/v4")
        .expect("a path of the interface")
        .replace("&archive=tgz", "")
}

#[testkit::story]
async fn a_module_is_found_by_its_namespace(t: TestServer) {
    let project = t.project("acme/tools/forge").await;
    for version in ["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"] {
        publish(&t.admin(), &project, version, version).await.is(201);
    }

    let services = t.anonymous().at("/.well-known/terraform.json").await.is(200);
    let wanted = json!({"modules.v1": "/api/v4/packages/terraform/modules/v1/"});
    assert_eq!(services.json(), wanted);
    let version = |version: &str| {
        json!({"version": version, "submodules": [], "root":
        {"dependencies": [], "providers": [{"name": "aws", "version": ""}]}})
    };
    let source = format!("{}/acme/tools/forge", t.app().base_url());
    let versions = t.admin().get(below("acme", "/versions")).await.is(200);
    assert_eq!(
        versions.json(),
        json!({"modules": [{"versions": [version("2.0.0-rc.1"),
        version("1.10.0"), version("1.9.0"), version("1.0.0")], "source": source}]})
    );
    let shown = |version: &str| {
        json!({"name": "vpc", "provider": "aws", "providers": ["aws"],
        "root": {"dependencies": []}, "source": source, "submodules": [], "version": version,
        "versions": ["2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0"]})
    };
    assert_eq!(t.admin().get(below("acme", "")).await.is(200).json(), shown("1.10.0"));
    assert_eq!(t.admin().get(below("acme", "/1.9.0")).await.is(200).json(), shown("1.9.0"));
    t.admin().get(below("acme", "/9.0.0")).await.is(404);
    t.admin().get(below("acme%2Ftools", "/1.9.0")).await.is(200);

    let led = t.admin().get(below("acme", "/download")).await.is(302);
    let place = format!("/api/v4{}", below("acme", "/1.10.0/download"));
    assert!(led.header("location").ends_with(&place), "{led:?}");
    let none = t.admin().get("/packages/terraform/modules/v1/acme/none/aws/download").await;
    let wanted = json!({"message": {"error": "No version found for none module"}});
    assert_eq!(none.is(404).json(), wanted);
    let none = t.admin().get("/packages/terraform/modules/v1/nobody/none/aws/download").await;
    assert_eq!(none.is(404).json(), wanted);
    t.admin()
        .get("/packages/terraform/modules/v1/acme/none/aws/versions")
        .await
        .is(404);
}

#[testkit::story]
async fn an_archive_is_fetched_with_a_pass_alone(t: TestServer) {
    let project = t.project("acme/forge").await;
    publish(&t.admin(), &project, "1.0.0", "one").await.is(201);
    publish(&t.admin(), &project, "1.1.0", "two").await.is(201);

    let reply = t.admin().get(below("acme", "/1.0.0/download")).await.is(204);
    assert!(reply.body.is_empty());
    let address = told(&reply);
    let file = format!("/api/v4{}", below("acme", "/1.0.0/file?token=pass-"));
    assert!(address.starts_with(&file) && address.ends_with("&archive=tgz"), "{address}");
    let path = fetched(&address);
    t.anonymous().head(&path).await.is(200);
    assert_eq!(t.anonymous().get(&path).await.is(200).body, module("one"));

    // The pass is for this file and nothing else.
    let token = path.split_once("token=").expect("a pass").1.to_owned();
    for other in [
        below("acme", "/1.1.0/file"),
        below("acme", "/1.0.0/download"),
        below("acme", "/versions"),
        in_project(&project, "vpc/aws/1.0.0"),
        project.at("/packages"),
    ] {
        t.anonymous().get(format!("{other}?token={token}")).await.is(401);
    }
    let wrong = path.replace("token=pass-", "token=pass-A");
    t.anonymous().get(&wrong).await.is(401);
    t.anonymous().get(below("acme", "/1.0.0/file")).await.is(401);
}

#[testkit::story]
async fn who_may_not_read_a_module_is_told_of_none(t: TestServer) {
    let project = t.project("acme/forge").await;
    publish(&t.admin(), &project, "1.0.0", "one").await.is(201);
    let (outsider, guest, reporter) =
        (t.user("outsider").await, t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let all = ["", "/versions", "/download", "/1.0.0", "/1.0.0/download", "/1.0.0/file"];

    for rest in all {
        for namespace in ["acme", "nobody"] {
            let reply = t.anonymous().get(below(namespace, rest)).await.is(401);
            assert!(reply.header("www-authenticate").starts_with("Basic realm="), "{reply:?}");
        }
        outsider.get(below("acme", rest)).await.is(404);
        guest.get(below("acme", rest)).await.is(404);
    }
    reporter.get(below("acme", "/versions")).await.is(200);
    outsider.get(in_project(&project, "vpc/aws")).await.is(404);
    guest.get(in_project(&project, "vpc/aws")).await.is(403);
    publish(&reporter, &project, "2.0.0", "x").await.is(403);
    publish(&outsider, &project, "2.0.0", "x").await.is(404);
    publish(&t.anonymous(), &project, "2.0.0", "x").await.is(401);
}

#[testkit::story]
async fn what_is_public_needs_no_credentials(t: TestServer) {
    let project = t.project_with("acme/forge", "public").await;
    publish(&t.admin(), &project, "1.0.0", "one").await.is(201);

    t.anonymous().get(below("acme", "/versions")).await.is(200);
    let reply = t.anonymous().get(below("acme", "/1.0.0/download")).await.is(204);
    let path = fetched(&told(&reply));
    assert_eq!(t.anonymous().get(&path).await.is(200).body, module("one"));
    t.anonymous().get(below("acme", "/9.0.0")).await.is(404);

    let change = json!({"visibility": "private"});
    t.admin().put(project.at("")).json(&change).await.is(200);
    t.anonymous().get(&path).await.is(401);
}

#[testkit::story]
async fn deploy_tokens_find_modules_of_their_project(t: TestServer) {
    let project = t.project("acme/forge").await;
    let body = json!({"name": "robot", "scopes": ["write_package_registry"]});
    let made = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201);
    let token = made.json()["token"].as_str().expect("it is shown").to_owned();
    let bearer = format!("Bearer {token}");
    let get = |rest: &str| t.anonymous().get(below("acme", rest)).header("authorization", &bearer);

    let path = in_project(&project, "vpc/aws/1.0.0/file");
    let sent = t.anonymous().put(path).header("deploy-token", &token).bytes(module("one"));
    sent.await.is(201);
    get("/versions").await.is(200);
    let path = fetched(&told(&get("/1.0.0/download").await.is(204)));
    t.anonymous().get(&path).await.is(200);

    let revoked = project.at(&format!("/deploy_tokens/{}", made.id()));
    t.admin().delete(revoked).await.is(204);
    t.anonymous().get(&path).await.is(401);
}

async fn passed(t: &TestServer) -> String {
    let project = t.project("acme/forge").await;
    publish(&t.admin(), &project, "1.0.0", "one").await.is(201);
    let reply = t.admin().get(below("acme", "/1.0.0/download")).await.is(204);
    fetched(&told(&reply))
}

#[testkit::story(noon)]
async fn a_pass_ends_after_five_minutes(t: TestServer) {
    let path = passed(&t).await;
    t.advance(299);
    t.anonymous().get(&path).await.is(200);
    t.advance(2);
    t.anonymous().get(&path).await.is(401);
}
