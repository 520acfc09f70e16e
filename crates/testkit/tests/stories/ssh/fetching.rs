//! Fetches over SSH, in every version of the protocol and with every kind of key.

use super::{add, git_of};
use serde_json::json;
use testkit::{Git, TestServer};

/// A repository with two commits and a tag.
async fn pushed(t: &TestServer, path: &str, visibility: &str) -> testkit::TestProject {
    let project = t.project_with(path, visibility).await;
    let git = Git::of(&t.admin());
    git.begin("one", path).await;
    git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["tag", "--annotate", "v1", "--message", "first"])
        .await
        .done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "v1"]).await.done();
    project
}

#[testkit::story]
async fn every_kind_of_key_clones_in_every_version(t: TestServer) {
    let project = pushed(&t, "acme/anvil", "private").await;
    let port = t.ssh().await;
    let ada = t.user("ada").await;
    project.add(&ada, 20).await;
    for kind in ["ed25519", "rsa", "ecdsa"] {
        let git = Git::over_ssh(port, kind).await;
        add(&ada, &git).await;
        let url = git.url("acme/anvil");
        for version in ["0", "1", "2"] {
            let speaks = format!("protocol.version={version}");
            git.run(&["-c", &speaks, "clone", "--quiet", &url, version]).await.done();
            git.run_in(version, &["fsck", "--strict"]).await.done();
            git.id(version, "v1").await;
            let listed = git.run(&["-c", &speaks, "ls-remote", &url]).await.done();
            assert_eq!(listed.said.lines().count(), 4, "{}", listed.said);
        }
    }
    let used = ada.get("/user/keys").await.is(200).each("last_used_at");
    assert!(used.iter().all(serde_json::Value::is_string), "{used:?}");
}

#[testkit::story]
async fn a_clone_is_brought_up_to_date(t: TestServer) {
    let project = pushed(&t, "acme/anvil", "private").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    let git = git_of(t.ssh().await, &ada).await;
    let url = git.url("acme/anvil");
    git.run(&["clone", "--quiet", "--depth=1", &url, "one"]).await.done();
    git.run(&["-c", "protocol.version=0", "clone", "--quiet", &url, "old"])
        .await
        .done();
    let web = Git::of(&t.admin());
    web.run(&["clone", "--quiet", &web.url("acme/anvil"), "web"]).await.done();
    let id = web.commit("web", "face.txt", "flat\n").await;
    web.run_in("web", &["push", "--quiet", "origin", "main"]).await.done();
    git.run_in("one", &["fetch", "--quiet", "--unshallow", "origin"]).await.done();
    git.run_in("old", &["-c", "protocol.version=0", "fetch", "--quiet"])
        .await
        .done();
    assert_eq!(git.id("one", "origin/main").await, id);
    assert_eq!(git.id("old", "origin/main").await, id);
    // An archive by git's own protocol.
    let made = git
        .run(&["archive", "--remote", &url, "--format=tar", "--output=a.tar", "main"])
        .await;
    made.done();
    assert!(git.at("a.tar").metadata().unwrap().len() > 1000);
}

#[testkit::story]
async fn an_empty_repository_is_cloned(t: TestServer) {
    t.project("acme/anvil").await;
    let git = git_of(t.ssh().await, &t.admin()).await;
    for version in ["0", "2"] {
        let speaks = format!("protocol.version={version}");
        let url = git.url("acme/anvil");
        let clone = ["-c", &speaks, "clone", &url, version];
        let said = git.run(&clone).await.done().said;
        assert!(said.contains("empty repository"), "{said}");
    }
}

#[testkit::story]
async fn a_moved_project_is_cloned_and_its_new_address_said(t: TestServer) {
    let project = pushed(&t, "acme/anvil", "private").await;
    let git = git_of(t.ssh().await, &t.admin()).await;
    t.admin().put(project.at("")).json(&json!({"path": "bench"})).await.is(200);
    let said = git.run(&["clone", &git.url("acme/anvil"), "one"]).await.done().said;
    assert!(
        said.contains("remote: Project 'acme/anvil' was moved to 'acme/bench'."),
        "{said}"
    );
    assert!(
        said.contains("git remote set-url origin git@127.0.0.1:acme/bench.git"),
        "{said}"
    );
    let shown = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(shown["ssh_url_to_repo"], "git@127.0.0.1:acme/bench.git");
    // A slash before and no ending are forgiven.
    let url = git.url("acme/bench").replace(".git", "");
    git.run(&["clone", "--quiet", &url, "two"]).await.done();
}
