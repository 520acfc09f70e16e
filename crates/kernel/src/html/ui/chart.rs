//! Charts without script: counts over time, the same in the height of a line,
//! and parts of a whole. Each says its numbers as text, too.
//!
//! Places across are in percent and heights in pixels, so that a chart is as
//! wide as there is room and its letters stay letters.

use askama::Template;
use askama::filters::HtmlSafe;
use std::fmt::Display;

/// Pixels above the highest line, and between it and the bottom line.
const TOP: u64 = 8;
const HEIGHT: u64 = 96;
/// Most steps of the axis.
const STEPS: u64 = 4;
/// Most labels below the bars.
const LABELS: usize = 4;
/// Places for bars that a chart has at least. Fewer bars stand in the middle.
const PLACES: usize = 12;
/// A hundred percent, in the unit of places.
const WHOLE: u64 = 10_000;

/// Counts as bars over an axis.
#[derive(Debug, Template)]
#[template(path = "ui/bars.html")]
pub struct Bars {
    title: String,
    zone: &'static str,
    total: u64,
    most: u64,
    lines: Vec<Line>,
    labels: Vec<Label>,
    bars: Vec<Bar>,
}

/// A line of the axis.
#[derive(Debug)]
struct Line {
    y: u64,
    text: String,
}

/// What stands below a bar.
#[derive(Debug)]
struct Label {
    x: String,
    anchor: &'static str,
    text: String,
}

#[derive(Debug)]
struct Bar {
    label: String,
    value: u64,
    x: String,
    width: String,
    y: u64,
    height: u64,
}

/// A chart of labelled counts, from left to right.
pub fn bars(title: impl Display, values: &[(String, u64)]) -> Bars {
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let ticks = ticks(most);
    let top = ticks.last().copied().unwrap_or(1);
    let places = values.len().max(PLACES);
    let before = places - values.len();
    // The left edge of a place, counted in halves so that few bars are centred.
    let edge = |halves: usize| WHOLE * halves as u64 / (2 * places as u64);
    let bar = |(index, (label, value)): (usize, &(String, u64))| {
        let (from, until) = (edge(before + 2 * index), edge(before + 2 * index + 2));
        let gap = (until - from) / 8;
        let height = height(*value, top, HEIGHT);
        Bar {
            label: label.clone(),
            value: *value,
            x: percent(from + gap),
            width: percent(until - from - 2 * gap),
            y: TOP + HEIGHT - height,
            height,
        }
    };
    let label = |index: usize| {
        let (x, anchor) = match index {
            0 if before == 0 => (edge(0), "start"),
            _ if before == 0 && index + 1 == values.len() => (WHOLE, "end"),
            _ => (edge(before + 2 * index + 1), "middle"),
        };
        Label { x: percent(x), anchor, text: values[index].0.clone() }
    };
    Bars {
        title: title.to_string(),
        zone: "",
        total: values.iter().fold(0, |sum, (_, value)| sum.saturating_add(*value)),
        most,
        lines: ticks
            .iter()
            .map(|tick| Line {
                y: TOP + HEIGHT - height(*tick, top, HEIGHT),
                text: brief(*tick),
            })
            .collect(),
        labels: labelled(values.len()).into_iter().map(label).collect(),
        bars: values.iter().enumerate().map(bar).collect(),
    }
}

impl Bars {
    /// Says by which clocks the labels are.
    pub fn zone(mut self, zone: &'static str) -> Bars {
        self.zone = zone;
        self
    }
}

impl HtmlSafe for Bars {}

/// Counts over time in the height of a line, without an axis.
#[derive(Debug, Template)]
#[template(
    source = r#"<svg class="spark" viewBox="0 0 {{ width }} 24" preserveAspectRatio="none" role="img" aria-label="{{ title }}: {{ total }}, {{ most }} at most"><title>{{ title }}: {{ total }}</title>{% for (x, y, height) in bars %}<rect x="{{ x }}" y="{{ y }}" width="3" height="{{ height }}"/>{% endfor %}<path d="M0 23.5H{{ width }}"/></svg>"#,
    ext = "html"
)]
pub struct Sparkline {
    title: String,
    total: u64,
    most: u64,
    width: usize,
    bars: Vec<(usize, u64, u64)>,
}

/// A line of tiny bars; `title` says what is counted and over which time.
pub fn sparkline(title: impl Display, values: &[(String, u64)]) -> Sparkline {
    const ROOM: u64 = 22;
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let bars = values.iter().enumerate().filter(|(_, (_, value))| *value > 0);
    Sparkline {
        title: title.to_string(),
        total: values.iter().fold(0, |sum, (_, value)| sum.saturating_add(*value)),
        most,
        width: values.len().max(1) * 4,
        bars: bars
            .map(|(index, (_, value))| {
                let height = height(*value, most, ROOM);
                (index * 4, ROOM + 1 - height, height)
            })
            .collect(),
    }
}

impl HtmlSafe for Sparkline {}

/// Named parts of a whole, the largest first.
#[derive(Debug, Template)]
#[template(path = "ui/ranking.html")]
pub struct Ranking {
    title: String,
    rows: Vec<Share>,
}

#[derive(Debug)]
struct Share {
    name: String,
    shown: String,
    width: String,
}

