//! Who signed commits and tags, with GPG and SSH. Signatures by GPG were made once by the
//! stock gpg, as `fixtures/make.sh` does it; those by SSH are made by the stock git.

mod gpg;
mod keys;
mod pages;
mod ssh;

use serde_json::{Value, json};
use testkit::{Client, Git, TestProject, TestServer, TestUser};

/// A file of the fixtures.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("fixtures/", $name))
    };
}
use fixture;

/// A key of Ada, and one that ended.
pub const ADA: &str = fixture!("ada.asc");
pub const SHORT: &str = fixture!("short.asc");
const COMMITS: &[(&str, &str)] = &[
    ("by-subkey", fixture!("by-subkey.commit")),
    ("by-primary", fixture!("by-primary.commit")),
    ("other-address", fixture!("other-address.commit")),
    ("other-user", fixture!("other-user.commit")),
    ("other-author", fixture!("other-author.commit")),
    ("weak", fixture!("weak.commit")),
    ("in-time", fixture!("in-time.commit")),
    ("too-late", fixture!("too-late.commit")),
    ("revoked", fixture!("revoked.commit")),
    ("twice", fixture!("twice.commit")),
    ("unknown", fixture!("unknown.commit")),
    ("broken", fixture!("broken.commit")),
];

/// Ada, who confirmed these addresses besides hers.
async fn ada(t: &TestServer, further: &[&str]) -> TestUser {
    let ada = t.user("ada").await;
    for email in further {
        let body = json!({"email": email, "skip_confirmation": true});
        t.admin().post(format!("/users/{}/emails", ada.id)).json(&body).await.is(201);
    }
    ada
}

/// Puts an object of the fixtures where a ref leads to it.
async fn put(git: &Git, kind: &str, text: &str, name: &str) {
    std::fs::write(git.at("object"), text).unwrap();
    let made = ["hash-object", "-w", "-t", kind, "../object"];
    let id = git.run_in("one", &made).await.done().last_line().to_owned();
    git.run_in("one", &["update-ref", name, &id]).await.done();
}

/// A project with all commits of the fixtures, each a branch, and a signed tag.
async fn pushed(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    let empty = ["hash-object", "-w", "-t", "tree", "/dev/null"];
    git.run_in("one", &empty).await.done();
    for (name, text) in COMMITS {
        put(&git, "commit", text, &format!("refs/heads/{name}")).await;
    }
    put(&git, "tag", fixture!("v1.tag"), "refs/tags/v1").await;
    git.run_in("one", &["push", "--quiet", "origin", "--all"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "--tags"]).await.done();
    project
}

/// The signature of a commit.
async fn signature(t: &TestServer, project: &TestProject, commit: &str) -> Value {
    let path = project.at(&format!("/repository/commits/{commit}/signature"));
    t.admin().get(path).await.is(200).json()
}

async fn status(t: &TestServer, project: &TestProject, commit: &str) -> String {
    let signature = signature(t, project, commit).await;
    signature["verification_status"].as_str().unwrap_or_default().to_owned()
}

async fn add_gpg_key(client: &Client, key: &str) -> i64 {
    client.post("/user/gpg_keys").json(&json!({"key": key})).await.is(201).id()
}
