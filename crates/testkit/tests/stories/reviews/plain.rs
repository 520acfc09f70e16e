//! What a merge request changes, as files for git.

use super::{commit, forge, open};
use serde_json::json;
use testkit::{Client, Git, Reply, TestServer};

const ONE: &str = "/acme/forge/-/merge_requests/1";

async fn get(client: &Client, ending: &str) -> Reply {
    let reply = client.request(http::Method::GET, format!("{ONE}.{ending}")).await.is(200);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    reply
}

#[testkit::story]
async fn git_takes_the_difference_and_the_commits(t: TestServer) {
    let project = forge(&t).await;
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/forge"), "one"]).await.done();
    git.run_in("one", &["checkout", "--quiet", "-b", "anvil"]).await.done();
    git.commit("one", "docs/ä \"anvil\".txt", "heavy\n").await;
    std::fs::write(git.at("one").join("pixels"), b"\0\x01\x02").expect("a file");
    git.run_in("one", &["add", "pixels"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Draw"]).await.done();
    git.run_in("one", &["mv", "README.md", "READ.md"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Move"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "anvil"]).await.done();
    commit(&t, &project, "main", "later.txt", "later\n").await;
    open(&t.admin(), &project, "anvil").await;
    t.settle().await;
    let tree = git.id("one", "anvil^{tree}").await;

    let diff = get(&t.anonymous(), "diff").await.text();
    std::fs::write(git.at("it.diff"), &diff).expect("a file");
    git.run_in("one", &["checkout", "--quiet", "main"]).await.done();
    git.run_in("one", &["apply", "--index", "../it.diff"]).await.done();
    let written = git.run_in("one", &["write-tree"]).await.done();
    assert_eq!(written.last_line(), tree);

    git.run_in("one", &["reset", "--quiet", "--hard"]).await.done();
    let patch = get(&t.anonymous(), "patch").await.text();
    std::fs::write(git.at("it.patch"), &patch).expect("a file");
    git.run_in("one", &["am", "--quiet", "../it.patch"]).await.done();
    assert_eq!(git.id("one", "HEAD^{tree}").await, tree);
    let subjects = git.run_in("one", &["log", "-3", "--format=%s"]).await.done().said;
    assert_eq!(subjects.lines().next(), Some("Move"));

    t.user("reader").await;
    let reader = t.browser("reader").await;
    reader.get("/acme/forge/-/merge_requests/9.diff").await.is(404);
    let hidden = json!({"visibility": "private"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    for ending in ["diff", "patch"] {
        reader.get(&format!("{ONE}.{ending}")).await.is(404);
    }
}
