//! Repositories go from one storage to another while clients push and servers are killed.

use crate::place::{Place, Server, until};
use crate::repositories::forget_copies;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;
use store::sql;
use testkit::{Client, Git, run};
use tokio::task::JoinHandle;

/// Projects of a check; a full one has many.
const FEW: usize = 8;
const MANY: usize = 50;
/// Clients that push at the same time, each to projects of its own.
const CLIENTS: usize = 4;
/// From where to where all are moved when servers are killed.
const WAYS: [(&str, &str); 3] = [("first", "second"), ("second", "first"), ("first", "second")];
/// How long nobody may write, in milliseconds.
const LONGEST: i64 = 30_000;
const MOVES: &str = "/project_repository_storage_moves";
const READ_ONLY: &str = "The repository is temporarily read-only.";

/// Pushes that clients were told are there: the last commit by project and branch.
type Taken = HashMap<(String, String), String>;

#[test]
fn a_storage_is_emptied_while_clients_push() {
    for place in Place::both() {
        run(emptied(place, FEW));
    }
}

#[test]
#[ignore = "fifty projects on each engine: part of a full check"]
fn a_storage_of_many_is_emptied_while_clients_push() {
    for place in Place::both() {
        run(emptied(place, MANY));
    }
}

#[test]
fn a_killed_server_loses_nothing() {
    for place in Place::both() {
        run(killed(place));
    }
}

#[test]
fn a_check_finds_what_no_move_does() {
    run(async {
        let place = with_storages(Place::sqlite());
        let server = place.serve();
        begin(&server.client(&place.token()), 1).await;
        drop(server);
        place.succeeds(&["check"]);
        let closed = sql!("update repositories set read_only_at = created_at");
        place.within(move |tx| tx.execute(closed, ())).await;
        let told = place.finds(&["check"]);
        assert!(told.contains("is read-only, and no move of it is under way"), "{told}");
        let copied = sql!(
            "update repository_packs set other_pack_key = pack_key, other_index_key = index_key"
        );
        place.within(move |tx| tx.execute(copied, ())).await;
        let told = place.finds(&["check"]);
        assert!(told.contains("names copies of packs that no move makes"), "{told}");
    });
}

/// All projects go while clients push to them; nothing is lost, and nothing stays behind.
async fn emptied(place: Place, count: usize) {
    let place = with_storages(place);
    let server = place.serve();
    let token = place.token();
    let client = server.client(&token);
    let projects = begin(&client, count).await;
    let pushers = Pushers::begin(&server, &token, &projects, "b");
    pushers.work().await;
    schedule(&client, "first", "second").await;
    let moves = end_of_all(&client).await;
    let (taken, failed) = pushers.end().await;
    assert!(failed.is_empty(), "{failed:?}");
    assert!(!taken.is_empty(), "nobody pushed anything");
    assert_eq!(moves.len(), count);
    assert!(moves.iter().all(|one| one["state"] == "finished"), "{moves:#?}");
    report(&moves);
    lie_in(&client, "second", count).await;
    forget_copies(&place);
    nothing_is_lost(&client, &projects, &taken).await;
    drop(server);
    swept(&place, "first").await;
    place.succeeds(&["check", "--contents"]);
}

