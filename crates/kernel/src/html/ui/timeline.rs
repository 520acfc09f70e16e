//! What lies in time: rows of bars between days, with a line for today and marks. It
//! says the same as a table.
//!
//! Places across are in percent, so that a timeline is as wide as there is room.

use crate::html::preferences::FirstDay;
use crate::time::Date;
use askama::Template;
use askama::filters::HtmlSafe;
use jiff::ToSpan;
use jiff::civil::date;
use std::fmt::Display;

/// A hundred percent, in the unit of places.
const WHOLE: i64 = 10_000;
/// Years that are drawn.
const YEARS: std::ops::RangeInclusive<i16> = 1971..=2199;
/// Rows of names of marks, and pixels of each.
const LANES: usize = 3;
const LANE: usize = 20;
/// Room that the name of a mark takes: a letter, and the mark itself.
const LETTER: i64 = 80;
const MARK: i64 = 220;
/// Most letters of a name.
const LETTERS: usize = 18;
/// Levels that are told by their distance from the left.
const LEVELS: usize = 3;

crate::choices! {
    /// What a column of a timeline is.
    #[derive(Default)]
    pub enum Scale {
        Weeks = "weeks",
        #[default]
        Months = "months",
        Quarters = "quarters",
    }
}

impl Scale {
    /// All of them with what people call them.
    pub const NAMED: &[(Scale, &str)] = &[
        (Scale::Weeks, "Weeks"),
        (Scale::Months, "Months"),
        (Scale::Quarters, "Quarters"),
    ];

    /// How many columns are drawn, and how many of them lie before today.
    fn columns(self) -> (i64, i64) {
        match self {
            Scale::Weeks => (16, 3),
            Scale::Months => (12, 2),
            Scale::Quarters => (8, 2),
        }
    }

    /// The first day of the column that a day is in.
    fn begin(self, day: Date, first_day: FirstDay) -> Option<Date> {
        match self {
            Scale::Weeks => day.checked_sub(first_day.days_before(day).days()).ok(),
            Scale::Months => Some(day.first_of_month()),
            Scale::Quarters => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok(),
        }
    }

    /// The first day of a column so many further on.
    fn later(self, day: Date, columns: i64) -> Option<Date> {
        let span = match self {
            Scale::Weeks => columns.weeks(),
            Scale::Months => columns.months(),
            Scale::Quarters => (3 * columns).months(),
        };
        day.checked_add(span).ok()
    }

    /// What stands above a column.
    fn label(self, day: Date, is_first: bool) -> String {
        let quarter = (day.month() - 1) / 3 + 1;
        match self {
            Scale::Weeks => day.strftime("%-d %b").to_string(),
            Scale::Months if is_first || day.month() == 1 => day.strftime("%b %Y").to_string(),
            Scale::Months => day.strftime("%b").to_string(),
            Scale::Quarters => format!("Q{quarter} {}", day.year()),
        }
    }
}

/// The days that are drawn.
#[derive(Debug, Clone)]
pub struct Span {
    scale: Scale,
    /// Where each column begins, and where the last one ends.
    begin: Vec<Date>,
    today: Date,
}

impl Span {
    /// Those from the column of this day on; around today where it is none.
    pub fn of(scale: Scale, from: &str, first_day: FirstDay, today: Date) -> Span {
        let (columns, before) = scale.columns();
        let asked = from.trim().parse::<Date>().ok();
        let asked = asked.filter(|day| YEARS.contains(&day.year()));
        let first = match asked {
            Some(day) => scale.begin(day, first_day),
            None => scale.begin(today, first_day).and_then(|day| scale.later(day, -before)),
        };
        let first = first.unwrap_or(today);
        let begin = (0..=columns).filter_map(|column| scale.later(first, column)).collect();
        Span { scale, begin, today }
    }

    /// The first and the last day.
    pub fn days(&self) -> (Date, Date) {
        let first = self.begin.first().copied().unwrap_or(self.today);
        let end = self.begin.last().and_then(|day| day.yesterday().ok());
        (first, end.unwrap_or(first))
    }

