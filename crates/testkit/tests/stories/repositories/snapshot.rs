//! A repository as it is, for administrators.

use testkit::{Git, TestServer};

#[testkit::story]
async fn an_administrator_gets_a_repository_whole(t: TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin().get(project.at("/snapshot")).await.is(404);
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "v1"]).await.done();
    git.commit("one", "large.txt", &"steel\n".repeat(50_000)).await;
    git.run_in("one", &["push", "--quiet", "origin", "main", "v1"]).await.done();
    let sent = t.admin().get(project.at("/snapshot")).await.is(200);
    assert_eq!(sent.header("content-type"), "application/x-tar");
    tar::Archive::new(&sent.body[..]).unpack(git.at("copy.git")).expect("a tar");
    git.run_in("copy.git", &["fsck", "--strict"]).await.done();
    git.run(&["clone", "--quiet", "copy.git", "two"]).await.done();
    assert_eq!(git.id("two", "HEAD").await, git.id("one", "main").await);
    assert_eq!(git.id("two", "v1").await, git.id("one", "v1").await);

    let (owner, stranger) = (t.user("olga").await, t.user("eve").await);
    project.add(&owner, 50).await;
    owner.get(project.at("/snapshot")).await.is(403);
    stranger.get(project.at("/snapshot")).await.is(403);
    t.anonymous().get(project.at("/snapshot")).await.is(401);
    t.admin().get(project.at("/snapshot?wiki=true")).await.is(404);
    t.admin().get("/projects/4242/snapshot").await.is(404);
}
