//! The project's own commands: `cargo xtask test | clients | bench | fuzz | docs`.
//!
//! Start with [`test`]: its list of steps is what every change must pass.

mod clients;
mod docs;
mod fuzz;
mod shared;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::steps::{self, Outcome, cargo};

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
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Feed the fuzz targets for some minutes each.
    Fuzz(fuzz::Options),
    /// Write the generated files, or check that they are up to date.
    Docs(docs::Options),
}

fn main() -> ExitCode {
    steps::exit_code(match Arguments::parse().command {
        Task::Test(options) => test::run(&options),
        Task::Clients(options) => clients::some(&options),
        Task::Bench { options } => bench(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Docs(options) => docs::run(&options),
    })
}

/// A program of its own: what it is made of takes a minute to build, which no
/// other command needs.
fn bench(options: &[String]) -> Outcome {
    let mut command = cargo(["run", "--quiet", "--package", "bench", "--"]);
    steps::run(command.args(options))
}
