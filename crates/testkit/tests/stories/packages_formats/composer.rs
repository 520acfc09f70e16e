//! Composer packages.

use crate::packages_formats::archives::zip;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestGroup, TestProject};

fn source(manifest: &Value) -> Vec<u8> {
    let manifest = manifest.to_string();
    zip(&[
        ("anvil-1.0/composer.json", manifest.as_str()),
        ("anvil-1.0/src/a.php", "<?php\n"),
    ])
}

fn form(fields: &[(&str, &str)], archive: Option<&[u8]>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, text) in fields {
        let part =
            format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    if let Some(archive) = archive {
        body.extend_from_slice(b"--cut\r\nContent-Disposition: form-data; name=\"package\"; filename=\"p.zip\"\r\n\r\n");
        body.extend_from_slice(archive);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--cut--\r\n");
    body
}

async fn send(
    who: &Client, project: &TestProject, fields: &[(&str, &str)], archive: Option<&[u8]>,
) -> Reply {
    who.post(project.at("/packages/composer"))
        .header("content-type", "multipart/form-data; boundary=cut")
        .bytes(form(fields, archive))
        .await
}

fn at(group: &TestGroup, rest: &str) -> String {
    format!("/group/{}/-/packages/composer/{rest}", group.id)
}

#[testkit::story]
async fn a_published_tag_is_found_and_downloaded(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let archive = source(&json!({"name": "acme/anvil", "require": {"php": ">=8.0"}}));
    send(&jane, &project, &[("tag", "v1.2.0")], Some(&archive)).await.is(201);
    send(&jane, &project, &[("branch", "main")], Some(&archive)).await.is(201);

    let root = jane.get(at(&group, "packages.json")).await.is(200).json();
    let prefix = format!("/api/v4/group/{}/-/packages/composer", group.id);
    assert_eq!(root["metadata-url"], format!("{prefix}/p2/%package%.json"));
    assert_eq!(root["packages"], json!([]));

    let document = jane.get(at(&group, "p2/acme/anvil.json")).await.is(200).json();
    let versions = document["packages"]["acme/anvil"].as_object().expect("versions");
    assert_eq!(versions.keys().collect::<Vec<_>>(), ["1.2.0"]);
    let version = &versions["1.2.0"];
    assert_eq!(version["require"], json!({"php": ">=8.0"}));
    assert_eq!(version["version"], "1.2.0");
    assert_eq!(version["dist"]["type"], "zip");
    assert_eq!(version["dist"]["reference"], version["dist"]["shasum"]);
    let development = jane.get(at(&group, "p2/acme/anvil~dev.json")).await.is(200).json();
    assert!(development["packages"]["acme/anvil"]["dev-main"].is_object());

    let url = version["dist"]["url"].as_str().expect("an address").to_owned();
    let got = jane.request(http::Method::GET, &url).await.is(200);
    assert_eq!(got.body.as_ref(), archive.as_slice());
    t.anonymous().request(http::Method::GET, &url).await.is(401);
}

#[testkit::story]
async fn clients_of_version_one_follow_digests(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let archive = source(&json!({"name": "acme/anvil"}));
    send(&t.admin(), &project, &[("tag", "1.0.0")], Some(&archive)).await.is(201);

    let root = t.admin().get(at(&group, "packages")).await.is(200).json();
    let digest = root["provider-includes"]["p/%hash%.json"]["sha256"].as_str().expect("a digest");
    let providers = t.admin().get(at(&group, &format!("p/{digest}.json"))).await.is(200);
    assert_eq!(testkit::sha256(providers.text()), digest);
    let provided = providers.json()["providers"]["acme/anvil"]["sha256"].clone();
    let provided = provided.as_str().expect("a digest");
    let package = t.admin().get(at(&group, &format!("acme/anvil${provided}.json"))).await.is(200);
    assert_eq!(testkit::sha256(package.text()), provided);
    assert!(package.json()["packages"]["acme/anvil"]["1.0.0"].is_object());
    t.admin()
        .get(at(&group, &format!("acme/anvil${}.json", "0".repeat(64))))
        .await
        .is(404);
}

#[testkit::story]
async fn a_branch_moves_and_a_tag_does_not(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    for text in ["one", "two"] {
        let archive = source(&json!({"name": "acme/anvil", "description": text}));
        send(&t.admin(), &project, &[("branch", "1.x")], Some(&archive)).await.is(201);
    }
    let document = t.admin().get(at(&group, "p2/acme/anvil~dev.json")).await.is(200).json();
    assert_eq!(document["packages"]["acme/anvil"]["1.x-dev"]["description"], "two");

    let archive = source(&json!({"name": "acme/anvil"}));
    send(&t.admin(), &project, &[("tag", "1.0.0")], Some(&archive)).await.is(201);
    send(&t.admin(), &project, &[("tag", "v1.0.0")], Some(&archive)).await.is(400);
}

#[testkit::story]
async fn bad_input_is_refused_with_its_reason(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let good = source(&json!({"name": "acme/anvil"}));
    let admin = t.admin();
    send(&admin, &project, &[], Some(&good)).await.is(400);
    send(&admin, &project, &[("tag", "1.0"), ("branch", "main")], Some(&good))
        .await
        .is(400);
    send(&admin, &project, &[("tag", "not a version")], Some(&good)).await.is(400);
    // There is no repository to take it from.
    send(&admin, &project, &[("tag", "1.0.0")], None).await.is(404);
    admin.post(project.at("/packages/composer?tag=1.0.0")).await.is(404);
    for archive in [
        zip(&[("composer.json", "{")]),
        zip(&[("composer.json", "{}")]),
        zip(&[("composer.json", r#"{"name": "../x"}"#)]),
        zip(&[("deep/below/composer.json", r#"{"name": "acme/anvil"}"#)]),
    ] {
        send(&admin, &project, &[("tag", "1.0.0")], Some(&archive)).await.is(422);
    }
    send(&admin, &project, &[("tag", "1.0.0")], Some(b"no archive")).await.is(400);
    send(&admin, &project, &[("tag", "1.0.0")], Some(&zip(&[("../x", "x")])))
        .await
        .is(400);
    let listed = admin.get(project.at("/packages")).await.is(200);
    assert_eq!(listed.json(), json!([]));
}

#[testkit::story]
async fn one_name_comes_from_one_project_of_a_group(t: testkit::TestServer) {
    let (one, other) = (t.project("acme/anvil").await, t.project("acme/tools/anvil").await);
    let elsewhere = t.project("globex/anvil").await;
    let archive = source(&json!({"name": "acme/anvil"}));
    send(&t.admin(), &one, &[("tag", "1.0.0")], Some(&archive)).await.is(201);
    send(&t.admin(), &other, &[("tag", "1.1.0")], Some(&archive)).await.is(400);
    send(&t.admin(), &elsewhere, &[("tag", "1.1.0")], Some(&archive)).await.is(201);
}

#[testkit::story]
async fn private_projects_stay_out_of_what_strangers_read(t: testkit::TestServer) {
    let hidden = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let archive = source(&json!({"name": "acme/anvil"}));
    send(&t.admin(), &hidden, &[("tag", "1.0.0")], Some(&archive)).await.is(201);
    t.anonymous().get(at(&group, "packages.json")).await.is(401);
    let stranger = t.user("stranger").await;
    stranger.get(at(&group, "packages.json")).await.is(404);
    let guest = t.user("guest").await;
    hidden.add(&guest, 10).await;
    send(&guest, &hidden, &[("tag", "2.0.0")], Some(&archive)).await.is(403);
}
