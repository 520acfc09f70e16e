//! A merge request on two nodes, which have a database and object storage in common and
//! nothing else.

use crate::bucket::Bucket;
use crate::place::{Place, project, until};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testkit::{Client, Git, run};

/// Pushes to the source, and the one of them that takes the one before it back.
const PUSHES: usize = 6;
const FORCED: usize = 4;
/// Merges that are asked for at once.
const MERGES: usize = 4;

/// What is known of the pushes.
#[derive(Default)]
struct Known {
    /// The head of each, before it is sent.
    heads: Mutex<Vec<String>>,
    /// How many were acknowledged.
    pushed: AtomicUsize,
    /// The newest version that anybody has read.
    read: AtomicUsize,
    ended: AtomicBool,
}

impl Known {
    /// Which push brought a head.
    fn place(&self, head: &Value) -> usize {
        let heads = self.heads.lock().expect("no panic");
        let place = heads.iter().position(|known| *head == **known);
        place.unwrap_or_else(|| panic!("{head} was never pushed"))
    }

    fn read(&self) -> usize {
        self.read.load(Ordering::SeqCst)
    }

    /// Somebody read this version, after another one was read.
    fn is_read(&self, version: usize, before: usize) {
        assert!(version >= before, "version {version} is shown after {before}");
        self.read.fetch_max(version, Ordering::SeqCst);
    }
}

/// Reads a merge request until all is over: what is acknowledged is there, nothing goes
/// back, and nothing is said of one head that was found out of another.
async fn watch(client: Client, one: String, known: Arc<Known>) {
    while !known.ended.load(Ordering::SeqCst) {
        let (pushed, before) = (known.pushed.load(Ordering::SeqCst), known.read());
        let shown = client.get(&one).await.is(200).json();
        let (head, version) =
            (known.place(&shown["sha"]), known.place(&shown["diff_refs"]["head_sha"]));
        assert!(head >= pushed, "push {head} is shown after {pushed}: {shown}");
        known.is_read(version, before);
        let is_mergeable = shown["detailed_merge_status"] == "mergeable";
        assert!(!is_mergeable || head == version, "{shown}");

        let before = known.read();
        let versions = client.get(format!("{one}/versions")).await.is(200);
        known.is_read(known.place(&versions.each("head_commit_sha")[0]), before);
        let before = known.read();
        let changes = client.get(format!("{one}/changes")).await.is(200).json();
        known.is_read(pushed_by(&changes["changes"][0]["diff"]), before);
    }
}

/// Which push wrote the first line of what differs of the tale.
fn pushed_by(diff: &Value) -> usize {
    let text = diff.as_str().expect("a text");
    let number = text.lines().find_map(|line| line.strip_prefix("+push "));
    number.map_or(0, |number| number.parse().expect("a number"))
}

/// Writes a line above the others, and pushes that.
async fn push(git: &Git, known: &Known, number: usize) -> String {
    if number == FORCED {
        git.run_in("one", &["reset", "--quiet", "--hard", "HEAD~1"]).await.done();
    }
    let tale = std::fs::read_to_string(git.at("one").join("tale.txt")).expect("a tale");
    let text = format!("push {number}\n{tale}");
    let head = git.commit("one", "tale.txt", &text).await;
    known.heads.lock().expect("no panic").push(head.clone());
    let push = ["push", "--quiet", "--force", "origin", "HEAD:anvil"];
    git.run_in("one", &push).await.done();
    known.pushed.store(number, Ordering::SeqCst);
    head
}

/// The number that a line of the tale has.
fn line(git: &Git, text: &str) -> usize {
    let tale = std::fs::read_to_string(git.at("one").join("tale.txt")).expect("a tale");
    tale.lines().position(|line| line == text).expect("it is there") + 1
}

/// A thread on a line of the newest version; where it is.
async fn begin(client: &Client, one: &str, line: usize) -> String {
    let body = json!({"body": "Why?", "position": {"path": "tale.txt", "line": line}});
    let made = client.post(format!("{one}/discussions")).json(&body).await.is(201).json();
    format!("{one}/discussions/{}", made["id"].as_str().expect("an id"))
}

/// Whether a node tells the version of a head, and that a thread is on this line of it.
async fn tells(client: &Client, one: &str, head: &str, (thread, line): (&str, usize)) -> bool {
    let versions = client.get(format!("{one}/versions")).await.is(200);
    let thread = client.get(thread).await.is(200).json();
    let position = &thread["notes"][0]["position"];
    versions.each("head_commit_sha")[0] == head
        && position["head_sha"] == head
        && position["new_line"] == line
}

