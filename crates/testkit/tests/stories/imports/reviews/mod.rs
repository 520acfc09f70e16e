//! Merge requests that come from elsewhere: what they change, who says what of it and where,
//! and what became of them.

mod going;
mod requests;
mod said;

use imports::model::Object;
use imports::run::Import;
use imports::writers::{self, Desk};
use kernel::error::Found;
use kernel::ids::Reference;
use serde_json::{Value, json};
use spaces::access::find_project;
use std::collections::HashMap;
use store::{Json, sql};
use testkit::{Git, TestProject, TestServer, TestUser};

const CREATED: &str = "2020-01-02T03:04:05Z";
const CHANGED: &str = "2020-02-03T04:05:06Z";
const LIST: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";
/// A commit that nobody has.
const GONE: &str = "0123456789012345678901234567890123456789";

/// A project whose code is here, and what comes is written into.
struct Forge {
    project: TestProject,
    git: Git,
    smith: TestUser,
    import: Import,
    /// Where `main` was, and two commits of `anvil` behind that.
    main: String,
    first: String,
    second: String,
}

impl Forge {
    async fn begin(t: &TestServer) -> Forge {
        let project = t.project_with("acme/forge", "public").await;
        let smith = t.user("smith").await;
        let git = Git::of(&t.admin());
        git.begin("one", "acme/forge").await;
        let main = git.commit("one", "list.txt", LIST).await;
        git.run_in("one", &["checkout", "--quiet", "-b", "anvil"]).await.done();
        let first = git.commit("one", "list.txt", &LIST.replace("b\n", "B\n")).await;
        let changed = LIST.replace("b\n", "B\n").replace("j\n", "J\n");
        let second = git.commit("one", "list.txt", &changed).await;
        git.run_in("one", &["push", "--quiet", "origin", "main", "anvil"]).await.done();
        let import = import(t, &project, &smith).await;
        Forge { project, git, smith, import, main, first, second }
    }

    /// Merges `anvil` there, without a name of its own; the commit of the merge.
    async fn merge(&self) -> String {
        self.git.run_in("one", &["checkout", "--quiet", "main"]).await.done();
        let merge = ["merge", "--quiet", "--no-ff", "--no-edit", "anvil"];
        self.git.run_in("one", &merge).await.done();
        self.git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
        self.git.id("one", "main").await
    }

    /// Has `anvil` stand for another commit, as what is fetched does: nobody is told.
    async fn fetch(&self, t: &TestServer, commit: &str) {
        let commit = commit.to_owned();
        let moved = t.app().write(move |tx| {
            Ok(tx.execute(
                sql!("update repository_refs set object_id = $1 where name = 'refs/heads/anvil'"),
                (commit.as_str(),),
            )?)
        });
        assert_eq!(moved.await.expect("a branch"), 1);
    }

    /// Writes what comes, as pages of an import do.
    async fn bring(&self, t: &TestServer, objects: Value) {
        self.bring_in(t, &self.import, objects).await;
    }

    async fn bring_in(&self, t: &TestServer, import: &Import, objects: Value) {
        let objects: Vec<Object> = serde_json::from_value(objects).expect("objects");
        let prepared = writers::prepare(t.app(), import, &objects).await.expect("git answers");
        let import = import.clone();
        let written = t.app().write(move |tx| {
            let place = Reference::Id(import.project_id);
            let project = find_project(tx, &place)?.found("Project")?;
            let mut desk = Desk::open(tx, &import, &project, &prepared)?;
            objects.iter().try_for_each(|object| writers::write(tx, &mut desk, object))
        });
        written.await.expect("they are written");
    }

    fn at(&self, number: i64, rest: &str) -> String {
        self.project.at(&format!("/merge_requests/{number}{rest}"))
    }

    async fn shown(&self, number: i64) -> Value {
        self.smith.get(self.at(number, "")).await.is(200).json()
    }

    /// An open merge request of `anvil`, with this beside it.
    fn anvil(&self, more: Value) -> Value {
        let mut request = json!({"type": "merge_request", "number": 7, "title": "An anvil",
            "author": person("smith"), "state": "opened", "source_branch": "anvil",
            "target_branch": "main", "head": self.second, "start": self.main,
            "created_at": CREATED, "updated_at": CHANGED});
        for (key, value) in more.as_object().expect("fields") {
            request[key] = value.clone();
        }
        request
    }
}

/// An import of a project that nobody goes on with, in which smith is smith.
async fn import(t: &TestServer, project: &TestProject, smith: &TestUser) -> Import {
    let (project_id, map) = (project.id, json!({"smith": smith.id}));
    let made = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into imports (project_id, source, host, user_id, origin, base_url, upstream,
                    options, user_map, status, is_live, round, round_started_at, stats, failures,
                    attempts, progressed_at, created_at, updated_at)
                 values ($1, 'provider_a', 'code.example', 1, 'acme/forge', '', $2, $3, $4,
                    'finished', false, 0, $5, $6, 0, 0, $5, $5, $5)"
            ),
            (
                project_id,
                Json(json!({})),
                Json(json!({})),
                Json(map.clone()),
                now,
                Json(json!({"fetched": {}, "imported": {}})),
            ),
        )?;
        Ok(tx.one::<Import>(
            sql!("select ", Import::COLUMNS, " from imports where project_id = $1"),
            (project_id,),
        )?)
    });
    made.await.expect("an import")
}

fn person(name: &str) -> Value {
    json!({"id": name, "username": name})
}

/// A note of smith in the code of number 7.
fn note(key: &str, more: Value) -> Value {
    let mut note = json!({"type": "code_note", "number": 7, "key": key, "thread": key,
        "author": person("smith"), "text": format!("Note {key}"), "created_at": CREATED,
        "updated_at": CREATED});
    for (key, value) in more.as_object().expect("fields") {
        note[key] = value.clone();
    }
    note
}

/// The discussions about number 7 by the text of their first notes.
async fn discussions(forge: &Forge) -> HashMap<String, Value> {
    let found = forge.smith.get(forge.at(7, "/discussions?per_page=100")).await.is(200).json();
    let by_text = |one: &Value| {
        let text = one["notes"][0]["body"].as_str().expect("a text").to_owned();
        (text, one.clone())
    };
    found.as_array().expect("a list").iter().map(by_text).collect()
}
