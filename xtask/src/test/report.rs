//! What a run took, told at its end.

use std::fs;
use std::path::Path;
use std::time::Duration;

use xtask::costs;
use xtask::steps::say;

/// Stories that are named.
const SLOWEST: usize = 10;

/// Prints the seconds of one core by step, and the slowest stories, whose times
/// stand in this file.
pub fn print(times: &Path) {
    let mut all: Vec<(String, Duration)> = costs::all().into_iter().collect();
    all.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    let total: Duration = all.iter().map(|(_, cost)| *cost).sum();
    let outside = |name: &str| matches!(name, "dependencies" | "installing");
    let own = all.iter().filter(|(name, _)| !outside(name));
    let own: Duration = own.map(|(_, cost)| *cost).sum();
    say("\nSeconds of one core");
    for (name, cost) in &all {
        say(&format!("  {name:<14}{:>7.0}", cost.as_secs_f64()));
    }
    say(&format!(
        "  in all {:.0}, without dependencies {:.0}",
        total.as_secs_f64(),
        own.as_secs_f64()
    ));
    slowest(&fs::read_to_string(times).unwrap_or_default());
}

/// Lines are a name, and milliseconds on the clock and of processors.
fn slowest(times: &str) {
    let mut stories: Vec<(&str, u64, u64)> = times.lines().filter_map(read).collect();
    if stories.is_empty() {
        return;
    }
    let count = stories.len();
    let sum: u64 = stories.iter().map(|(_, _, cost)| cost).sum();
    stories.sort_by_key(|(_, _, cost)| std::cmp::Reverse(*cost));
    say(&format!(
        "\n{count} stories took {:.2} seconds of one core each; the most:",
        sum as f64 / 1000.0 / count as f64
    ));
    for (name, took, cost) in stories.into_iter().take(SLOWEST) {
        let (took, cost) = (took as f64 / 1000.0, cost as f64 / 1000.0);
        say(&format!("  {cost:>6.1} s, {took:>6.1} on the clock: {name}"));
    }
}

fn read(line: &str) -> Option<(&str, u64, u64)> {
    let mut words = line.split(' ');
    let name = words.next()?;
    Some((name, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}
