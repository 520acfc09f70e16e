//! Many senders at once.

use crate::alerts::{Desk, group, item};
use serde_json::{Value, json};
use testkit::TestServer;

/// Requests in all.
const REQUESTS: usize = 1_000;
/// Senders that send them at once.
const SENDERS: usize = 50;

async fn storm(t: &TestServer, desk: &Desk, of: impl Fn(usize) -> Value) -> Vec<u16> {
    // Senders keep their connections.
    let client = reqwest::Client::new();
    let url = format!("{}{}", t.url(), desk.address());
    let senders = (0..SENDERS).map(|sender| {
        let bodies: Vec<String> = (0..REQUESTS / SENDERS)
            .map(|n| of(sender * REQUESTS / SENDERS + n).to_string())
            .collect();
        let (client, url, key) = (client.clone(), url.clone(), desk.token().to_owned());
        tokio::spawn(async move {
            let mut statuses = Vec::new();
            for body in bodies {
                let sent = client.post(&url).bearer_auth(&key).body(body).send().await;
                statuses.push(sent.expect("an answer").status().as_u16());
            }
            statuses
        })
    });
    let mut statuses = Vec::new();
    for sender in senders.collect::<Vec<_>>() {
        statuses.extend(sender.await.expect("no panic"));
    }
    statuses
}

async fn counts(t: &TestServer) -> (i64, i64, i64, i64) {
    let counts = t.app().read(|tx| {
        Ok(tx.one(
            store::sql!(
                "select count(*), count(distinct iid), coalesce(max(iid), 0),
                    coalesce(cast(sum(events) as bigint), 0) from alerts"
            ),
            (),
        )?)
    });
    counts.await.unwrap()
}

#[testkit::story]
async fn a_thousand_equal_alerts_are_one_counted_exactly(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let statuses = storm(&t, &desk, |_| json!({"title": "a"})).await;
    assert!(statuses.iter().all(|status| *status == 200));
    assert_eq!(counts(&t).await, (1, 1, 1, REQUESTS as i64));
}

#[testkit::story]
async fn a_thousand_different_alerts_have_dense_numbers(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let statuses = storm(&t, &desk, |n| json!({"title": n})).await;
    assert!(statuses.iter().all(|status| *status == 200));
    let all = REQUESTS as i64;
    assert_eq!(counts(&t).await, (all, all, all, all));
    let notes = t
        .app()
        .read(|tx| Ok(tx.one::<i64>(store::sql!("select count(*) from notes"), ())?));
    assert_eq!(notes.await.unwrap(), all);
}

#[testkit::story]
async fn beginnings_and_ends_at_once_leave_one_state(t: TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let statuses = storm(&t, &desk, |n| {
        let status = if n % 2 == 0 { "firing" } else { "resolved" };
        group(json!([item("a", status), item("b", "firing")]))
    })
    .await;
    assert!(statuses.iter().all(|status| *status == 200));
    let (alerts, numbers, last, events) = counts(&t).await;
    assert_eq!((alerts, alerts), (numbers, last));
    // Every firing item was counted once.
    assert_eq!(events, (REQUESTS / 2 + REQUESTS) as i64);
    let open = t.app().read(|tx| {
        Ok(tx.one::<(i64, i64)>(
            store::sql!(
                "select count(*), count(distinct fingerprint) from alerts where status <> 2"
            ),
            (),
        )?)
    });
    let (open, kinds) = open.await.unwrap();
    assert!(open == kinds && (1..=2).contains(&open), "{open} of {kinds}");
}

#[testkit::story]
async fn people_and_senders_at_once_keep_one_open(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let people = (0..4).map(|n| {
        let (admin, path) = (t.admin(), desk.alert(1));
        tokio::spawn(async move {
            for round in 0..20 {
                let status = if (n + round) % 2 == 0 { "resolved" } else { "triggered" };
                let reply = admin.put(&path).json(&json!({"status": status})).await;
                assert!([200, 400].contains(&reply.status), "{reply:?}");
            }
        })
    });
    let people: Vec<_> = people.collect();
    let statuses = storm(&t, &desk, |_| json!({"title": "a", "fingerprint": "f"})).await;
    assert!(statuses.iter().all(|status| *status == 200));
    for person in people {
        person.await.unwrap();
    }
    let (alerts, numbers, last, events) = counts(&t).await;
    assert_eq!((alerts, alerts, events), (numbers, last, REQUESTS as i64 + 1));
    let open = desk.listed("?status=triggered&status[]=acknowledged").await;
    assert!(open.len() <= 1, "{open:#?}");
}
