//! A small bar chart without script: counts over time.

use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

const HEIGHT: u64 = 60;
const STEP: usize = 12;
/// Bars that fill the chart, a day of hours; fewer stand at its left, no wider.
const FULL: usize = 24;

/// Counts as bars; the same numbers are read out as a table.
#[derive(Debug, Template)]
#[template(path = "ui/bars.html")]
pub struct Bars {
    title: String,
    width: usize,
    total: u64,
    bars: Vec<Bar>,
}

#[derive(Debug)]
struct Bar {
    label: String,
    value: u64,
    x: usize,
    y: u64,
    height: u64,
}

/// A chart of labelled counts, from left to right.
pub fn bars(title: impl Display, values: &[(String, u64)]) -> Bars {
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
    let bar = |(index, (label, value)): (usize, &(String, u64))| {
        // A count that is not nothing stays visible.
        let height = (u128::from(*value) * u128::from(HEIGHT)).div_ceil(u128::from(most));
        let height = u64::try_from(height).unwrap_or(HEIGHT);
        Bar {
            label: label.clone(),
            value: *value,
            x: index * STEP + 1,
            y: HEIGHT - height,
            height,
        }
    };
    Bars {
        title: title.to_string(),
        width: values.len().max(FULL) * STEP,
        total: values.iter().map(|(_, value)| value).sum(),
        bars: values.iter().enumerate().map(bar).collect(),
    }
}

impl HtmlSafe for Bars {}
