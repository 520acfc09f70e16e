//! REST of test reports (docs/interface/delivery.md 18).

use super::junit::{Case, Outcome};
use super::read::{Suite, brought, suites};
use crate::pipelines::access;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Ok200, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/pipelines/{pipeline_id}/test_report", report)
        .summary("Shows the tests of a pipeline");
    r.get("/projects/{id}/pipelines/{pipeline_id}/test_report_summary", summary)
        .summary("Counts the tests of a pipeline");
}

kernel::params! {
    pub struct OnePipeline {
        /// Id or path of the project.
        pub id: Reference,
        /// The pipeline.
        pub pipeline_id: i64,
    }
}

async fn found(by: Caller, at: OnePipeline) -> Result<Vec<Suite>> {
    let app = by.app.clone();
    let reports = by.read(move |tx, by| {
        let at = (&at.id, at.pipeline_id);
        let (project, pipeline) = access::pipeline(tx, &by.viewer, at, Purpose::ReadPipelines)?;
        access::check_jobs_are_seen(tx, &by.viewer, &project)?;
        brought(tx, &pipeline)
    });
    suites(&app, reports.await?).await
}

/// How many tests came to what.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
struct TestCounts {
    total_time: f64,
    total_count: usize,
    success_count: usize,
    failed_count: usize,
    skipped_count: usize,
    error_count: usize,
}

impl TestCounts {
    fn of(suite: &Suite) -> TestCounts {
        TestCounts {
            total_time: suite.time(),
            total_count: suite.cases.len(),
            success_count: suite.count(Outcome::Success),
            failed_count: suite.count(Outcome::Failed),
            skipped_count: suite.count(Outcome::Skipped),
            error_count: suite.count(Outcome::Error),
        }
    }

    fn of_all(suites: &[Suite]) -> TestCounts {
        let each = suites.iter().map(TestCounts::of);
        each.fold(TestCounts::default(), |sum, one| TestCounts {
            total_time: sum.total_time + one.total_time,
            total_count: sum.total_count + one.total_count,
            success_count: sum.success_count + one.success_count,
            failed_count: sum.failed_count + one.failed_count,
            skipped_count: sum.skipped_count + one.skipped_count,
            error_count: sum.error_count + one.error_count,
        })
    }
}

/// The tests of a pipeline.
#[derive(Debug, Serialize, JsonSchema)]
struct TestReport {
    #[serde(flatten)]
    counts: TestCounts,
    test_suites: Vec<TestSuite>,
}

/// The tests of the jobs of a name.
#[derive(Debug, Serialize, JsonSchema)]
struct TestSuite {
    name: String,
    #[serde(flatten)]
    counts: TestCounts,
    suite_error: Option<String>,
    test_cases: Vec<TestCase>,
}

/// A test.
#[derive(Debug, Serialize, JsonSchema)]
struct TestCase {
    status: String,
    name: String,
    classname: Option<String>,
    file: Option<String>,
    /// Seconds.
    execution_time: f64,
    system_output: Option<String>,
    /// There is none.
    stack_trace: Option<String>,
    /// Nobody counts them.
    recent_failures: Option<i64>,
    /// A path in the files of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    attachment_url: Option<String>,
}

impl From<Case> for TestCase {
    fn from(case: Case) -> TestCase {
        TestCase {
            status: case.outcome.as_str().to_owned(),
            name: case.name,
            classname: case.class,
            file: case.file,
            execution_time: case.time,
            system_output: case.output,
            stack_trace: None,
            recent_failures: None,
            attachment_url: case.attachment,
        }
    }
}

async fn report(by: Caller, at: Params<OnePipeline>) -> Result<Ok200<TestReport>> {
    let suites = found(by, at.0).await?;
    let counts = TestCounts::of_all(&suites);
    let suite = |suite: Suite| TestSuite {
        counts: TestCounts::of(&suite),
        name: suite.name,
        suite_error: suite.error,
        test_cases: suite.cases.into_values().map(Into::into).collect(),
    };
    Ok(Ok200(TestReport {
        counts,
        test_suites: suites.into_iter().map(suite).collect(),
    }))
}

/// How many tests of a pipeline came to what.
#[derive(Debug, Serialize, JsonSchema)]
struct TestReportSummary {
    total: TestTotal,
    test_suites: Vec<TestSuiteSummary>,
}

/// The same of all suites.
#[derive(Debug, Serialize, JsonSchema)]
struct TestTotal {
    time: f64,
    count: usize,
    success: usize,
    failed: usize,
    skipped: usize,
    error: usize,
    suite_error: Option<String>,
}

/// The same of one suite.
#[derive(Debug, Serialize, JsonSchema)]
struct TestSuiteSummary {
    name: String,
    #[serde(flatten)]
    counts: TestCounts,
    /// The jobs that brought it.
    build_ids: Vec<i64>,
    suite_error: Option<String>,
}

async fn summary(by: Caller, at: Params<OnePipeline>) -> Result<Ok200<TestReportSummary>> {
    let suites = found(by, at.0).await?;
    let counts = TestCounts::of_all(&suites);
    let total = TestTotal {
        time: counts.total_time,
        count: counts.total_count,
        success: counts.success_count,
        failed: counts.failed_count,
        skipped: counts.skipped_count,
        error: counts.error_count,
        suite_error: suites.iter().find_map(|suite| suite.error.clone()),
    };
    let suite = |suite: Suite| TestSuiteSummary {
        counts: TestCounts::of(&suite),
        name: suite.name,
        build_ids: suite.job_ids,
        suite_error: suite.error,
    };
    let test_suites = suites.into_iter().map(suite).collect();
    Ok(Ok200(TestReportSummary { total, test_suites }))
}
