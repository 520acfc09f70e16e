//! The maven format from a client's side.

mod access;
mod lists;
mod other_versions;
mod parallel;
mod repository;

use ring::digest;
use serde_json::json;
use testkit::{Client, Reply, TestProject, TestServer};

/// A file of a repository of the project, below `/api/v4`.
fn at(project: &TestProject, rest: &str) -> String {
    project.at(&format!("/packages/maven/{rest}"))
}

/// Sends a file.
async fn put(client: &Client, path: &str, bytes: &str) -> Reply {
    client.put(path).bytes(bytes.to_owned()).await
}

/// Sends a file and its digest, as clients do.
async fn deploy(client: &Client, path: &str, bytes: &str) {
    let reply = put(client, path, bytes).await.is(200);
    assert!(reply.body.is_empty());
    put(client, &format!("{path}.sha1"), &sha1(bytes)).await.is(204);
    put(client, &format!("{path}.md5"), "d41d8cd98f00b204e9800998ecf8427e")
        .await
        .is(200);
}

fn sum(of: &'static digest::Algorithm, bytes: &str) -> String {
    hex::encode(digest::digest(of, bytes.as_bytes()))
}

fn sha1(bytes: &str) -> String {
    sum(&digest::SHA1_FOR_LEGACY_USE_ONLY, bytes)
}

/// A list of versions as clients write it.
fn list(versions: &[&str]) -> String {
    let last = versions.last().expect("some version");
    let each: String = versions
        .iter()
        .map(|version| format!("      <version>{version}</version>\n"))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metadata>\n  <groupId>com.acme</groupId>\n  \
         <artifactId>anvil</artifactId>\n  <versioning>\n    <latest>{last}</latest>\n    \
         <release>{last}</release>\n    <versions>\n{each}    </versions>\n    \
         <lastUpdated>20310101000000</lastUpdated>\n  </versioning>\n</metadata>\n"
    )
}

/// Changes settings of the namespace a project is in.
async fn set(t: &TestServer, group: &str, settings: serde_json::Value) {
    let path = format!("/groups/{group}/package_settings");
    t.admin().put(path).json(&settings).await.is(200);
}

async fn forbid_duplicates(t: &TestServer, group: &str) {
    let settings = json!({"maven_duplicates_allowed": false,
        "maven_duplicate_exception_regex": ".*-SNAPSHOT"});
    set(t, group, settings).await;
}
