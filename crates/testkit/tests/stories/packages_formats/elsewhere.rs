//! Clients of Python and Maven are sent elsewhere for names that are not here.

use serde_json::json;
use testkit::{TestProject, TestServer, TestUser};

/// Sets where clients of a format are sent; to nowhere for an empty address.
pub async fn forward(t: &TestServer, format: &str, to: &str) {
    let key = format!("{format}_package_forwarding_url");
    t.admin().put("/application/settings").json(&json!({key: to})).await.is(200);
}

async fn deploy(t: &TestServer, to: &TestProject, path: &str) {
    let path = to.at(&format!("/packages/maven/{path}"));
    t.admin().put(path).bytes("bytes").await.is(200);
}

async fn publish(t: &TestServer, to: &TestProject, name: &'static str) {
    crate::packages_formats::pypi::wheel(name, "1.0")
        .to(&t.admin(), to)
        .await
        .is(201);
}

/// A reporter of a project, and somebody who has no part in it.
async fn people(t: &TestServer, project: &TestProject) -> (TestUser, TestUser) {
    let (reporter, outsider) = (t.user("reporter").await, t.user("outsider").await);
    project.add(&reporter, 20).await;
    (reporter, outsider)
}

#[testkit::story]
async fn python_names_that_nobody_here_has_lead_elsewhere(t: TestServer) {
    let r = t.project("acme/anvil").await;
    let hidden = t.project("acme/vault").await;
    let foreign = t.project("other/thing").await;
    publish(&t, &hidden, "secret_tool").await;
    publish(&t, &foreign, "requests").await;
    let (reporter, outsider) = people(&t, &r).await;
    let group = "/groups/acme/-/packages".to_owned();
    let places = [r.at("/packages"), group];
    reporter.get(r.at("/packages/pypi/simple/requests/")).await.is(404);

    forward(&t, "pypi", "https://python.example/simple/").await;

    for place in &places {
        for asked in ["requests", "requests/", "Re.quests", "re__quests/"] {
            let sent = reporter.get(format!("{place}/pypi/simple/{asked}")).await.is(302);
            let name = if asked.starts_with("requests") {
                "requests"
            } else {
                "re-quests"
            };
            let to = format!("https://python.example/simple/{name}/");
            assert_eq!(sent.header("location"), to, "{asked}");
        }
        // In any spelling, also of a project that the client may not see.
        for ours in ["secret-tool", "Secret.Tool/", "secret__tool"] {
            reporter.get(format!("{place}/pypi/simple/{ours}")).await.is(404);
        }
        // What can be no name is nowhere.
        for bad in ["...", "a%2fb", "a%0d%0ab", "-a", "a%3fb", "%C3%A4"] {
            reporter.get(format!("{place}/pypi/simple/{bad}")).await.is(404);
        }
        t.anonymous().get(format!("{place}/pypi/simple/requests/")).await.is(401);
    }
    outsider.get(r.at("/packages/pypi/simple/requests/")).await.is(404);
    // A file is asked for by who saw a list, and the list was ours.
    let file = format!("/packages/pypi/files/{}/requests-1.0.tar.gz", "0".repeat(64));
    reporter.get(r.at(&file)).await.is(404);
    forward(&t, "pypi", "").await;
    reporter.get(r.at("/packages/pypi/simple/requests/")).await.is(404);
}

#[testkit::story]
async fn maven_packages_that_nobody_here_has_lead_elsewhere(t: TestServer) {
    let r = t.project("acme/anvil").await;
    let hidden = t.project("acme/vault").await;
    let foreign = t.project("other/thing").await;
    deploy(&t, &hidden, "com/acme/secret/1.0/secret-1.0.jar").await;
    deploy(&t, &foreign, "org/lib/1.0/lib-1.0.jar").await;
    let (reporter, outsider) = people(&t, &r).await;
    let group = "/groups/acme/-/packages".to_owned();
    let wanted = "org/lib/1.0+b/lib-1.0+b.jar";
    reporter.get(r.at(&format!("/packages/maven/{wanted}"))).await.is(404);

    forward(&t, "maven", "https://java.example/maven2").await;

    for place in [r.at("/packages"), group] {
        for (path, to) in [
            (wanted, "org/lib/1.0%2Bb/lib-1.0%2Bb.jar"),
            ("org/lib/1.0/lib-1.0.pom.sha1", "org/lib/1.0/lib-1.0.pom.sha1"),
            ("org/lib/maven-metadata.xml", "org/lib/maven-metadata.xml"),
            ("org/lib/2-SNAPSHOT/maven-metadata.xml", "org/lib/2-SNAPSHOT/maven-metadata.xml"),
        ] {
            let sent = reporter.get(format!("{place}/maven/{path}")).await.is(302);
            let to = format!("https://java.example/maven2/{to}");
            assert_eq!(sent.header("location"), to);
        }
        // Another version of a name of ours is not looked for there either.
        for ours in [
            "com/acme/secret/2.0/secret-2.0.jar",
            "com/acme/secret/maven-metadata.xml",
            "com/acme/secret/1.0/secret-1.0.jar.sha1",
        ] {
            reporter.get(format!("{place}/maven/{ours}")).await.is(404);
        }
        for bad in ["..%2f..%2fsecret/1/a.jar", "org/l%20b/1.0/a.jar", "org/lib/1.0/a%0d%0a.jar"] {
            reporter.get(format!("{place}/maven/{bad}")).await.is(404);
        }
        t.anonymous().get(format!("{place}/maven/{wanted}")).await.is(401);
    }
    outsider.get(r.at(&format!("/packages/maven/{wanted}"))).await.is(404);
    // The instance's address is of projects here.
    reporter.get(format!("/packages/maven/{wanted}")).await.is(403);
    forward(&t, "maven", "").await;
    reporter.get(r.at(&format!("/packages/maven/{wanted}"))).await.is(404);
}
