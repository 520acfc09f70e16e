//! Logs to standard error and metrics for Prometheus.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use prometheus::{
    Encoder, Gauge, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, Registry,
    TextEncoder,
};
use store::Work;
use tracing_subscriber::EnvFilter;

use crate::error::{Error, Result};

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// Bytes of a memory page on the platforms `/proc/self/statm` is read on.
const PAGE: f64 = 4096.0;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

impl std::str::FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        match text {
            "human" => Ok(Format::Human),
            "json" => Ok(Format::Json),
            _ => Err(Error::internal("the log format is human or json")),
        }
    }
}

/// Sends logs to standard error. `filter` is a level or a list such as
/// `info,kernel::jobs=debug`. Call once.
pub fn init_logs(format: Format, filter: &str) -> Result<()> {
    let filter = EnvFilter::try_new(filter).map_err(Error::internal)?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match format {
        Format::Human => logs.try_init(),
        Format::Json => logs.json().flatten_event(true).try_init(),
    };
    started.map_err(Error::internal)
}

tokio::task_local! {
    static STATEMENTS: Arc<AtomicU64>;
}

/// Runs the work of one request; also answers how many SQL statements the
/// transactions of [`crate::app::App`] sent for it.
pub async fn counting_statements<T>(work: impl Future<Output = T>) -> (T, u64) {
    let counter = Arc::new(AtomicU64::new(0));
    let answer = STATEMENTS.scope(counter.clone(), work).await;
    (answer, counter.load(Ordering::Relaxed))
}

/// Counts the statements of one transaction for the request it belongs to.
pub(crate) struct StatementCounter(Option<Arc<AtomicU64>>);

impl StatementCounter {
    /// The counter of the request that runs; none outside of requests.
    pub(crate) fn current() -> StatementCounter {
        StatementCounter(STATEMENTS.try_with(Arc::clone).ok())
    }

    /// The same work, its statements added here.
    pub(crate) fn counting(self, work: Work) -> Work {
        let Some(counter) = self.0 else {
            return work;
        };
        work.around(move |tx, work| {
            let before = tx.statements();
            let succeeded = work.run(tx);
            counter.fetch_add(tx.statements() - before, Ordering::Relaxed);
            succeeded
        })
    }
}

/// What the server counts. Cheap to clone.
#[derive(Clone)]
pub struct Metrics(Arc<Collectors>);

struct Collectors {
    registry: Registry,
    started: Instant,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    statements: IntCounterVec,
    jobs: IntCounterVec,
    job_seconds: HistogramVec,
    blob_bytes: IntCounterVec,
    memory: Gauge,
    uptime: Gauge,
}

impl Metrics {
    /// Starts counting at zero; `version` is the program's.
    pub fn new(version: &str) -> Metrics {
        Metrics(Arc::new(
            Collectors::register(version).expect("names and labels are fixed and distinct"),
        ))
    }

    /// Counts one answered request and its SQL statements. `route` is the
    /// pattern (`/projects/{id}`), never the path, so that their number is
    /// bounded.
    pub fn request(&self, route: &str, method: &str, status: u16, took: Duration, statements: u64) {
        let method = known_method(method);
        self.0.statements.with_label_values(&[route, method]).inc_by(statements);
        let status = status.to_string();
        self.0.requests.with_label_values(&[route, method, &status]).inc();
        self.0
            .request_seconds
            .with_label_values(&[route, method])
            .observe(took.as_secs_f64());
    }

    /// Counts one run of a job; `outcome` is `done`, `retry`, `dead` and the like.
    pub fn job(&self, name: &str, outcome: &str, took: Duration) {
        self.0.jobs.with_label_values(&[name, outcome]).inc();
        self.0.job_seconds.with_label_values(&[name]).observe(took.as_secs_f64());
    }

    /// Counts blob bytes that went `in` or `out`.
    pub fn blob_bytes(&self, direction: &str, bytes: u64) {
        self.0.blob_bytes.with_label_values(&[direction]).inc_by(bytes);
    }

