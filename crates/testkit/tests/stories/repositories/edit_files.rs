//! Files written one at a time, by REST.

use super::edits::begun;
use bytes::Bytes;
use serde_json::json;
use testkit::Git;

#[testkit::story]
async fn a_file_is_made_changed_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let at = |path: &str| project.at(&format!("/repository/files/{path}"));
    // The first file of all makes the branch, whatever its name.
    let body = json!({"branch": "trunk", "commit_message": "Begin", "content": "1"});
    let made = admin.post(at("a%2Fb%2Ec")).json(&body).await.is(201).json();
    assert_eq!(made, json!({"file_path": "a/b.c", "branch": "trunk"}));
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    let first = git.id("one", "trunk").await;

    let form = "branch=trunk&commit_message=Again&content=Mg%3D%3D&encoding=base64";
    let changed = admin.put(at("a%2Fb.c")).form(form).await.is(200).json();
    assert_eq!(changed, json!({"file_path": "a/b.c", "branch": "trunk"}));
    let stale = json!({"branch": "trunk", "commit_message": "Late", "content": "3",
        "last_commit_id": first});
    let said = admin.put(at("a%2Fb.c")).json(&stale).await.is(400).json();
    assert_eq!(
        said["message"],
        "You are attempting to update a file that has changed since you started editing it."
    );
    let same = json!({"branch": "trunk", "commit_message": "Same", "content": "2"});
    admin.put(at("a%2Fb.c")).json(&same).await.is(400);
    let exists = admin.post(at("a%2Fb.c")).json(&same).await.is(400).json();
    assert_eq!(exists["message"], "A file with this name already exists");
    let missing = admin.put(at("x")).json(&same).await.is(400).json();
    assert_eq!(missing["message"], "A file with this name doesn't exist");
    for path in ["a%2F..%2Fb", "%2Fx", "..", "a%2F.."] {
        let said = admin.post(at(path)).json(&same).await;
        if said.status != 404 {
            let said = said.is(400).json();
            assert_eq!(said["error"], "file_path should be a valid file path", "{path}");
        }
    }
    let other = json!({"branch": "other", "start_branch": "trunk", "commit_message": "Gone"});
    admin.delete(at("a%2Fb.c")).json(&other).await.is(204);
    git.run_in("one", &["fetch", "--quiet"]).await.done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    assert_eq!(git.run_in("one", &["show", "origin/trunk:a/b.c"]).await.done().said, "2");
    let left = git.run_in("one", &["ls-tree", "-r", "origin/other"]).await.done();
    assert_eq!(left.said, "");
}

const JSON: &str = "application/json";

/// What writes a file of so many bytes; put together as text, since to write JSON of
/// megabytes takes a test longer than the server takes for them.
fn written(message: &str, bytes: usize) -> Bytes {
    let content = "y".repeat(bytes);
    format!(r#"{{"branch": "main", "commit_message": "{message}", "content": "{content}"}}"#).into()
}

#[testkit::story(noon)]
async fn large_files_come_whole_and_not_too_often(t: testkit::TestServer) {
    let project = begun(&t).await;
    let admin = t.admin();
    let at = |name: &str| project.at(&format!("/repository/files/{name}"));
    // 14 MB in a field of a form, as some clients send them.
    let text = "x".repeat(14 * 1024 * 1024);
    let form = format!("branch=main&commit_message=Large&content={text}");
    admin.post(at("large")).form(form).await.is(201);
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    assert_eq!(std::fs::read(git.at("one").join("large")).unwrap(), text.as_bytes());
    let larger = written("Larger", 20 * 1024 * 1024);
    let mut statuses = Vec::new();
    for number in 0..4 {
        let asked = admin.post(at(&format!("larger-{number}"))).header("content-type", JSON);
        statuses.push(asked.bytes(larger.clone()).await.status);
    }
    assert_eq!(statuses, [201, 201, 201, 429]);
    let too_large = admin.post(at("too-large")).header("content-type", JSON);
    let too_large = too_large.bytes(written("Too large", 41 * 1024 * 1024));
    // Whether its sender hears the answer depends on how much was under way.
    if let Ok(reply) = too_large.try_send().await {
        reply.is(413);
    }
    git.run_in("one", &["fetch", "--quiet"]).await.done();
    let files = git.run_in("one", &["ls-tree", "--name-only", "origin/main"]).await.done();
    assert!(files.said.contains("larger-2") && !files.said.contains("too-large"));
}

#[testkit::story]
async fn a_new_project_may_begin_with_a_readme(t: testkit::TestServer) {
    let admin = t.admin();
    let body = json!({"name": "Anvil", "path": "anvil", "initialize_with_readme": true,
        "default_branch": "trunk", "description": "Heavy."});
    let project = admin.post("/projects").json(&body).await.is(201).json();
    let path = project["path_with_namespace"].as_str().expect("a path").to_owned();
    let git = Git::of(&admin);
    git.run(&["clone", "--quiet", &git.url(&path), "one"]).await.done();
    assert_eq!(git.run_in("one", &["branch", "--show-current"]).await.last_line(), "trunk");
    let readme = std::fs::read_to_string(git.at("one").join("README.md")).unwrap();
    assert_eq!(readme, "# Anvil\n\nHeavy.\n");
}
