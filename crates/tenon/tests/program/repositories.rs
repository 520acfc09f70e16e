//! Repositories as whoever runs a server meets them: backups, folders, checks, crashes.

use crate::bucket::Bucket;
use crate::place::{Place, Server, project};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use testkit::{Git, run};

/// Rounds of crashes of one instance in a check; a full one has many more.
const ROUNDS: usize = 4;
const MANY_ROUNDS: usize = 10;
/// Instances of a full check that are killed so often, of each kind.
const MANY: usize = 10;
/// Clients that push at the same time, each to a branch of its own.
const CLIENTS: usize = 3;

#[test]
fn repositories_go_with_a_backup_and_by_folders() {
    run(async {
        for from in Place::both() {
            let server = from.serve();
            let token = from.token();
            project(&server.client(&token)).await;
            let git = Git::of(&server.client(&token));
            git.begin("one", "acme/anvil").await;
            git.run_in("one", &["tag", "--annotate", "v1", "--message", "first"])
                .await
                .done();
            git.run_in("one", &["push", "--quiet", "origin", "main", "v1"]).await.done();
            let tip = git.id("one", "main").await;
            let archive = from.path().join("backup.tar");
            let archive = archive.to_str().expect("a plain path");
            from.tells(&["backup", archive]);
            let folder = from.path().join("out.git");
            let folder = folder.to_str().expect("a plain path");
            from.tells(&["repository", "export", "acme/anvil", folder]);
            git.run(&["--git-dir", folder, "fsck", "--strict"]).await.done();
            let said = from.fails(&["repository", "export", "acme/anvil", folder]);
            assert!(said.contains("exists already"), "{said}");
            let said = from.fails(&["repository", "import", folder, "acme/anvil"]);
            assert!(said.contains("has a repository with refs already"), "{said}");
            let said = from.fails(&["repository", "import", folder, "acme/none"]);
            assert!(said.contains("no such project"), "{said}");
            for to in Place::both() {
                to.succeeds(&["restore", archive]);
                to.succeeds(&["check", "--contents"]);
                let server = to.serve();
                let client = server.client(&token);
                assert_eq!(cloned(&server, &token, "acme/anvil").await, tip);
                let body = serde_json::json!({"name": "copy", "path": "copy"});
                client.post("/projects").json(&body).await.is(201);
                let (_, said) = to.tells(&["repository", "import", folder, "root/copy"]);
                assert!(said.contains("brought 2 refs"), "{said}");
                assert_eq!(cloned(&server, &token, "root/copy").await, tip);
                let said = to.fails(&["repository", "import", "/nowhere", "root/copy"]);
                assert!(!said.is_empty());
                to.succeeds(&["check", "--contents"]);
            }
        }
    });
}

/// What is checked out of a clone, whole to the last object.
async fn cloned(server: &Server, token: &str, path: &str) -> String {
    let git = Git::of(&server.client(token));
    git.run(&["clone", "--quiet", &git.url(path), "copy"]).await.done();
    git.run_in("copy", &["fsck", "--strict"]).await.done();
    git.id("copy", "HEAD").await
}

#[test]
fn a_repository_that_lacks_objects_is_found() {
    run(async {
        let place = Place::sqlite();
        let server = place.serve();
        let token = place.token();
        project(&server.client(&token)).await;
        let git = Git::of(&server.client(&token));
        git.begin("one", "acme/anvil").await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
        drop(server);
        place.succeeds(&["check"]);
        let wrong =
            "update repository_refs set object_id = '00000000000000000000000000000000000000ff'";
        place.within(move |tx| tx.execute(wrong, ())).await;
        let told = place.finds(&["check"]);
        assert!(told.contains("repository 1: ") && told.contains("refs/heads/main"), "{told}");
    });
}