    /// Where other parts register metrics of their own.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Everything in Prometheus' text format, for `/-/metrics`.
    pub fn render(&self) -> String {
        self.0.uptime.set(self.0.started.elapsed().as_secs_f64());
        self.0.memory.set(resident_bytes().unwrap_or_default());
        let mut text = Vec::new();
        let encoded = TextEncoder::new().encode(&self.0.registry.gather(), &mut text);
        encoded.expect("writing to memory does not fail");
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new(env!("CARGO_PKG_VERSION"))
    }
}

impl Collectors {
    fn register(version: &str) -> prometheus::Result<Collectors> {
        let registry = Registry::new();
        let counter = |name: &str, help: &str, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counter.clone())).map(|()| counter)
        };
        let histogram = |name: &str, help: &str, labels: &[&str]| {
            let options = HistogramOpts::new(name, help).buckets(BUCKETS.to_vec());
            let histogram = HistogramVec::new(options, labels)?;
            registry.register(Box::new(histogram.clone())).map(|()| histogram)
        };
        let gauge = |name: &str, help: &str| {
            let gauge = Gauge::new(name, help)?;
            registry.register(Box::new(gauge.clone())).map(|()| gauge)
        };
        let build = IntGaugeVec::new(Opts::new("build_info", "The program."), &["version"])?;
        registry.register(Box::new(build.clone()))?;
        build.with_label_values(&[version]).set(1);
        let route = ["route", "method"];
        Ok(Collectors {
            started: Instant::now(),
            requests: counter(
                "http_requests_total",
                "Requests answered.",
                &["route", "method", "status"],
            )?,
            request_seconds: histogram(
                "http_request_duration_seconds",
                "Time from a request's head to its answer's head.",
                &route,
            )?,
            statements: counter(
                "http_request_statements_total",
                "SQL statements sent for requests.",
                &route,
            )?,
            jobs: counter("jobs_total", "Runs of background jobs.", &["name", "outcome"])?,
            job_seconds: histogram("job_duration_seconds", "Time of one run.", &["name"])?,
            blob_bytes: counter("blob_bytes_total", "Blob bytes moved.", &["direction"])?,
            memory: gauge("process_resident_memory_bytes", "Resident memory.")?,
            uptime: gauge("process_uptime_seconds", "Time since start.")?,
            registry,
        })
    }
}

/// Clients invent methods; labels must not grow with them.
fn known_method(method: &str) -> &str {
    match method {
        "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => method,
        _ => "other",
    }
}

/// Resident memory where the system tells it (Linux).
fn resident_bytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_render() {
        let metrics = Metrics::new("1.2.3");
        let took = Duration::from_millis(20);
        metrics.request("/projects/{id}", "GET", 200, took, 3);
        metrics.request("/projects/{id}", "BREW\"\n", 405, took, 0);
        metrics.clone().job("packages.purge", "done", took);
        metrics.blob_bytes("in", 5);
        metrics.blob_bytes("in", 6);
        let text = metrics.render();
        for line in [
            "build_info{version=\"1.2.3\"} 1",
            "http_requests_total{method=\"GET\",route=\"/projects/{id}\",status=\"200\"} 1",
            "http_requests_total{method=\"other\",route=\"/projects/{id}\",status=\"405\"} 1",
            "http_request_statements_total{method=\"GET\",route=\"/projects/{id}\"} 3",
            "jobs_total{name=\"packages.purge\",outcome=\"done\"} 1",
            "blob_bytes_total{direction=\"in\"} 11",
            "process_uptime_seconds ",
        ] {
            assert!(text.contains(line), "{line} not in\n{text}");
        }
        #[cfg(target_os = "linux")]
        assert!(resident_bytes().unwrap() > 100_000.0);
    }

    #[test]
    fn formats_and_filters_are_checked() {
        assert_eq!("json".parse::<Format>().unwrap(), Format::Json);
        assert!("xml".parse::<Format>().is_err());
        assert!(init_logs(Format::Human, "kernel=nonsense").is_err());
    }
}