    /// The first day half as many columns later or earlier, as addresses name it.
    pub fn moved(&self, times: i64) -> Option<String> {
        let day = self.scale.later(self.days().0, times * self.scale.columns().0 / 2)?;
        YEARS.contains(&day.year()).then(|| day.to_string())
    }

    /// Where a day begins, of the [`WHOLE`].
    fn place(&self, day: Date) -> i64 {
        let (first, last) = self.days();
        let whole = (i64::from(first.until(last).map_or(0, |span| span.get_days())) + 1).max(1);
        let before = first.until(day).map_or(0, |span| i64::from(span.get_days()));
        before.clamp(0, whole) * WHOLE / whole
    }

    fn title(&self) -> String {
        let (first, last) = self.days();
        match first.year() == last.year() {
            true => format!("{} – {}", first.strftime("%b"), last.strftime("%b %Y")),
            false => format!("{} – {}", first.strftime("%b %Y"), last.strftime("%b %Y")),
        }
    }
}

/// What lies in time.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// What it is called.
    pub title: String,
    /// Its page.
    pub url: String,
    /// A word beside its name.
    pub about: String,
    /// How many rows it stands below.
    pub level: usize,
    /// Its first and its last day; none: open.
    pub days: (Option<Date>, Option<Date>),
    /// How much of it is done, of how much.
    pub done: (u64, u64),
    /// The same in words.
    pub said: String,
    /// Nothing is to be done any more.
    pub is_closed: bool,
}

/// A day with a name.
#[derive(Debug, Clone)]
pub struct Mark {
    /// When.
    pub day: Date,
    /// What it is called.
    pub title: String,
    /// Its page.
    pub url: String,
}

/// Rows of bars between days.
#[derive(Debug, Template)]
#[template(path = "ui/timeline.html")]
pub struct Timeline {
    title: String,
    days: String,
    /// Where each begins, and what stands above it.
    columns: Vec<(String, String)>,
    today: Option<String>,
    marks: Vec<DrawnMark>,
    marks_height: usize,
    rows: Vec<DrawnRow>,
}

impl HtmlSafe for Timeline {}

#[derive(Debug)]
struct DrawnMark {
    mark: Mark,
    x: String,
    /// Its name as far as there is room, and where that stands.
    name: String,
    y: usize,
    /// It stands at the left of its mark.
    is_left: bool,
}

#[derive(Debug)]
struct DrawnRow {
    row: Row,
    indent: usize,
    x: String,
    width: String,
    done: String,
}

impl Timeline {
    /// A timeline of these days; `title` says what its rows are.
    pub fn new(title: impl Display, span: &Span, rows: Vec<Row>, marks: Vec<Mark>) -> Timeline {
        let (first, last) = span.days();
        let columns = span.begin.iter().take(span.begin.len().saturating_sub(1)).enumerate();
        let column = |(at, day): (usize, &Date)| {
            (percent(span.place(*day)), span.scale.label(*day, at == 0))
        };
        let columns = columns.map(column).collect();
        let is_now = (first..=last).contains(&span.today);
        let (marks, lanes) = lanes(span, marks);
        Timeline {
            title: title.to_string(),
            days: span.title(),
            columns,
            today: is_now.then(|| percent(span.place(span.today))),
            marks,
            marks_height: lanes.max(1) * LANE + 4,
            rows: rows.into_iter().map(|row| DrawnRow::of(span, row)).collect(),
        }
    }
}

impl DrawnRow {
    fn of(span: &Span, row: Row) -> DrawnRow {
        let (first, last) = span.days();
        let from = span.place(row.days.0.unwrap_or(first));
        let after = row.days.1.unwrap_or(last).tomorrow().unwrap_or(Date::MAX);
        // What lasts a day is seen, too.
        let width = (span.place(after) - from).max(60).min(WHOLE - from.min(WHOLE - 60));
        let percent_done = match row.done {
            (_, 0) => u64::from(row.is_closed) * 100,
            (done, total) => (u128::from(done) * 100 / u128::from(total)).min(100) as u64,
        };
        DrawnRow {
            indent: row.level.min(LEVELS),
            x: percent(from.min(WHOLE - 60)),
            width: percent(width),
            done: format!("{percent_done}%"),
            row,
        }
    }

