//! Clients push while repositories move: each push is there, or was refused.

use super::{TEXT, cloned, of, of_packs, pushed, to};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::{Client, Git, TestServer};

/// Clients that push at once, and how often the repository moves meanwhile.
const CLIENTS: usize = 3;
const MOVES: usize = 6;

/// Pushes one commit after another to a branch of its own; the last one that was taken.
async fn push(client: Client, number: usize, ends: Arc<AtomicBool>) -> (String, Option<String>) {
    let (git, branch) = (Git::of(&client), format!("b-{number}"));
    let to = format!("HEAD:refs/heads/{branch}");
    git.begin("one", "acme/anvil").await;
    let mut last = None;
    for commit in 0.. {
        if ends.load(Ordering::Relaxed) {
            break;
        }
        let tip = git.commit("one", "count.txt", &format!("{number} {commit}\n")).await;
        let pushed = git.run_in("one", &["push", "--quiet", "origin", &to]).await;
        match pushed.succeeded {
            true => last = Some(tip),
            false => assert!(pushed.said.contains(TEXT), "{}", pushed.said),
        }
    }
    (branch, last)
}

#[testkit::story]
async fn no_push_is_lost(t: TestServer) {
    let (project, git) = pushed(&t, "acme/anvil").await;
    let ends = Arc::new(AtomicBool::new(false));
    let clients = (0..CLIENTS).map(|number| tokio::spawn(push(t.admin(), number, ends.clone())));
    let clients: Vec<_> = clients.collect();
    for number in 0..MOVES {
        let storage = ["second", "default"][number % 2];
        let id = t.admin().post(of(&project)).json(&to(storage)).await.is(201).id();
        let path = format!("{}/{id}", of(&project));
        for _ in 0..600 {
            let state = t.admin().get(&path).await.is(200).json();
            assert_ne!(state["state"], "failed", "{state}");
            if state["state"] == "finished" {
                assert!(state["read_only_ms"].as_i64().unwrap() < 30_000, "{state}");
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
    ends.store(true, Ordering::Relaxed);
    let mut taken = Vec::new();
    for client in clients {
        taken.push(client.await.unwrap());
    }
    cloned(&t, &git, "acme/anvil", "all").await;
    for (branch, last) in taken {
        let last = last.unwrap_or_else(|| panic!("nothing of {branch} was taken"));
        assert_eq!(git.id("all", &format!("origin/{branch}")).await, last);
    }
    t.settle().await;
    assert_eq!(of_packs(&t).await, ["default"]);
}
