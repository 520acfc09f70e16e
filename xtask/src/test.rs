//! `cargo xtask test`: everything a change must pass.

use std::process::Command;

use crate::clients;
use crate::docs;
use xtask::cluster::Cluster;
use xtask::steps::{self, Outcome, Step, cargo, linting_cargo};
use xtask::tools;
use xtask::tree;

/// What `cargo xtask test` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Run only these steps, separated by commas.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
}

/// Runs the chosen steps, or all of them.
pub fn run(options: &Options) -> Outcome {
    let steps = steps();
    let known: Vec<&str> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = options
        .only
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(format!(
            "no step {unknown}; the steps are {}",
            known.join(", ")
        ));
    }
    let chosen =
        |step: &Step| options.only.is_empty() || options.only.contains(&step.name.to_owned());
    let steps: Vec<Step> = steps.into_iter().filter(chosen).collect();
    if steps.iter().any(|step| step.name == "clients") {
        // It waits for the network while the first steps are busy.
        std::thread::spawn(clients::install);
    }
    steps::run_all(steps)
}

fn steps() -> Vec<Step> {
    let step = |name, about, run: fn() -> Outcome| Step { name, about, run };
    let mut steps = vec![
        step("format", "cargo fmt --check", format),
        step(
            "lints",
            "all targets, built by clippy, warnings denied",
            lints,
        ),
        step(
            "tests",
            "unit and API tests on SQLite and PostgreSQL",
            tests,
        ),
        step("doctests", "the examples in the documentation", doctests),
    ];
    if tree::has("crates/tenon/Cargo.toml") {
        steps.push(step(
            "docs",
            "every page is in the list beside it",
            docs::check_lists,
        ));
        steps.push(step(
            "clients",
            "unmodified clients against the server",
            clients::clients,
        ));
        steps.push(step("browser", "the pages in Chromium", clients::browser));
    }
    steps
}

fn format() -> Outcome {
    steps::run(&mut cargo(["fmt", "--all", "--check"]))
}

/// Builds everything by clippy; the following steps use what is built here.
fn lints() -> Outcome {
    steps::run(&mut linting_cargo([
        "build",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--keep-going",
    ]))
}

/// All tests, with one PostgreSQL cluster for the whole run.
fn tests() -> Outcome {
    tools::postgres()?;
    tools::oathtool()?;
    let cluster = Cluster::start()?;
    let mut command = if tools::nextest() {
        linting_cargo(["nextest", "run", "--workspace"])
    } else {
        linting_cargo(["test", "--workspace", "--all-targets"])
    };
    steps::run(with_postgres(&mut command, &cluster))
}

fn with_postgres<'a>(command: &'a mut Command, cluster: &Cluster) -> &'a mut Command {
    command
        .env("PATH", tools::path())
        .env("INSTA_UPDATE", "no")
        .env("TENON_REQUIRE_POSTGRES", "1")
        .env("TENON_TEST_POSTGRES", cluster.url())
}

fn doctests() -> Outcome {
    steps::run(&mut linting_cargo([
        "test",
        "--workspace",
        "--doc",
        "--quiet",
    ]))
}
