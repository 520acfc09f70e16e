//! Paging: who is told of an alert that nobody looks after, and when no more.

mod changes;

use crate::oncall::{Watch, mailed};
use jiff::SignedDuration;
use kernel::jobs::enqueue;
use monitoring::tasks::{Escalate, Tell, wake};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use store::{Tx, sql};
use testkit::TestServer;

const STARTED: &str = "2031-05-06T00:00:00+02:00";

fn of_schedule(seconds: i64, status: &str, iid: i64) -> Value {
    json!({"elapsed_time_seconds": seconds, "status": status, "oncall_schedule_iid": iid})
}

fn of_user(seconds: i64, status: &str, id: i64) -> Value {
    json!({"elapsed_time_seconds": seconds, "status": status, "user_id": id})
}

/// Whoever is on call at once, carl after ten minutes, and after twenty again
/// until it is over.
async fn watched(t: &TestServer) -> Watch {
    let watch = Watch::new(t).await;
    let nights = watch.schedule("Nights").await;
    watch.rotation(&nights, STARTED, &[&watch.jane, &watch.carl]).await;
    let carl = watch.carl.id;
    watch
        .policy(json!([
            of_schedule(0, "acknowledged", 1),
            of_user(600, "acknowledged", carl),
            of_user(1_200, "resolved", carl),
        ]))
        .await;
    watch
}

async fn later(t: &TestServer, seconds: i64) {
    t.advance(seconds);
    t.settle().await;
}

async fn count(t: &TestServer, statement: &'static str) -> i64 {
    t.app().read(move |tx| Ok(tx.one::<i64>(statement, ())?)).await.unwrap()
}

#[testkit::story(noon)]
async fn an_alert_pages_one_after_another_until_somebody_looks_after_it(t: TestServer) {
    let watch = watched(&t).await;
    watch
        .send(json!({"title": "Too hot", "fingerprint": "f", "severity": "high"}))
        .await;
    t.settle().await;
    assert_eq!(mailed(&t, "Too hot"), ["jane"]);
    assert_eq!(watch.told(&t, 1).await, ["paged @jane about this alert by e-mail"]);
    // The same again is no new alert.
    watch.send(json!({"title": "Too hot", "fingerprint": "f"})).await;
    later(&t, 590).await;
    assert_eq!(mailed(&t, "Too hot"), ["jane"]);
    later(&t, 10).await;
    assert_eq!(mailed(&t, "Too hot"), ["carl", "jane"]);
    later(&t, 600).await;
    assert_eq!(mailed(&t, "Too hot"), ["carl", "carl", "jane"]);
    later(&t, 86_400).await;
    assert_eq!(
        watch.told(&t, 1).await,
        [
            "paged @jane about this alert by e-mail",
            "paged @carl about this alert by e-mail",
            "paged @carl about this alert by e-mail"
        ]
    );
    assert_eq!(count(&t, sql!("select count(*) from escalations")).await, 0);
    // Nobody is reminded of anything in the program itself.
    assert_eq!(watch.jane.get("/todos").await.is(200).json(), json!([]));
    let sent = t.app().mailer().sent();
    let mail = sent.iter().find(|mail| mail.subject == "anvil | Page: Too hot").unwrap();
    assert!(
        mail.html.is_none()
            && mail.text.contains("Severity: High")
            && mail.text.contains("/acme/anvil/-/alert_management/1/details"),
        "{}",
        mail.text
    );
}

#[testkit::story(noon)]
async fn acknowledged_alerts_page_only_who_waits_for_the_end(t: TestServer) {
    let watch = watched(&t).await;
    watch.send(json!({"title": "Seen"})).await;
    t.settle().await;
    watch.set(1, "acknowledged").await;
    later(&t, 600).await;
    assert_eq!(mailed(&t, "Seen"), ["jane"]);
    later(&t, 600).await;
    assert_eq!(mailed(&t, "Seen"), ["carl", "jane"]);
}

