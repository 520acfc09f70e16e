//! The jobs that a runner was given.

use super::runner_jobs::{end, runner};
use super::running::begun;
use serde_json::{Value, json};
use testkit::TestServer;

/// A machine of a runner takes the next job.
async fn take(t: &TestServer, token: &str, machine: &str) -> (i64, String) {
    let body = json!({"token": token, "system_id": machine});
    let job = t.anonymous().post("/jobs/request").json(&body).await.is(201).json();
    let token = job["token"].as_str().unwrap_or_default().to_owned();
    (job["id"].as_i64().unwrap_or_default(), token)
}

#[testkit::story]
async fn a_runner_lists_the_jobs_it_was_given(t: TestServer) {
    let (anvil, pipeline) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let token = runner(&t, json!({})).await;
    let (first, held) = take(&t, &token, "s_1").await;
    end(&t, (first, &held), "failed").await;
    let (bellows, _) = begun(&t, "acme/bellows", "b: {script: e}").await;
    let (second, _) = take(&t, &token, "s_2").await;
    let again = t.admin().post(anvil.at("/pipeline")).json(&json!({"ref": "main"})).await;
    again.is(201);
    let (third, _) = take(&t, &token, "s_1").await;

    let (of_anvil, of_both) = (t.user("dev").await, t.user("max").await);
    anvil.add(&of_anvil, 30).await;
    anvil.add(&of_both, 30).await;
    bellows.add(&of_both, 20).await;
    let admin = t.admin();
    for (client, query, expected) in [
        (&admin, "", &[third, second, first][..]),
        (&admin, "?order_by=id&sort=asc", &[first, second, third]),
        (&admin, "?status=failed", &[first]),
        (&admin, "?status=running&sort=asc", &[second, third]),
        (&admin, "?system_id=s_1", &[third, first]),
        (&admin, "?system_id=s_3", &[]),
        (&*of_both, "", &[third, second, first]),
        (&*of_anvil, "", &[third, first]),
    ] {
        let shown = client.get(format!("/runners/1/jobs{query}")).await.is(200);
        let ids: Vec<i64> = shown.each("id").iter().filter_map(Value::as_i64).collect();
        assert_eq!(ids, expected, "{query}");
        assert_eq!(shown.header("x-total"), expected.len().to_string(), "{query}");
    }
    let shown = admin.get("/runners/1/jobs?status=failed").await.is(200).json();
    let one = &shown[0];
    assert_eq!((&one["name"], &one["pipeline"]["id"]), (&json!("a"), &json!(pipeline)));
    assert_eq!(one["commit"]["title"], "Begin");
    let project = json!({"id": anvil.id, "name": "anvil", "name_with_namespace": "acme / anvil",
        "path": "anvil", "path_with_namespace": "acme/anvil"});
    assert_eq!(one["project"], project);

    // By key, as by number.
    let page = admin.get("/runners/1/jobs?pagination=keyset&per_page=2").await.is(200);
    assert_eq!(page.each("id"), [json!(third), json!(second)]);
    let next = page.link("next").unwrap();
    let page = admin.request(http::Method::GET, next).await.is(200);
    assert_eq!(page.each("id"), [json!(first)]);
    for wrong in ["status=asleep", "order_by=name", "sort=up"] {
        admin.get(format!("/runners/1/jobs?{wrong}")).await.is(400);
    }
    t.anonymous().get("/runners/1/jobs").await.is(401);
    admin.get("/runners/99/jobs").await.is(404);

    // Who sees no pipelines sees no jobs.
    for level in ["private", "disabled"] {
        let hidden = json!({"builds_access_level": level});
        admin.put(bellows.at("")).json(&hidden).await.is(200);
        let seen = of_both.get("/runners/1/jobs").await.is(200).each("id").len();
        assert_eq!(seen, if level == "private" { 3 } else { 2 }, "{level}");
    }
    let open_group = json!({"visibility": "public"});
    admin.put("/groups/acme").json(&open_group).await.is(200);
    let body = json!({"visibility": "public", "builds_access_level": "private"});
    admin.put(bellows.at("")).json(&body).await.is(200);
    let outsider = t.user("out").await;
    assert!(outsider.get("/runners/1/jobs").await.is(200).each("id").is_empty());
    let open = json!({"builds_access_level": "enabled"});
    admin.put(bellows.at("")).json(&open).await.is(200);
    assert_eq!(outsider.get("/runners/1/jobs").await.each("id"), [json!(second)]);
    let own = json!({"public_jobs": false});
    admin.put(bellows.at("")).json(&own).await.is(200);
    assert!(outsider.get("/runners/1/jobs").await.is(200).each("id").is_empty());
    let seen = of_both.get("/runners/1/jobs").await.is(200).each("id");
    assert_eq!(seen, [json!(third), json!(second), json!(first)]);
}
