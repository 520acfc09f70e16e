//! Stories about epics of groups, on both engines.

mod access;
mod children;
mod commands;
mod dates;
mod issues;
mod links;
mod lists;
mod notes;
mod one;
mod pages;
mod parallel;
mod promotion;
mod texts;

use serde_json::{Value, json};
use testkit::{Client, TestGroup};

/// Makes an epic; as it is shown.
async fn made(client: &Client, group: &TestGroup, body: Value) -> Value {
    client.post(group.at("/epics")).json(&body).await.is(201).json()
}

/// Makes epics of these titles.
async fn several(client: &Client, group: &TestGroup, titles: &[&str]) -> Vec<Value> {
    let mut all = Vec::new();
    for title in titles {
        all.push(made(client, group, json!({"title": title})).await);
    }
    all
}
