//! Alerts of monitoring tools, met by the built program: killed in a storm,
//! and on two nodes.

use crate::place::{Place, Server, project, until};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::sql;
use testkit::{Client, Request, run};

/// Alerts that storms are about.
const ALERTS: u64 = 20;

/// An address with its key.
#[derive(Clone)]
pub struct Door {
    path: String,
    header: String,
}

impl Door {
    /// Makes an integration of a project.
    pub async fn of(client: &Client, project: &str) -> Door {
        let path = format!("{project}/alert_management/http_integrations");
        let body = json!({"name": "storm", "active": true});
        let made = client.post(path).json(&body).await.is(201).json();
        let text = |key: &str| made[key].as_str().unwrap_or_default().to_owned();
        // Each server has another address.
        let url = text("url");
        let path = url.split_once("/acme/").map(|(_, rest)| format!("/acme/{rest}"));
        Door {
            path: path.unwrap_or_else(|| panic!("an address of acme: {made}")),
            header: format!("Bearer {}", text("token")),
        }
    }

    /// An alert on its way to a server.
    pub fn sent(&self, to: &Client, body: &Value) -> Request {
        let request = to.request(reqwest::Method::POST, &self.path);
        request.header("authorization", &self.header).json(body)
    }
}

/// Makes a project with an integration.
async fn door(client: &Client) -> Door {
    Door::of(client, &project(client).await).await
}

/// Sends alerts until the server is gone or there are `most`; how many were
/// acknowledged.
fn storm(server: &Server, door: &Door, senders: u64, most: u64) -> Arc<AtomicI64> {
    let acknowledged: Arc<AtomicI64> = Arc::default();
    for sender in 0..senders {
        let (client, door) = (Client::nobody(&server.url), door.clone());
        let acknowledged = acknowledged.clone();
        tokio::spawn(async move {
            for n in (sender..most).step_by(senders as usize) {
                let body = json!({"title": "storm", "fingerprint": (n % ALERTS).to_string()});
                match door.sent(&client, &body).try_send().await {
                    Ok(reply) if reply.status == 200 => acknowledged.fetch_add(1, Ordering::SeqCst),
                    _ => return,
                };
            }
        });
    }
    acknowledged
}

async fn at_least(count: &AtomicI64, wanted: i64) {
    until("alerts are acknowledged", async || count.load(Ordering::SeqCst) >= wanted).await;
}

/// What the database has: alerts, their highest number, and events.
async fn counted(place: &Place) -> (i64, i64, i64) {
    place
        .row(sql!(
            "select count(*), coalesce(max(iid), 0), coalesce(cast(sum(events) as bigint), 0)
             from alerts"
        ))
        .await
}

#[test]
fn a_killed_server_loses_no_acknowledged_alert() {
    run(async {
        for place in Place::both() {
            let server = place.serve();
            let door = door(&server.client(&place.token())).await;
            let acknowledged = storm(&server, &door, 8, 1_000_000);
            at_least(&acknowledged, 200).await;
            server.kill();
            let promised = acknowledged.load(Ordering::SeqCst);

            let again = place.serve();
            let (alerts, last, events) = counted(&place).await;
            assert!(events >= promised, "{events} of {promised}");
            assert_eq!((alerts, last), (ALERTS as i64, ALERTS as i64));
            let more = storm(&again, &door, 2, 10);
            at_least(&more, 10).await;
            assert_eq!(counted(&place).await, (alerts, last, events + 10));
        }
    });
}

#[test]
fn two_nodes_count_alerts_exactly() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let door = door(&one.client(&place.token())).await;
        let first = storm(&one, &door, 16, 500);
        let second = storm(&two, &door, 16, 500);
        at_least(&first, 500).await;
        at_least(&second, 500).await;
        let all = ALERTS as i64;
        assert_eq!(counted(&place).await, (all, all, 1_000));
    });
}
