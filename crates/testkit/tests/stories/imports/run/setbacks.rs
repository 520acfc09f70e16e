//! Upstream is away, wants to be asked later, or refuses.

use super::{Imported, Said, TOKEN, Upstream, Wishes, start};
use imports::run::TimeoutStrategy;
use serde_json::{Value, json};
use testkit::TestServer;

/// Seconds of a day.
const DAY: i64 = 86_400;

#[testkit::story(noon)]
async fn a_server_that_is_away_is_asked_again(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.fails("/labels", 503, None);
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;

    let shown = one.shown().await;
    assert_eq!(shown["import_status"], "started", "{shown}");
    assert!(shown["waits_until"].is_string() && shown["last_error"].is_string(), "{shown}");
    assert!(!shown.to_string().contains(TOKEN), "{shown}");
    assert_eq!(shown["stage"], "labels");
    let asked = upstream.times("/labels?1");

    upstream.labels(&["bug"]);
    t.settle().await;
    assert_eq!(upstream.times("/labels?1"), asked, "it waits");
    t.advance(20);
    t.settle().await;
    assert_eq!(one.status().await, "finished");
    assert_eq!(one.labels().await, [json!("bug")]);
}

#[testkit::story(noon)]
async fn a_limit_of_upstream_is_waited_for(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.fails("/labels", 429, Some(600));
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;
    assert_eq!(one.status().await, "started");

    upstream.labels(&["bug"]);
    t.advance(300);
    t.settle().await;
    assert_eq!(one.status().await, "started", "it is not asked before");
    t.advance(400);
    t.settle().await;
    assert_eq!(one.status().await, "finished");
}

#[testkit::story(noon)]
async fn who_may_not_read_upstream_fails_and_goes_on_with_another_token(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.labels(&["bug", "feature"]);
    let refused = json!({"message": format!("no, {TOKEN}")});
    upstream.say("/labels", 2, Said { status: 401, body: refused, next: None, retry_after: None });
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;

    let shown = one.shown().await;
    assert_eq!(shown["import_status"], "failed", "{shown}");
    let said = shown["import_error"].as_str().expect("a reason");
    assert!(!said.is_empty() && !said.contains(TOKEN), "{said}");
    assert_eq!(one.row(&t).await, ("failed".into(), None), "what proves who asks is erased");
    assert_eq!(one.labels().await, [json!("bug")], "what came stays");

    // Others learn that it failed, and not why.
    let kim = t.user("kim").await;
    let told = kim.get(&one.at).await.is(200).json();
    let ask = "Ask a maintainer to check the import status for more details.";
    assert_eq!(told["import_error"], ask);
    let told = t.anonymous().get(&one.at).await.is(200).json();
    assert_eq!(
        (&told["import_status"], &told["import_error"]),
        (&json!("failed"), &Value::Null)
    );

    upstream.labels(&["bug", "feature"]);
    let retry = format!("{}/retry", one.at);
    kim.post(&retry).json(&json!({"personal_access_token": "x"})).await.is(403);
    one.jane.post(&retry).await.is(400);
    let again = json!({"personal_access_token": "upstream-token-2"});
    let told = one.jane.post(&retry).json(&again).await.is(201).json();
    assert_eq!(told["import_status"], "scheduled");
    t.settle().await;
    assert_eq!(one.status().await, "finished");
    assert_eq!(one.labels().await, [json!("bug"), json!("feature")]);
    assert_eq!(upstream.times("/labels?1"), 1, "it went on where it stood");
    assert_eq!(one.shown().await["stats"]["imported"], json!({"label": 2}));
}

#[testkit::story(noon)]
async fn no_progress_for_a_day_ends_an_import_or_a_stage(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.fails("/labels", 502, None);
    let patient = Wishes { timeout: TimeoutStrategy::Optimistic, ..Wishes::default() };
    let strict = Imported::begin(&t, &upstream, Wishes::default()).await;
    let body = json!({"name": "other"});
    let other = strict.jane.post("/projects").json(&body).await.is(201).id();
    start(&t, &upstream, (strict.jane.id, other), patient).await;
    t.settle().await;
    t.advance(DAY + 60);
    t.settle().await;

    let told = strict.shown().await;
    assert_eq!(told["import_status"], "failed", "{told}");
    let said = told["import_error"].as_str().expect("a reason");
    assert!(said.starts_with("No progress for 24 hours at labels: "), "{said}");
    let told = strict.jane.get(format!("/projects/{other}/import")).await.is(200).json();
    assert_eq!(told["import_status"], "finished", "{told}");
    assert_eq!(told["failed_relations_count"], 1);
    let failed = &told["failed_relations"][0];
    assert_eq!(
        (&failed["source"], &failed["relation_name"], &failed["may_be_retried"]),
        (&json!("labels"), &json!("label"), &json!(false))
    );
}
