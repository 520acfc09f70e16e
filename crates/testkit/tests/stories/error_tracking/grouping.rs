//! Which events are one error, and what becomes of it (docs/interface/monitoring.md 6.4).

use crate::error_tracking::{Tracker, event, number};
use serde_json::json;

#[testkit::story]
async fn events_are_grouped_by_name_place_and_platform(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for n in 0..3 {
        tracker.report(event("ValueError", &format!("no {n}"))).await.is(200);
    }
    tracker.report(event("KeyError", "no 1")).await.is(200);
    let mut elsewhere = event("ValueError", "no 1");
    elsewhere["transaction"] = json!("/shop");
    tracker.report(elsewhere).await.is(200);
    tracker
        .report(json!({"message": "hello\nthere", "level": "info"}))
        .await
        .is(200);

    let mut told: Vec<_> = tracker
        .errors()
        .await
        .into_iter()
        .map(|one| {
            (
                one["name"].clone(),
                one["description"].clone(),
                one["culprit"].clone(),
                one["events_count"].clone(),
                one["level"].clone(),
            )
        })
        .collect();
    told.sort_by_key(|one| format!("{one:?}"));
    let mut expected = vec![
        (json!("ValueError"), json!("no 2"), json!("work(app)"), json!(3), json!("error")),
        (json!("KeyError"), json!("no 1"), json!("work(app)"), json!(1), json!("error")),
        (json!("ValueError"), json!("no 1"), json!("/shop"), json!(1), json!("error")),
        (json!("Log Message"), json!("hello"), json!(""), json!(1), json!("info")),
    ];
    expected.sort_by_key(|one| format!("{one:?}"));
    assert_eq!(told, expected);
}

#[testkit::story]
async fn what_was_resolved_comes_back_and_what_is_ignored_only_counts(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    tracker.report(event("E", "v")).await.is(200);
    let error = tracker.only_error().await;
    let path = tracker.project.at(&format!("/error_tracking/errors/{}", error["id"]));
    let set = async |status: &str| {
        t.admin().put(&path).json(&json!({"status": status})).await.is(200).json()
    };

    assert_eq!(set("resolved").await["status"], "resolved");
    let mut again = event("E", "again");
    again["release"] = json!("1.4.2");
    tracker.report(again).await.is(200);
    let back = t.admin().get(&path).await.is(200).json();
    assert_eq!(
        (back["status"].clone(), back["events_count"].clone()),
        (json!("unresolved"), json!(2))
    );
    assert!(back["regressed_at"].is_string());
    assert_eq!(back["regressed_release"], "1.4.2");
    let totals = async |status: &str| {
        let path = tracker.project.at(&format!("/error_tracking/errors?status={status}"));
        t.admin().get(path).await.is(200).header("x-total").to_owned()
    };
    assert_eq!((totals("resolved").await, totals("unresolved").await), ("0".into(), "1".into()));
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let page = format!("/acme/anvil/-/error_tracking/{}/details", error["id"]);
    let page = t.browser("jane").await.get(&page).await.is(200).text();
    assert!(page.contains("in release 1.4.2"), "{page}");
    let resolved = set("resolved").await;
    assert!(resolved["regressed_at"].is_null() && resolved["regressed_release"].is_null());
    assert_eq!(set("ignored").await["status"], "ignored");
    tracker.report(event("E", "and again")).await.is(200);
    let ignored = t.admin().get(&path).await.is(200).json();
    assert_eq!(
        (ignored["status"].clone(), ignored["events_count"].clone()),
        (json!("ignored"), json!(3))
    );
    assert_eq!(ignored["description"], "and again");
}

#[testkit::story]
async fn the_numbers_of_errors_follow_them(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let list = tracker.project.at("/error_tracking/errors");
    let numbers = async || {
        let mut told = Vec::new();
        for filter in ["", "?status=unresolved", "?status=resolved", "?status=ignored"] {
            let reply = t.admin().get(format!("{list}{filter}")).await.is(200);
            told.push(reply.header("x-total").parse::<usize>().unwrap());
        }
        told
    };
    assert_eq!(numbers().await, [0, 0, 0, 0]);
    // Some kinds come twice, and at once.
    let reports = (0..60).map(|n| tracker.report(event(&format!("E{}", n % 40), "v")));
    for reply in futures_util::future::join_all(reports).await {
        reply.is(200);
    }
    assert_eq!(numbers().await, [40, 40, 0, 0]);

    let errors = t.admin().get(format!("{list}?per_page=100")).await.is(200).json();
    let errors = errors.as_array().unwrap();
    let put = async |nth: usize, status: &str| {
        let path = format!("{list}/{}", errors[nth]["id"]);
        t.admin().put(path).json(&json!({"status": status})).await.is(200);
    };
    for (nth, status) in [(0, "resolved"), (1, "resolved"), (1, "resolved"), (2, "ignored")] {
        put(nth, status).await;
    }
    assert_eq!(numbers().await, [40, 37, 2, 1]);
    for nth in [0, 2] {
        let name = errors[nth]["name"].as_str().unwrap();
        tracker.report(event(name, "again")).await.is(200);
    }
    assert_eq!(numbers().await, [40, 38, 1, 1], "one came back, one stays ignored");
}

#[testkit::story]
async fn people_and_releases_are_told(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for (user, release) in [("1", "a"), ("2", "b"), ("1", "c")] {
        let mut sent = event("E", "v");
        sent["user"] = json!({"id": user});
        sent["release"] = json!(release);
        tracker.report(sent).await.is(200);
    }
    let error = tracker.only_error().await;
    assert_eq!(
        (error["users_count"].clone(), error["events_count"].clone()),
        (json!(2), json!(3))
    );
    assert_eq!(
        (error["first_release"].clone(), error["last_release"].clone()),
        (json!("a"), json!("c"))
    );
}

