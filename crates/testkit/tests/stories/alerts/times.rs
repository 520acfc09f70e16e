//! Times as senders write them.

use crate::alerts::Desk;
use serde_json::json;

#[testkit::story]
async fn an_end_resolves_in_every_usual_form(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    for (n, end) in [
        "2026-02-03 04:05:06 +0200",
        "2026/02/03 02:05:06",
        "Tue Feb  3 02:05:06 2026",
        "Tue Feb 03 2026 04:05:06 GMT+0200 (Eastern European Standard Time)",
    ]
    .into_iter()
    .enumerate()
    {
        let alert = json!({"title": end, "fingerprint": n.to_string()});
        desk.send(alert.clone()).await.is(200);
        let mut over = alert;
        over["end_time"] = json!(end);
        desk.send(over).await.is(200);
        let shown = desk.admin.get(desk.alert(n as i64 + 1)).await.is(200).json();
        assert_eq!(shown["status"], "resolved", "{end}");
        assert_eq!(shown["ended_at"], "2026-02-03T02:05:06.000Z", "{end}");
    }
}

#[testkit::story]
async fn an_end_that_is_no_time_changes_nothing(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "Disk full", "fingerprint": "f"})).await.is(200);
    desk.send(json!({"title": "Disk full", "fingerprint": "f", "end_time": "soon"}))
        .await
        .is(200);
    assert_eq!(desk.only_alert().await["status"], "triggered");
}
