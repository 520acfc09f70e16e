//! Many push at once.

use std::collections::HashSet;
use testkit::Git;

#[testkit::story]
async fn of_pushes_to_one_branch_one_wins_each_time(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let first = Git::of(&t.admin());
    first.begin("one", "acme/anvil").await;
    first.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let clones: Vec<Git> = (0..4).map(|_| Git::of(&t.admin())).collect();
    let work = clones.iter().enumerate().map(|(number, git)| async move {
        git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
        let mut made = Vec::new();
        for round in 0..3 {
            made.push(git.commit("two", &format!("{number}-{round}.txt"), "x\n").await);
            let own = format!("main:own-{number}");
            git.run_in("two", &["push", "--quiet", "--force", "origin", &own]).await.done();
            let mut won = git.run_in("two", &["push", "origin", "main"]).await;
            while !won.succeeded {
                git.run_in("two", &["pull", "--quiet", "--no-rebase", "--no-edit"]).await.done();
                won = git.run_in("two", &["push", "origin", "main"]).await;
            }
        }
        made
    });
    let made: Vec<String> = futures_util::future::join_all(work).await.concat();
    first.run(&["clone", "--quiet", &first.url("acme/anvil"), "all"]).await.done();
    first.run_in("all", &["fsck", "--strict"]).await.done();
    let history = first.run_in("all", &["rev-list", "main"]).await.done();
    let history: HashSet<&str> = history.said.lines().collect();
    assert!(made.iter().all(|commit| history.contains(commit.as_str())), "nothing is lost");
    assert_eq!(made.len(), 12);
}
