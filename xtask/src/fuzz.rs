//! `cargo xtask fuzz`: every fuzz target for some minutes, guided by coverage.
//!
//! A run starts from the inputs checked in under `fuzz/corpus` and from what
//! earlier runs found under the target directory. What makes a target fail is
//! kept beside those and named at the end.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use xtask::steps::{self, Outcome, cargo};
use xtask::tools;
use xtask::tree;

/// Largest input that `--keep` checks in, in bytes.
const MAX_KEPT_BYTES: u64 = 2 * 1024;
/// Most inputs of a target that `--keep` checks in.
const MAX_KEPT: usize = 48;

/// What `cargo xtask fuzz` takes.
#[derive(clap::Args)]
pub struct Options {
    /// Only the targets with this in their name.
    #[arg(default_value = "")]
    target: String,
    /// Minutes for each target; two run at a time on two cores.
    #[arg(default_value_t = 5)]
    minutes: u32,
    /// Replace the inputs checked in by the fewest small ones that reach as
    /// much.
    #[arg(long)]
    keep: bool,
}

/// Builds the targets and runs them, as many at once as there are cores.
pub fn run(options: &Options) -> Outcome {
    let targets = targets(&options.target)?;
    build()?;
    let queue = Mutex::new(targets.iter().collect::<VecDeque<_>>());
    let failures = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(targets.len()) {
            scope.spawn(|| {
                // A function, so that nobody waits for the queue while one runs.
                let next = || held(&queue).pop_front();
                while let Some(target) = next() {
                    if let Err(error) = target.fuzz(options) {
                        steps::say(&format!("--- {} FAILED: {error}", target.name));
                        held(&failures).push(target.name.clone());
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let passed = targets.len() - failures.len();
    steps::say(&format!("{passed} passed, {} failed", failures.len()));
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join(", ")),
    }
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the files under `fuzz/fuzz_targets`.
struct Target {
    name: String,
}

fn targets(text: &str) -> Result<Vec<Target>, String> {
    let folder = tree::root().join("fuzz/fuzz_targets");
    let mut found: Vec<Target> = list(&folder)?
        .into_iter()
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name.contains(text))
        .map(|name| Target { name })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    match found.is_empty() {
        true => Err(format!("no fuzz target is called {text}")),
        false => Ok(found),
    }
}

/// Without a sanitizer: the code that reads is Rust without `unsafe`, and so
/// any toolchain builds it.
fn build() -> Outcome {
    tools::cargo_fuzz()?;
    steps::run(
        cargo(["fuzz", "build", "--sanitizer", "none", "--fuzz-dir", "fuzz"])
            .env("PATH", tools::path())
            .env("CARGO_TARGET_DIR", place("build")),
    )
}

/// A folder of ours under the target directory.
fn place(name: &str) -> PathBuf {
    tree::target().join("fuzz").join(name)
}

impl Target {
    fn fuzz(&self, options: &Options) -> Outcome {
        let (found, failing) = (place("corpus").join(&self.name), place("artifacts"));
        for folder in [&found, &failing, &self.checked_in()] {
            fs::create_dir_all(folder).map_err(|error| told(folder, error))?;
        }
        let minutes = options.minutes;
        steps::say(&format!("--- {} for {minutes} minutes", self.name));
        let mut command = self.program()?;
        command
            .arg(&found)
            .arg(self.checked_in())
            .arg(format!("-max_total_time={}", minutes * 60))
            .arg(format!("-artifact_prefix={}/{}-", failing.display(), self.name))
            .args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]);
        let dictionary = tree::root().join(format!("fuzz/{}.dict", self.name));
        if dictionary.is_file() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        let output = place("artifacts").join(format!("{}.txt", self.name));
        let file = File::create(&output).map_err(|error| told(&output, error))?;
        command.stderr(file).stdout(std::process::Stdio::null());
        let outcome = steps::run(&mut command);
        let said = fs::read_to_string(&output).unwrap_or_default();
        match outcome {
            Ok(()) => steps::say(&format!("--- {} passed: {}", self.name, summary(&said))),
            Err(error) => return Err(format!("{error}\n{}", last_lines(&said, 40))),
        }
        match options.keep {
            true => self.keep(&found),
            false => Ok(()),
        }
    }

    fn program(&self) -> Result<Command, String> {
        let triples = list(&place("build"))?;
        let program = triples
            .into_iter()
            .map(|triple| triple.join("release").join(&self.name))
            .find(|program| program.is_file());
        program.map(Command::new).ok_or_else(|| format!("{} was not built", self.name))
    }

    fn checked_in(&self) -> PathBuf {
        tree::root().join("fuzz/corpus").join(&self.name)
    }

    /// Checks in the fewest inputs that reach what all of them reach, as far
    /// as they are small.
    fn keep(&self, found: &Path) -> Outcome {
        let fewest = place("fewest").join(&self.name);
        let _ = fs::remove_dir_all(&fewest);
        fs::create_dir_all(&fewest).map_err(|error| told(&fewest, error))?;
        let mut merge = self.program()?;
        merge.arg("-merge=1").arg(&fewest);
        merge.arg(self.checked_in()).arg(found);
        merge.stderr(std::process::Stdio::null());
        steps::run(&mut merge)?;
        let mut inputs: Vec<(u64, PathBuf)> = Vec::new();
        for path in list(&fewest)? {
            let bytes = path.metadata().map_err(|error| told(&path, error))?.len();
            inputs.push((bytes, path));
        }
        inputs.retain(|(bytes, _)| *bytes <= MAX_KEPT_BYTES);
        inputs.sort();
        let checked_in = self.checked_in();
        fs::remove_dir_all(&checked_in).map_err(|error| told(&checked_in, error))?;
        fs::create_dir_all(&checked_in).map_err(|error| told(&checked_in, error))?;
        for path in evenly(inputs) {
            let to = checked_in.join(path.file_name().unwrap_or_default());
            fs::copy(&path, &to).map_err(|error| told(&to, error))?;
        }
        Ok(())
    }
}

/// Inputs of all sizes, at most [`MAX_KEPT`].
fn evenly(inputs: Vec<(u64, PathBuf)>) -> impl Iterator<Item = PathBuf> {
    let step = inputs.len().div_ceil(MAX_KEPT).max(1);
    inputs.into_iter().step_by(step).map(|(_, path)| path)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| told(folder, error))?;
    entries
        .map(|entry| Ok(entry.map_err(|error| told(folder, error))?.path()))
        .collect()
}

fn told(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Runs and coverage, from what libFuzzer says at its end.
fn summary(said: &str) -> String {
    let number = |name: &str| {
        let line = said.lines().find(|line| line.starts_with(name))?;
        line.rsplit(' ').next().map(str::to_owned)
    };
    let covered = said.lines().rev().find_map(|line| {
        let rest = line.split("cov: ").nth(1)?;
        rest.split(' ').next().map(str::to_owned)
    });
    format!(
        "{} runs, {} edges, {} MiB at most",
        number("stat::number_of_executed_units:").unwrap_or_default(),
        covered.unwrap_or_default(),
        number("stat::peak_rss_mb:").unwrap_or_default()
    )
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
