//! Administrators load advisories; the dependencies that they are about say so.

use super::{bom, listed, mit, npm, send};
use crate::delivery::runner_jobs::zipped;
use serde_json::{Value, json};
use testkit::{Reply, TestProject, TestServer};

fn advisory(id: &str, name: &str, fixed: &str) -> Value {
    json!({"id": id, "modified": "2026-01-01T00:00:00Z", "summary": format!("Bad {name}"),
        "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
        "references": [{"type": "ADVISORY", "url": format!("https://example.com/{id}")}],
        "affected": [{"package": {"ecosystem": "npm", "name": name},
            "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": fixed}]}]}]})
}

async fn post(t: &TestServer, body: impl Into<Vec<u8>>) -> Reply {
    let posted = t.admin().post("/admin/advisories").bytes(body.into()).await;
    t.settle().await;
    posted
}

/// What came of a file: its status, and loaded, unchanged, removed, refused.
async fn load(t: &TestServer, body: impl Into<Vec<u8>>) -> (String, [i64; 4]) {
    let id = post(t, body).await.is(202).json()["id"].clone();
    let told = t.admin().get(format!("/admin/advisory_loads/{id}")).await.is(200).json();
    let count = |name: &str| told[name].as_i64().unwrap_or(-1);
    let status = told["status"].as_str().unwrap_or_default().to_owned();
    (
        status,
        [count("loaded"), count("unchanged"), count("removed"), count("refused")],
    )
}

async fn with_list(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    let components = vec![npm("hammer", "1.0.0", mit()), npm("tongs", "3.0.0", mit())];
    send(t, &project, &bom("a.lock", components)).await.is(202);
    project
}

/// Ids of what is known of each dependency.
async fn known(t: &TestServer, project: &TestProject) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ids = |one: &Value| {
        let all = one["vulnerabilities"].as_array().cloned().unwrap_or_default();
        all.iter().map(|it| text(&it["id"])).collect()
    };
    listed(t, project)
        .await
        .iter()
        .map(|one| (text(&one["name"]), ids(one)))
        .collect()
}

fn expected(hammer: &[&str], tongs: &[&str]) -> Vec<(String, Vec<String>)> {
    let ids = |all: &[&str]| all.iter().map(|id| (*id).to_owned()).collect();
    vec![("hammer".to_owned(), ids(hammer)), ("tongs".to_owned(), ids(tongs))]
}

#[testkit::story]
async fn advisories_are_about_the_versions_they_name(t: TestServer) {
    let project = with_list(&t).await;
    let both = json!([advisory("A-1", "hammer", "1.0.1"), advisory("A-2", "tongs", "2.0.0")]);
    assert_eq!(load(&t, both.to_string()).await, ("finished".to_owned(), [2, 0, 0, 0]));

    assert_eq!(known(&t, &project).await, expected(&["A-1"], &[]));
    let shown = listed(&t, &project).await[0]["vulnerabilities"][0].clone();
    assert_eq!(
        shown,
        json!({"severity": "critical", "id": "A-1", "name": "Bad hammer",
            "url": "https://example.com/A-1"})
    );

    // A list that comes later is held against them, too.
    let other = t.project("acme/forge").await;
    let components = vec![npm("hammer", "0.1.0", mit()), npm("tongs", "1.9.9", mit())];
    send(&t, &other, &bom("a.lock", components)).await.is(202);
    assert_eq!(known(&t, &other).await, expected(&["A-1"], &["A-2"]));
}

#[testkit::story]
async fn newer_ones_take_the_place_of_older_ones(t: TestServer) {
    let project = with_list(&t).await;
    let first = advisory("A-1", "hammer", "2.0.0");
    load(&t, first.to_string()).await;
    assert_eq!(load(&t, first.to_string()).await.1, [0, 1, 0, 0]);

    let mut newer = advisory("A-1", "hammer", "0.9.0");
    newer["modified"] = json!("2026-02-01T00:00:00Z");
    assert_eq!(load(&t, newer.to_string()).await.1, [1, 0, 0, 0]);
    assert_eq!(known(&t, &project).await, expected(&[], &[]));
    assert_eq!(load(&t, first.to_string()).await.1, [0, 1, 0, 0], "it is older");

    let mut gone = newer.clone();
    gone["modified"] = json!("2026-03-01T00:00:00Z");
    gone["withdrawn"] = json!("2026-03-01T00:00:00Z");
    assert_eq!(load(&t, gone.to_string()).await.1, [0, 0, 1, 0]);
    t.admin().get("/admin/advisories/A-1").await.is(404);
}

#[testkit::story]
async fn files_come_in_lines_and_archives(t: TestServer) {
    let (one, two) = (advisory("A-1", "a", "1.0.0"), advisory("A-2", "b", "1.0.0"));
    assert_eq!(load(&t, format!("{one}\n{two}\n")).await.1, [2, 0, 0, 0]);
    let three = advisory("A-3", "c", "1.0.0").to_string();
    let files = [("A-3.json", three.as_str()), ("B.json", "{}"), ("README", "no")];
    assert_eq!(load(&t, zipped(&files)).await.1, [1, 0, 0, 1]);

    let list = t.admin().get("/admin/advisories?per_page=2").await.is(200);
    assert_eq!(list.header("x-total"), "3");
    assert_eq!(list.json()[0]["id"], "A-1");
    let of_b = t.admin().get("/admin/advisories?purl=pkg:npm/b@9").await.is(200).json();
    assert_eq!((of_b.as_array().map(Vec::len), &of_b[0]["id"]), (Some(1), &json!("A-2")));
    t.admin().get("/admin/advisories?purl=b").await.is(400);
}

#[testkit::story]
async fn what_is_none_says_why(t: TestServer) {
    for (body, reason) in [
        (b"no json".to_vec(), "something else than objects"),
        (b"{\"id\":\"A\"}".to_vec(), "modified is missing"),
        (b"{\"id\":\"A\",\"modified\":\"soon\"}".to_vec(), "modified is no time"),
        (b"{\"id\":".to_vec(), "ends within an object"),
        (b"PK\x03\x04 broken".to_vec(), "cannot be read"),
    ] {
        let id = post(&t, body).await.is(202).json()["id"].clone();
        let told = t.admin().get(format!("/admin/advisory_loads/{id}")).await.is(200).json();
        assert_eq!(told["status"], "failed");
        assert!(told["reason"].as_str().is_some_and(|it| it.contains(reason)), "{told}");
    }
    post(&t, Vec::new()).await.is(400);
}

#[testkit::story]
async fn one_is_taken_away_with_what_it_said(t: TestServer) {
    let project = with_list(&t).await;
    load(&t, advisory("A-1", "hammer", "2.0.0").to_string()).await;
    assert_eq!(known(&t, &project).await, expected(&["A-1"], &[]));
    t.admin().delete("/admin/advisories/A-1").await.is(204);
    t.settle().await;
    assert_eq!(known(&t, &project).await, expected(&[], &[]));
    t.admin().delete("/admin/advisories/A-1").await.is(404);

    // Only administrators do any of this.
    let user = t.user("mo").await;
    user.get("/admin/advisories").await.is(403);
    user.post("/admin/advisories").bytes("{}").await.is(403);
    t.anonymous().get("/admin/advisories").await.is(401);
}
