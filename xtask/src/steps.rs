//! Steps of a task: run in order, each with a line before and after it, and
//! a summary at the end.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::tree;

/// What a step answers: nothing, or a sentence about what went wrong.
pub type Outcome = Result<(), String>;

/// One step of a task.
pub struct Step {
    /// The name given to `--only` and shown in the summary.
    pub name: &'static str,
    /// What the step does, in a few words.
    pub about: &'static str,
    /// Does it.
    pub run: fn() -> Outcome,
}

/// Runs every step, also after a failed one, so that one run tells all that
/// is wrong. Fails with the names of the failed steps.
pub fn run_all(steps: Vec<Step>) -> Outcome {
    let count = steps.len();
    let begun = Instant::now();
    let mut results: Vec<(&str, Duration, Outcome)> = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        eprintln!(
            "\n==> [{}/{count}] {}: {}",
            index + 1,
            step.name,
            step.about
        );
        let started = Instant::now();
        let outcome = (step.run)();
        let took = started.elapsed();
        let verdict = verdict(&outcome);
        eprintln!(
            "<== [{}/{count}] {} {verdict} in {}",
            index + 1,
            step.name,
            seconds(took)
        );
        results.push((step.name, took, outcome));
    }

    eprintln!("\nSummary after {}", seconds(begun.elapsed()));
    for (name, took, outcome) in &results {
        eprintln!(
            "  {:<6} {:<10} {:>9}",
            verdict(outcome),
            name,
            seconds(*took)
        );
    }
    let failures: Vec<String> = results
        .into_iter()
        .filter_map(|(name, _, outcome)| outcome.err().map(|error| format!("{name}: {error}")))
        .collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("failed\n  {}", failures.join("\n  ")))
}

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(()) => "ok",
        Err(_) => "FAILED",
    }
}

/// What the whole command ends with, after a word about what went wrong.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A time as a person reads it: `0.4 s`, `72.0 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A line for the person at the terminal.
pub fn say(line: &str) {
    eprintln!("{line}");
}

/// Cargo, in the checkout, with the environment of a cargo started by hand:
/// build scripts that watch what `cargo run` tells its program about its own
/// package would otherwise compile everything above them a second time.
pub fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(tree::root());
    // A clean checkout builds once: what cargo keeps for the next build would
    // fill a small disk with some twenty gigabytes for nothing.
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// Like [`cargo`], with clippy as the compiler of the workspace, which lints
/// what it compiles and denies warnings: lints, tests and clients share one
/// build, where `cargo clippy` would go through every crate once more.
pub fn linting_cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = cargo(arguments);
    command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        // How `cargo clippy` hands on what follows its `--`.
        .env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
    command
}

/// Runs a command with our output; fails with its line when it fails.
pub fn run(command: &mut Command) -> Outcome {
    command.stdin(Stdio::null());
    let status = command
        .status()
        .map_err(|error| format!("{}: {error}", line(command)))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{} ended with {status}", line(command)))
}

/// The command as it would be typed, with the program's name alone.
fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or_default().to_string_lossy()];
    words.extend(
        command
            .get_args()
            .map(|argument| argument.to_string_lossy()),
    );
    words.join(" ")
}
