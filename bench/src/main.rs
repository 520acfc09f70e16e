//! `cargo xtask bench`: the release server under load on SQLite.
//!
//! Every figure is a ratio of two rates measured in turns in this run, or
//! has a fixed bound, so that it means the same on a slow machine. The table
//! goes to the terminal and, unless told otherwise, to docs/performance.md.

mod activity;
mod browser;
mod delivery;
mod errors;
mod graphql;
mod imports;
mod load;
mod monitoring;
mod moves;
mod oauth;
mod packages;
mod pages;
mod peer;
mod report;
mod repositories;
mod reviews;
mod search;
mod seed;
mod supply;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use self::load::Request;
use self::report::{Bound, Line};
use xtask::server::{self, Server, Settings};
use xtask::steps::{self, Outcome};

/// Packages in the small and the large project.
const SMALL: i64 = 100;
const LARGE: i64 = 1_000_000;

/// Connections that read, and clients that write.
const READERS: usize = 32;
const WRITERS: usize = 64;

#[derive(Parser)]
#[command(
    name = "cargo xtask bench",
    about = "Measure the release server against its bounds"
)]
struct Options {
    /// Seconds of every single measurement.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// How often the two sides of a ratio take turns; the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Packages in the large project.
    #[arg(long, default_value_t = LARGE)]
    packages: i64,
    /// Events of errors that are stored in the large project.
    #[arg(long, default_value_t = LARGE)]
    events: i64,
    /// Issues that are searched.
    #[arg(long, default_value_t = LARGE)]
    issues: i64,
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Leave docs/performance.md as it is.
    #[arg(long)]
    dry_run: bool,
    /// Measure these parts alone (idle, writes, lists, oauth, graphql,
    /// packages, alerts, errors, search, activity, pages, repositories, moves, imports, delivery, supply, reviews); the other
    /// lines of docs/performance.md stay.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

fn main() -> ExitCode {
    steps::exit_code(run(&Options::parse()))
}

/// Measures, prints the table and writes it down. Fails when a bound is
/// missed.
fn run(options: &Options) -> Outcome {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => server::build()?,
    };
    let bench = Bench { program, options };
    let mut lines = Vec::new();
    for (_, measure) in parts(&options.only)? {
        lines.extend(measure(&bench)?);
    }
    let table = report::table(&lines);
    steps::say(&format!("\n{table}"));
    if !options.dry_run {
        report::write(&lines, options.packages)?;
    }
    let missed: Vec<&str> =
        lines.iter().filter(|line| !line.holds()).map(|line| line.name).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("missed: {}", missed.join("; ")))
}

/// A part of the measurements by its name.
type Part = (&'static str, fn(&Bench<'_>) -> Result<Vec<Line>, String>);

const PARTS: [Part; 17] = [
    ("idle", |bench| bench.idle()),
    ("writes", |bench| bench.writes()),
    ("lists", |bench| bench.lists()),
    ("activity", activity::lines),
    ("pages", pages::lines),
    ("search", search::lines),
    ("oauth", oauth::lines),
    ("graphql", graphql::lines),
    ("packages", packages::lines),
    ("alerts", monitoring::lines),
    ("errors", errors::lines),
    ("repositories", repositories::lines),
    ("moves", moves::lines),
    ("imports", imports::lines),
    ("delivery", delivery::lines),
    ("supply", supply::lines),
    ("reviews", reviews::lines),
];

/// The parts of these names; all without a name.
fn parts(names: &[String]) -> Result<Vec<Part>, String> {
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|part| part.0 != **name)) {
        return Err(format!("there is no part {unknown}"));
    }
    let wanted = |part: &Part| names.is_empty() || names.iter().any(|name| name == part.0);
    Ok(PARTS.into_iter().filter(wanted).collect())
}

struct Bench<'a> {
    program: PathBuf,
    options: &'a Options,
}

