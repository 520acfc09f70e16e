//! Steps of a task: each with a line before and after it, side by side where
//! they do not wait for one another, and a summary at the end.

use std::panic::AssertUnwindSafe;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::costs;
use crate::tree;

/// What a step answers: nothing, or a sentence about what went wrong.
pub type Outcome = Result<(), String>;

/// One step of a task.
pub struct Step<'r> {
    /// The name given to `--only` and shown in the summary.
    pub name: &'static str,
    /// What the step does, in a few words.
    pub about: &'static str,
    /// The step that it waits for, if that is run at all.
    pub after: Option<&'static str>,
    /// Does it.
    pub run: Box<dyn Fn() -> Outcome + Send + Sync + 'r>,
}

/// How a step ended, and after how long.
struct Done {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

/// The steps that have ended.
#[derive(Default)]
struct Board {
    done: Mutex<Vec<Done>>,
    changed: Condvar,
}

impl Board {
    fn wait_for(&self, name: &str) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |done: &mut Vec<Done>| !done.iter().any(|done| done.name == name);
        drop(self.changed.wait_while(done, open));
    }

    fn enter(&self, done: Done) {
        let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(done);
        self.changed.notify_all();
    }
}

/// Runs the steps, each as soon as the one it waits for has ended; also after a
/// failed one, so that one run tells all that is wrong. Fails with the names of
/// the failed steps.
pub fn run_all(steps: &[Step<'_>]) -> Outcome {
    let begun = Instant::now();
    let board = Board::default();
    let runs = |name: &str| steps.iter().any(|step| step.name == name);
    std::thread::scope(|scope| {
        for step in steps {
            let board = &board;
            scope.spawn(move || {
                if let Some(first) = step.after.filter(|first| runs(first)) {
                    board.wait_for(first);
                }
                board.enter(run_one(step));
            });
        }
    });
    let results = board.done.into_inner();
    summary(results.unwrap_or_else(PoisonError::into_inner), begun.elapsed())
}

fn run_one(step: &Step<'_>) -> Done {
    eprintln!("\n==> {}: {}", step.name, step.about);
    costs::enter(step.name);
    let started = Instant::now();
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| (step.run)()));
    let outcome = outcome.unwrap_or_else(|_| Err("xtask itself panicked".to_owned()));
    let took = started.elapsed();
    let verdict = verdict(&outcome);
    eprintln!("<== {} {verdict} in {}", step.name, seconds(took));
    Done { name: step.name, took, outcome }
}

fn summary(results: Vec<Done>, took: Duration) -> Outcome {
    eprintln!("\nSummary after {}", seconds(took));
    for Done { name, took, outcome } in &results {
        eprintln!("  {:<6} {name:<12} {:>9}", verdict(outcome), seconds(*took));
    }
    let failures: Vec<String> = results
        .into_iter()
        .filter_map(|done| Some(format!("{}: {}", done.name, done.outcome.err()?)))
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
    let mut command = costs::counted(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(tree::root());
    // A clean checkout builds once: what cargo keeps for the next build would
    // fill a small disk with some twenty gigabytes for nothing, and nobody
    // reads the lines of a trace there.
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
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
        .env("RUSTC_WORKSPACE_WRAPPER", tree::root().join("xtask/clippy.sh"))
        // How `cargo clippy` hands on what follows its `--`.
        .env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
    command
}

/// Runs a command with our output; fails with its line when it fails. What it
/// costs is counted where it was made by [`costs::counted`].
pub fn run(command: &mut Command) -> Outcome {
    command.stdin(Stdio::null());
    let cost = costs::begin(command);
    let status = command.status().map_err(|error| format!("{}: {error}", line(command)))?;
    costs::ended(&cost);
    if status.success() {
        return Ok(());
    }
    Err(format!("{} ended with {status}", line(command)))
}

/// The command as it would be typed, with the program's name alone.
fn line(command: &Command) -> String {
    let mut words = costs::words(command);
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    words.join(" ")
}
