//! Licence policies: pipelines whose components break them fail.

use super::{FILE, bom, mit, npm, of, scan};
use crate::delivery::runner_jobs::runner;
use crate::delivery::running::{begun, status};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

/// State and text of what was said of a pipeline's commit.
async fn said(t: &TestServer, project: &TestProject, pipeline: i64) -> Vec<(String, String)> {
    let shown = t
        .admin()
        .get(project.at(&format!("/pipelines/{pipeline}")))
        .await
        .is(200)
        .json();
    let sha = shown["sha"].as_str().unwrap_or_default();
    let at = project.at(&format!("/repository/commits/{sha}/statuses?name=license-policy&all=1"));
    let all = t.admin().get(at).await.is(200).json();
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let all = all.as_array().cloned().unwrap_or_default();
    all.iter().map(|one| (text(one, "status"), text(one, "description"))).collect()
}

async fn set(t: &TestServer, at: String, mode: &str, licenses: &[&str]) {
    let policy = json!({"mode": mode, "licenses": licenses});
    t.admin().put(at).json(&policy).await.is(200);
}

#[testkit::story]
async fn what_is_not_allowed_fails_the_pipeline(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    set(&t, project.at("/license_policy"), "allow", &["MIT", "apache-2.0"]).await;
    let own = runner(&t, json!({})).await;
    let free = npm("hammer", "1.0.0", json!([{"expression": "MIT OR GPL-3.0-only"}]));
    let other = npm("tongs", "2.1.0", json!([{"license": {"id": "GPL-3.0-only"}}]));
    let nothing = npm("apron", "0.1.0", json!([]));
    scan(&t, &own, of(&bom("a.lock", vec![free, other, nothing]))).await;

    let text = "tongs 2.1.0 (GPL-3.0-only) and 1 others may not be used";
    let expected = vec![("failed".to_owned(), text.to_owned())];
    assert_eq!(
        said(&t, &project, pipeline).await,
        expected,
        "once, though the pipeline ended twice"
    );
    assert_eq!(status(&t, &project, pipeline).await, "failed");
}

#[testkit::story]
async fn the_nearest_policy_counts(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    set(&t, "/groups/acme/license_policy".to_owned(), "deny", &["MIT"]).await;
    let shown = t.admin().get(project.at("/license_policy")).await.is(200).json();
    assert_eq!((&shown["mode"], &shown["project_id"]), (&json!("deny"), &json!(null)));
    set(&t, project.at("/license_policy"), "deny", &["ISC", "unknown"]).await;
    let own = runner(&t, json!({})).await;
    scan(&t, &own, of(&bom("a.lock", vec![npm("hammer", "1.0.0", mit())]))).await;

    let expected = vec![("success".to_owned(), "All 1 components may be used".to_owned())];
    assert_eq!(said(&t, &project, pipeline).await, expected);
    assert_eq!(status(&t, &project, pipeline).await, "success");
    t.admin().delete(project.at("/license_policy")).await.is(204);
    t.admin().delete(project.at("/license_policy")).await.is(404);
    let shown = t.admin().get(project.at("/license_policy")).await.is(200).json();
    assert_eq!(shown["licenses"], json!(["MIT"]));
}

#[testkit::story]
async fn a_policy_is_set_by_who_manages_the_place(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let at = project.at("/license_policy");
    t.admin().get(&at).await.is(404);
    let unheard = json!({"mode": "allow", "licenses": ["MIT", "Beerware-2"]});
    let refused = t.admin().put(&at).json(&unheard).await.is(400);
    assert!(refused.text().contains("Beerware-2"), "{}", refused.text());
    t.admin().put(&at).json(&json!({"mode": "maybe", "licenses": []})).await.is(400);
    let policy = json!({"mode": "allow", "licenses": ["MIT"]});
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    developer.put(&at).json(&policy).await.is(403);
    t.admin().put(&at).json(&policy).await.is(200);
    developer.get(&at).await.is(200);
    t.anonymous().get(&at).await.is(401);
}
