//! Addresses of environments that jobs find out.

use super::runner_jobs::{bring, end, gzipped, runner, take};
use super::running::begun;
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

const FILE: &str = "
stages: [build, deploy]
prepare:
  stage: build
  script: make
  artifacts: {reports: {dotenv: b.env}}
review:
  stage: deploy
  script: make deploy
  variables: {HOST: usual.example, PATHS: none}
  artifacts: {reports: {dotenv: d.env}}
  environment: {name: review, url: 'https://$HOST/$CI_ENVIRONMENT_SLUG/$PART/$PATHS'}
docs:
  stage: deploy
  script: make docs
  environment: {name: docs, url: $DOCS_URL}
";

async fn url(t: &TestServer, project: &TestProject, name: &str) -> Value {
    let at = project.at(&format!("/environments?name={name}"));
    t.admin().get(at).await.is(200).json()[0]["external_url"].clone()
}

async fn says(t: &TestServer, held: (i64, &str), report: &str) {
    let dotenv = "artifact_type=dotenv&artifact_format=gzip";
    bring(t, held, dotenv, ".env", gzipped(report)).await.is(201);
}

#[testkit::story]
async fn a_report_says_where_an_environment_is(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", FILE).await;
    let stored = json!({"key": "PART", "value": "anvil"});
    t.admin().post(project.at("/variables")).json(&stored).await.is(201);
    let begin = json!({"ref": "main"});
    t.admin().post(project.at("/pipeline")).json(&begin).await.is(201);
    assert_eq!(url(&t, &project, "docs").await, json!(null));
    let own = runner(&t, json!({})).await;
    let (first, second) = (take(&t, &own).await, take(&t, &own).await);
    let report = "HOST=early.example\nDOCS_URL=https://docs.example/1\nPART=x";
    for (id, token, _) in [&first, &second] {
        says(&t, (*id, token), report).await;
        end(&t, (*id, token), "success").await.is(200);
    }
    let mut later = Vec::new();
    for _ in 0..4 {
        let (id, token, job) = take(&t, &own).await;
        later.push((id, token, job["job_info"]["name"].clone(), job));
    }
    later.sort_by_key(|one| one.0);
    let of = |name: &str| later.iter().filter(|one| one.2 == *name).collect::<Vec<_>>();
    let (reviews, docs) = (of("review"), of("docs"));
    let given = docs[0].3["variables"].as_array().unwrap();
    let told = given.iter().find(|one| one["key"] == "CI_ENVIRONMENT_URL");
    assert_eq!(told.map(|one| &one["value"]), Some(&json!("https://docs.example/1")));
    let (id, token) = (docs[0].0, docs[0].1.as_str());
    end(&t, (id, token), "success").await.is(200);
    assert_eq!(url(&t, &project, "docs").await, "https://docs.example/1");

    // The report of an earlier job outdoes the file, and its own report outdoes that;
    // neither outdoes what the project says.
    let (id, token) = (reviews[1].0, reviews[1].1.as_str());
    says(&t, (id, token), "PATHS=a/b\nPART=y").await;
    assert_eq!(url(&t, &project, "review").await, json!(null));
    end(&t, (id, token), "success").await.is(200);
    assert_eq!(url(&t, &project, "review").await, "https://early.example/review/anvil/a/b");

    // What leads nowhere is not taken over, and neither is that of a job that failed.
    let (id, token) = (reviews[0].0, reviews[0].1.as_str());
    says(&t, (id, token), "HOST=late.example").await;
    end(&t, (id, token), "failed").await.is(200);
    let (id, token) = (docs[1].0, docs[1].1.as_str());
    says(&t, (id, token), "DOCS_URL=javascript:alert(1)").await;
    end(&t, (id, token), "success").await.is(200);
    assert_eq!(url(&t, &project, "review").await, "https://early.example/review/anvil/a/b");
    assert_eq!(url(&t, &project, "docs").await, "https://docs.example/1");
}