/// Servers are killed while they copy. What was copied then lies where it lay, and goes when
/// it is tried again.
async fn killed(place: Place) {
    let place = with_storages(place);
    let mut server = place.serve();
    let token = place.token();
    let projects = begin(&server.client(&token), FEW).await;
    let (mut taken, mut cut_off) = (Taken::new(), 0);
    for (round, (from, to)) in WAYS.into_iter().enumerate() {
        let client = server.client(&token);
        let before = newest(&listed(&client).await);
        let pushers = Pushers::begin(&server, &token, &projects, &format!("b-{round}"));
        pushers.work().await;
        schedule(&client, from, to).await;
        until("a move has begun", async || {
            let moves = listed(&client).await;
            in_states(&moves, &["started"]) > 0 || in_states(&moves, &["scheduled"]) == 0
        })
        .await;
        server.kill();
        taken.extend(pushers.end().await.0);
        let begun: i64 = place
            .row(sql!("select count(*) from repository_storage_moves where state = 'started'"))
            .await;
        cut_off += begun;
        // A job is its server's for a minute, also of one that was killed.
        place
            .within(|tx| tx.execute(sql!("update jobs set lease_until = created_at"), ()))
            .await;
        server = place.serve();
        let client = server.client(&token);
        let ended = end_of_all(&client).await;
        let failed: Vec<&Value> = ended
            .iter()
            .filter(|one| one["id"].as_i64() > before && one["state"] == "failed")
            .collect();
        assert!(i64::try_from(failed.len()).unwrap() >= begun, "{failed:#?}");
        lie_in(&client, from, failed.len()).await;
        for one in failed {
            let text = "The server ended while the repository was copied. Retry the move.";
            assert_eq!(one["error"], text, "{one}");
            client.post(format!("{MOVES}/{}/retry", one["id"])).await.is(201);
        }
        end_of_all(&client).await;
        lie_in(&client, to, FEW).await;
        forget_copies(&place);
        nothing_is_lost(&client, &projects, &taken).await;
        server.terminate();
        place.succeeds(&["check", "--contents"]);
        server = place.serve();
    }
    assert!(cut_off > 0, "no move was under way when its server was killed");
    assert!(!taken.is_empty(), "nobody pushed anything");
    drop(server);
    swept(&place, "first").await;
    place.succeeds(&["check", "--contents"]);
}

/// The place with two storages beside its blob store.
fn with_storages(place: Place) -> Place {
    let folder = place.path().display();
    let both = format!("first=file://{folder}/first,second=file://{folder}/second");
    place.with("TENON_STORAGES", &both)
}

/// Makes projects that lie in the first storage; their paths.
async fn begin(client: &Client, count: usize) -> Vec<String> {
    let settings = json!({"repository_storages_weighted": {"first": 1}});
    client.put("/application/settings").json(&settings).await.is(200);
    let mut paths = Vec::new();
    for number in 0..count {
        let name = format!("anvil-{number}");
        let body = json!({"name": name, "path": name, "initialize_with_readme": true});
        client.post("/projects").json(&body).await.is(201);
        paths.push(format!("root/{name}"));
    }
    lie_in(client, "first", count).await;
    paths
}

/// Looks how many projects lie in a storage.
async fn lie_in(client: &Client, storage: &str, count: usize) {
    let there = client.get(format!("/projects?repository_storage={storage}&per_page=100"));
    assert_eq!(there.await.is(200).each("path").len(), count, "in {storage}");
}

/// Has all projects moved.
async fn schedule(client: &Client, from: &str, to: &str) {
    let all = json!({"source_storage_name": from, "destination_storage_name": to});
    client.post(MOVES).json(&all).await.is(202);
}

/// Moves, the newest first.
async fn listed(client: &Client) -> Vec<Value> {
    let list = client.get(format!("{MOVES}?per_page=100")).await.is(200).json();
    list.as_array().expect("a list").clone()
}

fn newest(moves: &[Value]) -> Option<i64> {
    moves.first().map_or(Some(0), |one| one["id"].as_i64())
}

/// How many moves are in one of these states.
fn in_states(moves: &[Value], states: &[&str]) -> usize {
    moves
        .iter()
        .filter(|one| states.iter().any(|state| one["state"] == *state))
        .count()
}

/// Waits until no move goes on; all there are.
async fn end_of_all(client: &Client) -> Vec<Value> {
    let open =
        |moves: &[Value]| in_states(moves, &["initial", "scheduled", "started", "replicated"]);
    loop {
        let moves = listed(client).await;
        let before = open(&moves);
        if before == 0 {
            return moves;
        }
        until("another move ends", async || open(&listed(client).await) < before).await;
    }
}

#[expect(
    clippy::print_stdout,
    reason = "whoever checks wants to know how long nobody could write"
)]
fn report(moves: &[Value]) {
    for one in moves {
        let ms = one["read_only_ms"].as_i64().expect("it was read-only");
        println!("{}: read-only for {ms} ms", one["project"]["path"]);
        assert!(ms < LONGEST, "{one}");
    }
}

