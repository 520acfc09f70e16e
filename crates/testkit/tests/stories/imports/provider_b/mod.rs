//! Imports from a server and from the cloud of Provider B. Upstream is a small server with
//! lists in short pages; its repositories for git are those of the server under test.

mod cloud;
mod double;
mod names;
mod refusals;
mod server;

use double::Upstream;
use imports::settings::{Addresses, Providers};
use serde_json::{Value, json};
use testkit::{Client, Git, TestServer, service};

/// A repository for git with a branch that differs from the first one in one line.
struct Code {
    main: String,
    feature: String,
}

impl Code {
    async fn begin(t: &TestServer) -> Code {
        t.project("acme/source").await;
        let git = Git::of(&t.admin());
        git.begin("one", "acme/source").await;
        let main = git.commit("one", "a.txt", "one\ntwo\nthree\n").await;
        git.run_in("one", &["checkout", "--quiet", "-b", "feature"]).await.done();
        let feature = git.commit("one", "a.txt", "one\nTWO\nthree\n").await;
        git.run_in("one", &["push", "--quiet", "origin", "main", "feature"])
            .await
            .done();
        Code { main, feature }
    }

    /// Where it is, as the provider says: with the name of a user.
    fn url(&self, t: &TestServer) -> String {
        let server = t.admin().server().to_owned();
        format!("{}/acme/source.git", server.replace("://", "://ada@"))
    }
}

/// What proves upstream who asks: what does so here, too, for git.
fn secret(t: &TestServer) -> String {
    t.admin().token().expect("a token").to_owned()
}

/// A wish to import `KEY/tool` of a server.
fn of_server(t: &TestServer, upstream: &Upstream, more: Value) -> Value {
    let body = json!({
        "provider_b_server_url": upstream.url,
        "provider_b_server_username": "ada",
        "personal_access_token": secret(t),
        "provider_b_server_project": "KEY",
        "provider_b_server_repo": "tool",
    });
    with(body, more)
}

/// A wish to import `ws/tool` of the cloud.
fn of_cloud(t: &TestServer, more: Value) -> Value {
    let body = json!({
        "provider_b_cloud_username": "ada",
        "provider_b_cloud_app_password": secret(t),
        "repo_path": "ws/tool",
        "target_namespace": "makers",
    });
    with(body, more)
}

fn with(mut body: Value, more: Value) -> Value {
    for (key, value) in more.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    body
}

/// Has the cloud be this one, and git of it be here.
async fn cloud_is(t: &TestServer, upstream: &Upstream) {
    service::near(t).await;
    let providers: &Providers = t.app().plugged().expect("providers are plugged in");
    providers.say(Addresses {
        provider_b_cloud_api: format!("{}/2.0", upstream.url),
        provider_b_cloud_git: t.admin().server().to_owned(),
        ..Addresses::default()
    });
}

/// Waits until an import ended; how it stands.
async fn ended(t: &TestServer, by: &Client, project: &Value) -> Value {
    t.settle().await;
    by.get(format!("/projects/{}/import", project["id"])).await.is(200).json()
}

/// Texts of the notes of each thread of a merge request, and where the first stands.
async fn threads(by: &Client, request: &str) -> Vec<(Vec<String>, Value)> {
    let told = by.get(format!("{request}/discussions")).await.is(200).json();
    let thread = |thread: &Value| {
        let notes = thread["notes"].as_array().expect("notes");
        let users = notes.iter().filter(|note| note["system"] == false);
        let text = |note: &Value| note["body"].as_str().unwrap_or_default().to_owned();
        (users.map(text).collect::<Vec<_>>(), notes[0]["position"].clone())
    };
    let threads = told.as_array().expect("a list").iter().map(thread);
    threads.filter(|(texts, _)| !texts.is_empty()).collect()
}
