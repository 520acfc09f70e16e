//! npm, from its clients' side.

mod abuse;
mod access;
mod documents;
mod elsewhere;
mod parallel;
mod publish;
mod removal;
mod tags;

use crate::packages_formats::registry::Registry;
use serde_json::{Value, json};
use testkit::{Client, Reply, npm};

/// The path of a package's document in a project.
fn at(r: &Registry, name: &str) -> String {
    r.at(&format!("/npm/{}", npm::escaped(name)))
}

/// Publishes a version with nothing special.
async fn publish(client: &Client, r: &Registry, name: &str, version: &str) -> Reply {
    send(client, r, name, &npm::plain(name, version)).await
}

/// Sends a body to a package's address.
async fn send(client: &Client, r: &Registry, name: &str, body: &Value) -> Reply {
    client.put(at(r, name)).json(body).await
}

/// The versions of a packument.
fn versions(packument: &Value) -> Vec<&str> {
    let versions = packument["versions"].as_object().into_iter().flatten();
    versions.map(|(version, _)| version.as_str()).collect()
}

fn refusal(status: u16, name: &str, reason: &str) -> Value {
    json!({"message": format!("{status} {name} - {reason}"), "error": reason})
}