/// Bars of names: a name, what is said of it, and how long its bar is beside
/// the others.
pub fn ranking(title: impl Display, rows: impl AsRef<[(String, String, u64)]>) -> Ranking {
    let rows = rows.as_ref();
    let most = rows.iter().map(|(.., value)| *value).max().unwrap_or(0);
    let share = |(name, shown, value): &(String, String, u64)| Share {
        name: name.clone(),
        shown: shown.clone(),
        width: percent(height(*value, most, WHOLE)),
    };
    Ranking {
        title: title.to_string(),
        rows: rows.iter().map(share).collect(),
    }
}

impl HtmlSafe for Ranking {}

/// How high a value stands where `top` is `room`; what is not nothing is seen.
fn height(value: u64, top: u64, room: u64) -> u64 {
    let high = (u128::from(value) * u128::from(room)).div_ceil(u128::from(top.max(1)));
    u64::try_from(high).unwrap_or(room)
}

/// A place or width, of [`WHOLE`].
fn percent(part: u64) -> String {
    format!("{}.{:02}%", part / 100, part % 100)
}

/// The numbers of the axis from 0 on: whole, round, evenly apart, and the last
/// one not below `most`.
fn ticks(most: u64) -> Vec<u64> {
    let mut step: u64 = 1;
    while step.saturating_mul(STEPS) < most {
        // 1, 2, 5, 10, 20, 50, …
        let leading = step / 10_u64.pow(step.ilog10());
        let next = match leading {
            2 => step.checked_mul(5).map(|five| five / 2),
            _ => step.checked_mul(2),
        };
        match next {
            Some(next) => step = next,
            None => return vec![0, most],
        }
    }
    (0..=most.div_ceil(step).max(1)).map(|n| step.saturating_mul(n)).collect()
}

/// A number of the axis in few letters: `950`, `12k`, `1.5M`.
fn brief(number: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| number >= *size) else {
        return number.to_string();
    };
    match number % size / (size / 10) {
        0 => format!("{}{unit}", number / size),
        tenth => format!("{}.{tenth}{unit}", number / size),
    }
}

/// Which of so many bars have a label: the first, the last, some between.
fn labelled(bars: usize) -> Vec<usize> {
    let labels = bars.min(LABELS);
    if labels < 2 {
        return (0..labels).collect();
    }
    (0..labels).map(|place| place * (bars - 1) / (labels - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(counts: &[u64]) -> Vec<(String, u64)> {
        let labelled = counts.iter().enumerate();
        labelled.map(|(at, count)| (format!("d{at}"), *count)).collect()
    }

    #[test]
    fn the_axis_is_round_and_covers_the_most() {
        for (most, expected) in [
            (0, vec![0, 1]),
            (1, vec![0, 1]),
            (3, vec![0, 1, 2, 3]),
            (4, vec![0, 1, 2, 3, 4]),
            (5, vec![0, 2, 4, 6]),
            (17, vec![0, 5, 10, 15, 20]),
            (40, vec![0, 10, 20, 30, 40]),
            (41, vec![0, 20, 40, 60]),
            (999, vec![0, 500, 1000]),
        ] {
            assert_eq!(ticks(most), expected, "{most}");
        }
        for most in [u64::MAX, u64::MAX / 2, 123_456_789_012] {
            let ticks = ticks(most);
            assert!(ticks.len() <= 6 && ticks.last() >= Some(&most), "{ticks:?}");
        }
        let texts = [0, 999, 1_000, 1_500, 12_000, 2_000_000].map(brief);
        assert_eq!(texts, ["0", "999", "1k", "1.5k", "12k", "2M"]);
    }

    #[test]
    fn the_first_and_the_last_bar_are_labelled() {
        assert_eq!(labelled(0), [0; 0]);
        assert_eq!(labelled(1), [0]);
        assert_eq!(labelled(3), [0, 1, 2]);
        assert_eq!(labelled(24), [0, 7, 15, 23]);
        assert_eq!(labelled(30), [0, 9, 19, 29]);
    }

    #[test]
    fn bars_stand_over_the_axis_and_few_in_the_middle() {
        let many = bars("Events", &values(&[4; 24]));
        assert_eq!((many.bars[0].x.as_str(), many.bars[0].height), ("0.52%", 96));
        assert_eq!(many.labels.last().map(|one| one.anchor), Some("end"));
        let one = bars("Events", &values(&[7])).zone("UTC");
        assert_eq!(one.labels[0].x, "50.00%");
        let html = one.to_string();
        for text in ["<title>d0: 7</title>", "UTC", "role=\"img\"", ">8</text>", ">d0</text>"] {
            assert!(html.contains(text), "{text} is not in {html}");
        }
        assert!(bars("None", &[]).to_string().contains("None: 0"));
    }

    #[test]
    fn what_is_not_nothing_is_seen() {
        let chart = bars("Events", &values(&[1_000_000, 1, 0]));
        let heights: Vec<u64> = chart.bars.iter().map(|bar| bar.height).collect();
        assert_eq!((heights[1], heights[2]), (1, 0));
        let line = sparkline("Events <b>", &values(&[0, 1, 900]));
        assert_eq!(line.bars, [(4, 22, 1), (8, 1, 22)]);
        assert!(line.to_string().contains("Events &#60;b&#62;: 901"));
        let rows = [("a".to_owned(), "2".to_owned(), 2), ("b".to_owned(), "1".to_owned(), 1)];
        assert!(ranking("Tags", rows).to_string().contains("width=\"50.00%\""));
    }
}