#[testkit::story]
async fn texts_that_scripts_cut_within_a_character_are_kept(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let sent = r#"{"exception": {"values": [{"type": "E", "value": "cut \ud83d"}, null]},
            "breadcrumbs": [{"message": "clicked \ude00"}], "tags": {"a\ud83d\ude00": "b"}}"#;
    let sent = sent.replace('\n', " ");
    let body = format!("{{}}\n{{\"type\":\"event\"}}\n{sent}\n");
    tracker.to("envelope").bytes(body).await.is(200);
    tracker.to("store").bytes(sent).await.is(200);
    let error = tracker.only_error().await;
    assert_eq!((&error["name"], &error["description"]), (&json!("E"), &json!("cut \u{fffd}")));
    assert_eq!(error["events_count"], 2);
    let jane = t.user("jane").await;
    tracker.project.add(&jane, 30).await;
    let path = format!("/acme/anvil/-/error_tracking/{}/details", error["id"]);
    let page = t.browser("jane").await.get(&path).await.is(200).text();
    assert!(page.contains("clicked \u{fffd}") && page.contains("a\u{1f600}"), "{page}");
}

#[testkit::story]
async fn odd_events_never_break_anything(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let long = "é".repeat(3_000);
    for (n, mut odd) in [
        json!({"timestamp": "9999-99-99"}),
        json!({"timestamp": "0001-01-01T00:00:00Z"}),
        json!({"timestamp": "275760-09-13T00:00:00Z"}),
        json!({"timestamp": 8.64e15}),
        json!({"timestamp": -99999999999_i64}),
        json!({"transaction": long, "environment": long, "release": long, "logger": long}),
        json!({"user": {"id": long}, "fingerprint": [long, null, 7]}),
        json!({"message": "null \u{0} byte", "release": "\u{0}"}),
        json!({"level": null, "platform": null, "user": [], "exception": {"values": [null, {
            "type": long, "value": "<script>alert(1)</script>\u{0}", "module": null}]}}),
    ]
    .into_iter()
    .enumerate()
    {
        if odd.get("exception").is_none() && odd.get("message").is_none() {
            odd["message"] = json!(format!("m{n}"));
        }
        tracker.report(odd).await.is(200);
    }
    let now = t.now();
    for error in tracker.errors().await {
        let seen: jiff::Timestamp = error["last_seen_at"].as_str().unwrap().parse().unwrap();
        assert!((now.as_second() - seen.as_second()).abs() < 3_600, "{error}");
        assert!(error["name"].as_str().unwrap().chars().count() <= 255);
    }
    let mut refused = event("E", "v");
    refused["platform"] = json!(long);
    tracker.report(refused).await.is(400);
}

#[testkit::story]
async fn old_events_are_forgotten_and_ignored_errors_are_not(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for (kind, n) in [("Old", 1), ("Ignored", 2), ("Alive", 3)] {
        let mut sent = event(kind, "v");
        sent["event_id"] = json!(number(n));
        tracker.report(sent).await.is(200);
    }
    let errors = tracker.errors().await;
    let ignored = errors.iter().find(|one| one["name"] == "Ignored").unwrap();
    let path = tracker.project.at(&format!("/error_tracking/errors/{}", ignored["id"]));
    t.admin().put(&path).json(&json!({"status": "ignored"})).await.is(200);
    let age = t.app().write(|tx| {
        let long_ago = tx.now() - jiff::SignedDuration::from_hours(24 * 91);
        tx.execute(
            store::sql!("update error_tracking_errors set last_seen_at = $1 where name <> 'Alive'"),
            (long_ago,),
        )?;
        tx.execute(
            store::sql!(
                "update error_tracking_events set received_at = $1 where error_id in
                (select id from error_tracking_errors where name <> 'Alive')"
            ),
            (long_ago,),
        )?;
        tx.execute(
            store::sql!(
                "update error_tracking_hours set began_at = $1 where error_id in
                (select id from error_tracking_errors where name <> 'Alive')"
            ),
            (long_ago,),
        )?;
        kernel::jobs::enqueue_at(tx, &monitoring::tasks::ForgetEvents {}, tx.now())
    });
    age.await.unwrap();
    t.settle().await;

    let listed = t.admin().get(tracker.project.at("/error_tracking/errors")).await.is(200);
    assert_eq!(listed.header("x-total"), "2");
    let mut left: Vec<_> =
        tracker.errors().await.iter().map(|one| one["name"].to_string()).collect();
    left.sort();
    assert_eq!(left, ["\"Alive\"", "\"Ignored\""]);
    let list = t.admin().get(tracker.project.at("/error_tracking/errors")).await.is(200);
    assert_eq!(list.header("x-total"), "2");
    let counts = t.app().read(|tx| {
        Ok(tx.one::<(i64, i64)>(
            store::sql!(
                "select (select count(*) from error_tracking_events),
                (select count(*) from error_tracking_hours)"
            ),
            (),
        )?)
    });
    assert_eq!(counts.await.unwrap(), (1, 1));
}

#[testkit::story]
async fn a_deleted_project_takes_its_errors_along(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for n in 0..3 {
        tracker.report(event(&format!("E{n}"), "v")).await.is(200);
    }
    t.admin().delete(tracker.project.at("")).await.is(202);
    t.settle().await;
    let left = t.app().read(|tx| {
        Ok(tx.one::<(i64, i64, i64)>(
            store::sql!(
                "select (select count(*) from error_tracking_events),
                (select count(*) from error_tracking_errors),
                (select count(*) from projects)"
            ),
            (),
        )?)
    });
    assert_eq!(left.await.unwrap(), (0, 0, 0));
}
