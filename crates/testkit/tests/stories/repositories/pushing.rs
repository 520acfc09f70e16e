//! Pushes: what they may do, and what their users are told.

use testkit::Git;

/// Bytes that no packing makes much smaller, 4.8 MB of them.
fn noise() -> Vec<u8> {
    (0..600_000u64)
        .flat_map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).to_le_bytes())
        .collect()
}

#[testkit::story]
async fn refs_are_made_moved_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let push = async |args: &[&str]| {
        let all = [&["push", "origin"], args].concat();
        git.run_in("one", &all).await
    };
    push(&["main", "main:cold", "main:refs/notes/commits"]).await.done();
    git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["commit", "--quiet", "--amend", "--message", "again"])
        .await
        .done();
    push(&["main"]).await.done();
    push(&[":cold"]).await.done();
    t.admin().delete(project.at("/protected_branches/main")).await.is(204);
    push(&["+main~1:main"]).await.done();
    push(&["-o", "ci.skip", "main"]).await.done();
    let listed = git.run_in("one", &["ls-remote", "origin"]).await.done();
    let names: Vec<_> = listed
        .said
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(_, name)| name)
        .collect();
    assert_eq!(names, ["HEAD", "refs/heads/main", "refs/notes/commits"]);
}

#[testkit::story]
async fn a_refused_change_is_told_and_changes_nothing(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["tag", "--annotate", "v1", "--message", "first"])
        .await
        .done();
    let push = async |args: &[&str]| {
        let all = [&["push", "origin"], args].concat();
        git.run_in("one", &all).await
    };
    push(&["main"]).await.done();
    let digits = format!("main:refs/heads/{}", "a".repeat(40));
    for (change, said) in [
        (":main", "The default branch of a project cannot be deleted."),
        ("main:refs/keep-around/x", "refs/keep-around/x is kept by the service"),
        ("main:refs/merge-requests/1/head", "refs/merge-requests/1/head is kept"),
        (
            &digits,
            "You cannot create a branch with a 40-character hexadecimal branch name.",
        ),
        ("main:refs/tags/main", "You cannot use default branch name to create a tag"),
    ] {
        // What goes along is refused, too.
        push(&["main:also", change])
            .await
            .refused(said)
            .refused("pre-receive hook declined");
    }
    push(&["v1:refs/heads/tagged"]).await.refused("a branch points at a commit");
    push(&["main:a", "main:a/b"]).await.refused("another ref is in its way");
    push(&["main:a/b"]).await.refused("another ref is in its way");
    push(&["--atomic", "main:c", "main:a/b"]).await.refused("atomic push failed");
    let listed = git.run_in("one", &["ls-remote", "origin"]).await.done();
    let names: Vec<_> = listed
        .said
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(_, name)| name)
        .collect();
    assert_eq!(names, ["HEAD", "refs/heads/a", "refs/heads/main"]);
}

#[testkit::story]
async fn who_is_late_is_told_to_fetch_first(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    git.commit("one", "horn.txt", "curved\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.commit("two", "face.txt", "flat\n").await;
    let push = ["push", "origin", "main"];
    git.run_in("two", &push).await.refused("fetch first");
    t.admin().delete(project.at("/protected_branches/main")).await.is(204);
    git.run_in("two", &["push", "--force", "origin", "main"]).await.done();
    git.run_in("one", &["fetch", "--quiet"]).await.done();
    assert_eq!(git.id("one", "origin/main").await, git.id("two", "HEAD").await);
}

#[testkit::story]
async fn a_push_is_as_large_as_the_server_takes(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let most = async |megabytes: i64, status: u16| {
        let sent = serde_json::json!({"receive_max_input_size": megabytes});
        t.admin().put("/application/settings").json(&sent).await.is(status);
    };
    most(-1, 400).await;
    most(1, 200).await;
    let noise: String = noise().iter().map(|byte| format!("{byte:02x}")).collect();
    git.commit("one", "noise", &noise).await;
    let push = || git.run_in("one", &["push", "--quiet", "origin", "main"]);
    push().await.refused("the push is larger than this server takes");
    let listed = git.run_in("one", &["ls-remote", "origin"]).await.done();
    assert_eq!(listed.said, "");
    most(0, 200).await;
    push().await.done();
}

#[testkit::story]
async fn a_push_may_be_large_and_of_many_refs(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    // Beyond 1 MiB git asks first, and then sends pieces of no told length.
    let noise = noise();
    std::fs::write(git.at("one").join("noise"), &noise).unwrap();
    git.run_in("one", &["add", "noise"]).await.done();
    git.run_in("one", &["commit", "--quiet", "--message", "Noise"]).await.done();
    let mut script = String::new();
    let head = git.id("one", "HEAD").await;
    for number in 0..1_500 {
        script.push_str(&format!("{head} refs/heads/many/{number}\n"));
    }
    std::fs::write(git.at("one").join(".git/packed-refs"), script).unwrap();
    git.run_in("one", &["push", "--quiet", "--all", "origin"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    assert_eq!(std::fs::read(git.at("two").join("noise")).unwrap(), noise);
    let listed = git.run_in("two", &["branch", "--remotes", "--list", "origin/many/*"]).await;
    assert_eq!(listed.done().said.lines().count(), 1_500);
}
