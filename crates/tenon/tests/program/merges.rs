//! Merge requests that many merge at once, while their server is killed.

use crate::place::{Place, Server};
use kernel::time::Timestamp;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testkit::{Client, Git, run};

/// How merges are made; each in a project of its own.
const METHODS: [&str; 3] = ["merge", "rebase_merge", "ff"];

/// How long one is tried at most.
const PATIENCE: Duration = Duration::from_secs(240);

/// Merge requests of one project, and clients that merge them.
#[derive(Clone, Copy)]
struct Crowd {
    requests: i64,
    clients: usize,
    /// Merges rebase what lacks commits of the target; else each client does, and with each
    /// merge all others have to again.
    rebases: bool,
}

const FEW: Crowd = Crowd { requests: 8, clients: 4, rebases: false };
const MANY: Crowd = Crowd { requests: 50, clients: 16, rebases: true };

#[test]
fn merges_of_many_outlive_a_crash() {
    run(async {
        on_sqlite(&METHODS, FEW).await;
        on_two_nodes(&METHODS, FEW).await;
    });
}

#[test]
#[ignore = "fifty merge requests of each method by sixteen clients: part of a full check"]
fn merges_of_fifty_outlive_a_crash() {
    for method in METHODS {
        run(on_sqlite(&[method], MANY));
        run(on_two_nodes(&[method], MANY));
    }
}

async fn on_sqlite(methods: &[&str], crowd: Crowd) {
    merged(Place::sqlite(), 1, methods, crowd).await;
}

async fn on_two_nodes(methods: &[&str], crowd: Crowd) {
    if let Some(place) = Place::postgres() {
        merged(place, 2, methods, crowd).await;
    }
}

