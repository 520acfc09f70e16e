//! The tests of a pipeline: its suites with what came of them, and those of their tests
//! that failed, or all of one suite.

use crate::formats::log::clock;
use crate::reports::{Case, Outcome, Suite};
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::{Pages, ui};
use kernel::http::Paging;
use spaces::pages::filtered;

/// Letters of a name, and of what a test said: at its row, and in all.
const NAME: usize = 300;
const FIRST: usize = 200;
const SAID: usize = 8_000;

/// A suite as a line.
#[derive(Debug, Clone)]
struct Line {
    name: String,
    url: String,
    is_shown: bool,
    count: usize,
    passed: usize,
    failed: usize,
    errors: usize,
    skipped: usize,
    time: String,
    error: Option<String>,
}

/// A test as a row.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    /// Where it stands: its suite, class and file.
    about: String,
    outcome: Outcome,
    time: String,
    /// The first line of what it said.
    first: String,
    /// All of it, where there is more.
    said: Option<String>,
}

/// What is shown of the tests of a pipeline.
#[derive(Debug, Clone, Template)]
#[template(path = "ci_tests.html")]
pub struct TestsView {
    url: String,
    /// The one suite whose tests are shown.
    suite: String,
    lines: Vec<Line>,
    rows: Vec<Row>,
    pages: Pages,
}

impl HtmlSafe for TestsView {}

impl TestsView {
    /// A page of the tests of one suite, or of those that failed if none is named.
    pub fn of(suites: &[Suite], (url, suite): (&str, &str), paging: &Paging) -> TestsView {
        let wanted = cases(suites, suite);
        let total = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
        let index = |number: i64| usize::try_from(number).unwrap_or_default();
        let part = wanted.into_iter().skip(index(paging.offset())).take(index(paging.per_page));
        let at = filtered(url, &[("suite", suite)]);
        TestsView {
            lines: suites.iter().map(|one| Line::of(one, (url, suite))).collect(),
            rows: part.map(|(one, case)| Row::of(&one.name, case)).collect(),
            pages: Pages::of(paging, total, at),
            url: url.to_owned(),
            suite: suite.to_owned(),
        }
    }

    fn title(&self) -> String {
        match self.suite.is_empty() {
            true => "Tests that failed".to_owned(),
            false => format!("Tests of {}", self.suite),
        }
    }
}

/// Tests of a suite, or those of all that failed: those that failed first, then those
/// that were skipped, then the others.
fn cases<'s>(suites: &'s [Suite], suite: &str) -> Vec<(&'s Suite, &'s Case)> {
    let of = suites.iter().filter(|one| suite.is_empty() || one.name == suite);
    let all = of.flat_map(|one| one.cases.values().map(move |case| (one, case)));
    let mut wanted: Vec<_> =
        all.filter(|(_, case)| !suite.is_empty() || has_failed(case.outcome)).collect();
    wanted.sort_by_key(|(_, case)| match case.outcome {
        Outcome::Failed | Outcome::Error => 0,
        Outcome::Skipped => 1,
        Outcome::Success => 2,
    });
    wanted
}

fn has_failed(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Failed | Outcome::Error)
}

/// Seconds as people write them.
fn time(seconds: f64) -> String {
    match seconds {
        some if some < 60.0 => format!("{some:.2} s"),
        many => clock(many as u64),
    }
}

fn short(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

impl Line {
    fn of(suite: &Suite, (url, shown): (&str, &str)) -> Line {
        Line {
            name: short(&suite.name, NAME),
            url: filtered(url, &[("suite", &suite.name)]),
            is_shown: suite.name == shown,
            count: suite.cases.len(),
            passed: suite.count(Outcome::Success),
            failed: suite.count(Outcome::Failed),
            errors: suite.count(Outcome::Error),
            skipped: suite.count(Outcome::Skipped),
            time: time(suite.time()),
            error: suite.error.as_deref().map(|text| short(text, NAME)),
        }
    }
}

impl Row {
    fn of(suite: &str, case: &Case) -> Row {
        let places = [Some(suite), case.class.as_deref(), case.file.as_deref()];
        let places = places.into_iter().flatten().filter(|text| !text.is_empty());
        let places: Vec<String> = places.map(|text| short(text, NAME)).collect();
        let said = case.output.as_deref().unwrap_or_default().trim();
        let first = said.lines().next().unwrap_or_default();
        let has_more = first.len() < said.len() || first.chars().count() > FIRST;
        Row {
            name: short(&case.name, NAME),
            about: places.join(" · "),
            outcome: case.outcome,
            time: time(case.time),
            first: short(first, FIRST),
            said: has_more.then(|| match said.char_indices().nth(SAID) {
                Some((at, _)) => format!("{}\n(and more)", &said[..at]),
                None => said.to_owned(),
            }),
        }
    }

    /// In a word, and in which tone.
    fn word(&self) -> (&'static str, &'static str) {
        match self.outcome {
            Outcome::Success => ("passed", "good"),
            Outcome::Failed => ("failed", "bad"),
            Outcome::Error => ("error", "bad"),
            Outcome::Skipped => ("skipped", "plain"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, outcome: Outcome, output: &str) -> Case {
        Case {
            name: name.to_owned(),
            class: None,
            file: None,
            time: 0.5,
            outcome,
            output: Some(output.to_owned()),
            attachment: None,
        }
    }

    fn suite(name: &str, cases: Vec<Case>) -> Suite {
        let keyed = cases.into_iter().map(|case| ((None, case.name.clone()), case));
        Suite {
            name: name.to_owned(),
            cases: keyed.collect(),
            ..Suite::default()
        }
    }

    #[test]
    fn what_failed_comes_first_and_alone_without_a_suite() {
        let unit = vec![
            case("a", Outcome::Success, ""),
            case("b", Outcome::Skipped, ""),
            case("c", Outcome::Error, ""),
        ];
        let suites = [suite("unit", unit), suite("lint", vec![case("d", Outcome::Failed, "")])];
        let names = |of: &str| {
            let found = cases(&suites, of).into_iter();
            found.map(|(_, case)| case.name.clone()).collect::<String>()
        };
        assert_eq!([names(""), names("unit"), names("gone")], ["cd", "cba", ""]);
    }

    #[test]
    fn what_a_test_said_is_folded_and_has_an_end() {
        let row = |output: &str| {
            let row = Row::of("s", &case("a", Outcome::Failed, output));
            (row.first, row.said.map(|said| said.chars().count()))
        };
        assert_eq!(row(""), (String::new(), None));
        assert_eq!(row("bent"), ("bent".into(), None));
        assert_eq!(row("bent\nat 1"), ("bent".into(), Some(9)));
        let long = "é".repeat(SAID + 5);
        assert_eq!(row(&long).1, Some(SAID + "\n(and more)".len()));
        assert_eq!((time(0.5), time(61.0)), ("0.50 s".to_owned(), "1:01".to_owned()));
    }
}
