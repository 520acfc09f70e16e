//! Stories about errors that programs report: settings and keys, the
//! endpoints of SDKs, grouping, quotas, and what attackers send.

mod abuse;
mod collector;
mod elsewhere;
mod encodings;
mod grouping;
mod issues;
mod parallel;
mod quota;
mod reading;
mod rust_sdk;
mod settings;

use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, Request, TestProject, TestServer};

/// A project that receives errors.
pub struct Tracker {
    /// The project.
    pub project: TestProject,
    /// A client key of it.
    pub key: String,
    client: Client,
    admin: Client,
}

impl Tracker {
    /// A project in a group, with a client key.
    pub async fn new(t: &TestServer, path: &str) -> Tracker {
        let project = t.project(path).await;
        let settings = project.at("/error_tracking/settings");
        let on = json!({"active": true, "integrated": true});
        t.admin().put(settings).json(&on).await.is(200);
        let keys = project.at("/error_tracking/client_keys");
        let key = t.admin().post(keys).await.is(201);
        Tracker {
            key: key.json()["public_key"].as_str().unwrap().to_owned(),
            client: t.anonymous(),
            admin: t.admin(),
            project,
        }
    }

    /// An endpoint of SDKs, below `/api/v4`.
    pub fn endpoint(&self, name: &str) -> String {
        format!("/error_tracking/collector/api/{}/{name}", self.project.id)
    }

    /// A request to it with the key in the query.
    pub fn to(&self, name: &str) -> Request {
        let path = format!("{}/?sentry_version=7&sentry_key={}", self.endpoint(name), self.key);
        self.client.post(path)
    }

    /// Sends an event in an envelope.
    pub async fn report(&self, event: Value) -> Reply {
        self.to("envelope").bytes(envelope(&event)).await
    }

    /// The project's errors, the last seen first.
    pub async fn errors(&self) -> Vec<Value> {
        let reply = self.admin.get(self.project.at("/error_tracking/errors")).await.is(200);
        reply.json().as_array().unwrap().clone()
    }

    /// The one error there is.
    pub async fn only_error(&self) -> Value {
        let errors = self.errors().await;
        assert_eq!(errors.len(), 1, "{errors:#?}");
        errors[0].clone()
    }
}

/// An event in an envelope.
pub fn envelope(event: &Value) -> String {
    format!("{{}}\n{{\"type\":\"event\"}}\n{event}\n")
}

/// An event as SDKs send it.
pub fn event(kind: &str, value: &str) -> Value {
    json!({
        "platform": "python",
        "exception": {"values": [{"type": kind, "value": value, "stacktrace": {"frames": [
            {"function": "work", "module": "app", "filename": "app.py", "lineno": 7},
        ]}}]},
    })
}

/// A number of an event.
pub fn number(n: u128) -> String {
    format!("{n:032x}")
}

/// OPTIONS as browsers send it before they send the body.
pub fn preflight(client: &Client, path: &str) -> Request {
    client
        .api(Method::OPTIONS, path)
        .header("origin", "https://shop.example")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "content-type, content-encoding, x-sentry-auth, x-requested-with, authorization, \
             authentication, sentry-trace, baggage, origin, accept",
        )
}

/// Statements that reports in envelopes have cost so far.
pub fn statements(t: &TestServer) -> u64 {
    let line = "http_request_statements_total{method=\"POST\",\
        route=\"/api/v4/error_tracking/collector/api/{id}/envelope\"} ";
    let metrics = t.app().metrics().render();
    let count = metrics.lines().find_map(|one| one.strip_prefix(line));
    count.map_or(0, |count| count.parse().unwrap())
}
