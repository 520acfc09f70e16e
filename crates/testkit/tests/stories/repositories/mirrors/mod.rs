//! Push mirrors: repositories elsewhere that follow a project. Elsewhere is another
//! project of the same server.

pub mod addresses;
mod following;
mod over_ssh;
mod settings;

use serde_json::{Value, json};
use testkit::{Git, TestProject, TestServer, TestUser};

/// Two projects, the second for what is pushed to the first.
struct Pair {
    project: TestProject,
    copy: TestProject,
    /// A clone of the first is in its folder `one`.
    git: Git,
    /// Who pushes to the second.
    robot: TestUser,
}

pub async fn allow_local(t: &TestServer, allowed: bool) {
    let setting = json!({"allow_local_requests_from_web_hooks_and_services": allowed});
    t.admin().put("/application/settings").json(&setting).await.is(200);
}

impl Pair {
    async fn begin(t: &TestServer) -> Pair {
        allow_local(t, true).await;
        let (project, copy) = (t.project("acme/anvil").await, t.project("acme/copy").await);
        let git = Git::of(&t.admin());
        git.begin("one", "acme/anvil").await;
        let robot = t.user("robot").await;
        copy.add(&robot, 40).await;
        Pair { project, copy, git, robot }
    }

    /// Where the second one is pushed to.
    fn url(&self) -> String {
        Git::of(&self.robot).url("acme/copy")
    }

    /// Makes the second one a mirror with these settings as well; its address.
    async fn mirror(&self, t: &TestServer, more: Value) -> String {
        let mut body = json!({"url": self.url(), "enabled": true});
        for (key, value) in more.as_object().expect("settings") {
            body[key] = value.clone();
        }
        let all = self.project.at("/remote_mirrors");
        let made = t.admin().post(&all).json(&body).await.is(201).json();
        format!("{all}/{}", made["id"])
    }

    async fn push(&self, refs: &[&str]) {
        let args = [&["push", "--quiet", "--force", "origin"], refs].concat();
        self.git.run_in("one", &args).await.done();
    }

    /// Branches and tags of the second one, and what they stand for.
    async fn there(&self) -> Vec<(String, String)> {
        let url = self.url();
        let args = ["ls-remote", "--heads", "--tags", "--refs", &url];
        let told = self.git.run(&args).await.done();
        let lines = told.said.lines().filter_map(|line| line.split_once('\t'));
        lines.map(|(id, name)| (name.to_owned(), id.to_owned())).collect()
    }

    async fn names_there(&self) -> Vec<String> {
        self.there().await.into_iter().map(|(name, _)| name).collect()
    }

    /// What a branch of the second one stands for.
    async fn id_there(&self, name: &str) -> Option<String> {
        let all = self.there().await;
        all.into_iter().find(|(known, _)| known == name).map(|(_, id)| id)
    }

    /// Lets nothing of the second one be protected.
    async fn unprotect(&self, t: &TestServer) {
        let rules = self.copy.at("/protected_branches");
        for rule in t.admin().get(&rules).await.is(200).json().as_array().expect("rules") {
            let name = rule["name"].as_str().expect("a name");
            t.admin().delete(format!("{rules}/{name}")).await.is(204);
        }
    }
}

/// The mirror of this address.
async fn shown(t: &TestServer, mirror: &str) -> Value {
    t.admin().get(mirror).await.is(200).json()
}

/// What went wrong with a mirror.
async fn failure(t: &TestServer, mirror: &str) -> String {
    let told = shown(t, mirror).await;
    assert_eq!(told["update_status"], "failed", "{told}");
    told["last_error"].as_str().expect("a reason").to_owned()
}
