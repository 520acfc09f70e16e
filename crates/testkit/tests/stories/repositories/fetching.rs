//! What was pushed comes back, by every protocol of git.

use std::path::Path;
use testkit::Git;

#[testkit::story]
async fn what_is_pushed_is_cloned(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.commit("one", "src/horn.txt", "curved\n").await;
    git.run_in("one", &["tag", "--annotate", "v1", "--message", "first"])
        .await
        .done();
    git.run_in("one", &["branch", "cold", "HEAD~1"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "cold", "v1"])
        .await
        .done();

    let url = git.url("acme/anvil");
    for version in ["0", "1", "2"] {
        let (name, version) = (format!("clone-{version}"), format!("protocol.version={version}"));
        git.run(&["-c", &version, "clone", "--quiet", &url, &name]).await.done();
        git.run_in(&name, &["fsck", "--strict"]).await.done();
        for named in ["HEAD", "v1", "v1^{}", "origin/cold", "origin/HEAD"] {
            let wanted = match named.strip_prefix("origin/") {
                Some("HEAD") => "main",
                Some(branch) => branch,
                None => named,
            };
            assert_eq!(git.id(&name, named).await, git.id("one", wanted).await, "{named}");
        }
        let text = std::fs::read_to_string(git.at(&name).join("src/horn.txt")).unwrap();
        assert_eq!(text, "curved\n");
    }
}

#[testkit::story]
async fn parts_of_a_history_are_fetched(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    for number in 0..4 {
        git.commit("one", "count.txt", &format!("{number}\n")).await;
    }
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let url = git.url("acme/anvil");
    let count = async |name: &str| {
        let counted = git.run_in(name, &["rev-list", "--count", "HEAD"]).await.done();
        counted.last_line().to_owned()
    };

    git.run(&["clone", "--quiet", "--depth", "2", &url, "shallow"]).await.done();
    assert_eq!(count("shallow").await, "2");
    git.run_in("shallow", &["fetch", "--quiet", "--unshallow"]).await.done();
    assert_eq!(count("shallow").await, "5");

    git.run(&["clone", "--quiet", "--filter=blob:none", "--no-checkout", &url, "partial"])
        .await
        .done();
    let missing = ["rev-list", "--objects", "--missing=print", "HEAD"];
    assert!(git.run_in("partial", &missing).await.done().said.contains('?'));
    git.run_in("partial", &["checkout", "--quiet", "main"]).await.done();
    assert!(git.at("partial").join("count.txt").exists());

    let old = git.id("one", "HEAD~2").await;
    git.run(&["init", "--quiet", "by-id"]).await.done();
    git.run_in("by-id", &["fetch", "--quiet", &url, &old]).await.done();
    assert_eq!(git.id("by-id", "FETCH_HEAD").await, old);

    let newer = git.commit("one", "count.txt", "last\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run_in("shallow", &["pull", "--quiet"]).await.done();
    assert_eq!(git.id("shallow", "HEAD").await, newer);
}

#[testkit::story]
async fn an_empty_repository_is_cloned(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    let url = git.url("acme/anvil");
    for version in ["protocol.version=0", "protocol.version=2"] {
        git.run(&["-c", version, "clone", &url, version]).await.done();
    }
    let head = git.run_in("protocol.version=2", &["symbolic-ref", "HEAD"]).await.done();
    assert_eq!(head.last_line(), "refs/heads/main");
}

#[testkit::story]
async fn the_first_branch_is_what_a_clone_checks_out(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main:trunk"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main:main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    let head = git.run_in("two", &["symbolic-ref", "HEAD"]).await.done();
    assert_eq!(head.last_line(), "refs/heads/trunk");
}

#[testkit::story]
async fn copies_of_a_node_may_be_deleted_at_any_time(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let url = git.url("acme/anvil");
    git.run(&["clone", "--quiet", &url, "before"]).await.done();
    let copies = t.app().config().cache_dir.join("repositories");
    assert!(testkit::files_below(&copies).iter().any(|path| is_pack(path)));
    std::fs::remove_dir_all(&copies).unwrap();
    git.run(&["clone", "--quiet", &url, "after"]).await.done();

    // A file that was cut off is none.
    let pack = testkit::files_below(&copies).into_iter().find(|path| is_pack(path)).unwrap();
    std::fs::remove_file(&pack).unwrap();
    std::fs::write(&pack, "cut").unwrap();
    git.run(&["clone", "--quiet", &url, "again"]).await.done();
    git.commit("one", "horn.txt", "curved\n").await;
    std::fs::remove_dir_all(&copies).unwrap();
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
}

fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "pack")
}

#[testkit::story]
async fn an_address_without_its_ending_leads_on(t: testkit::TestServer) {
    t.project_with("acme/anvil", "public").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let short = format!("{}/acme/anvil", t.url());
    git.run(&["clone", "--quiet", &short, "two"]).await.done();
    let asked = "/acme/anvil/info/refs?service=git-upload-pack&x=1";
    let led = t.anonymous().at(asked).await.is(301);
    assert_eq!(led.header("location"), "/acme/anvil.git/info/refs?service=git-upload-pack&x=1");
}

#[testkit::story]
async fn a_project_that_moved_is_reached_at_its_old_address(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let renamed = serde_json::json!({"path": "bench"});
    t.admin().put(project.at("")).json(&renamed).await.is(200);
    git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "old"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/bench"), "new"]).await.done();
    assert_eq!(git.id("old", "HEAD").await, git.id("new", "HEAD").await);
}