#[testkit::story(noon)]
async fn what_is_over_or_ignored_pages_nobody(t: TestServer) {
    let watch = watched(&t).await;
    for (iid, (title, status)) in
        [("Over", "resolved"), ("Unimportant", "ignored")].into_iter().enumerate()
    {
        watch.send(json!({"title": title, "fingerprint": title})).await;
        t.settle().await;
        watch.set(iid as i64 + 1, status).await;
    }
    watch.send(json!({"title": "Gone", "fingerprint": "g"})).await;
    t.settle().await;
    watch
        .send(json!({"fingerprint": "g", "end_time": "2031-05-06T12:00:00Z"}))
        .await;
    // It was over when it came.
    let window = json!({"name": "Move", "ends_at": (t.now() + jiff::SignedDuration::from_hours(1)).to_string()});
    t.admin()
        .post(watch.project.at("/alert_management/maintenance_windows"))
        .json(&window)
        .await
        .is(201);
    watch.send(json!({"title": "Quiet", "fingerprint": "q"})).await;
    later(&t, 5_000).await;
    for (title, expected) in [("Over", 1), ("Unimportant", 1), ("Gone", 1), ("Quiet", 0)] {
        assert_eq!(mailed(&t, title).len(), expected, "{title}");
    }
    assert_eq!(count(&t, sql!("select count(*) from escalations")).await, 0);
}

#[testkit::story(noon)]
async fn what_is_triggered_again_pages_again(t: TestServer) {
    let watch = watched(&t).await;
    watch.send(json!({"title": "Back"})).await;
    t.settle().await;
    watch.set(1, "resolved").await;
    later(&t, 3_600).await;
    assert_eq!(mailed(&t, "Back"), ["jane"]);
    watch.set(1, "triggered").await;
    t.settle().await;
    assert_eq!(mailed(&t, "Back"), ["jane", "jane"]);
    // To look after it and stop again is no new beginning.
    watch.set(1, "acknowledged").await;
    watch.set(1, "triggered").await;
    later(&t, 599).await;
    assert_eq!(mailed(&t, "Back"), ["jane", "jane"]);
    later(&t, 1).await;
    assert_eq!(mailed(&t, "Back"), ["carl", "jane", "jane"]);
    let shelve = watch.project.at("/alert_management/alerts/1/shelve");
    t.admin().post(&shelve).json(&json!({"duration": 60})).await.is(200);
    t.advance(60);
    let jobs = t.app().jobs().clone();
    let watching = monitoring::tasks::Watch::default();
    t.app().write(move |tx| enqueue(tx, &jobs, &watching)).await.unwrap();
    t.settle().await;
    assert_eq!(mailed(&t, "Back"), ["carl", "jane", "jane", "jane"]);
}

#[testkit::story(noon)]
async fn turns_change_hands_between_two_pages(t: TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    // It changes hands at half past two in Berlin, half past noon in UTC.
    watch
        .rotation(&nights, "2031-05-05T14:30:00+02:00", &[&watch.jane, &watch.carl])
        .await;
    let second = watch.schedule("Backup").await;
    watch
        .rotation(&second, "2031-05-05T14:30:00+02:00", &[&watch.carl, &watch.jane])
        .await;
    watch.rotation(&second, "2031-05-05T14:30:00+02:00", &[&watch.jane]).await;
    watch
        .policy(json!([
            of_schedule(0, "resolved", 1),
            of_schedule(3_600, "resolved", 1),
            of_schedule(3_600, "resolved", 2)
        ]))
        .await;
    watch.send(json!({"title": "Turn"})).await;
    t.settle().await;
    assert_eq!(mailed(&t, "Turn"), ["jane"]);
    later(&t, 3_600).await;
    // One mail for each rule and user, also where two rotations name one.
    assert_eq!(mailed(&t, "Turn"), ["carl", "jane", "jane"]);
    let told = watch.told(&t, 1).await;
    assert_eq!(
        told[1..],
        [
            "paged @carl about this alert by e-mail",
            "paged @jane about this alert by e-mail"
        ]
    );
}

