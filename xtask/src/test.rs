//! `cargo xtask test`: everything a change must pass.
//!
//! Everything is built first. Then the tests and the stock clients run side by
//! side, since clients wait much: the tests take one core's place, each suite
//! one of those that are left.

mod report;

use std::fs;
use std::path::PathBuf;

use crate::clients;
use crate::docs;
use crate::shared::{Depth, Shared};
use xtask::costs;
use xtask::disk::Watch;
use xtask::server;
use xtask::slots;
use xtask::steps::{self, Outcome, Step, linting_cargo};
use xtask::tools;
use xtask::tree;

/// Generated cases of each property in a usual run, and in a full one.
const CASES: [&str; 2] = ["64", "2048"];

/// What `cargo xtask test` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Run only these steps, separated by commas.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Every suite of clients on both engines, and many more generated cases.
    #[arg(long)]
    full: bool,
}

/// Runs the chosen steps, or all of them.
pub fn run(options: &Options) -> Outcome {
    let depth = match options.full {
        true => Depth::Full,
        false => Depth::Usual,
    };
    let shared = Shared::new(depth);
    let steps = chosen(steps(&shared), &options.only)?;
    let _ = fs::remove_file(times());
    let _ = fs::remove_file(crate_costs());
    if steps.iter().any(|step| step.name == "clients") {
        // It waits for the network while the first steps are busy.
        std::thread::spawn(|| {
            costs::enter("installing");
            clients::install();
        });
    }
    let disk = Watch::begin();
    let outcome = steps::run_all(&steps);
    drop(steps);
    shared.end();
    report::print(&times());
    disk.print();
    outcome
}

fn chosen<'r>(steps: Vec<Step<'r>>, only: &[String]) -> Result<Vec<Step<'r>>, String> {
    let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("no step {unknown}; the steps are {}", known.join(", ")));
    }
    let is_chosen = |step: &Step<'_>| only.is_empty() || only.iter().any(|name| name == step.name);
    Ok(steps.into_iter().filter(is_chosen).collect())
}

fn steps(shared: &Shared) -> Vec<Step<'_>> {
    fn step<'r>(
        name: &'static str, about: &'static str, run: impl Fn() -> Outcome + Send + Sync + 'r,
    ) -> Step<'r> {
        let run = Box::new(run);
        Step { name, about, after: None, run }
    }
    let built = |step| Step { after: Some("lints"), ..step };
    vec![
        step("format", "cargo fmt --check", format),
        step("docs", "every page is in the list beside it", docs::check_lists),
        step("lints", "all targets, built by clippy, warnings denied", lints),
        built(step("tests", "unit and API tests on SQLite and PostgreSQL", || tests(shared))),
        built(step("doctests", "the examples in the documentation", || doctests(shared))),
        built(step("clients", "unmodified clients against the server", || {
            clients::clients(shared)
        })),
        built(step("browser", "the pages in Chromium", || clients::browser(shared))),
    ]
}

fn format() -> Outcome {
    steps::run(&mut steps::cargo(["fmt", "--all", "--check"]))
}

/// Builds everything by clippy; the following steps use what is built here.
fn lints() -> Outcome {
    let outcome = steps::run(
        linting_cargo(["build", "--workspace", "--all-targets", "--quiet", "--keep-going"])
            .env("TENON_COSTS", crate_costs()),
    );
    let told = fs::read_to_string(crate_costs()).unwrap_or_default();
    let own = told.lines().map(costs::sum).sum();
    let whole = costs::of("lints");
    costs::set_apart("lints", "dependencies", whole.saturating_sub(own));
    outcome
}

/// All tests, several at once in each of few processes, since one process for
/// each would spend its time on starting.
fn tests(shared: &Shared) -> Outcome {
    tools::postgres()?;
    tools::oathtool()?;
    tools::dovecot()?;
    tools::openssh()?;
    let cluster = shared.cluster()?;
    let _place = shared.slots.take();
    // They wait for the disk, for PostgreSQL and for jobs: with one more than there are
    // cores, these were idle for a fifth of the time.
    let threads = slots::cores() + 3;
    let outcome = steps::run(
        linting_cargo(["test", "--workspace", "--all-targets", "--no-fail-fast", "--", "--quiet"])
            .arg(format!("--test-threads={threads}"))
            .env("INSTA_UPDATE", "no")
            .env("PROPTEST_CASES", CASES[usize::from(shared.is_full())])
            .env("TENON_REQUIRE_POSTGRES", "1")
            .env("TENON_TEST_POSTGRES", cluster.url())
            .env("TENON_TEST_TIMES", times()),
    );
    match shared.is_full() {
        true => outcome.and(sieges()),
        false => outcome,
    }
}

/// Hostile clients beside good ones, and outages, in the release program:
/// nothing else may blur their times.
fn sieges() -> Outcome {
    let program = server::build()?;
    let arguments = ["test", "--workspace", "--test", "program", "--"];
    steps::run(
        linting_cargo(arguments)
            .args(["--include-ignored", "--test-threads=1"])
            .args(["overload::", "outage::"])
            .env("TENON_REQUIRE_POSTGRES", "1")
            .env("TENON_TEST_PROGRAM", program),
    )
}

fn doctests(shared: &Shared) -> Outcome {
    let _place = shared.slots.take();
    steps::run(&mut linting_cargo(["test", "--workspace", "--doc", "--quiet"]))
}

/// Where stories write what they took.
fn times() -> PathBuf {
    tree::target().join("xtask/times.txt")
}

/// Where the compiler writes what each crate took.
fn crate_costs() -> PathBuf {
    tree::target().join("xtask/crates.txt")
}
