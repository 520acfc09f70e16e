//! Pointers in commits.

use super::send;
use serde_json::json;
use testkit::{Git, sha256};

pub fn pointer(content: &str) -> String {
    let version = "version https://git-lfs.github.com/spec/v1";
    format!("{version}\noid sha256:{}\nsize {}\n", sha256(content), content.len())
}

#[testkit::story]
async fn a_pointer_to_nothing_is_not_pushed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.commit("one", "art/horn.psd", &pointer("steel")).await;
    let push = || git.run_in("one", &["push", "--quiet", "origin", "main"]);
    push().await.refused("LFS objects are missing.");
    let listed = git.run_in("one", &["ls-remote", "origin"]).await.done();
    assert_eq!(listed.said, "");
    send(&t, &t.admin(), "acme/anvil", "steel").await;
    push().await.done();
    let raw = "/repository/files/art%2Fhorn.psd/raw";
    assert_eq!(t.admin().get(project.at(raw)).await.is(200).text(), pointer("steel"));
    let large = t.admin().get(project.at(&format!("{raw}?lfs=true"))).await.is(200);
    assert_eq!(large.text(), "steel");
    assert!(large.header("content-disposition").contains("horn.psd"));
    // What is written without git is looked at, too.
    let body = json!({"branch": "main", "commit_message": "x", "content": pointer("tin")});
    let made = t.admin().post(project.at("/repository/files/tin")).json(&body).await.is(400);
    assert!(made.text().contains("LFS objects are missing."), "{}", made.text());
    // Without large files a pointer is a text like any other.
    t.admin().put(project.at("")).json(&json!({"lfs_enabled": false})).await.is(200);
    t.admin().post(project.at("/repository/files/tin")).json(&body).await.is(201);
    t.admin().get(project.at("/repository/files/tin/raw?lfs=true")).await.is(404);
}
