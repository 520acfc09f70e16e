//! Stories about alerts that monitoring tools send: integrations and keys,
//! the addresses, grouping, what people do, incidents, images, what comes due
//! by itself, and what attackers send.

mod abuse;
mod access;
mod archived;
mod counts;
mod due;
mod external;
mod graphql;
mod grouping;
mod images;
mod incidents;
mod integrations;
mod pages;
mod parallel;
mod people;
mod receiving;
mod talk;
mod times;

use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, Request, TestProject, TestServer};

/// A project with an integration.
pub struct Desk {
    /// The project.
    pub project: TestProject,
    /// The integration as it was made.
    pub integration: Value,
    nobody: Client,
    /// An administrator.
    pub admin: Client,
    server: String,
}

impl Desk {
    /// A project with an integration for any sender.
    pub async fn new(t: &TestServer, path: &str) -> Desk {
        Desk::with(t, path, json!({"name": "Pager", "active": true})).await
    }

    /// A project with an integration for the metrics tool.
    pub async fn metrics(t: &TestServer, path: &str) -> Desk {
        let body = json!({"name": "Metrics", "active": true, "type": "prometheus"});
        Desk::with(t, path, body).await
    }

    /// A project with an integration like this.
    pub async fn with(t: &TestServer, path: &str, body: Value) -> Desk {
        let project = t.project(path).await;
        let all = project.at("/alert_management/http_integrations");
        let made = t.admin().post(all).json(&body).await.is(201);
        Desk {
            project,
            integration: made.json(),
            nobody: t.anonymous(),
            admin: t.admin(),
            server: t.url(),
        }
    }

    /// Path of the integration, below `/api/v4`.
    pub fn path(&self) -> String {
        let id = &self.integration["id"];
        self.project.at(&format!("/alert_management/http_integrations/{id}"))
    }

    /// Its key.
    pub fn token(&self) -> &str {
        self.integration["token"].as_str().unwrap()
    }

    /// Path of its address.
    pub fn address(&self) -> String {
        let url = self.integration["url"].as_str().unwrap();
        url.strip_prefix(&self.server).unwrap().to_owned()
    }

    /// A request to it without a key.
    pub fn bare(&self) -> Request {
        self.nobody.request(Method::POST, self.address())
    }

    /// A request to it.
    pub fn to(&self) -> Request {
        self.bare().header("authorization", &format!("Bearer {}", self.token()))
    }

    /// Sends a payload.
    pub async fn send(&self, payload: Value) -> Reply {
        self.to().json(&payload).await
    }

    /// Sends a group of alerts of the metrics tool.
    pub async fn send_group(&self, items: Value) -> Reply {
        self.send(group(items)).await
    }

    /// The project's alerts, the newest first.
    pub async fn alerts(&self) -> Vec<Value> {
        self.listed("?order_by=created_at").await
    }

    /// A list of them.
    pub async fn listed(&self, query: &str) -> Vec<Value> {
        let path = self.project.at(&format!("/alert_management/alerts{query}"));
        self.admin.get(path).await.is(200).json().as_array().unwrap().clone()
    }

    /// The one alert there is.
    pub async fn only_alert(&self) -> Value {
        let alerts = self.alerts().await;
        assert_eq!(alerts.len(), 1, "{alerts:#?}");
        alerts[0].clone()
    }

    /// Path of an alert, below `/api/v4`.
    pub fn alert(&self, iid: i64) -> String {
        self.project.at(&format!("/alert_management/alerts/{iid}"))
    }

    /// What notes say about an alert, the oldest first.
    pub async fn notes(&self, t: &TestServer, iid: i64) -> Vec<String> {
        let project = self.project.id;
        t.app()
            .read(move |tx| {
                Ok(tx.all::<String>(
                    store::sql!(
                        "select n.body from notes n join alerts a on a.id = n.noteable_id
                         where n.noteable_type = 'AlertManagement::Alert' and a.project_id = $1
                            and a.iid = $2 order by n.id"
                    ),
                    (project, iid),
                )?)
            })
            .await
            .unwrap()
    }

    /// Says what the project wants done with its alerts.
    pub async fn wants(&self, setting: Value) {
        let path = self.project.at("/alert_management/settings");
        self.admin.put(path).json(&setting).await.is(200);
    }
}

/// A group as the metrics tool sends it.
pub fn group(items: Value) -> Value {
    json!({
        "version": "4", "groupKey": "{}:{}", "truncatedAlerts": 0, "status": "firing",
        "receiver": "tenon", "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
        "externalURL": "http://alertmanager.example", "alerts": items,
    })
}

/// An alert as the metrics tool sends it.
pub fn item(fingerprint: &str, status: &str) -> Value {
    json!({
        "status": status, "fingerprint": fingerprint, "startsAt": "2025-05-05T10:00:00.123456789Z",
        "endsAt": if status == "resolved" { "2025-05-05T11:00:00Z" } else { "0001-01-01T00:00:00Z" },
        "labels": {"alertname": "Down", "severity": "page", "instance": fingerprint},
        "annotations": {"summary": "It is down"},
        "generatorURL": "http://prometheus.example/graph?g0.expr=up+%3D%3D+0&g0.tab=1",
    })
}

/// Sets what administrators set.
pub async fn administer(t: &TestServer, settings: Value) {
    t.admin().put("/application/settings").json(&settings).await.is(200);
}

/// Waits until something holds.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("not so in half a minute: {what}");
}