#[test]
fn without_git_all_but_repositories_is_served() {
    run(async {
        let place = Place::sqlite().with("PATH", "/nowhere");
        let server = place.serve();
        let token = place.token();
        let client = server.client(&token);
        project(&client).await;
        let needs = "Repositories need the program git, 2.39 or newer, on the server.";
        let ready = client.at("/-/readiness").await.is(200).json();
        assert_eq!(ready["repositories"], needs);
        let git = Git::of(&client);
        git.begin("one", "acme/anvil").await;
        git.run_in("one", &["push", "origin", "main"]).await.refused(needs);
    });
}

#[test]
fn pushes_outlive_crashes() {
    run(async {
        for place in Place::both() {
            crashes(place, 1, ROUNDS).await;
        }
    });
}

#[test]
#[ignore = "a hundred crashes on each engine, and on two nodes: part of a full check"]
fn pushes_outlive_many_crashes() {
    for _ in 0..MANY {
        for place in Place::both() {
            run(crashes(place, 1, MANY_ROUNDS));
        }
        if let Some(place) = Place::postgres() {
            run(async { crashes(place.over(Bucket::open().await), 2, MANY_ROUNDS).await });
        }
    }
}

/// Servers are killed while clients push; what a client was told is there stays there,
/// and every other round the copies of the node are deleted under it.
async fn crashes(place: Place, nodes: usize, rounds: usize) {
    let server = place.serve();
    let token = place.token();
    project(&server.client(&token)).await;
    let mut acknowledged: HashMap<String, String> = HashMap::new();
    drop(server);
    for round in 0..rounds {
        let mut servers: Vec<Server> = (0..nodes).map(|_| place.serve()).collect();
        let pushers = (0..CLIENTS).map(|number| {
            let client = servers[number % nodes].client(&token);
            tokio::spawn(async move { push_until_refused(&Git::of(&client), round, number).await })
        });
        let pushers: Vec<_> = pushers.collect();
        tokio::time::sleep(Duration::from_millis(1500 + 170 * (round as u64 % 7))).await;
        if round % 2 == 1 {
            forget_copies(&place);
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        // One node at a time: what the other does goes on.
        servers.swap_remove(round % nodes).kill();
        tokio::time::sleep(Duration::from_millis(100)).await;
        servers.into_iter().for_each(|other| drop(other.kill()));
        for pusher in pushers {
            acknowledged.extend(pusher.await.expect("no panic"));
        }
        let server = place.serve();
        let git = Git::of(&server.client(&token));
        git.run(&["clone", "--quiet", "--mirror", &git.url("acme/anvil"), "all"])
            .await
            .done();
        git.run_in("all", &["fsck", "--strict"]).await.done();
        for (branch, tip) in &acknowledged {
            let there = git.run_in("all", &["merge-base", "--is-ancestor", tip, branch]).await;
            assert!(there.succeeded, "round {round}: {tip} of {branch} is lost");
        }
        drop(server);
        place.succeeds(&["check", "--contents"]);
    }
    assert!(acknowledged.len() >= rounds, "only {} were acknowledged", acknowledged.len());
}

/// Pushes one commit after another to one branch; the last one that was taken.
async fn push_until_refused(git: &Git, round: usize, number: usize) -> Option<(String, String)> {
    let branch = format!("b-{round}-{number}");
    let to = format!("HEAD:refs/heads/{branch}");
    let mut last = None;
    git.begin("one", "acme/anvil").await;
    for commit in 0.. {
        let tip = git.commit("one", "count.txt", &format!("{round} {number} {commit}\n")).await;
        let pushed = git.run_in("one", &["push", "--quiet", "origin", &to]).await;
        if !pushed.succeeded {
            break;
        }
        last = Some((branch.clone(), tip));
    }
    last
}

/// Deletes the copies of repositories that a node keeps.
pub fn forget_copies(place: &Place) {
    let copies = place.path().join("data/cache/repositories");
    for entry in std::fs::read_dir(&copies).into_iter().flatten().flatten() {
        let _ = std::fs::remove_dir_all(Path::new(&entry.path()));
    }
}
