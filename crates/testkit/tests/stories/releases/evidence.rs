//! Evidence of what a release was when it came out.

use super::{maintainer, released, tagged};
use serde_json::{Value, json};
use testkit::sha256;

#[testkit::story(noon)]
async fn a_release_that_comes_out_leaves_evidence(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    t.admin()
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    for (title, confidential) in [("horn", false), ("hole", true)] {
        let issue = json!({"title": title, "confidential": confidential, "milestone_id": 1});
        t.admin().post(project.at("/issues")).json(&issue).await.is(201);
    }
    let body = json!({"tag_name": "v1", "name": "One", "milestones": ["1.0"]});
    let made = released(&t, &project, body).await.json();

    let evidence = &made["evidences"][0];
    let base = t.app().base_url();
    let file = evidence["filepath"].as_str().unwrap_or_default();
    let page = file.strip_prefix(base).unwrap();
    assert!(page.starts_with("/acme/anvil/-/releases/v1/evidences/"), "{file}");
    let browser = maintainer(&t, &project).await;
    let told = browser.get(page).await.is(200);
    assert_eq!(told.header("content-type"), "application/json");
    assert_eq!(evidence["sha"], sha256(told.text()));
    let release = told.json()["release"].clone();
    assert_eq!((&release["tag_name"], &release["name"]), (&json!("v1"), &json!("One")));
    assert_eq!(release["project"]["name"], "anvil");
    let issues = &release["milestones"][0]["issues"];
    assert_eq!(issues.as_array().map(Vec::len), Some(1));
    assert_eq!(issues[0]["title"], "horn");

    let last = browser.get("/acme/anvil/-/releases/v1/evidence.json").await.is(200);
    assert_eq!(last.text(), told.text());
    let again = t.admin().post(project.at("/releases/v1/evidence")).await.is(200).json();
    assert_eq!(again["evidences"].as_array().map(Vec::len), Some(2));
    t.admin()
        .put(project.at("/releases/v1"))
        .json(&json!({"name": "Two"}))
        .await
        .is(200);
    assert_eq!(browser.get(page).await.is(200).text(), told.text());
    browser.get("/acme/anvil/-/releases/v1/evidences/0.json").await.is(404);
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    t.browser("guest").await.get(page).await.is(403);
}

#[testkit::story(noon)]
async fn evidence_of_a_future_release_is_collected_then(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let tomorrow = kernel::time::wire::text(t.now() + jiff::SignedDuration::from_hours(24));
    let body = json!({"tag_name": "v1", "released_at": tomorrow});
    let made = released(&t, &project, body).await.json();
    assert_eq!((&made["upcoming_release"], &made["evidences"]), (&json!(true), &json!([])));
    let evidences = async || -> Value {
        let shown = t.admin().get(project.at("/releases/v1")).await.is(200).json();
        shown["evidences"].clone()
    };
    t.settle().await;
    assert_eq!(evidences().await, json!([]));

    // It is put off: what was due does nothing.
    let later = kernel::time::wire::text(t.now() + jiff::SignedDuration::from_hours(48));
    let put = json!({"released_at": later});
    t.admin().put(project.at("/releases/v1")).json(&put).await.is(200);
    t.advance(25 * 3600);
    t.settle().await;
    assert_eq!(evidences().await, json!([]));
    t.advance(24 * 3600);
    t.settle().await;
    assert_eq!(evidences().await.as_array().map(Vec::len), Some(1));
}

#[testkit::story(noon)]
async fn what_was_out_before_has_no_evidence(t: testkit::TestServer) {
    let project = tagged(&t, "acme/anvil").await;
    let body = json!({"tag_name": "v1", "released_at": "2020-01-01"});
    let made = released(&t, &project, body).await.json();
    assert_eq!((&made["upcoming_release"], &made["evidences"]), (&json!(false), &json!([])));
    let browser = maintainer(&t, &project).await;
    browser.get("/acme/anvil/-/releases/v1/evidence.json").await.is(404);
}
