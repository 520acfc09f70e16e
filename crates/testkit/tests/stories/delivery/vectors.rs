//! Vectors of the contract for pipeline files that only jobs which run can show; the others
//! are in `crates/pipeline-file/tests/vectors.rs`.

use super::runner_jobs::{bring, end, gzipped, runner, take};
use super::running::{begun, fails, jobs_of, passes, status};
use serde_json::{Value, json};
use testkit::TestServer;

fn value<'j>(job: &'j Value, key: &str) -> Option<&'j str> {
    let all = job["variables"].as_array().unwrap();
    all.iter().find(|one| one["key"] == key)?["value"].as_str()
}

#[testkit::story]
async fn v18_what_a_report_hands_on_wins_over_a_jobs_own(t: TestServer) {
    let file = "
mk: {stage: build, script: e, artifacts: {reports: {dotenv: d.env}}}
use: {variables: {X: job}, script: e}
own: {needs: [], variables: {X: job}, script: e}
";
    begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (id, token, job) = take(&t, &own).await;
        let name = job["job_info"]["name"].as_str().unwrap().to_owned();
        if name == "mk" {
            let query = "artifact_type=dotenv&artifact_format=gzip";
            bring(&t, (id, &token), query, ".env", gzipped("X=file")).await.is(201);
        }
        seen.push((name, value(&job, "X").map(str::to_owned)));
        end(&t, (id, &token), "success").await.is(200);
    }
    seen.sort();
    let wanted = [("mk", None), ("own", Some("job")), ("use", Some("file"))];
    assert_eq!(seen, wanted.map(|(name, x)| (name.to_owned(), x.map(str::to_owned))));
}

#[testkit::story]
async fn v21_what_a_rule_makes_manual_holds_the_rest_up(t: TestServer) {
    let file = |more: &str| {
        format!(
            "m: {{stage: build, script: e, rules: [{{when: manual{more}}}]}}\nn: {{script: e}}\n"
        )
    };
    let (project, id) = begun(&t, "acme/anvil", &file("")).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["m manual", "n created"]);
    assert_eq!(status(&t, &project, id).await, "manual");

    let (project, id) = begun(&t, "acme/bellows", &file(", allow_failure: true")).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["m manual", "n pending"]);
    passes(&t, id, "n").await;
    assert_eq!(status(&t, &project, id).await, "success");
}

#[testkit::story]
async fn v24_a_code_says_whether_it_is_tried_again(t: TestServer) {
    let file = "a: {script: e, retry: {max: 2, exit_codes: [137]}}";
    let (project, id) = begun(&t, "acme/anvil", file).await;
    fails(&t, id, "a", 137).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a pending"]);
    fails(&t, id, "a", 1).await;
    assert_eq!(jobs_of(&t, &project, id).await, ["a failed"]);

    let (project, id) = begun(&t, "acme/bellows", file).await;
    for left in ["a pending", "a pending", "a failed"] {
        fails(&t, id, "a", 137).await;
        assert_eq!(jobs_of(&t, &project, id).await, [left]);
    }
    let all = project.at(&format!("/pipelines/{id}/jobs?include_retried=true"));
    assert_eq!(t.admin().get(all).await.is(200).each("id").len(), 3);
}
