//! Several servers on one database and one blob store.

use crate::bucket::Bucket;
use crate::place::{Place, Server, project, until};
use crate::storm::{Storm, rows_of_files};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use store::{Tx, sql};
use testkit::{Client, run};

#[test]
fn two_nodes_share_one_database_and_one_may_die() {
    run(async {
        if let Some(place) = Place::postgres() {
            one_dies(place).await;
        }
    });
}

#[test]
fn two_nodes_share_object_storage_and_one_may_die() {
    run(async {
        if let Some(place) = Place::postgres() {
            one_dies(place.over(Bucket::open().await)).await;
        }
    });
}

async fn one_dies(place: Place) {
    let (one, two) = (place.serve(), place.serve());
    let token = place.token();
    let (to_one, to_two) = (one.client(&token), two.client(&token));
    let project = project(&to_one).await;
    let first = Storm::begin(2, &project, |writer| (to_one.clone(), format!("one-{writer}")));
    let second = Storm::begin(2, &project, |writer| (to_two.clone(), format!("two-{writer}")));
    first.goes_on(5).await;
    one.kill();
    let mut ledger = first.end().await;
    second.goes_on(10).await;
    ledger.append(second.end().await);

    let wrongs = ledger.wrongs(&to_two).await;
    assert!(wrongs.is_empty(), "{wrongs:#?}");
    assert_eq!(rows_of_files(&place).await, ledger.stored());
    place.succeeds(&["check", "--contents"]);
    assert_eq!(two.terminate().0, Some(0));
}

/// Packages whose deletion makes a job each.
const PACKAGES: usize = 150;
/// The kind of these jobs.
const PURGE: &str = "packages.purge";

/// A job runs at least once and is done once (decision 0004). So a job that
/// nobody ran when its node was killed runs once; one that was under way is
/// taken over and runs once on the other node; none is lost or made up.
#[test]
fn every_job_of_two_nodes_is_done_once_though_one_is_killed() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let place = place.with("TENON_LOG", "kernel::jobs=info").with("TENON_LOG_FORMAT", "json");
        let (one, two) = (place.serve(), place.serve());
        let token = place.token();
        let nodes = [one.client(&token), two.client(&token)];
        let project = project(&nodes[0]).await;
        let ids = publish(&nodes, &project).await;

        let deletions = delete(&nodes, &project, ids);
        let dead = stop_at_work(&place, &one).await;
        let first = Log::of(one.kill());
        let under_way = end_leases(&place, &dead).await;
        for deletion in deletions {
            deletion.await.expect("every package is deleted in the end");
        }
        until("all jobs are done", async || {
            let count = sql!("select count(*) from jobs where name = 'packages.purge'");
            place.row::<i64>(count).await == 0
        })
        .await;
        let (code, said) = two.terminate();
        let second = Log::of(said);

        assert_eq!(code, Some(0));
        assert!(!under_way.is_empty());
        let known: HashSet<i64> = first.begun.keys().chain(second.begun.keys()).copied().collect();
        assert_eq!(known.len(), PACKAGES, "a job for each package");
        for job in known {
            let (before, after) = (first.runs(job), second.runs(job));
            if under_way.contains_key(&job) {
                assert!(before <= 1 && after == 1, "job {job}: {before} and {after} runs");
                assert_eq!((first.ends(job), second.ends(job)), (0, 1), "ends of job {job}");
            } else {
                assert_eq!(before + after, 1, "runs of job {job}");
                assert!(first.ends(job) + second.ends(job) <= 1, "ends of job {job}");
                assert_eq!(second.ends(job), after, "ends of job {job}");
            }
        }
        let left: (i64, i64, i64) = place
            .row(sql!(
                "select (select count(*) from packages), (select count(*) from package_files),
                    (select count(*) from blobs)"
            ))
            .await;
        assert_eq!(left, (0, 0, 0));
        place.succeeds(&["check"]);
    });
}

/// Runs and ends of jobs as a node's log tells them.
#[derive(Default)]
struct Log {
    begun: HashMap<i64, usize>,
    ended: HashMap<i64, usize>,
}

