//! The table of results and its place in docs/performance.md.

use std::fs;

use xtask::steps::{self, Outcome};
use xtask::tree;

const PAGE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- results: written by cargo xtask bench -->";
const END: &str = "<!-- end of results -->";

/// What a value must keep.
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// One row of the table.
pub struct Line {
    pub name: &'static str,
    value: f64,
    bound: Bound,
    unit: &'static str,
    /// The two rates behind a ratio.
    rates: Option<(f64, f64)>,
}

impl Line {
    /// A value with a bound of its own.
    pub fn new(name: &'static str, value: f64, bound: Bound, unit: &'static str) -> Line {
        let line = Line { name, value, bound, unit, rates: None };
        line.told()
    }

    /// Shows a line as soon as it is known: a whole run takes many minutes.
    fn told(self) -> Line {
        steps::say(&self.row());
        self
    }

    /// The median of the ratios of rates that were measured side by side.
    pub fn ratio(name: &'static str, rates: &[f64], others: &[f64], bound: Bound) -> Line {
        let rates_of_both = Some((median(rates), median(others)));
        let value = median_ratio(rates, others);
        let line = Line { name, value, bound, unit: "", rates: rates_of_both };
        line.told()
    }

    /// The median of the ratios of times that were measured side by side.
    pub fn times(name: &'static str, times: &[f64], others: &[f64], bound: Bound) -> Line {
        Line::new(name, median_ratio(times, others), bound, "")
    }

    /// Whether the bound is kept.
    pub fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(least) => self.value >= least,
            Bound::AtMost(most) => self.value <= most,
        }
    }

    fn row(&self) -> String {
        let (sign, bound) = match self.bound {
            Bound::AtLeast(least) => ("≥", least),
            Bound::AtMost(most) => ("≤", most),
        };
        let rates = match self.rates {
            Some((one, other)) => format!("{one:.0}/s : {other:.0}/s"),
            None => String::new(),
        };
        let verdict = if self.holds() { "yes" } else { "no" };
        let (value, unit) = (self.value, self.unit);
        format!(
            "| {} | {value:.2} {unit} | {sign} {bound} {unit} | {verdict} | {rates} |",
            self.name
        )
    }
}

fn median_ratio(ones: &[f64], others: &[f64]) -> f64 {
    let ratios: Vec<f64> = ones.iter().zip(others).map(|(one, other)| one / other).collect();
    median(&ratios)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The lines as a Markdown table.
pub fn table(lines: &[Line]) -> String {
    with_head(lines.iter().map(Line::row).collect())
}

fn with_head(rows: Vec<String>) -> String {
    let head = "| Measured | Value | Bound | Kept | Rates |\n|---|---|---|---|---|";
    format!("{head}\n{}", rows.join("\n"))
}

/// Puts the lines between the markers of the page, in place of those that
/// have their names; what was not measured this time stays.
pub fn write(lines: &[Line], packages: i64) -> Outcome {
    let path = tree::root().join(PAGE);
    let page = fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    let (before, rest) =
        page.split_once(BEGIN).ok_or_else(|| format!("{PAGE} has no line {BEGIN}"))?;
    let (results, after) =
        rest.split_once(END).ok_or_else(|| format!("{PAGE} has no line {END}"))?;
    let table = merged(results, lines);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let note = format!(
        "{cores} cores, shared with the load generator; large project: {packages} packages."
    );
    let page = format!("{before}{BEGIN}\n{note}\n\n{table}\n{END}{after}");
    fs::write(&path, page).map_err(|error| format!("{PAGE}: {error}"))
}

/// The table of the page with these lines in it.
fn merged(results: &str, lines: &[Line]) -> String {
    let mut rows: Vec<String> = results
        .lines()
        .filter(|row| row.starts_with("| ") && !row.starts_with("| Measured "))
        .map(str::to_owned)
        .collect();
    for line in lines {
        let begin = format!("| {} |", line.name);
        match rows.iter_mut().find(|row| row.starts_with(&begin)) {
            Some(row) => *row = line.row(),
            None => rows.push(line.row()),
        }
    }
    with_head(rows)
}
