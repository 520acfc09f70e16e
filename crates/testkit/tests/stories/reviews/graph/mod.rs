//! Merge requests in GraphQL.

mod change;
mod lists;
mod shown;
mod statements;

use serde_json::{Value, json};
use testkit::Client;

pub async fn ask(client: &Client, query: &str) -> Value {
    let sent = client.request(http::Method::POST, "/api/graphql");
    sent.json(&json!({"query": query})).await.is(200).json()
}

/// The `data` of a query without errors.
pub async fn data(client: &Client, query: &str) -> Value {
    let answer = ask(client, query).await;
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

/// The first merge request, as somebody sees it.
pub async fn one(client: &Client, fields: &str) -> Value {
    let query =
        format!("{{project(fullPath:\"acme/forge\"){{mergeRequest(iid:\"1\"){{{fields}}}}}}}");
    data(client, &query).await["project"]["mergeRequest"].clone()
}

fn mutation(name: &str, input: &str, fields: &str) -> String {
    format!("mutation{{done:{name}(input:{{{input}}}){{errors {fields}}}}}")
}

/// What a mutation of the first merge request did, with these fields of it.
async fn act(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let input = format!("projectPath:\"acme/forge\",iid:\"1\",{input}");
    let query = mutation(name, &input, &format!("mergeRequest{{{fields}}}"));
    data(client, &query).await["done"].clone()
}

/// The same of one that succeeded.
async fn set(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let done = act(client, name, input, fields).await;
    assert_eq!(done["errors"], json!([]), "{name}");
    done["mergeRequest"].clone()
}
