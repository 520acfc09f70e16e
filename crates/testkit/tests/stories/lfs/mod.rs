//! Large files: what a client of git LFS says over HTTP, without git.

mod collaboration;
mod locks;
mod objects;
mod pushing;
mod refusals;

use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer, sha256};

/// A request below a project's repository.
fn post(client: &Client, project: &str, path: &str, body: &Value) -> testkit::Request {
    client
        .request(Method::POST, format!("/{project}.git/info/lfs/{path}"))
        .header("accept", "application/vnd.git-lfs+json")
        .header("content-type", "application/vnd.git-lfs+json")
        .bytes(body.to_string())
}

pub async fn batch(client: &Client, project: &str, operation: &str, objects: Value) -> Reply {
    let body = json!({"operation": operation, "transfers": ["basic"], "objects": objects});
    post(client, project, "objects/batch", &body).await
}

fn object(content: &str) -> Value {
    json!({"oid": sha256(content), "size": content.len()})
}

/// Does what a batch said of its only object.
pub async fn follow(t: &TestServer, told: &Value, action: &str, body: Option<&str>) -> Reply {
    let way = &told["objects"][0]["actions"][action];
    let href = way["href"].as_str().unwrap_or_else(|| panic!("no {action} in {told}"));
    let path = href.split_once("://").unwrap().1;
    let path = &path[path.find('/').unwrap()..];
    let method = if body.is_some() { Method::PUT } else { Method::GET };
    let authorization = way["header"]["Authorization"].as_str().unwrap();
    let request = t.anonymous().request(method, path).header("authorization", authorization);
    match body {
        Some(body) => request.bytes(body.to_owned()).await,
        None => request.await,
    }
}

/// Sends a large file as a client does.
pub async fn send(t: &TestServer, client: &Client, project: &str, content: &str) {
    let told = batch(client, project, "upload", json!([object(content)])).await.is(200).json();
    follow(t, &told, "upload", Some(content)).await.is(200);
}