#[testkit::story(noon)]
async fn jobs_that_run_twice_page_once(t: TestServer) {
    let watch = watched(&t).await;
    watch.send(json!({"title": "Once"})).await;
    t.settle().await;
    for second in 0..3 {
        let jobs = t.app().jobs().clone();
        let again = t.app().write(move |tx| {
            enqueue(tx, &jobs, &Escalate { second })?;
            let pages: Vec<i64> = tx.all(sql!("select id from escalation_pages"), ())?;
            pages.into_iter().try_for_each(|page| enqueue(tx, &jobs, &Tell { page }))
        });
        again.await.unwrap();
        t.settle().await;
    }
    assert_eq!(mailed(&t, "Once"), ["jane"]);
    assert_eq!(watch.told(&t, 1).await.len(), 1);
    // Nor does a second look at the same moment, had the first one died
    // before its transaction was kept.
    let both =
        [(); 2].map(|()| t.app().write(|tx| monitoring::on_call::rules::paging::carry_on(tx, 50)));
    t.advance(600);
    let done = futures_util::future::join_all(both).await;
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    t.settle().await;
    assert_eq!(mailed(&t, "Once"), ["carl", "jane"]);
}

#[testkit::story(noon)]
async fn a_group_of_alerts_takes_few_statements(t: TestServer) {
    let watch = watched(&t).await;
    let send = async |first: usize, many: usize| {
        let items: Vec<Value> = (first..first + many).map(|n| json!({
            "status": "firing", "fingerprint": format!("f{n}"), "startsAt": "2031-05-06T12:00:00Z",
            "labels": {"alertname": format!("Alert {n}")}, "annotations": {},
        })).collect();
        let line = "http_request_statements_total{method=\"POST\"";
        let sent = || {
            let text = t.app().metrics().render();
            let of = text
                .lines()
                .filter(|one| one.starts_with(line) && one.contains("alerts/notify"));
            of.filter_map(|one| one.rsplit(' ').next()?.parse::<u64>().ok()).sum::<u64>()
        };
        let before = sent();
        watch.send(json!({"version": "4", "groupKey": "", "truncatedAlerts": 0, "status": "firing", "receiver": "t",
            "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "", "alerts": items})).await;
        sent() - before
    };
    let few = send(0, 50).await;
    let many = send(50, 100).await;
    assert!(few > 0 && many <= few + 4, "{few} and {many}");
    t.settle().await;
    let mut sent = t.app().mailer().sent();
    sent.retain(|mail| mail.subject.contains(" | "));
    let told: BTreeSet<&str> = sent.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!((told.len(), sent.len()), (150, 150));
    assert_eq!(
        count(&t, sql!("select count(*) from escalations where passed_seconds = 0")).await,
        150
    );
}

/// Whether calls are at work, or one that is due after another still waits.
fn busy(tx: &mut Tx<'_>) -> store::Result<bool> {
    let open: i64 = tx.one(
        sql!(
            "select count(*) from jobs
             where name = 'monitoring.escalate' and (state = 'running' or dedupe_key = '1')"
        ),
        (),
    )?;
    Ok(open > 0)
}

#[test]
fn what_begins_to_escalate_while_its_call_is_taken_pages_in_time() {
    testkit::run(async {
        // SQLite has one writer: no call is taken meanwhile.
        let Some(t) = TestServer::postgres_at(testkit::noon()).await else {
            return;
        };
        let watch = Watch::new(&t).await;
        watch.send(json!({"title": "Second"})).await;
        let late = count(&t, sql!("select max(id) from alerts")).await;
        let minute = of_user(60, "resolved", watch.jane.id);
        watch.policy(json!([minute])).await;
        watch.send(json!({"title": "First"})).await;
        t.settle().await;
        let (app, began_at) = (t.app().clone(), t.now());
        let due_at = began_at + SignedDuration::from_secs(60);
        let after = t.app().write(move |tx| {
            let last = Escalate { second: 1 };
            kernel::jobs::enqueue_at(tx, &last, due_at)
        });
        after.await.unwrap();

        let begun = t.app().write(move |tx| {
            tx.execute(
                sql!(
                    "insert into escalations (alert_id, began_at, passed_seconds, due_at)
                     values ($1, $2, -1, $3)"
                ),
                (late, began_at, due_at),
            )?;
            wake(tx, due_at)?;
            // Both alerts count on one call, which comes due before this ends.
            if app.now() < due_at {
                app.clock().advance(60);
            }
            while app.store().read_blocking(busy)? {
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok::<(), kernel::error::Error>(())
        });
        begun.await.unwrap();

        t.settle().await;
        assert_eq!(mailed(&t, "First"), ["jane"]);
        assert_eq!(mailed(&t, "Second"), ["jane"]);
    });
}