/// A branch that is pushed by the second node, and its merge request, made by the first.
async fn opened(nodes: &[Client; 2], project: &str) -> (Git, String, Known) {
    let first = Git::of(&nodes[0]);
    first.begin("one", "acme/anvil").await;
    first.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    let git = Git::of(&nodes[1]);
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "one"]).await.done();
    let head = git.commit("one", "tale.txt", "one\ntwo\nthree\n").await;
    git.run_in("one", &["push", "--quiet", "origin", "HEAD:anvil"]).await.done();
    let known = Known { heads: Mutex::new(vec![head]), ..Known::default() };
    let body = json!({"title": "Tale", "source_branch": "anvil", "target_branch": "main"});
    let made = nodes[0].post(format!("{project}/merge_requests")).json(&body).await.is(201);
    let one = format!("{project}/merge_requests/{}", made.json()["iid"]);
    (git, one, known)
}

/// Both nodes merge it at once: one does, and everybody is told once.
async fn merged_once(nodes: &[Client; 2], project: &str, one: &str) {
    let merge = |number: usize| {
        let path = format!("{one}/merge");
        async move { nodes[number % 2].put(path).await.status }
    };
    let mut statuses = join_all((0..MERGES).map(merge)).await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200, "{statuses:?}");
    let others = &statuses[1..];
    assert!(others.iter().all(|status| [405, 409, 422].contains(status)), "{statuses:?}");
    for client in nodes {
        assert_eq!(client.get(one).await.is(200).json()["state"], "merged");
        let notes = client.get(format!("{one}/notes?per_page=100")).await.is(200);
        let told = notes.each("body").iter().filter(|body| **body == "merged").count();
        assert_eq!(told, 1, "{}", notes.text());
        let states = client.get(format!("{one}/resource_state_events")).await.is(200);
        assert_eq!(states.each("state"), ["merged"]);
        let events = client.get(format!("{project}/events?action=merged")).await.is(200);
        assert_eq!(events.each("id").len(), 1);
    }
}

/// A node that has nothing yet has all there is, also what was taken back.
async fn is_whole(client: &Client, one: &str, known: &Known) {
    let git = Git::of(client);
    git.run(&["clone", "--quiet", "--mirror", &git.url("acme/anvil"), "all"])
        .await
        .done();
    git.run_in("all", &["fsck", "--strict"]).await.done();
    let merges = ["rev-list", "--count", "--merges", "main"];
    assert_eq!(git.run_in("all", &merges).await.done().last_line(), "1");
    let versions = client.get(format!("{one}/versions")).await.is(200);
    assert_eq!(versions.each("id").len(), PUSHES + 1);
    for (id, head) in versions.each("id").iter().zip(versions.each("head_commit_sha")) {
        let version = client.get(format!("{one}/versions/{id}")).await.is(200).json();
        assert_eq!(pushed_by(&version["diffs"][0]["diff"]), known.place(&head));
    }
}

#[test]
fn two_nodes_tell_the_same_of_a_merge_request() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let place = place.over(Bucket::open().await).with("TENON_KEYS", &"5a".repeat(32));
        let (beside, third) = (place.beside(), place.beside());
        let servers = [place.serve(), beside.serve()];
        let token = place.token();
        let nodes = servers.each_ref().map(|server| server.client(&token));
        let project = project(&nodes[0]).await;
        let (git, one, known) = opened(&nodes, &project).await;
        let known = Arc::new(known);
        let readers = (0..4).map(|number| {
            tokio::spawn(watch(nodes[number % 2].clone(), one.clone(), known.clone()))
        });
        let readers: Vec<_> = readers.collect();

        let thread = begin(&nodes[0], &one, line(&git, "two")).await;
        for number in 1..=PUSHES {
            let head = push(&git, &known, number).await;
            for client in &nodes {
                assert_eq!(client.get(&one).await.is(200).json()["sha"], head.as_str());
            }
            let place = (thread.as_str(), line(&git, "two"));
            for client in &nodes {
                let is_told = async || tells(client, &one, &head, place).await;
                until("both nodes tell of the push", is_told).await;
            }
        }
        let other = begin(&nodes[1], &one, line(&git, "three")).await;
        nodes[0].get(&other).await.is(200);
        known.ended.store(true, Ordering::SeqCst);
        for reader in readers {
            reader.await.expect("no panic");
        }

        merged_once(&nodes, &project, &one).await;
        let server = third.serve();
        is_whole(&server.client(&token), &one, &known).await;
        drop((servers, server));
        place.succeeds(&["check", "--contents"]);
    });
}