/// Clones each project, and finds all there that a client was told is there.
async fn nothing_is_lost(client: &Client, projects: &[String], taken: &Taken) {
    let git = Git::of(client);
    for (number, path) in projects.iter().enumerate() {
        let folder = number.to_string();
        git.run(&["clone", "--quiet", "--mirror", &git.url(path), &folder]).await.done();
        git.run_in(&folder, &["fsck", "--strict"]).await.done();
        for ((_, branch), tip) in taken.iter().filter(|((of, _), _)| of == path) {
            let there = git.run_in(&folder, &["merge-base", "--is-ancestor", tip, branch]).await;
            assert!(there.succeeded, "{tip} of {branch} of {path} is lost");
        }
    }
}

/// Files of a storage.
fn files(place: &Place, storage: &str) -> Vec<PathBuf> {
    testkit::files_below(&place.path().join(storage).join("sha256"))
}

/// Looks that a storage is empty a day later.
async fn swept(place: &Place, storage: &str) {
    for path in files(place, storage) {
        let file = std::fs::File::options().append(true).open(path).expect("it is there");
        file.set_modified(SystemTime::UNIX_EPOCH).expect("it grows old");
    }
    let due = sql!("update settings set updated_at = $1 where key = 'period.blobs.sweep'");
    place.within(move |tx| tx.execute(due, (jiff::Timestamp::UNIX_EPOCH,))).await;
    let _server = place.serve();
    until("the storage is empty", async || files(place, storage).is_empty()).await;
}

/// Clients that push at the same time.
struct Pushers {
    ends: Arc<AtomicBool>,
    /// How many pushes were taken so far.
    count: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<(Taken, Option<String>)>>,
}

impl Pushers {
    fn begin(server: &Server, token: &str, projects: &[String], branch: &str) -> Pushers {
        let (ends, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let each = projects.len().div_ceil(CLIENTS);
        let pusher = |part: &[String]| {
            let (client, part) = (server.client(token), part.to_vec());
            tokio::spawn(push(client, part, branch.to_owned(), (ends.clone(), count.clone())))
        };
        let clients = projects.chunks(each).map(pusher).collect();
        Pushers { ends, count, clients }
    }

    /// Waits until the first of them has pushed something.
    async fn work(&self) {
        until("somebody pushes", async || self.count.load(Ordering::Relaxed) > 0).await;
    }

    /// What was taken, and what git said of pushes that were neither taken nor refused.
    async fn end(self) -> (Taken, Vec<String>) {
        self.ends.store(true, Ordering::Relaxed);
        let (mut all, mut failed) = (Taken::new(), Vec::new());
        for client in self.clients {
            let (taken, said) = client.await.expect("no panic");
            all.extend(taken);
            failed.extend(said);
        }
        (all, failed)
    }
}

/// Pushes one commit after another to some projects in turn, each to the same branch of its
/// own, until that shall end or fails for another reason than a move.
async fn push(
    client: Client, projects: Vec<String>, branch: String,
    (ends, count): (Arc<AtomicBool>, Arc<AtomicUsize>),
) -> (Taken, Option<String>) {
    let (git, to, mut taken) =
        (Git::of(&client), format!("HEAD:refs/heads/{branch}"), Taken::new());
    for (number, path) in projects.iter().enumerate() {
        git.begin(&number.to_string(), path).await;
    }
    let turns = projects.iter().enumerate().cycle().enumerate();
    for (turn, (number, path)) in turns.take_while(|_| !ends.load(Ordering::Relaxed)) {
        let folder = number.to_string();
        let tip = git.commit(&folder, "count.txt", &format!("{branch} {turn}\n")).await;
        let pushed = git.run_in(&folder, &["push", "--quiet", "origin", &to]).await;
        if pushed.succeeded {
            count.fetch_add(1, Ordering::Relaxed);
        }
        match pushed.succeeded {
            true => taken.insert((path.clone(), branch.clone()), tip),
            false if pushed.said.contains(READ_ONLY) => None,
            false => return (taken, Some(pushed.said)),
        };
    }
    (taken, None)
}
