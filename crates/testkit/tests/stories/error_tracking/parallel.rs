//! Many programs at once.

use crate::error_tracking::{Tracker, event};
use serde_json::json;
use testkit::TestServer;

/// Reports in all.
const REPORTS: usize = 1_000;
/// Programs that send them at once.
const PROGRAMS: usize = 50;

async fn storm(t: &TestServer, tracker: &Tracker, of: impl Fn(usize) -> serde_json::Value) {
    let limits = json!({"error_tracking_events_per_five_minutes": 100_000,
        "error_tracking_events_per_hour": 100_000});
    t.admin().put("/application/settings").json(&limits).await.is(200);
    // Programs keep their connections.
    let client = reqwest::Client::new();
    let path = format!("/api/v4{}", tracker.endpoint("envelope"));
    let url = format!("{}{path}?sentry_key={}", t.url(), tracker.key);
    let programs = (0..PROGRAMS).map(|program| {
        let bodies: Vec<_> = (0..REPORTS / PROGRAMS)
            .map(|n| crate::error_tracking::envelope(&of(program * REPORTS / PROGRAMS + n)))
            .collect();
        let (client, url) = (client.clone(), url.clone());
        tokio::spawn(async move {
            for body in bodies {
                let sent = client.post(&url).body(body).send().await;
                assert_eq!(sent.expect("an answer").status(), 200);
            }
        })
    });
    for program in programs.collect::<Vec<_>>() {
        program.await.expect("no panic");
    }
}

#[testkit::story]
async fn a_thousand_equal_events_are_one_error_counted_exactly(t: TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    storm(&t, &tracker, |n| {
        let mut sent = event("E", "v");
        sent["user"] = json!({"id": n % 10});
        sent
    })
    .await;
    let error = tracker.only_error().await;
    assert_eq!(
        (error["events_count"].clone(), error["users_count"].clone()),
        (json!(REPORTS), json!(10))
    );
    let counts = t.app().read(|tx| {
        Ok(tx.one::<(i64, i64)>(
            store::sql!(
                "select (select count(*) from error_tracking_events),
                (select cast(sum(events_count) as bigint) from error_tracking_hours)"
            ),
            (),
        )?)
    });
    assert_eq!(counts.await.unwrap(), (REPORTS as i64, REPORTS as i64));
}

#[testkit::story]
async fn the_same_numbers_from_everywhere_are_kept_once(t: TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    storm(&t, &tracker, |n| {
        let mut sent = event(&format!("E{}", n % 3), "v");
        sent["event_id"] = json!(crate::error_tracking::number((n % 60) as u128));
        sent
    })
    .await;
    let counts: i64 = tracker
        .errors()
        .await
        .iter()
        .map(|one| one["events_count"].as_i64().unwrap())
        .sum();
    assert_eq!(counts, 60);
}