/// Every merge request is merged in the end, each once, and everybody is told once.
async fn merged(place: Place, nodes: usize, methods: &[&str], crowd: Crowd) {
    let mut servers: Vec<Server> = (0..nodes).map(|_| place.serve()).collect();
    let token = place.token();
    for method in methods {
        let clients: Vec<Client> = servers.iter().map(|one| one.client(&token)).collect();
        let project = filled(&clients[0], method, crowd).await;
        let open = Arc::new(Open::new(crowd.requests));
        let merging = begin(&clients, &project, &open, crowd.clients);
        let half = crowd.requests as usize / 2;
        let limit = Instant::now() + PATIENCE;
        while open.count() > half {
            assert!(Instant::now() < limit, "{method}: half of them are not even begun");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        servers.swap_remove(0).kill();
        for one in merging {
            one.await.expect("no panic");
        }
        end_what_died(&place, nodes).await;
        open.take_up();
        servers.push(place.serve());
        let clients: Vec<Client> = servers.iter().map(|one| one.client(&token)).collect();
        let limit = Instant::now() + PATIENCE;
        loop {
            for one in begin(&clients, &project, &open, crowd.clients) {
                one.await.expect("no panic");
            }
            // A job has still to end the locks.
            if open.take_up() == 0 {
                break;
            }
            assert!(Instant::now() < limit, "{method}: some stay locked");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        is_whole(&clients[0], &project, method, crowd.requests).await;
    }
    drop(servers);
    place.succeeds(&["check"]);
}

/// Merge requests that are still to be merged.
struct Open {
    waiting: Mutex<VecDeque<i64>>,
    /// Those that a dead server locked: nobody merges them before that lock ends.
    locked: Mutex<Vec<i64>>,
}

impl Open {
    fn new(requests: i64) -> Open {
        Open {
            waiting: Mutex::new((1..=requests).collect()),
            locked: Mutex::default(),
        }
    }

    fn count(&self) -> usize {
        self.waiting.lock().expect("no panic").len()
    }

    fn next(&self) -> Option<i64> {
        self.waiting.lock().expect("no panic").pop_front()
    }

    fn put_back(&self, iid: i64) {
        self.waiting.lock().expect("no panic").push_back(iid);
    }

    fn leave(&self, iid: i64) {
        self.locked.lock().expect("no panic").push(iid);
    }

    /// Has those that were locked merged, too; how many they were.
    fn take_up(&self) -> usize {
        let locked = std::mem::take(&mut *self.locked.lock().expect("no panic"));
        let count = locked.len();
        self.waiting.lock().expect("no panic").extend(locked);
        count
    }
}

/// How it ended that a client merged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Merged,
    /// A server that is gone locked it.
    Locked,
    /// The server does not answer any more.
    Gone,
}

/// A project of this method with merge requests; its path in the interface.
async fn filled(client: &Client, method: &str, crowd: Crowd) -> String {
    let rebases = crowd.rebases && method != "merge";
    let body = json!({"name": method, "path": method, "merge_method": method,
        "automatic_rebase_enabled": rebases});
    let project = client.post("/projects").json(&body).await.is(201);
    assert_eq!(project.json()["automatic_rebase_enabled"], rebases);
    client
        .put(format!("/projects/{}", project.id()))
        .json(&json!({"merge_method": method}))
        .await
        .is(200);
    let project = format!("/projects/{}", project.id());
    let git = Git::of(client);
    git.begin("one", &format!("root/{method}")).await;
    let base = git.id("one", "HEAD").await;
    let mut branches = vec![format!("{base}:refs/heads/main")];
    for number in 1..=crowd.requests {
        git.run_in("one", &["checkout", "--quiet", "--detach", &base]).await.done();
        let tip = git.commit("one", &format!("b{number}.txt"), "x\n").await;
        branches.push(format!("{tip}:refs/heads/b{number}"));
    }
    let mut push = vec!["push", "--quiet", "origin"];
    push.extend(branches.iter().map(String::as_str));
    git.run_in("one", &push).await.done();
    for number in 1..=crowd.requests {
        let body = json!({"title": format!("Merge b{number}"), "target_branch": "main",
            "source_branch": format!("b{number}")});
        client.post(format!("{project}/merge_requests")).json(&body).await.is(201);
    }
    project
}

/// Clients, which take turns with the servers, and merge what is still open.
fn begin(
    clients: &[Client], project: &str, open: &Arc<Open>, count: usize,
) -> Vec<tokio::task::JoinHandle<()>> {
    let begin = |number: usize| {
        let client = clients[number % clients.len()].clone();
        let (project, open) = (project.to_owned(), open.clone());
        tokio::spawn(async move {
            while let Some(iid) = open.next() {
                match merge(&client, &format!("{project}/merge_requests/{iid}")).await {
                    Ended::Merged => {}
                    Ended::Locked => open.leave(iid),
                    Ended::Gone => return open.put_back(iid),
                }
            }
        })
    };
    (0..count).map(begin).collect()
}

/// Asks until it is merged. Nobody else asks for this one.
async fn merge(client: &Client, request: &str) -> Ended {
    let limit = Instant::now() + PATIENCE;
    loop {
        let Ok(reply) = client.put(format!("{request}/merge")).try_send().await else {
            return Ended::Gone;
        };
        let Ok(now) = client.get(request).try_send().await else {
            return Ended::Gone;
        };
        let now = now.is(200).json();
        match now["state"].as_str() {
            Some("merged") => return Ended::Merged,
            Some("locked") => return Ended::Locked,
            _ => {}
        }
        assert!(matches!(reply.status, 405 | 409 | 422 | 503), "{reply:?}");
        assert!(Instant::now() < limit, "{reply:?} {now}");
        if now["detailed_merge_status"] == "need_rebase" {
            let Ok(_) = client.put(format!("{request}/rebase")).try_send().await else {
                return Ended::Gone;
            };
            if !rebased(client, request).await {
                return Ended::Gone;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until a rebase has ended; whether the server still answers.
async fn rebased(client: &Client, request: &str) -> bool {
    loop {
        let asked = client.get(format!("{request}?include_rebase_in_progress=true"));
        let Ok(reply) = asked.try_send().await else {
            return false;
        };
        if reply.is(200).json()["rebase_in_progress"] == json!(false) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Lets the time pass after which what a dead server held is free: a quarter of an hour
/// for merges, a minute for jobs where no other server runs them.
async fn end_what_died(place: &Place, nodes: usize) {
    let past: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
    place
        .within(move |tx| {
            tx.execute("update merge_requests set locked_at = $1 where state = 'locked'", (past,))?;
            tx.execute("update jobs set run_at = $1 where name = 'reviews.sweep'", (past,))?;
            match nodes {
                1 => {
                    tx.execute("update jobs set lease_until = $1 where state = 'running'", (past,))
                }
                _ => Ok(0),
            }
        })
        .await;
}

/// Nothing is lost, nothing is there twice, and the history is as the method has it.
async fn is_whole(client: &Client, project: &str, method: &str, requests: i64) {
    let git = Git::of(client);
    git.run(&["clone", "--quiet", &git.url(&format!("root/{method}")), "one"])
        .await
        .done();
    git.run_in("one", &["fsck", "--strict"]).await.done();
    let said = async |args: &[&str]| git.run_in("one", args).await.done().said.trim().to_owned();
    for number in 1..=requests {
        said(&["cat-file", "-e", &format!("HEAD:b{number}.txt")]).await;
    }
    let merges = said(&["log", "--merges", "--format=%P", "HEAD"]).await;
    let merges: Vec<&str> = merges.lines().collect();
    let expected = if method == "ff" { 0 } else { requests };
    assert_eq!(merges.len() as i64, expected, "{method}");
    let firsts = said(&["rev-list", "--count", "--first-parent", "HEAD"]).await;
    assert_eq!(firsts, (requests + 1).to_string(), "{method}");
    if method == "rebase_merge" {
        for parents in merges {
            let (target, source) = parents.split_once(' ').expect("two parents");
            said(&["merge-base", "--is-ancestor", target, source]).await;
        }
    }
    for number in 1..=requests {
        let request = format!("{project}/merge_requests/{number}");
        assert_eq!(client.get(&request).await.is(200).json()["state"], "merged");
        let notes = client.get(format!("{request}/notes?per_page=100")).await.is(200);
        let told = notes.each("body").iter().filter(|body| **body == "merged").count();
        assert_eq!(told, 1, "{method}, {number}: {}", notes.text());
        let events = client.get(format!("{request}/resource_state_events")).await.is(200);
        let states: Vec<Value> = events.each("state");
        assert_eq!(states, [json!("merged")], "{method}, {number}");
    }
    let merged = client.get(format!("{project}/events?action=merged&per_page=100")).await;
    assert_eq!(merged.is(200).each("id").len() as i64, requests, "{method}");
}
