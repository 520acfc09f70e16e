//! Refs of merge requests whose author was banned: administrators alone are told of them.

use super::{commit, developer, forge, open};
use crate::ssh::git_of;
use base64::Engine;
use http::Method;
use testkit::{Client, Git, TestProject, TestServer, TestUser};

const VERSIONS: [&str; 3] = ["protocol.version=0", "protocol.version=1", "protocol.version=2"];
const HIDDEN: &str = "refs/merge-requests/1/head";
const OPEN: &str = "refs/merge-requests/2/head";

/// A merge request of mallory, and one of smith.
async fn two(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = forge(t).await;
    let mallory = developer(t, &project, "mallory").await;
    let smith = developer(t, &project, "smith").await;
    for (branch, by) in [("horn", &mallory), ("anvil", &smith)] {
        commit(t, &project, branch, &format!("{branch}.txt"), "x\n").await;
        open(by, &project, branch).await;
    }
    t.settle().await;
    (project, mallory, smith)
}

/// Which of both heads somebody is told of, whichever version git speaks.
async fn told(git: &Git) -> (bool, bool) {
    told_with(git, "http.extraHeader=").await
}

/// The same, told to who says at once who they are: git waits to be asked, and nobody asks
/// where anybody may read.
async fn told_at_once(client: &Client) -> (bool, bool) {
    let both = format!("anybody:{}", client.token().expect("a token"));
    let both = base64::engine::general_purpose::STANDARD.encode(both);
    let proof = format!("http.extraHeader=Authorization: Basic {both}");
    told_with(&Git::of(client), &proof).await
}

async fn told_with(git: &Git, proof: &str) -> (bool, bool) {
    let url = git.url("acme/forge");
    let mut told = Vec::new();
    for version in VERSIONS {
        let listed = git.run(&["-c", version, "-c", proof, "ls-remote", &url]).await.done().said;
        let by_name = git
            .run(&["-c", version, "-c", proof, "ls-remote", &url, HIDDEN])
            .await
            .done()
            .said;
        assert_eq!(by_name.contains(HIDDEN), listed.contains(HIDDEN), "{version}");
        assert_eq!(listed.contains("refs/merge-requests/1/"), listed.contains(HIDDEN));
        told.push((listed.contains(HIDDEN), listed.contains(OPEN)));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    told[0]
}

async fn ban(t: &TestServer, user: &TestUser, deed: &str) {
    t.admin().post(format!("/users/{}/{deed}", user.id)).await.is(201);
}

#[testkit::story]
async fn heads_of_who_was_banned_are_for_administrators(t: TestServer) {
    let (project, mallory, smith) = two(&t).await;
    let (stranger, web) = (Git::of(&t.anonymous()), Git::of(&smith));
    assert_eq!(told(&stranger).await, (true, true));
    let at = |name: &str| project.at(&format!("/repository/commits/{}", name.replace('/', "%2F")));
    smith.get(at(HIDDEN)).await.is(200);

    ban(&t, &mallory, "ban").await;

    for git in [&stranger, &web] {
        assert_eq!(told(git).await, (false, true));
    }
    assert_eq!(told_at_once(&t.admin()).await, (true, true));
    assert_eq!(told_at_once(&smith).await, (false, true));
    web.run(&["init", "--quiet", "one"]).await.done();
    let url = web.url("acme/forge");
    for version in VERSIONS {
        let fetch = ["-c", version, "fetch", "--quiet", &url];
        let fetched = web.run_in("one", &[&fetch[..], &[HIDDEN]].concat()).await;
        fetched.refused("couldn't find remote ref");
        web.run_in("one", &[&fetch[..], &[OPEN]].concat()).await.done();
    }
    for client in [&*smith, &t.admin()] {
        client.get(at(HIDDEN)).await.is(404);
        client.get(at(OPEN)).await.is(200);
    }
    let branch = format!("/repository/branches?branch=mine&ref={HIDDEN}");
    smith.post(project.at(&branch)).await.is(400);
    let query = format!(
        "{{project(fullPath:\"acme/forge\"){{repository{{
            tree(ref:\"{HIDDEN}\"){{blobs{{nodes{{path}}}}}}}}}}}}"
    );
    let asked = graph(&smith, &query).await;
    assert!(!asked.contains("horn.txt"), "{asked}");

    ban(&t, &mallory, "unban").await;
    assert_eq!(told(&stranger).await, (true, true));
    smith.get(at(HIDDEN)).await.is(200);
}

async fn graph(client: &Client, query: &str) -> String {
    let sent = client.request(Method::POST, "/api/graphql");
    sent.json(&serde_json::json!({"query": query})).await.is(200).text()
}

#[testkit::story]
async fn they_are_hidden_over_ssh_and_from_archives(t: TestServer) {
    let (_, mallory, smith) = two(&t).await;
    let port = t.ssh().await;
    let (own, root) = (git_of(port, &smith).await, git_of(port, &t.admin()).await);
    ban(&t, &mallory, "ban").await;

    assert_eq!(told(&own).await, (false, true));
    assert_eq!(told(&root).await, (true, true));
    let archive = async |git: &Git, name: &str| {
        let url = git.url("acme/forge");
        git.run(&["archive", "--remote", &url, "--format=tar", "--output=a.tar", name])
            .await
    };
    for name in [HIDDEN, "merge-requests/1/head", "merge-requests/1/head:"] {
        archive(&own, name).await.refused("There is no such ref.");
    }
    archive(&own, OPEN).await.done();
    archive(&root, HIDDEN).await.done();
}
