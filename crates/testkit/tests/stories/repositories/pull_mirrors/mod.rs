//! Pull mirrors: a project that follows a repository elsewhere, or begins with it. Elsewhere
//! is another project of the same server, if nothing else is said.

mod addresses;
mod ended;
mod following;
mod imports;
mod over_ssh;
mod page;
mod settings;

use super::mirrors::allow_local;
use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer};

/// Two projects, of which the first follows the second.
struct Pair {
    project: TestProject,
    upstream: TestProject,
    /// A clone of the second is in its folder `one`.
    git: Git,
}

impl Pair {
    async fn begin(t: &TestServer) -> Pair {
        allow_local(t, true).await;
        let (project, upstream) = (t.project("acme/anvil").await, t.project("acme/source").await);
        let git = Git::of(&t.admin());
        git.begin("one", "acme/source").await;
        Pair { project, upstream, git }
    }

    /// Where the second one is fetched from.
    fn url(&self) -> String {
        self.git.url("acme/source")
    }

    fn mirror(&self) -> String {
        self.project.at("/mirror/pull")
    }

    /// Has the first one follow with these settings as well.
    async fn follow(&self, client: &Client, more: Value) -> Value {
        let mut body = json!({"url": self.url(), "enabled": true});
        for (key, value) in more.as_object().expect("settings") {
            body[key] = value.clone();
        }
        client.put(self.mirror()).json(&body).await.is(200).json()
    }

    /// Pushes to the second one.
    async fn push(&self, refs: &[&str]) {
        let args = [&["push", "--quiet", "--force", "origin"], refs].concat();
        self.git.run_in("one", &args).await.done();
    }

    /// Has the first one follow anew, and waits for that.
    async fn again(&self, t: &TestServer) -> Value {
        t.advance(300);
        t.admin().post(self.mirror()).await.is(202);
        t.settle().await;
        self.shown(t).await
    }

    async fn shown(&self, t: &TestServer) -> Value {
        t.admin().get(self.mirror()).await.is(200).json()
    }

    /// Branches and tags of a project, and what they stand for.
    async fn refs(&self, path: &str) -> Vec<(String, String)> {
        let url = self.git.url(path);
        let told = self.git.run(&["ls-remote", "--heads", "--tags", "--refs", &url]).await.done();
        let lines = told.said.lines().filter_map(|line| line.split_once('\t'));
        lines.map(|(id, name)| (name.to_owned(), id.to_owned())).collect()
    }

    async fn names_here(&self) -> Vec<String> {
        self.refs("acme/anvil").await.into_iter().map(|(name, _)| name).collect()
    }

    /// What a ref of the first one stands for.
    async fn id_here(&self, name: &str) -> Option<String> {
        let all = self.refs("acme/anvil").await;
        all.into_iter().find(|(known, _)| known == name).map(|(_, id)| id)
    }
}

/// Runs a job of this name now, beside those that are queued.
async fn run(t: &TestServer, name: &'static str, payload: Value) {
    let enqueued = t.app().write(move |tx| {
        let now = tx.now();
        Ok(tx.execute(
            "insert into jobs (name, payload, state, run_at, created_at, updated_at)
             values ($1, $2, 'queued', $3, $3, $3)",
            (name, store::Json(payload.clone()), now),
        )?)
    });
    assert_eq!(enqueued.await.unwrap(), 1);
    t.settle().await;
}

/// How it went, and what is said of it.
fn outcome(told: &Value) -> (&str, &str) {
    let text = |key: &str| told[key].as_str().unwrap_or_default();
    (text("update_status"), text("last_error"))
}