impl Bench<'_> {
    fn start(&self, data: &Path, environment: &[(&str, &str)]) -> Result<Server, String> {
        Server::start(&self.program, &Settings { data, database: None, environment, named: false })
    }

    /// Start and memory of a server on an empty directory.
    fn idle(&self) -> Result<Vec<Line>, String> {
        steps::say("start and idle memory");
        let server = self.start(&server::fresh_directory("bench-idle")?, &[])?;
        let started = server.ready_after().as_secs_f64();
        std::thread::sleep(Duration::from_secs(2));
        let memory = server.resident_bytes()? as f64 / f64::from(1 << 20);
        server.stop()?;
        Ok(vec![
            Line::new("start to ready, empty directory", started, Bound::AtMost(1.0), "s"),
            Line::new("idle resident memory", memory, Bound::AtMost(60.0), "MiB"),
        ])
    }

    /// Durable writes of many clients, grouped against one by one.
    fn writes(&self) -> Result<Vec<Line>, String> {
        steps::say("durable writes");
        let grouped = self.writer("bench-grouped", &[])?;
        let single = self.writer("bench-single", &[("TENON_GROUP_SIZE", "1")])?;
        let (rates, others) = self.turns(
            || self.rate(&grouped.0, &grouped.1, WRITERS),
            || self.rate(&single.0, &single.1, WRITERS),
        )?;
        grouped.0.stop()?;
        single.0.stop()?;
        Ok(vec![Line::ratio(
            "durable writes of 64 clients, against group size 1",
            &rates,
            &others,
            Bound::AtLeast(10.0),
        )])
    }

    /// A server with one user per client, and the write they send.
    fn writer(
        &self, name: &str, environment: &[(&str, &str)],
    ) -> Result<(Server, Request), String> {
        let server = self.start(&server::fresh_directory(name)?, environment)?;
        let token = server.root_token()?;
        let tokens: Result<Vec<String>, String> = (0..WRITERS)
            .map(|number| seed::user_token(server.url(), &token, &format!("writer-{number}")))
            .collect();
        let request = Request::json(
            "PUT",
            "/api/v4/user/status".to_owned(),
            &tokens?,
            r#"{"message":"change {n}"}"#,
        );
        Ok((server, request))
    }

    /// Lists of packages in a small and a large project, and the server's
    /// start on that much data.
    fn lists(&self) -> Result<Vec<Line>, String> {
        let data = server::fresh_directory("bench-lists")?;
        let server = self.start(&data, &[])?;
        let token = server.root_token()?;
        let small = seed::project(server.url(), &token, "small")?;
        let large = seed::project(server.url(), &token, "large")?;
        for project in [small, large] {
            seed::package(server.url(), &token, project)?;
        }
        server.stop()?;
        steps::say(&format!("seeding {} packages", self.options.packages));
        seed::packages(&data, small, SMALL)?;
        seed::packages(&data, large, self.options.packages)?;

        let server = self.start(&data, &[])?;
        let started = server.ready_after().as_secs_f64();
        let list = |project: i64| {
            Request::get(&format!("/api/v4/projects/{project}/packages?per_page=20"), &token)
        };
        let liveness = Request::get("/-/liveness", "");
        steps::say("list of a small project and liveness");
        let (small_rates, live_rates) = self.turns(
            || self.rate(&server, &list(small), READERS),
            || self.rate(&server, &liveness, READERS),
        )?;
        steps::say("list of a large project and of a small one");
        let (large_rates, again) = self.turns(
            || self.rate(&server, &list(large), READERS),
            || self.rate(&server, &list(small), READERS),
        )?;
        server.stop()?;
        Ok(vec![
            Line::ratio(
                "list of 20 of 100 packages, against liveness",
                &small_rates,
                &live_rates,
                Bound::AtLeast(0.20),
            ),
            Line::ratio(
                "list in a large project, against a small one",
                &large_rates,
                &again,
                Bound::AtLeast(0.7),
            ),
            Line::new("start to ready, large project", started, Bound::AtMost(2.0), "s"),
        ])
    }

    fn rate(&self, server: &Server, request: &Request, connections: usize) -> Result<f64, String> {
        let time = Duration::from_secs(self.options.seconds);
        load::rate(server.url(), request, connections, time)
    }

    /// Seconds that one side of a ratio runs, in all rounds.
    fn seconds_in_all(&self) -> u64 {
        self.options.seconds * (self.options.rounds.max(1) as u64 + 1)
    }

    /// Measures both sides in turns, after one short unmeasured round each.
    fn turns(
        &self, one: impl Fn() -> Result<f64, String>, other: impl Fn() -> Result<f64, String>,
    ) -> Result<(Vec<f64>, Vec<f64>), String> {
        one()?;
        other()?;
        let mut rates = (Vec::new(), Vec::new());
        for _ in 0..self.options.rounds.max(1) {
            rates.0.push(one()?);
            rates.1.push(other()?);
        }
        Ok(rates)
    }
}
