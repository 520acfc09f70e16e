//! The project's own commands: `cargo xtask test | clients | bench | docs`.
//!
//! Start with [`test`]: its list of steps is what every change must pass.
#![expect(clippy::print_stderr, reason = "a command for the terminal")]

mod bench;
mod clients;
mod docs;
mod server;
mod steps;
mod test;
mod tools;
mod tree;

/// The same throw-away cluster the tests use; one is shared by a whole run.
#[path = "../../crates/testkit/src/postgres/cluster.rs"]
mod cluster;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests need, then run every check.
    Test(test::Options),
    /// Run the suites of stock clients, or some of them.
    Clients(clients::Options),
    /// Measure the release server against its bounds.
    Bench(bench::Options),
    /// Write the generated files, or check that they are up to date.
    Docs(docs::Options),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Task::Test(options) => test::run(&options),
        Task::Clients(options) => clients::some(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Docs(options) => docs::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
