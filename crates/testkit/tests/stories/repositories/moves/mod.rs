//! Repositories go from one storage to another.

mod closed;
mod ended;
mod endpoints;
mod guarded;
mod pages;
mod schedules;
mod shared;
mod under_load;

use ::store::sql;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::{Git, TestProject, TestServer};

/// All moves of projects.
const ALL: &str = "/project_repository_storage_moves";
const TEXT: &str = "The repository is temporarily read-only. Please try again later.";

/// A project with one commit, which was pushed from a folder named like it.
async fn pushed(t: &TestServer, path: &str) -> (TestProject, Git) {
    let (project, git) = (t.project(path).await, Git::of(&t.admin()));
    let folder = path.rsplit('/').next().unwrap();
    git.begin(folder, path).await;
    git.run_in(folder, &["push", "--quiet", "origin", "main"]).await.done();
    (project, git)
}

/// Where the moves of one are.
fn of(project: &TestProject) -> String {
    project.at("/repository_storage_moves")
}

fn to(storage: &str) -> Value {
    json!({"destination_storage_name": storage})
}

/// Schedules a move and waits for its end; how it is then.
async fn moved(t: &TestServer, moves: &str, storage: &str) -> Value {
    let id = t.admin().post(moves).json(&to(storage)).await.is(201).id();
    t.settle().await;
    t.admin().get(format!("{moves}/{id}")).await.is(200).json()
}

/// How many are moved at once.
async fn at_once(t: &TestServer, number: i64) {
    let body = json!({"repository_storage_moves_at_once": number});
    t.admin().put("/application/settings").json(&body).await.is(200);
}

async fn texts(t: &TestServer, statement: &'static str) -> Vec<String> {
    t.app().read(move |tx| Ok(tx.all(statement, ())?)).await.unwrap()
}

async fn change(t: &TestServer, statement: &'static str) {
    t.app().write(move |tx| Ok(tx.execute(statement, ())?)).await.unwrap();
}

/// The storages of packs, each once.
async fn of_packs(t: &TestServer) -> Vec<String> {
    let keys =
        sql!("select pack_key from repository_packs union select index_key from repository_packs");
    let keys = texts(t, keys).await;
    let mut storages: Vec<String> =
        keys.iter().map(|key| kernel::blobs::storage_of(key).to_owned()).collect();
    storages.sort();
    storages.dedup();
    storages
}

/// What the rows of repositories say, each storage once.
async fn of_rows(t: &TestServer) -> Vec<String> {
    texts(t, sql!("select distinct storage from repositories order by storage")).await
}

/// A clone of a repository, which git finds whole, as another server would make it.
async fn cloned(t: &TestServer, git: &Git, path: &str, folder: &str) -> String {
    let _ = std::fs::remove_dir_all(t.app().config().cache_dir.join("repositories"));
    git.run(&["clone", "--quiet", &git.url(path), folder]).await.done();
    git.run_in(folder, &["fsck", "--strict"]).await.done();
    git.id(folder, "HEAD").await
}

/// The folder of a storage.
fn folder(t: &TestServer, storage: &str) -> PathBuf {
    let data = &t.app().config().data_dir;
    match storage {
        "default" => data.join("blobs"),
        name => data.parent().unwrap().join(name),
    }
}

/// Has a storage take and give away nothing, though it is read.
fn block(t: &TestServer, storage: &str) {
    let lock = folder(t, storage).join("lock");
    let _ = std::fs::remove_file(&lock);
    std::fs::create_dir(lock).unwrap();
}

fn unblock(t: &TestServer, storage: &str) {
    std::fs::remove_dir(folder(t, storage).join("lock")).unwrap();
}

/// Whether a storage holds no file, after all there was grew old.
fn is_empty(t: &TestServer, storage: &str) -> bool {
    testkit::files_below(&folder(t, storage).join("sha256")).is_empty()
}

/// Has all files of a storage be from long ago.
fn age(t: &TestServer, storage: &str) {
    for path in testkit::files_below(&folder(t, storage).join("sha256")) {
        let file = std::fs::File::options().append(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    }
}

/// Gives a project many moves that ended long ago.
pub async fn fill(t: &TestServer, project: i64) {
    let filled = t.app().write(move |tx| {
        Ok(tx.execute(
            sql!(
                "insert into repository_storage_moves (kind, project_id, state, source,
                    destination, is_dispatched, bytes_done, bytes_total, created_at, updated_at)
                 with recursive numbers(n) as
                    (select 1 union all select n + 1 from numbers where n < 55)
                 select 'project', p.id, 'finished', 'default', 'second', true, 0, 0,
                    p.created_at, p.created_at
                 from numbers, projects p where p.id = $1"
            ),
            (project,),
        )?)
    });
    assert_eq!(filled.await.unwrap(), 55);
}

/// A move as the queue of jobs names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct MoveStorage {
    storage_move: i64,
}

impl Job for MoveStorage {
    const NAME: &'static str = "repositories.move";

    async fn run(self, _: Run) -> Result<(), Failure> {
        unreachable!("the room's own job of this name runs")
    }
}

/// Has a job find a move, as after a crash.
async fn found_again(t: &TestServer, id: i64) {
    let job = MoveStorage { storage_move: id };
    let queued = t.app().write(move |tx| {
        let now = tx.now();
        enqueue_at(tx, &job, now)
    });
    queued.await.unwrap();
    t.settle().await;
}
