//! Snippets of people and projects: by REST, by git, on pages and in GraphQL.

mod access;
mod git;
mod graph;
mod pages;
mod rest;
mod statements;
mod talk;

use serde_json::{Value, json};
use testkit::{Client, TestProject};

/// A snippet with one file, in a project or one's own.
async fn made(by: &Client, project: Option<&TestProject>, visibility: &str) -> Value {
    let body = json!({"title": "Greeting", "file_name": "hello.rs", "content": "fn main() {}\n",
        "visibility": visibility});
    by.post(base(project)).json(&body).await.is(201).json()
}

fn base(project: Option<&TestProject>) -> String {
    project.map_or("/snippets".to_owned(), |project| project.at("/snippets"))
}

/// What follows the address of a snippet.
fn at(project: Option<&TestProject>, snippet: &Value, rest: &str) -> String {
    format!("{}/{}{rest}", base(project), snippet["id"])
}

/// The paths of its files.
fn paths(snippet: &Value) -> Vec<&str> {
    let files = snippet["files"].as_array().expect("files");
    files.iter().filter_map(|file| file["path"].as_str()).collect()
}
