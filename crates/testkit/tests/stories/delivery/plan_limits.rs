//! Limits of the plan, where they hold.

use super::runner_jobs::{bring, gzipped, runner, take};
use super::running::{begun, commit, newest, passes, status, until};
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

async fn limit(t: &TestServer, limits: Value) {
    t.admin().put("/application/plan_limits").json(&limits).await.is(200);
}

/// Begins a pipeline; why there is none.
async fn begin(t: &TestServer, project: &TestProject) -> String {
    let answer = t.admin().post(project.at("/pipeline")).json(&json!({"ref": "main"})).await;
    match answer.status {
        201 => String::new(),
        _ => answer.is(400).json()["message"]["base"][0]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    }
}

#[testkit::story]
async fn administrators_see_and_change_them(t: TestServer) {
    let shown = t.admin().get("/application/plan_limits").await.is(200).json();
    for (name, usual) in [
        ("ci_active_jobs", 0),
        ("ci_needs_size_limit", 50),
        ("ci_pipeline_deployments", 500),
        ("ci_pipeline_schedules", 10),
        ("ci_pipeline_size", 0),
        ("dotenv_size", 5_120),
        ("dotenv_variables", 20),
        ("pipeline_hierarchy_size", 1_000),
        ("pipeline_triggers", 25_000),
    ] {
        assert_eq!(shown[name], usual, "{name}");
        let body = json!({name: 7});
        let changed = t.admin().put("/application/plan_limits").json(&body).await.is(200).json();
        assert_eq!(changed[name], 7, "{name}");
        let body = json!({name: -1});
        t.admin().put("/application/plan_limits").json(&body).await.is(400);
    }
}

#[testkit::story]
async fn a_pipeline_has_so_many_jobs_needs_and_deployments(t: TestServer) {
    let file = "
stages: [build, deploy]
a: {stage: build, script: e}
b: {stage: build, script: e}
c: {stage: deploy, script: e, needs: [a, b], environment: one}
d: {stage: deploy, script: e, environment: two}
";
    let (project, _) = begun(&t, "acme/anvil", file).await;
    let deployments = "Pipeline has too many deployments! Requested 2, but the limit is 1.";
    let jobs = "Pipeline has too many jobs! Requested 4, but the limit is 3.";
    let needs = "c: one job can only need 1 others, but you have listed 2.";
    for (limits, text) in [
        (json!({"ci_pipeline_deployments": 1}), deployments),
        (json!({"ci_pipeline_deployments": 0, "ci_pipeline_size": 3}), jobs),
        (json!({"ci_pipeline_size": 4, "ci_needs_size_limit": 1}), needs),
    ] {
        limit(&t, limits).await;
        let refused = begin(&t, &project).await;
        assert!(refused.contains(text), "{refused}");
    }
    // Who looks at a file before it is pushed is told the same.
    let lint = t.admin().post(project.at("/ci/lint")).json(&json!({"content": file})).await;
    assert!(lint.is(200).text().contains(needs));
    limit(&t, json!({"ci_needs_size_limit": 0})).await;
    assert_eq!(begin(&t, &project).await, "");
}

#[testkit::story(noon)]
async fn a_project_has_so_many_jobs_at_work(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", "a: {script: e}\nb: {script: e}").await;
    let too_many = "Project exceeded the allowed number of jobs in active pipelines. Retry later.";
    limit(&t, json!({"ci_active_jobs": 3})).await;
    assert_eq!(begin(&t, &project).await, too_many);
    let (other, _) = begun(&t, "acme/bellows", "a: {script: e}").await;
    assert_eq!(begin(&t, &other).await, "", "each project for itself");
    // Who pushed finds a pipeline that says why.
    commit(&t, &project, "a", "b", "More").await;
    let failed = newest(&t, &project).await;
    assert_ne!(failed, first);
    let shown = t.admin().get(project.at(&format!("/pipelines/{failed}"))).await.is(200).json();
    assert_eq!((&shown["status"], &shown["yaml_errors"]), (&json!("failed"), &json!(too_many)));

    passes(&t, first, "a").await;
    assert_eq!(begin(&t, &project).await, too_many, "its pipeline is alive");
    passes(&t, first, "b").await;
    assert_eq!(begin(&t, &project).await, "");
    assert_eq!(begin(&t, &project).await, too_many);
    // What stands for a day does not count.
    t.advance(24 * 3600 + 1);
    assert_eq!(begin(&t, &project).await, "");
}

#[testkit::story]
async fn a_report_of_variables_has_its_size(t: TestServer) {
    let file = "a: {script: e, artifacts: {reports: {dotenv: b.env}}}";
    begun(&t, "acme/anvil", file).await;
    let token = runner(&t, json!({})).await;
    let (id, token, _) = take(&t, &token).await;
    let dotenv = "artifact_type=dotenv&artifact_format=gzip";
    let says = async |report: &str| {
        let answer = bring(&t, (id, &token), dotenv, ".env", gzipped(report)).await;
        let text = answer.json()["message"].as_str().unwrap_or_default().to_owned();
        (answer.status, text)
    };
    let refused = |text: &str| (400, text.to_owned());
    let long = format!("A={}", "x".repeat(5_119));
    let too_big = "Dotenv Artifact Too Big. Maximum Allowable Size: 5120";
    assert_eq!(says(&long).await, refused(too_big));
    limit(&t, json!({"dotenv_size": 10, "dotenv_variables": 2})).await;
    let too_big = "Dotenv Artifact Too Big. Maximum Allowable Size: 10";
    assert_eq!(says("A=123456789").await, refused(too_big));
    let too_many = "Dotenv files cannot have more than 2 variables";
    assert_eq!(says("A=\nB=\nC=").await, refused(too_many));
    limit(&t, json!({"dotenv_size": 0, "dotenv_variables": 0})).await;
    let many: String = (0..500).map(|n| format!("V{n}={n}\n")).collect();
    assert_eq!(says(&many).await.0, 201);
}

#[testkit::story]
async fn pipelines_that_begin_each_other_are_so_many(t: TestServer) {
    let file = "
stages: [one, two]
first: {stage: one, trigger: {include: child.yml, strategy: depend}}
second: {stage: two, trigger: {include: child.yml}}
";
    let project = t.project("acme/anvil").await;
    let child = "a: {script: e}";
    commit(&t, &project, "child.yml", child, "Child [skip ci]").await;
    limit(&t, json!({"pipeline_hierarchy_size": 2})).await;
    commit(&t, &project, ".gitlab-ci.yml", file, "Begin").await;
    let id = newest(&t, &project).await;
    let at = project.at(&format!("/pipelines/{id}/bridges"));
    let bridge = async |name: &str| {
        let all = t.admin().get(&at).await.is(200).json();
        let found = all.as_array().into_iter().flatten().find(|one| one["name"] == name).cloned();
        found.unwrap_or_default()
    };
    until(&t, async || bridge("first").await["status"] == "running").await;
    let below = bridge("first").await["downstream_pipeline"]["id"].as_i64().expect("a child");
    passes(&t, below, "a").await;
    until(&t, async || bridge("second").await["status"] == "failed").await;
    let reason = &bridge("second").await["failure_reason"];
    assert_eq!(reason, "reached_max_pipeline_hierarchy_size");
    until(&t, async || status(&t, &project, id).await == "failed").await;

    limit(&t, json!({"pipeline_hierarchy_size": 3})).await;
    t.admin().post(project.at(&format!("/pipelines/{id}/retry"))).await.is(201);
    until(&t, async || bridge("second").await["status"] == "success").await;
}
