//! Settings and client keys (docs/interface/monitoring.md 5).

use crate::error_tracking::Tracker;
use serde_json::json;

#[testkit::story]
async fn settings_are_made_shown_and_changed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let path = project.at("/error_tracking/settings");
    let admin = t.admin();

    let missing = admin.get(&path).await.is(404);
    assert_eq!(missing.json(), json!({"message": "404 Error Tracking Setting Not Found"}));
    let on = json!({"active": true, "integrated": true});
    let missing = admin.patch(&path).json(&on).await.is(404);
    assert_eq!(missing.json(), json!({"message": "404 Error Tracking Setting Not Found"}));

    let made = admin.put(&path).json(&on).await.is(200);
    let expected = r#"{"active":true,"project_name":null,"tracker_external_url":null,"api_url":null,"integrated":true}"#;
    assert_eq!(made.text(), expected);
    assert_eq!(admin.get(&path).await.is(200).text(), expected);
    let off = admin.patch(format!("{path}/")).json(&json!({"active": false})).await.is(200);
    assert_eq!(
        (off.json()["active"].clone(), off.json()["integrated"].clone()),
        (json!(false), json!(true))
    );
    let outside = json!({"active": true, "integrated": false});
    let refused = admin.patch(&path).json(&outside).await.is(400);
    assert_eq!(refused.json()["message"]["api_url"], json!(["is a required field"]));
    assert_eq!(admin.get(&path).await.is(200).json()["active"], false);
}

#[testkit::story]
async fn settings_tell_what_is_wrong_with_them(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let path = project.at("/error_tracking/settings");
    for (body, error) in [
        (json!({"integrated": true}), "active is missing"),
        (json!({"active": "", "integrated": true}), "active is empty"),
        (json!({"active": "pink", "integrated": true}), "active is invalid"),
        (json!({"active": true}), "integrated is missing"),
        (json!({"active": true, "integrated": "pink"}), "integrated is invalid"),
    ] {
        let refused = t.admin().put(&path).json(&body).await.is(400);
        assert_eq!(refused.json()["error"], error);
    }
}

#[testkit::story]
async fn only_maintainers_set_and_see_them(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let path = tracker.project.at("/error_tracking/settings");
    let keys = tracker.project.at("/error_tracking/client_keys");
    let body = json!({"active": true, "integrated": true});
    t.anonymous().get(&path).await.is(401);
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    for path in [&path, &keys] {
        jane.get(path).await.is(404);
    }
    tracker.project.add(&jane, 30).await;
    tracker.project.add(&carl, 40).await;
    for path in [&path, &keys] {
        jane.get(path).await.is(403);
        carl.get(path).await.is(200);
    }
    jane.put(&path).json(&body).await.is(403);
    jane.patch(&path).json(&body).await.is(403);
    jane.post(&keys).await.is(403);
    carl.patch(&path).json(&body).await.is(200);
    let reads = t.token_of(carl.id, &["read_api"]).await;
    reads.get(&path).await.is(200);
    reads.put(&path).json(&body).await.is(403);
}

#[testkit::story]
async fn keys_are_made_listed_and_removed(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let path = tracker.project.at("/error_tracking/client_keys");
    let made = t.admin().post(&path).await.is(201).json();
    let key = made["public_key"].as_str().unwrap();
    assert!(key.strip_prefix("svet_").is_some_and(|rest| rest.len() == 32), "{key}");
    let place = t.url().replace("http://", "");
    let dsn =
        format!("http://{key}@{place}/api/v4/error_tracking/collector/{}", tracker.project.id);
    let expected = json!({"id": made["id"], "active": true, "public_key": key, "tracker_dsn": dsn});
    assert_eq!(made.to_string(), expected.to_string());

    let page = t.admin().get(format!("{path}?per_page=1&page=2")).await.is(200);
    assert_eq!((page.each("id"), page.header("x-total")), (vec![made["id"].clone()], "2"));
    let one = format!("{path}/{}", made["id"]);
    assert_eq!(t.admin().delete(&one).await.is(200).json(), expected);
    t.admin().delete(&one).await.is(404);
    t.admin().delete(&path).await.is(405);
    assert_eq!(t.admin().get(&path).await.is(200).each("id").len(), 1);
}

#[testkit::story]
async fn keys_are_made_before_anything_is_set(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    t.admin().post(project.at("/error_tracking/client_keys")).await.is(201);
    let outside = json!({"active": true, "integrated": false});
    let refused = t
        .admin()
        .put(project.at("/error_tracking/settings"))
        .json(&outside)
        .await
        .is(400);
    assert_eq!(
        refused.json()["message"],
        json!({"api_url": ["is a required field"], "token": ["is a required field"]})
    );
    t.admin().get(project.at("/error_tracking/settings")).await.is(404);
}

#[testkit::story]
async fn what_is_switched_off_for_all_is_off(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let off = json!({"integrated_error_tracking_enabled": false});
    t.admin().put("/application/settings").json(&off).await.is(200);
    let path = tracker.project.at("/error_tracking/settings");
    assert_eq!(t.admin().get(&path).await.is(200).json()["integrated"], false);
    let on = json!({"active": true, "integrated": true});
    t.admin().put(&path).json(&on).await.is(404);
    tracker.report(crate::error_tracking::event("E", "v")).await.is(404);

    let jane = t.user("jane").await;
    tracker.project.add(&jane, 40).await;
    let (browser, page) = (t.browser("jane").await, "/acme/anvil/-/settings/error_tracking");
    assert!(browser.get(page).await.is(200).text().contains("programs are refused"));
    let form = [("action", "save"), ("active", "1"), ("mode", "integrated"), ("api_url", "")];
    let refused = browser.post(page, &form).await.is(422).text();
    assert!(refused.contains("Is switched off by administrators"), "{refused}");
    let form = [("action", "save"), ("mode", "integrated"), ("api_url", "")];
    browser.post(page, &form).await.is(303);
}

#[testkit::story]
async fn projects_that_take_no_changes_receive_nothing(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let mut unknown = Tracker::new(&t, "acme/hammer").await;
    unknown.key = "svet_none".to_owned();
    let body = unknown.report(crate::error_tracking::event("E", "v")).await.is(404).text();
    t.admin().post(tracker.project.at("/archive")).await.is(201);
    assert_eq!(
        tracker.report(crate::error_tracking::event("E", "v")).await.is(404).text(),
        body
    );
    let gone = Tracker::new(&t, "acme/rivet").await;
    t.admin().delete(gone.project.at("")).await.is(202);
    assert_eq!(gone.report(crate::error_tracking::event("E", "v")).await.is(404).text(), body);
    let kept = t.app().read(|tx| {
        Ok(tx.one::<i64>(store::sql!("select count(*) from error_tracking_events"), ())?)
    });
    assert_eq!(kept.await.unwrap(), 0);
}
