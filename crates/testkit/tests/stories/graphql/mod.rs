//! Stories about `/api/graphql`, on both engines.

mod abuse;
mod allowed;
mod atomic;
mod cost;
mod credentials;
mod cut;
mod epics;
mod explorer;
mod global_ids;
mod guarded;
mod interface;
mod issue_mutations;
mod issues;
mod members;
mod needs;
mod nodes;
mod order;
mod packages;
mod packages_cleanup;
mod packages_mutations;
mod packages_policy;
mod persisted;
mod places;
mod projects;
mod statements;
mod transport;
mod typed;
mod uploads;
mod users;
mod work_items;

use serde_json::{Value, json};
use testkit::{Client, Reply, Request, TestProject, TestServer};

const PATH: &str = "/api/graphql";

/// A request with this JSON body.
fn posted(client: &Client, body: &Value) -> Request {
    client.request(http::Method::POST, PATH).json(body)
}

/// The answer to one query.
async fn ask(client: &Client, query: &str) -> Value {
    ask_with(client, query, json!({})).await
}

async fn ask_with(client: &Client, query: &str, variables: Value) -> Value {
    let body = json!({"query": query, "variables": variables});
    posted(client, &body).await.is(200).json()
}

/// The `data` of a query without errors.
async fn data(client: &Client, query: &str) -> Value {
    let answer = ask(client, query).await;
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

/// SQL statements sent so far for requests of this interface.
async fn statements(t: &TestServer) -> i64 {
    let text = t.anonymous().at("/-/metrics").await.text();
    let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
    let found = text.lines().find_map(|one| one.strip_prefix(line));
    found.and_then(|number| number.parse::<i64>().ok()).unwrap_or(0)
}

/// The text of the first error.
fn message(answer: &Value) -> &str {
    answer["errors"][0]["message"].as_str().unwrap_or_default()
}

/// Status and text of a refusal of the whole request.
fn refusal(reply: &Reply) -> (u16, String) {
    let body = reply.json();
    let text = message(&body).to_owned();
    assert_eq!(body, json!({"errors": [{"message": text}]}), "nothing else");
    (reply.status, text)
}

/// People of every role, from anonymous to administrator, with their level.
pub async fn people(t: &TestServer, project: &TestProject) -> Vec<(i64, Client)> {
    let mut people = vec![(0, t.anonymous())];
    for (name, level) in [
        ("outsider", 0),
        ("guest", 10),
        ("reporter", 20),
        ("developer", 30),
        ("maintainer", 40),
        ("owner", 50),
    ] {
        let user = t.user(name).await;
        if level > 0 {
            project.add(&user, level).await;
        }
        people.push((level, t.token_of(user.id, &["api"]).await));
    }
    people.push((60, t.admin()));
    people
}
