//! What keeps repositories small, by jobs.

use ::store::sql;
use kernel::jobs::enqueue_at;
use repositories::upkeep::{Compact, Prune, Sweep};
use testkit::{Git, TestServer};

/// Names of packs, in use and replaced.
async fn packs(t: &TestServer) -> (Vec<String>, Vec<String>) {
    let read = async |retired: bool| {
        t.app()
            .read(move |tx| {
                Ok(tx.all(
                    sql!(
                        "select name from repository_packs
                         where (retired_at is not null) = $1 order by id"
                    ),
                    (retired,),
                )?)
            })
            .await
            .unwrap()
    };
    (read(false).await, read(true).await)
}

async fn repository(t: &TestServer) -> i64 {
    t.app()
        .read(|tx| Ok(tx.one(sql!("select id from repositories"), ())?))
        .await
        .unwrap()
}

async fn run<J: kernel::jobs::Job + Clone>(t: &TestServer, job: J) {
    t.app()
        .write(move |tx| {
            let now = tx.now();
            enqueue_at(tx, &job, now)
        })
        .await
        .unwrap();
    t.settle().await;
}

#[testkit::story(noon)]
async fn an_owner_has_a_repository_packed_anew(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (owner, maintainer) = (t.user("owner").await, t.user("maintainer").await);
    project.add(&owner, 50).await;
    project.add(&maintainer, 40).await;
    let path = project.at("/housekeeping");
    owner.post(&path).await.is(201);
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    for number in 0..5 {
        git.commit("one", "count.txt", &format!("{number}\n")).await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    }
    t.anonymous().post(&path).await.is(401);
    maintainer.post(&path).await.is(403);
    owner.post(format!("{path}?task=odd")).await.is(400);
    t.settle().await;
    assert_eq!(packs(&t).await.0.len(), 5);
    owner.post(&path).await.is(201);
    owner.post(&path).await.is(409);
    t.settle().await;
    assert!(packs(&t).await.0.len() < 5);
    t.advance(3600);
    owner.post(format!("{path}?task=prune")).await.is(201);
    t.settle().await;
    assert_eq!(packs(&t).await.0.len(), 1);
}

#[testkit::story(noon)]
async fn many_packs_become_few_and_nothing_is_lost(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    for number in 0..5 {
        git.commit("one", "count.txt", &format!("{number}\n")).await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    }
    assert_eq!(packs(&t).await.0.len(), 5);
    let id = repository(&t).await;
    for _ in 0..2 {
        run(&t, Compact { repository: id }).await;
        let (used, replaced) = packs(&t).await;
        assert!(used.len() < 3 && replaced.len() >= 4, "{used:?} {replaced:?}");
    }
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    git.run_in("two", &["fsck", "--strict"]).await.done();
    assert_eq!(git.id("two", "HEAD").await, git.id("one", "HEAD").await);

    // What was replaced stays for a day.
    run(&t, Sweep {}).await;
    assert!(!packs(&t).await.1.is_empty());
    t.advance(25 * 3600);
    run(&t, Sweep {}).await;
    assert!(packs(&t).await.1.is_empty());
    std::fs::remove_dir_all(&t.app().config().cache_dir).unwrap();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "three"]).await.done();
}

#[testkit::story]
async fn what_no_ref_leads_to_goes(t: testkit::TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run_in("one", &["switch", "--quiet", "--create", "gone"]).await.done();
    let gone = git.commit("one", "secret.txt", "secret\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "gone"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", ":gone"]).await.done();
    let url = git.url("acme/anvil");
    git.run(&["init", "--quiet", "by-id"]).await.done();
    git.run_in("by-id", &["fetch", "--quiet", &url, &gone]).await.done();

    let id = repository(&t).await;
    run(&t, Prune { repository: id }).await;
    assert_eq!(packs(&t).await.0.len(), 1);
    git.run(&["init", "--quiet", "later"]).await.done();
    git.run_in("later", &["fetch", "--quiet", &url, &gone])
        .await
        .refused("not our ref");
    git.run(&["clone", "--quiet", &url, "two"]).await.done();

    // A push of what leads to it must bring it.
    let child = git.commit("one", "more.txt", "more\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "gone"]).await.done();
    git.run(&["clone", "--quiet", "--branch", "gone", &url, "three"]).await.done();
    assert_eq!(git.id("three", "HEAD").await, child);
}

#[testkit::story]
async fn long_histories_are_noted_beside_the_copy(t: TestServer) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    // What no packing makes smaller.
    let random: String = (0..40_000)
        .map(|_| hex::encode(kernel::secrets::random_bytes::<24>()))
        .collect();
    git.commit("one", "random.txt", &random).await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    let copies = t.app().config().cache_dir.join("repositories");
    let is_noted = || {
        let files = testkit::files_below(&copies);
        files.iter().any(|path| path.ends_with("objects/info/commit-graph"))
    };
    for _ in 0..200 {
        if is_noted() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(is_noted());
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "three"]).await.done();
}
