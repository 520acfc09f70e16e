//! What clients without revisions publish, fetch and delete.

use super::{INFO, PREF, RREV, archive, hammer, manifest, recipe_at, text};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

/// Uploads files by the addresses that the server hands out.
async fn upload(t: &TestServer, client: &Client, ask: String, files: &[(&str, Vec<u8>)]) {
    let sizes: serde_json::Map<String, Value> = files
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), bytes.len().into()))
        .collect();
    let urls = client.post(ask).json(&Value::Object(sizes)).await.is(200).json();
    for (name, bytes) in files {
        let url = text(&urls[name]);
        let path = url.strip_prefix(&t.url()).expect("an absolute address");
        let path = path.strip_prefix("/api/v4").expect("of the interface").to_owned();
        client.put(&path).bytes("").await.is(200);
        let deploy = client.put(&path).header("x-checksum-deploy", "true").bytes("");
        deploy.await.is(404);
        client.put(&path).bytes(bytes.clone()).await.is(200);
    }
}

fn recipe() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("conan_export.tgz", archive()),
        ("conanfile.py", b"class Hammer: pass\n".to_vec()),
        ("conanmanifest.txt", manifest(1)),
    ]
}

fn binary() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("conan_package.tgz", archive()),
        ("conaninfo.txt", INFO.into()),
        ("conanmanifest.txt", manifest(1)),
    ]
}

#[testkit::story]
async fn files_go_where_the_server_says(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    admin.get(at.v1("")).await.is(404);
    let none = admin.get(at.v1("/digest")).await.is(404);
    assert_eq!(none.json()["message"], "404 Package Not Found");
    upload(&t, &admin, at.v1("/upload_urls"), &recipe()).await;
    let package = format!("/packages/{PREF}");
    let none = admin.get(at.v1(&format!("{package}/digest"))).await.is(404);
    assert_eq!(none.json()["message"], "No recipe manifest found");
    upload(&t, &admin, at.v1(&format!("{package}/upload_urls")), &binary()).await;

    let snapshot = admin.get(at.v1("")).await.is(200).json();
    let names: Vec<&String> = snapshot.as_object().expect("files").keys().collect();
    assert_eq!(names, ["conan_export.tgz", "conanfile.py", "conanmanifest.txt"]);
    assert_eq!(snapshot["conanfile.py"].as_str().map(str::len), Some(32));
    let snapshot = admin.get(at.v1(&package)).await.is(200).json();
    assert_eq!(snapshot.as_object().map(serde_json::Map::len), Some(3));
    let digest = admin.get(at.v1("/digest")).await.is(200).json();
    let url = format!("{}/api/v4{}", t.url(), at.files("export/conanmanifest.txt"));
    assert_eq!(digest, json!({"conanmanifest.txt": url}));
    let urls = admin.get(at.v1(&format!("{package}/download_urls"))).await.is(200).json();
    let file = at.files(&format!("package/{PREF}/0/conan_package.tgz"));
    assert_eq!(urls["conan_package.tgz"], format!("{}/api/v4{file}", t.url()));
    assert_eq!(admin.get(file).await.is(200).body, archive());
    let told = admin.get(at.v1("/search")).await.is(200).json();
    assert_eq!(told[PREF]["settings"], json!({"os": "Linux"}));
    // Clients with revisions see the one there is.
    assert_eq!(admin.get(at.v2("latest")).await.is(200).json()["revision"], "0");
}

#[testkit::story]
async fn what_has_no_revisions_may_change(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    upload(&t, &admin, at.v1("/upload_urls"), &recipe()).await;
    admin
        .put(at.files("export/conanfile.py"))
        .bytes("class Other: pass")
        .await
        .is(200);
    let file = admin.get(at.files("export/conanfile.py")).await.is(200);
    assert_eq!(file.text(), "class Other: pass");
    assert_eq!(
        admin.get(at.v1("")).await.is(200).json().as_object().map(serde_json::Map::len),
        Some(3)
    );
    // With revisions nobody writes there, and without nobody elsewhere.
    at.put(&admin, "0", "conanfile.py", b"x").await.is(400);
    let elsewhere = format!("{}/v1/files/{}/{RREV}/export/conanfile.py", at.base, at.path);
    admin.put(elsewhere).bytes("x").await.is(400);
}

#[testkit::story]
async fn files_binaries_and_recipes_are_deleted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    upload(&t, &admin, at.v1("/upload_urls"), &recipe()).await;
    upload(&t, &admin, at.v1(&format!("/packages/{PREF}/upload_urls")), &binary()).await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let files = json!({"files": ["conan_export.tgz"]});
    jane.post(at.v1("/remove_files")).json(&files).await.is(403);

    admin.post(at.v1("/remove_files")).json(&files).await.is(200);
    assert_eq!(
        admin.get(at.v1("")).await.is(200).json().as_object().map(serde_json::Map::len),
        Some(2)
    );
    let packages = json!({"package_ids": [PREF]});
    admin.post(at.v1("/packages/delete")).json(&packages).await.is(200);
    admin.post(at.v1("/packages/delete")).json(&packages).await.is(404);
    assert_eq!(admin.get(at.v1("/search")).await.is(200).json(), json!({}));
    admin.delete(at.v1("")).await.is(200);
    admin.get(at.v1("")).await.is(404);
    admin.delete(at.v1("")).await.is(404);
    assert_eq!(admin.get(project.at("/packages")).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn commands_are_objects_of_known_files(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    let ask = at.v1("/upload_urls");
    for body in [
        json!([]),
        json!("x"),
        json!(1),
        json!({"evil.sh": 1}),
        json!({"../conanfile.py": 1}),
    ] {
        admin.post(&ask).json(&body).await.is(400);
    }
    admin.post(&ask).bytes("{").await.is(400);
    admin.post(&ask).bytes("[".repeat(100_000)).await.is(400);
    admin.post(&ask).json(&json!({})).await.is(200);
    upload(&t, &admin, at.v1("/upload_urls"), &recipe()).await;
    admin
        .post(at.v1("/packages/delete"))
        .json(&json!({"package_ids": 1}))
        .await
        .is(400);
    admin.post(at.v1("/remove_files")).json(&json!({"files": [1]})).await.is(400);
    admin.post(at.v1("/elsewhere")).json(&json!({})).await.is(404);
}

#[testkit::story]
async fn the_prefix_asked_with_stays(t: TestServer) {
    t.project("acme/anvil").await;
    let admin = t.admin();
    for owner in ["/projects/acme%2Fanvil", ""] {
        let at = recipe_at(owner, "hammer/1.0/acme+anvil/stable");
        upload(&t, &admin, at.v1("/upload_urls"), &recipe()).await;
        let urls = admin.get(at.v1("/download_urls")).await.is(200).json();
        let url = format!("{}/api/v4{}", t.url(), at.files("export/conanfile.py"));
        assert_eq!(urls["conanfile.py"], url);
    }
}
