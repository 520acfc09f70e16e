//! A year of days, darker where more was done.

use crate::html::preferences::FirstDay;
use crate::time::Date;
use askama::Template;
use askama::filters::HtmlSafe;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Side of a day, and from one to the next.
const SIDE: i64 = 10;
const STEP: i64 = 13;
/// Room for the names of days at the left, and for those of months above.
const LEFT: i64 = 26;
const TOP: i64 = 16;
/// Steps of colour above none.
const STEPS: u64 = 4;
/// Most days that are drawn.
const MOST_DAYS: usize = 371;

/// Counts by day, in columns of weeks.
#[derive(Debug, Template)]
#[template(path = "ui/calendar.html")]
pub struct Calendar {
    title: String,
    url: String,
    total: u64,
    width: i64,
    height: i64,
    side: i64,
    days: Vec<Day>,
    months: Vec<Label>,
    names: Vec<Label>,
    /// Days on which something was done, the latest first.
    busy: Vec<(Date, u64)>,
}

impl HtmlSafe for Calendar {}

#[derive(Debug)]
struct Day {
    date: Date,
    count: u64,
    step: u64,
    x: i64,
    y: i64,
}

#[derive(Debug)]
struct Label {
    text: String,
    x: i64,
    y: i64,
}

/// Counts of the days from `first` to `last`; weeks begin as the reader wants it.
pub fn calendar(
    title: impl Display, (first, last): (Date, Date), first_day: FirstDay,
    counts: &BTreeMap<Date, u64>,
) -> Calendar {
    let counts: BTreeMap<Date, u64> = counts
        .iter()
        .filter(|(day, _)| **day >= first && **day <= last)
        .map(pair)
        .collect();
    let most = counts.values().copied().max().unwrap_or(0);
    let before = first_day.days_before(first);
    let dates = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let dates = dates.take_while(|day| *day <= last).take(MOST_DAYS);
    let day = |(at, date): (i64, Date)| {
        let (week, row) = ((before + at) / 7, (before + at) % 7);
        let count = counts.get(&date).copied().unwrap_or(0);
        Day {
            date,
            count,
            step: step(count, most),
            x: LEFT + week * STEP,
            y: TOP + row * STEP,
        }
    };
    let days: Vec<Day> = (0..).zip(dates).map(day).collect();
    Calendar {
        title: title.to_string(),
        url: String::new(),
        total: counts.values().fold(0, |sum, count| sum.saturating_add(*count)),
        width: days.last().map_or(0, |day| day.x) + STEP,
        height: TOP + 7 * STEP,
        side: SIDE,
        months: months(&days),
        names: names(&days),
        busy: counts.into_iter().filter(|(_, count)| *count > 0).rev().collect(),
        days,
    }
}

fn pair((day, count): (&Date, &u64)) -> (Date, u64) {
    (*day, *count)
}

impl Calendar {
    /// Where a day leads, written behind this.
    pub fn leading(self, url: impl Display) -> Calendar {
        Calendar { url: url.to_string(), ..self }
    }
}

/// How dark a day is: not at all, or by its quarter of the most.
fn step(count: u64, most: u64) -> u64 {
    let dark = (u128::from(count) * u128::from(STEPS)).div_ceil(u128::from(most.max(1)));
    u64::try_from(dark).unwrap_or(STEPS)
}

/// A name above the first whole week of each month.
fn months(days: &[Day]) -> Vec<Label> {
    let firsts = days.iter().filter(|day| day.date.day() <= 7 && day.y == TOP);
    let label = |day: &Day| Label {
        text: day.date.strftime("%b").to_string(),
        x: day.x,
        y: TOP - 5,
    };
    firsts.map(label).collect()
}

/// The names of every other day of a week.
fn names(days: &[Day]) -> Vec<Label> {
    let week = days.iter().skip_while(|day| day.y != TOP).take(7);
    let named = week.enumerate().filter(|(at, _)| at % 2 == 1);
    let label = |(_, day): (usize, &Day)| Label {
        text: day.date.strftime("%a").to_string(),
        x: 0,
        y: day.y + SIDE - 1,
    };
    named.map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn year(first_day: FirstDay, counts: &[(Date, u64)]) -> Calendar {
        let span = (date(2026, 1, 1), date(2026, 12, 31));
        calendar("Year", span, first_day, &counts.iter().copied().collect())
    }

    #[test]
    fn a_day_stands_in_its_week_as_the_reader_begins_it() {
        // 1 January 2026 is a Thursday.
        let monday = year(FirstDay::Monday, &[]);
        assert_eq!((monday.days[0].x, monday.days[0].y), (LEFT, TOP + 3 * STEP));
        assert_eq!((monday.days[4].x, monday.days[4].y), (LEFT + STEP, TOP));
        let sunday = year(FirstDay::Sunday, &[]);
        assert_eq!((sunday.days[0].x, sunday.days[0].y), (LEFT, TOP + 4 * STEP));
        assert_eq!(monday.days.len(), 365);
        let names: Vec<&str> = monday.names.iter().map(|name| name.text.as_str()).collect();
        assert_eq!(names, ["Tue", "Thu", "Sat"]);
        assert_eq!(monday.months.len(), 12);
    }

    #[test]
    fn days_are_as_dark_as_their_quarter_of_the_most() {
        let steps = [0, 1, 25, 26, 50, 75, 99, 100].map(|count| step(count, 100));
        assert_eq!(steps, [0, 1, 1, 2, 2, 3, 4, 4]);
        assert_eq!((step(0, 0), step(u64::MAX, u64::MAX)), (0, 4));
    }

    #[test]
    fn only_days_of_the_span_count_and_texts_are_escaped() {
        let counts = [
            (date(2025, 12, 31), 9),
            (date(2026, 3, 2), 2),
            (date(2026, 5, 4), 0),
            (date(2027, 1, 1), 9),
        ];
        let shown = year(FirstDay::Monday, &counts).leading("/a?day=").to_string();
        assert!(shown.contains("Year: 2 in all"), "{shown}");
        assert!(shown.contains("href=\"/a?day=2026-03-02\"") && !shown.contains("2026-05-04\""));
        let odd = calendar(
            "<b>",
            (date(2026, 1, 1), date(2026, 1, 1)),
            FirstDay::Monday,
            &BTreeMap::new(),
        );
        assert!(!odd.to_string().contains("<b>"));
        let none = calendar("N", (Date::MAX, Date::MIN), FirstDay::Monday, &BTreeMap::new());
        assert!(none.to_string().contains("N: 0 in all"));
    }
}
