//! Alerts of monitoring tools, met by the built program: killed in a storm,
//! and on two nodes.

use crate::place::{Place, Server, project, until};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::sql;
use testkit::{Client, run};

/// Alerts that storms are about.
const ALERTS: u64 = 20;

/// An address with its key.
#[derive(Clone)]
struct Door {
    path: String,
    header: String,
}

/// Makes an integration.
async fn door(server: &Server, client: &Client) -> Door {
    let project = project(client).await;
    let path = format!("{project}/alert_management/http_integrations");
    let body = json!({"name": "storm", "active": true});
    let made = client.post(path).json(&body).await.is(201).json();
    let text = |key: &str| made[key].as_str().unwrap_or_default().to_owned();
    // Each server has another address.
    let url = text("url");
    let path = url
        .split_once("/acme/")
        .map(|(_, rest)| format!("/acme/{rest}"));
    assert!(url.starts_with("http"), "{url} of {}", server.url);
    Door {
        path: path.unwrap_or_default(),
        header: format!("Bearer {}", text("token")),
    }
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
                let request = client.request(reqwest::Method::POST, &door.path);
                let sent = request.header("authorization", &door.header).json(&body);
                match sent.try_send().await {
                    Ok(reply) if reply.status == 200 => acknowledged.fetch_add(1, Ordering::SeqCst),
                    _ => return,
                };
            }
        });
    }
    acknowledged
}

async fn at_least(count: &AtomicI64, wanted: i64) {
    until("alerts are acknowledged", async || {
        count.load(Ordering::SeqCst) >= wanted
    })
    .await;
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
            let door = door(&server, &server.client(&place.token())).await;
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
        let door = door(&one, &one.client(&place.token())).await;
        let first = storm(&one, &door, 16, 500);
        let second = storm(&two, &door, 16, 500);
        at_least(&first, 500).await;
        at_least(&second, 500).await;
        let all = ALERTS as i64;
        assert_eq!(counted(&place).await, (all, all, 1_000));
    });
}