    /// What stands in the bar: its name, and how much is done where that is known.
    fn text(&self) -> String {
        match self.row.done.1 {
            0 => self.row.title.clone(),
            _ => format!("{} · {}", self.row.title, self.done.replace('%', " %")),
        }
    }

    /// What of the bar begins or ends beyond what is known.
    fn class(&self) -> String {
        let mut class = String::from("bar");
        for (is_so, name) in [
            (self.row.is_closed, " closed"),
            (self.row.days.0.is_none(), " from-open"),
            (self.row.days.1.is_none(), " to-open"),
        ] {
            class.push_str(if is_so { name } else { "" });
        }
        class
    }

    fn start(&self) -> String {
        self.row.days.0.map_or_else(|| "open".into(), |day| day.to_string())
    }

    fn end(&self) -> String {
        self.row.days.1.map_or_else(|| "open".into(), |day| day.to_string())
    }
}

/// Marks with their names in as few rows as have room; names without any are left to the
/// table.
fn lanes(span: &Span, marks: Vec<Mark>) -> (Vec<DrawnMark>, usize) {
    let mut ends: Vec<i64> = Vec::new();
    let mut drawn = Vec::new();
    for mark in marks {
        let at = span.place(mark.day);
        let mut name: String = mark.title.chars().take(LETTERS).collect();
        if name.len() < mark.title.len() {
            name.push('…');
        }
        let wide = MARK + LETTER * i64::try_from(name.chars().count()).unwrap_or_default();
        let is_left = at + wide > WHOLE;
        let (from, until) = if is_left {
            (at - wide, at + MARK)
        } else {
            (at - MARK, at + wide)
        };
        let free = ends.iter().position(|end| *end <= from);
        let lane = match free {
            Some(lane) => Some(lane),
            None if ends.len() < LANES => {
                ends.push(i64::MIN);
                Some(ends.len() - 1)
            }
            None => None,
        };
        match lane {
            Some(lane) => ends[lane] = until,
            None => name.clear(),
        }
        drawn.push(DrawnMark {
            x: percent(at),
            y: lane.unwrap_or_default() * LANE + 12,
            name,
            is_left,
            mark,
        });
    }
    (drawn, ends.len())
}

/// A place or width, of [`WHOLE`].
fn percent(part: i64) -> String {
    format!("{}.{:02}%", part / 100, part % 100)
}

