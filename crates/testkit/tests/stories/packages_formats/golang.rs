//! Go modules.

use crate::packages_formats::archives::zip;
use testkit::{Client, Reply, TestProject};

/// What every module of these stories begins with: the server's host.
pub const HOST: &str = "127.0.0.1";

pub fn module_zip(module: &str, version: &str, go_mod: &str) -> Vec<u8> {
    let folder = format!("{module}@{version}");
    zip(&[
        (format!("{folder}/go.mod").as_str(), go_mod),
        (format!("{folder}/anvil.go").as_str(), "package anvil\n"),
    ])
}

fn at(project: &TestProject, rest: &str) -> String {
    project.at(&format!("/packages/go/{rest}"))
}

async fn publish(who: &Client, project: &TestProject, module: &str, version: &str) -> Reply {
    let bytes = module_zip(module, version, &format!("module {module}\n\ngo 1.19\n"));
    let path = at(project, &format!("{module}/@v/{version}.zip"));
    who.put(path).bytes(bytes).await
}

#[testkit::story]
async fn a_published_version_is_fetched_by_the_proxy_protocol(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let module = format!("{HOST}/acme/anvil");
    for version in ["v1.10.0", "v1.9.0", "v1.11.0-rc.1", "v1.9.1-0.20260102030405-abcdef012345"] {
        let reply = publish(&jane, &project, &module, version).await.is(201);
        assert_eq!(reply.text(), r#"{"message":"201 Created"}"#);
    }

    let get = |rest: &str| jane.get(at(&project, &format!("{module}/{rest}")));
    let list = get("@v/list").await.is(200);
    assert_eq!(list.text(), "v1.9.0\nv1.10.0\nv1.11.0-rc.1\n");
    assert!(list.header("content-type").starts_with("text/plain"));
    let info = get("@v/v1.9.0.info").await.is(200).json();
    assert_eq!(info["Version"], "v1.9.0");
    assert!(info["Time"].as_str().expect("a time").ends_with('Z'));
    assert_eq!(get("@latest").await.is(200).json()["Version"], "v1.10.0");
    assert_eq!(
        get("@v/v1.9.0.mod").await.is(200).text(),
        format!("module {module}\n\ngo 1.19\n")
    );
    let zip = get("@v/v1.9.0.zip").await.is(200);
    assert_eq!(zip.header("content-disposition"), "attachment; filename=\"v1.9.0.zip\"");
    assert_eq!(&zip.body[..2], b"PK");
    let listed = jane.get(project.at("/packages?package_type=golang")).await.is(200);
    assert_eq!(listed.each("name")[0], module.as_str());
}

#[testkit::story]
async fn parents_and_strange_paths_are_not_found_once_inside(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let paths = [
        format!("{HOST}/@v/list"),
        format!("{HOST}/acme/@v/list"),
        format!("{HOST}/acme/anvils/@v/list"),
        format!("{HOST}/acme/anvil/@v/v1.0.0.info"),
        format!("{HOST}/acme/anvil/@latest"),
        format!("{HOST}/acme/anvil/v1/@v/list"),
        format!("{HOST}/acme/anvil/@v/v1.tar"),
        "x".into(),
        "%2e%2e/@v/list".into(),
    ];
    for path in &paths {
        jane.get(at(&project, path)).await.is(404);
    }
    // A module without versions has an empty list.
    let list = jane.get(at(&project, &format!("{HOST}/acme/anvil/@v/list"))).await.is(200);
    assert_eq!(list.text(), "");
    let stranger = t.anonymous().get(at(&project, &paths[0])).await.is(401);
    assert!(stranger.header("www-authenticate").starts_with("Basic"));
    let outsider = t.user("outsider").await;
    outsider.get(at(&project, &paths[0])).await.is(404);
}

#[testkit::story]
async fn versions_and_major_versions_must_fit(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let module = format!("{HOST}/acme/anvil");
    publish(&admin, &project, &format!("{module}/v2"), "v2.0.0").await.is(201);
    publish(&admin, &project, &module, "v2.0.0").await.is(400);
    publish(&admin, &project, &format!("{module}/v2"), "v1.0.0").await.is(400);
    publish(&admin, &project, &module, "1.0.0").await.is(400);
    publish(&admin, &project, &format!("{HOST}/other/anvil"), "v1.0.0")
        .await
        .is(400);
    publish(&admin, &project, &module, "v1.0.0").await.is(201);
    let again = publish(&admin, &project, &module, "v1.0.0").await.is(409);
    assert!(again.text().contains("published already"));
}

#[testkit::story]
async fn an_upper_case_letter_travels_escaped(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let module = format!("{HOST}/acme/anvil/cmd/Tool");
    let escaped = format!("{HOST}/acme/anvil/cmd/!tool");
    let bytes = module_zip(&module, "v0.1.0", &format!("module {module}\n"));
    t.admin()
        .put(at(&project, &format!("{escaped}/@v/v0.1.0.zip")))
        .bytes(bytes)
        .await
        .is(201);
    let list = t.admin().get(at(&project, &format!("{escaped}/@v/list"))).await.is(200);
    assert_eq!(list.text(), "v0.1.0\n");
}

#[testkit::story]
async fn what_is_no_module_is_refused_and_leaves_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let module = format!("{HOST}/acme/anvil");
    let folder = format!("{module}@v1.0.0");
    let good = format!("{folder}/go.mod");
    let archives = [
        b"no archive".to_vec(),
        module_zip(&module, "v1.0.1", &format!("module {module}\n")),
        module_zip(&module, "v1.0.0", "module example.org/other\n"),
        module_zip(&module, "v1.0.0", "go 1.19\n"),
        zip(&[(good.as_str(), &b"\xff\xfe"[..])]),
        zip(&[("../x", "x")]),
        zip(&[(good.as_str(), "module x\n"), ("elsewhere/x", "x")]),
    ];
    for bytes in archives {
        let path = at(&project, &format!("{module}/@v/v1.0.0.zip"));
        t.admin().put(path).bytes(bytes).await.is(400);
    }
    let listed = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(listed.json(), serde_json::json!([]));
    // Without a go.mod its content is known.
    let bare = zip(&[(format!("{folder}/a.go").as_str(), "package a\n")]);
    t.admin()
        .put(at(&project, &format!("{module}/@v/v1.0.0.zip")))
        .bytes(bare)
        .await
        .is(201);
    let go_mod = t.admin().get(at(&project, &format!("{module}/@v/v1.0.0.mod"))).await.is(200);
    assert_eq!(go_mod.text(), format!("module {module}\n"));
}

#[testkit::story]
async fn only_developers_publish(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let module = format!("{HOST}/acme/anvil");
    for (name, level, status) in [("guest", 10, 403), ("reporter", 20, 403), ("dev", 30, 201)] {
        let user = t.user(name).await;
        project.add(&user, level).await;
        publish(&user, &project, &module, "v1.0.0").await.is(status);
    }
    publish(&t.anonymous(), &project, &module, "v1.1.0").await.is(401);
    let stranger = t.user("stranger").await;
    publish(&stranger, &project, &module, "v1.1.0").await.is(404);
}

#[testkit::story]
async fn of_many_publishers_of_one_version_one_wins(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let module = format!("{HOST}/acme/anvil");
    let admin = t.admin();
    let all = (0..8).map(|_| publish(&admin, &project, &module, "v1.0.0"));
    let statuses: Vec<u16> = futures_util::future::join_all(all)
        .await
        .into_iter()
        .map(|reply| reply.status)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 201 | 409)), "{statuses:?}");
}
