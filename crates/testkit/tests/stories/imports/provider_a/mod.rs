//! Imports from provider A. Upstream is a small server of the story ([`double`]); its code is
//! a project of the server itself.

mod accepting;
mod double;
mod gists;
mod hostile;
mod live;
mod whole;

use double::Double;
use serde_json::{Value, json};
use testkit::{Client, Git, TestGroup, TestServer, TestUser};

/// The number of the repository there.
const NUMBER: i64 = 7;

/// A repository upstream, and who imports it.
struct Story {
    double: Double,
    /// Jane, who owns the group.
    jane: TestUser,
    group: TestGroup,
    /// The code upstream, with a clone in `one`.
    git: Git,
}

impl Story {
    async fn begin(t: &TestServer) -> Story {
        let double = Double::start(t).await;
        t.project("acme/source").await;
        let git = Git::of(&t.admin());
        git.begin("one", "acme/source").await;
        git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
        let (jane, group) = (t.user("jane").await, t.group("tools").await);
        group.add(&jane, 50).await;
        double.one("/user", json!({"id": 11, "login": "octo"}));
        double.list("/user/orgs", json!([{"id": 1, "login": "acme"}]));
        double.one(&format!("/repositories/{NUMBER}"), repository(t));
        Story { double, jane, group, git }
    }

    /// What asks for the import, with these fields as well.
    fn body(&self, more: &Value) -> Value {
        let mut body = json!({"personal_access_token": self.double.token, "repo_id": NUMBER,
            "target_namespace": self.group.path});
        for (key, value) in more.as_object().expect("fields") {
            body[key] = value.clone();
        }
        body
    }

    /// Asks for it, and lets it come as far as it does; the path of the project.
    async fn import(&self, t: &TestServer, more: Value) -> String {
        let body = self.body(&more);
        let begun = self.jane.post("/import/provider_a").json(&body).await.is(201);
        t.settle().await;
        format!("/projects/{}", begun.id())
    }
}

/// The repository as upstream tells of it.
fn repository(t: &TestServer) -> Value {
    json!({"id": NUMBER, "name": "anvil", "full_name": "acme/source", "private": true,
        "owner": {"id": 1, "login": "acme"}, "description": "Hits hard", "has_wiki": false,
        "clone_url": format!("{}/acme/source.git", t.url()), "default_branch": "main",
        "permissions": {"push": true}})
}

/// Somebody as upstream tells of them.
fn somebody(id: i64, login: &str) -> Value {
    json!({"id": id, "login": login, "type": "User"})
}

/// What is told of an import.
async fn told(client: &Client, project: &str) -> Value {
    client.get(format!("{project}/import")).await.is(200).json()
}

/// One field of each of a list, in the order of another.
async fn each(client: &Client, path: &str, field: &str) -> Vec<Value> {
    client.get(path).await.is(200).each(field)
}
