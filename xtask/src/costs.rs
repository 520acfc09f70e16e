//! What steps cost: seconds of one core, as the system counts them for
//! processes that have ended. Told at the end of a run, so that whoever makes a
//! check dearer sees it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::tree;

/// The step of whatever ran under no other.
const ELSEWHERE: &str = "others";

/// Runs a program and writes what it took, and all that it waited for, in the
/// file of this name. Two lines: the shell's own, and the program's.
const COUNTED: &str =
    r#""$0" "$@"; status=$?; [ -z "$TENON_STEP_COST" ] || times >"$TENON_STEP_COST"; exit $status"#;
const FILE: &str = "TENON_STEP_COST";

/// Hundredths of a second, in which `/proc` counts, in a second.
const TICKS: u64 = 100;

/// By step.
static COSTS: Mutex<BTreeMap<String, Duration>> = Mutex::new(BTreeMap::new());

thread_local! {
    static STEP: Cell<&'static str> = const { Cell::new(ELSEWHERE) };
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// What this thread runs from now on belongs to this step.
pub fn enter(step: &'static str) {
    STEP.set(step);
}

/// The step that this thread works for.
pub fn step() -> &'static str {
    STEP.get()
}

/// What this thread has added so far.
pub fn spent() -> Duration {
    SPENT.get()
}

/// Adds to what a step has cost.
pub fn add(step: &str, cost: Duration) {
    SPENT.set(SPENT.get() + cost);
    let mut costs = COSTS.lock().unwrap_or_else(PoisonError::into_inner);
    *costs.entry(step.to_owned()).or_default() += cost;
}

/// What a step has cost so far.
pub fn of(step: &str) -> Duration {
    let costs = COSTS.lock().unwrap_or_else(PoisonError::into_inner);
    costs.get(step).copied().unwrap_or_default()
}

/// Calls a part of what a step cost by a name of its own.
pub fn set_apart(step: &str, part: &str, cost: Duration) {
    let mut costs = COSTS.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = costs.entry(step.to_owned()).or_default();
    let cost = cost.min(*whole);
    *whole -= cost;
    *costs.entry(part.to_owned()).or_default() += cost;
}

/// Every step and what it cost.
pub fn all() -> BTreeMap<String, Duration> {
    COSTS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A program whose cost [`ended`] can tell.
pub fn counted(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", COUNTED]).arg(program);
    command
}

/// The words behind the shell's own, if it is a [`counted`] command.
pub fn words(command: &Command) -> Vec<String> {
    let text = |word: &std::ffi::OsStr| word.to_string_lossy().into_owned();
    let mut words: Vec<String> = command.get_args().map(text).collect();
    if words.get(1).is_some_and(|script| script == COUNTED) {
        words.drain(..2);
        return words;
    }
    words.insert(0, text(command.get_program()));
    words
}

/// Where a command is to write what it took; [`ended`] reads it.
pub fn begin(command: &mut Command) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory = tree::target().join("xtask");
    let _ = fs::create_dir_all(&directory);
    let file = directory.join(format!("cost-{}-{number}", std::process::id()));
    command.env(FILE, &file);
    file
}

/// Adds what an ended command took to the step of this thread.
pub fn ended(file: &Path) {
    let told = fs::read_to_string(file).unwrap_or_default();
    let _ = fs::remove_file(file);
    add(step(), told.lines().nth(1).map(sum).unwrap_or_default());
}

/// The sum of times as a shell writes them: `0m1.25s 0m0.50s`.
pub fn sum(times: &str) -> Duration {
    let seconds = times.split_whitespace().filter_map(|time| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    });
    Duration::try_from_secs_f64(seconds.sum()).unwrap_or_default()
}

/// What a process that still runs has taken, with the ended ones it waited for.
pub fn of_process(id: u32) -> Duration {
    let told = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The name stands in parentheses and may hold anything.
    let behind_name = told.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = behind_name
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}