impl Log {
    fn of(said: Vec<String>) -> Log {
        let mut log = Log::default();
        for line in said.iter().filter_map(|line| told(line)) {
            let times = match line["message"].as_str() {
                Some("job begins") => &mut log.begun,
                Some("job ended") => &mut log.ended,
                other => panic!("{other:?}"),
            };
            let job = line["job"].as_i64().expect("the job's id");
            *times.entry(job).or_default() += 1;
        }
        log
    }

    fn runs(&self, job: i64) -> usize {
        self.begun.get(&job).copied().unwrap_or(0)
    }

    fn ends(&self, job: i64) -> usize {
        self.ended.get(&job).copied().unwrap_or(0)
    }
}

/// A line about a job we count.
fn told(line: &str) -> Option<Value> {
    let line: Value = serde_json::from_str(line).ok()?;
    (line["name"] == PURGE).then_some(line)
}

/// Publishes packages of different and of equal bytes by both nodes; their ids.
async fn publish(nodes: &[Client; 2], project: &str) -> Vec<i64> {
    let mut ids = Vec::new();
    for number in 0..PACKAGES {
        let path = format!("{project}/packages/generic/p{number}/1.0/a?select=package_file");
        let bytes = format!("bytes of {}", number % 100);
        let reply = nodes[number % 2].put(path).bytes(bytes).await.is(200);
        ids.push(reply.json()["package_id"].as_i64().expect("an id"));
    }
    ids
}

/// Deletes packages by both nodes at once. What one of them does not answer
/// any more, the other is asked again.
fn delete(nodes: &[Client; 2], project: &str, ids: Vec<i64>) -> Vec<tokio::task::JoinHandle<()>> {
    let left = Arc::new(Mutex::new(ids));
    let begin = |worker: usize| {
        let (left, project) = (left.clone(), project.to_owned());
        let (near, far) = (nodes[worker % 2].clone(), nodes[1].clone());
        tokio::spawn(async move {
            loop {
                let next = left.lock().expect("no panic").pop();
                let Some(id) = next else { return };
                let path = format!("{project}/packages/{id}");
                match near.delete(&path).try_send().await {
                    Ok(reply) => drop(reply.is(204)),
                    Err(_) => {
                        let again = far.delete(&path).await;
                        assert!(matches!(again.status, 204 | 404), "{again:?}");
                    }
                }
            }
        })
    };
    (0..6).map(begin).collect()
}

/// Freezes a node while it runs jobs; the name it leases them by.
async fn stop_at_work(place: &Place, server: &Server) -> String {
    let mut node = String::new();
    until("the node is met at work", async || {
        let said = server.said();
        let Some(line) = said.iter().find_map(|line| told(line)) else {
            return false;
        };
        node = line["node"].as_str().expect("the node's name").to_owned();
        server.signal("STOP");
        // Twice: the end of a job may be on its way to the database.
        let met = leased(place, &node).await > 0 && leased(place, &node).await > 0;
        if !met {
            server.signal("CONT");
        }
        met
    })
    .await;
    node
}

/// How many jobs a node has leased.
async fn leased(place: &Place, node: &str) -> i64 {
    let node = node.to_owned();
    let count = move |tx: &mut Tx<'_>| {
        tx.one(
            sql!("select count(*) from jobs where state = 'running' and leased_by = $1"),
            (node.as_str(),),
        )
    };
    place.within(count).await
}

/// Lets a dead node's leases run out, as they do after a minute; its jobs with
/// their payloads.
pub async fn end_leases(place: &Place, node: &str) -> HashMap<i64, Value> {
    let node = node.to_owned();
    let ended = move |tx: &mut Tx<'_>| {
        tx.all(
            sql!(
                "update jobs set lease_until = created_at
                 where state = 'running' and leased_by = $1 returning id, payload"
            ),
            (node.as_str(),),
        )
    };
    let jobs: Vec<(i64, Value)> = place.within(ended).await;
    jobs.into_iter().collect()
}
