//! What jobs say of tests, and of how much they tried.

use super::runner_jobs::{bring, end, gzipped, log, runner, take};
use super::running::begun;
use serde_json::{Value, json};
use testkit::TestServer;

const FILE: &str = "
unit: {script: e, parallel: 2}
lint: {script: e}
";
const GOOD: &str = r#"<testsuite><testcase name="a" classname="C" time="1.5"/>
<testcase name="b" classname="C"><failure>bent</failure></testcase></testsuite>"#;
const MORE: &str = r#"<testsuite><testcase name="c" time="2"><skipped/></testcase>
<testcase name="d"><error message="gone"/></testcase></testsuite>"#;

/// Runs the jobs of the file, each with its report; their names and ids.
async fn report(t: &TestServer, own: &str) -> Vec<(String, i64)> {
    let mut ids = Vec::new();
    for _ in 0..3 {
        let (id, token, job) = take(t, own).await;
        let text = match job["job_info"]["name"].as_str().unwrap() {
            "unit 1/2" => GOOD,
            "unit 2/2" => MORE,
            _ => "<broken",
        };
        let query = "artifact_type=junit&artifact_format=gzip";
        bring(t, (id, &token), query, "junit.xml.gz", gzipped(text)).await.is(201);
        end(t, (id, &token), "success").await.is(200);
        ids.push((job["job_info"]["name"].as_str().unwrap().to_owned(), id));
    }
    ids
}

#[testkit::story]
async fn tests_are_shown_on_a_page(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let dev = t.user("dev").await;
    project.add(&dev, 30).await;
    let dev = t.browser("dev").await;
    let url = format!("/acme/anvil/-/pipelines/{pipeline}");
    let tab = format!("href=\"{url}/test_report\"");
    assert!(!dev.get(&url).await.is(200).text().contains(&tab), "there are none yet");
    let none = dev.get(&format!("{url}/test_report")).await.is(200).text();
    assert!(none.contains("No tests"), "{none}");

    let ids = report(&t, &own).await;
    assert!(dev.get(&url).await.is(200).text().contains(&tab), "a tab leads to them");
    let failed = dev.get(&format!("{url}/test_report")).await.is(200).text();
    for part in [
        "JUnit XML parsing failed:",
        ">unit</a>",
        ">3.50 s<",
        "Tests that failed",
        "row-title test-name\">b</p>",
        "<p class=\"test-said\">bent</p>",
        "row-title test-name\">d</p>",
    ] {
        assert!(failed.contains(part), "{part}: {failed}");
    }
    assert!(!failed.contains("test-name\">a</p>"), "{failed}");
    let suite = format!("{url}/test_report?suite=unit");
    let all = dev.get(&suite).await.is(200).text();
    let names: Vec<&str> = all
        .split("test-name\">")
        .skip(1)
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!((names[2], names[3]), ("c", "a"), "what failed comes first");
    let second = dev.get(&format!("{suite}&per_page=3&page=2")).await.is(200).text();
    assert_eq!(second.matches("test-name\">").count(), 1, "{second}");
    let (_, job) = ids.iter().find(|(name, _)| name == "unit 1/2").unwrap();
    let job = dev.get(&format!("/acme/anvil/-/jobs/{job}")).await.is(200).text();
    assert!(job.contains(&format!("href=\"{suite}\">Tests</a>")), "{job}");
}

#[testkit::story]
async fn a_pipeline_shows_its_tests(t: TestServer) {
    let (project, pipeline) = begun(&t, "acme/anvil", FILE).await;
    let own = runner(&t, json!({})).await;
    let at = |what: &str| project.at(&format!("/pipelines/{pipeline}/{what}"));
    let empty = t.admin().get(at("test_report")).await.is(200).json();
    assert_eq!((&empty["total_count"], &empty["test_suites"]), (&json!(0), &json!([])));
    let ids = report(&t, &own).await;
    let report = t.admin().get(at("test_report")).await.is(200).json();
    let counts = |one: &Value| {
        let all = ["total_count", "success_count", "failed_count", "skipped_count", "error_count"];
        all.map(|name| one[name].as_i64().unwrap())
    };
    assert_eq!((counts(&report), &report["total_time"]), ([4, 1, 1, 1, 1], &json!(3.5)));
    let suites = report["test_suites"].as_array().unwrap();
    assert_eq!((&suites[0]["name"], &suites[1]["name"]), (&json!("lint"), &json!("unit")));
    let error = suites[0]["suite_error"].as_str().unwrap();
    assert!(error.starts_with("JUnit XML parsing failed:"), "{error}");
    assert_eq!(
        (suites[0]["test_cases"].clone(), &suites[1]["suite_error"]),
        (json!([]), &Value::Null)
    );
    let cases = suites[1]["test_cases"].as_array().unwrap();
    let bent = cases.iter().find(|case| case["name"] == "b").unwrap();
    let keys: Vec<&String> = bent.as_object().unwrap().keys().collect();
    let order = [
        "status",
        "name",
        "classname",
        "file",
        "execution_time",
        "system_output",
        "stack_trace",
        "recent_failures",
    ];
    assert_eq!(keys, order);
    assert_eq!((&bent["status"], &bent["system_output"]), (&json!("failed"), &json!("bent")));

    let summary = t.admin().get(at("test_report_summary")).await.is(200).json();
    let total = &summary["total"];
    assert_eq!(
        (&total["count"], &total["failed"], &total["time"]),
        (&json!(4), &json!(1), &json!(3.5))
    );
    assert!(total["suite_error"].is_string(), "{total}");
    let units: Vec<i64> = ids
        .iter()
        .filter(|(name, _)| name.starts_with("unit"))
        .map(|(_, id)| *id)
        .collect();
    assert_eq!(summary["test_suites"][1]["build_ids"], json!(units));

    let (out, guest) = (t.user("out").await, t.user("guest").await);
    project.add(&guest, 10).await;
    out.get(at("test_report")).await.is(404);
    guest.get(at("test_report_summary")).await.is(403);
    t.admin().get(project.at("/pipelines/99999/test_report")).await.is(404);
}

#[testkit::story]
async fn coverage_is_found_in_logs(t: TestServer) {
    let file = "a: {script: e, coverage: '/total: (\\d+\\.\\d+)%/'}\nb: {script: e}";
    let (project, pipeline) = begun(&t, "acme/anvil", file).await;
    let own = runner(&t, json!({})).await;
    for _ in 0..2 {
        let (id, token, _) = take(&t, &own).await;
        log(&t, (id, &token), 0, "total: 10.0%\ntotal: 81.5%\nend\n").await.is(202);
        end(&t, (id, &token), "success").await.is(200);
    }
    t.settle().await;
    let jobs = t.admin().get(project.at(&format!("/pipelines/{pipeline}/jobs"))).await.is(200);
    let jobs = jobs.json();
    let of = |name: &str| {
        let all = jobs.as_array().unwrap();
        all.iter().find(|job| job["name"] == name).unwrap()["coverage"].clone()
    };
    assert_eq!((of("a"), of("b")), (json!(81.5), Value::Null));
    let shown = t
        .admin()
        .get(project.at(&format!("/pipelines/{pipeline}")))
        .await
        .is(200)
        .json();
    assert_eq!(shown["coverage"], "81.50");
}