/// Of nothing that is planned, for the page that shows all parts.
pub fn sample() -> Timeline {
    let span = Span::of(Scale::Months, "2030-01-01", FirstDay::Monday, date(2030, 4, 10));
    let row = |title: &str, level, start, end, done| Row {
        title: title.into(),
        url: "#timeline".into(),
        about: "&1".into(),
        level,
        days: (start, end),
        done: (done, 8),
        said: format!("{done} of 8 closed"),
        is_closed: done == 8,
    };
    let rows = vec![
        row("A house without doors", 0, Some(date(2030, 2, 3)), Some(date(2030, 8, 20)), 3),
        row("Frames", 1, Some(date(2030, 2, 3)), Some(date(2030, 3, 30)), 8),
        row("Hinges", 1, Some(date(2030, 4, 1)), None, 0),
        row("Paint", 0, None, Some(date(2030, 6, 1)), 5),
    ];
    let mark = |title: &str, day| Mark { day, title: title.into(), url: "#timeline".into() };
    let marks = vec![mark("v1.0", date(2030, 3, 1)), mark("v1.1", date(2030, 3, 9))];
    Timeline::new("Epics", &span, rows, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(scale: Scale, from: &str) -> Span {
        Span::of(scale, from, FirstDay::Monday, date(2031, 5, 15))
    }

    #[test]
    fn columns_begin_where_people_begin_them() {
        for (scale, from, expected) in [
            (Scale::Weeks, "2031-05-15", (date(2031, 5, 12), date(2031, 8, 31))),
            (Scale::Months, "2031-05-15", (date(2031, 5, 1), date(2032, 4, 30))),
            (Scale::Quarters, "2031-05-15", (date(2031, 4, 1), date(2033, 3, 31))),
            // Around today, which stands in the third or fourth column.
            (Scale::Weeks, "", (date(2031, 4, 21), date(2031, 8, 10))),
            (Scale::Months, "soon", (date(2031, 3, 1), date(2032, 2, 29))),
            (Scale::Quarters, "9999-12-31", (date(2030, 10, 1), date(2032, 9, 30))),
        ] {
            assert_eq!(span(scale, from).days(), expected, "{from}");
        }
        let months = span(Scale::Months, "2031-01-01");
        assert_eq!(months.moved(1).as_deref(), Some("2031-07-01"));
        assert_eq!(months.moved(-1).as_deref(), Some("2030-07-01"));
        assert_eq!(span(Scale::Months, "2199-12-01").moved(1), None);
        assert_eq!(span(Scale::Weeks, "1971-01-01").moved(-1), None);
    }

    #[test]
    fn bars_lie_between_their_days() {
        let row = |start, end| {
            let drawn = DrawnRow::of(
                &span(Scale::Months, "2031-01-01"),
                Row { days: (start, end), ..Row::default() },
            );
            (drawn.x.clone(), drawn.width.clone(), drawn.class())
        };
        let day = |month, day| Some(date(2031, month, day));
        assert_eq!(row(day(1, 1), day(12, 31)), ("0.00%".into(), "100.00%".into(), "bar".into()));
        assert_eq!(row(day(1, 1), None).2, "bar to-open");
        assert_eq!(row(None, day(1, 1)), ("0.00%".into(), "0.60%".into(), "bar from-open".into()));
        // Beyond the days there is nothing, and ends before beginnings do no harm.
        assert_eq!(row(Some(date(2030, 1, 1)), Some(date(2040, 1, 1))).1, "100.00%");
        assert_eq!(row(day(12, 31), day(1, 1)).1, "0.60%");
        assert_eq!(row(Some(Date::MIN), Some(Date::MAX)).1, "100.00%");
    }

    #[test]
    fn names_of_marks_do_not_lie_on_one_another() {
        let mark = |day: i8| Mark {
            day: date(2031, 3, day),
            title: "A rather long name of one".into(),
            url: String::new(),
        };
        let (drawn, lanes) = lanes(&span(Scale::Months, "2031-01-01"), (1..=5).map(mark).collect());
        let lines: Vec<(usize, bool)> =
            drawn.iter().map(|one| (one.y, one.name.is_empty())).collect();
        assert_eq!(lines, [(12, false), (32, false), (52, false), (12, true), (12, true)]);
        assert_eq!((lanes, drawn[0].name.as_str()), (3, "A rather long name…"));
    }

    #[test]
    fn progress_is_said_and_texts_are_escaped() {
        let row = |done, total, is_closed| {
            let row = Row {
                title: "<b>".into(),
                about: "<i>".into(),
                done: (done, total),
                is_closed,
                ..Row::default()
            };
            DrawnRow::of(&span(Scale::Weeks, ""), row).done
        };
        assert_eq!(
            (row(1, 3, false), row(0, 0, false), row(0, 0, true)),
            ("33%".to_owned(), "0%".to_owned(), "100%".to_owned())
        );
        assert_eq!(row(u64::MAX, u64::MAX, false), "100%");
        let rows = vec![Row { title: "<b>".into(), said: "<i>".into(), ..Row::default() }];
        let marks = vec![Mark {
            day: date(2031, 5, 15),
            title: "<b>".into(),
            url: "\"".into(),
        }];
        let html = Timeline::new("<b>", &span(Scale::Weeks, ""), rows, marks).to_string();
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
    }
}
